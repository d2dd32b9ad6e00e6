"""The diffusion operator once more: slow, float64, with unit normals, distances and dense least squares.

Written from the derivation (README eq. 1-7) and not from the compiled assembly: faces are matched by a dictionary,
gradients come from ``numpy.linalg.lstsq``, and matrices are summed face by face.
"""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh


def reference_operator(
    mesh: TetMesh, tensors: Array, relaxation_cap: float = np.inf, correction: Array | None = None
) -> scipy.sparse.csr_matrix:
    """L [1/ms] of ``du/dt = L u`` for a small mesh. tensors: (n_cells, 3, 3) [mm²/ms].

    correction: (n_cells,) factor on each cell's gradient (1 if not given).
    """
    n = mesh.n_cells
    correction = np.ones(n) if correction is None else correction
    faces: dict[tuple[int, ...], list[int]] = {}
    for cell, vertices in enumerate(mesh.cells):
        for k in range(4):
            faces.setdefault(tuple(sorted(np.delete(vertices, k).tolist())), []).append(cell)

    rows: list[list[tuple[Array, float, int]]] = [[] for _ in range(n)]  # (direction, weight, neighbour or -1)
    inner = []
    for face, owners in faces.items():
        corners = mesh.points[list(face)]
        cross = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        area, normal = np.linalg.norm(cross) / 2, cross / np.linalg.norm(cross)
        for i, j in ((owners[0], owners[-1]), (owners[-1], owners[0])):
            out = normal * np.sign(normal @ (corners[0] - mesh.centroids[i]))
            delta_i, k_i = out @ (corners[0] - mesh.centroids[i]), tensors[i]
            if i == j:
                conormal = k_i @ out
                # weight: the two-point coefficient over the distance to the face
                rows[i].append((conormal * delta_i / (out @ conormal), area * (out @ conormal) / delta_i, -1))
                break
            k_j, delta_j = tensors[j], out @ (mesh.centroids[j] - corners[0])
            jump = (k_i - k_j) @ out * delta_j / (out @ k_j @ out)
            alpha = area / (delta_i / (out @ k_i @ out) + delta_j / (out @ k_j @ out))
            rows[i].append((mesh.centroids[j] - mesh.centroids[i] + jump, alpha, j))
            if i == owners[0]:
                inner.append((i, j, out, delta_i, delta_j, alpha))

    gradient = [_least_squares(rows[i], i, n) * correction[i] for i in range(n)]
    matrix = scipy.sparse.lil_matrix((n, n))
    for i, j, out, delta_i, delta_j, alpha in inner:
        d = mesh.centroids[j] - mesh.centroids[i]
        tangential_i = tensors[i] @ out - (out @ tensors[i] @ out) * out
        tangential_j = tensors[j] @ out - (out @ tensors[j] @ out) * out
        slip = (
            tangential_i * delta_i / (out @ tensors[i] @ out)
            + tangential_j * delta_j / (out @ tensors[j] @ out)
            - (d - (d @ out) * out)
        )
        mean = (tensors[i] + tensors[j]) / 2
        cosine2 = (out @ d) ** 2 / ((d @ np.linalg.inv(mean) @ d) * (out @ mean @ out))
        handed_over = alpha * (1 - min(1.0, relaxation_cap * cosine2))
        w_i = mesh.volumes[j] / (mesh.volumes[i] + mesh.volumes[j])
        predicted_i = next(e for e, _, other in rows[i] if other == j)
        predicted_j = -next(e for e, _, other in rows[j] if other == i)
        flow = np.zeros(n)  # from j into i, per unit of each cell's value
        flow[j] += alpha - handed_over
        flow[i] -= alpha - handed_over
        flow += w_i * (alpha * slip + handed_over * predicted_i) @ gradient[i]
        flow += (1 - w_i) * (alpha * slip + handed_over * predicted_j) @ gradient[j]
        matrix[i] += flow / mesh.volumes[i]
        matrix[j] -= flow / mesh.volumes[j]
    return matrix.tocsr()


def _least_squares(rows: list[tuple[Array, float, int]], i: int, n: int) -> Array:
    """(3, n): the gradient of cell i as a function of all cell values."""
    root = np.sqrt([weight for _, weight, _ in rows])
    directions = root[:, None] * np.array([e for e, _, _ in rows])
    differences = np.zeros((len(rows), n))
    for k, (_, _, j) in enumerate(rows):
        if j >= 0:
            differences[k, j] += root[k]
            differences[k, i] -= root[k]
    return np.linalg.lstsq(directions, differences, rcond=None)[0]
