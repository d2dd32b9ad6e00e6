"""Rule-based fibres and sheets by Laplace–Dirichlet problems.

The method is that of Bayer, Blake, Plank & Trayanova 2012 (Ann Biomed Eng 40:2243). Four potentials are solved with
linear tetrahedral elements: φ_epi, φ_lv and φ_rv (1 on their surface, 0 on the other two) give the transmural
directions, ψ (0 at the apex, 1 in the valve plane) the apex–base direction. In each cell the frame of the wall is
turned by the helix angle α and the transverse angle β, and the frames of the left endocardium, right endocardium and
epicardium are blended by quaternions (bidirectional slerp).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation

Floats = npt.NDArray[np.float64]

HELIX_ENDO, HELIX_EPI = np.radians(60.0), np.radians(-60.0)
SHEET_ENDO, SHEET_EPI = np.radians(-65.0), np.radians(25.0)
HALF_TURNS = np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Potentials:
    """Cell means and cell gradients of the four Laplace solutions."""

    epi: Floats
    lv: Floats
    rv: Floats
    grad_epi: Floats
    grad_lv: Floats
    grad_rv: Floats
    grad_base: Floats


def shape_gradients(points: Floats, cells: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Gradients of the four linear shape functions, (n, 4, 3) [1/mm], and volumes (n,) [mm³]."""
    origin = points[cells[:, 0]]
    edges = points[cells[:, 1:]] - origin[:, None, :]
    inverse = np.linalg.inv(edges)  # columns are the gradients of shape functions 1..3
    gradients = np.empty((len(cells), 4, 3))
    gradients[:, 1:] = inverse.transpose(0, 2, 1)
    gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
    return gradients, np.abs(np.linalg.det(edges)) / 6.0


def stiffness(gradients: Floats, volumes: Floats, cells: npt.NDArray[np.int64], n_points: int) -> csr_matrix:
    local = np.einsum("eik,ejk,e->eij", gradients, gradients, volumes)
    rows = np.repeat(cells, 4, axis=1).ravel()
    columns = np.tile(cells, (1, 4)).ravel()
    return coo_matrix((local.ravel(), (rows, columns)), shape=(n_points, n_points)).tocsr()


def laplace(matrix: csr_matrix, fixed: npt.NDArray[np.int64], values: Floats) -> Floats:
    """Solution of Laplace's equation with the given nodal values and natural conditions elsewhere."""
    n = matrix.shape[0]
    solution = np.zeros(n)
    solution[fixed] = values
    free = np.setdiff1d(np.arange(n), fixed)
    solution[free] = spsolve(matrix[free][:, free].tocsc(), -(matrix[free] @ solution))
    return solution


def potentials(
    points: Floats, cells: npt.NDArray[np.int64], surfaces: dict[str, npt.NDArray[np.int64]], apex_radius: float = 0.8
) -> Potentials:
    """The four solutions. ``surfaces`` names the nodes of ``epi``, ``lv``, ``rv`` and ``base``."""
    gradients, volumes = shape_gradients(points, cells)
    matrix = stiffness(gradients, volumes, cells, len(points))
    fixed = np.concatenate([surfaces[k] for k in ("epi", "lv", "rv")])
    nodal = {}
    for name in ("epi", "lv", "rv"):
        values = np.concatenate([np.full(len(surfaces[k]), float(k == name)) for k in ("epi", "lv", "rv")])
        nodal[name] = laplace(matrix, fixed, values)
    tip = points[points[:, 2].argmin()]
    apex = np.flatnonzero(np.linalg.norm(points - tip, axis=1) < apex_radius)
    ends = np.concatenate([apex, surfaces["base"]])
    nodal["base"] = laplace(matrix, ends, np.concatenate([np.zeros(len(apex)), np.ones(len(surfaces["base"]))]))
    mean = {name: value[cells].mean(axis=1) for name, value in nodal.items()}
    slope = {
        name: recovered(np.einsum("ej,ejk->ek", value[cells], gradients), volumes, cells)
        for name, value in nodal.items()
    }
    return Potentials(mean["epi"], mean["lv"], mean["rv"], slope["epi"], slope["lv"], slope["rv"], slope["base"])


def recovered(gradients: Floats, volumes: Floats, cells: npt.NDArray[np.int64]) -> Floats:
    """Cell gradients smoothed over the neighbours (volume-weighted to the points and back).

    A cell with all four points on one surface has no gradient of its own; its neighbours have.
    """
    n_points = int(cells.max()) + 1
    weight = np.bincount(cells.ravel(), np.repeat(volumes, 4), n_points)
    smooth = np.empty_like(gradients)
    for axis in range(3):
        at_points = np.bincount(cells.ravel(), np.repeat(volumes * gradients[:, axis], 4), n_points) / weight
        smooth[:, axis] = at_points[cells].mean(axis=1)
    return smooth


def unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def wall_frame(base: Floats, transmural: Floats) -> Floats:
    """Orthonormal frames (n, 3, 3), columns: circumferential, longitudinal, transmural (Bayer's ``axis``).

    The transmural direction is kept exact and the longitudinal one made orthogonal to it, so that fibres lie in the
    wall even where the valve plane bends the apex–base gradient.
    """
    across = unit(transmural)
    along = unit(base - np.einsum("ij,ij->i", base, across)[:, None] * across)
    return np.stack([np.cross(along, across), along, across], axis=2)


def turned(frame: Floats, helix: Floats, sheet: Floats) -> Floats:
    """Frames turned by the helix angle about the transmural axis, then by the sheet angle about the fibre."""
    about_wall = Rotation.from_rotvec(helix[:, None] * np.array([0.0, 0.0, 1.0])).as_matrix()
    about_fibre = Rotation.from_rotvec(sheet[:, None] * np.array([-1.0, 0.0, 0.0])).as_matrix()  # Bayer's sign
    return frame @ about_wall @ about_fibre


def quaternion_product(a: Floats, b: Floats) -> Floats:
    """Hamilton product, scalar last."""
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.column_stack([vector, a[:, 3] * b[:, 3] - np.einsum("ij,ij->i", a[:, :3], b[:, :3])])


def blended(first: Floats, second: Floats, fraction: Floats) -> Floats:
    """Bidirectional slerp: of the four frames with the same fibre and sheet lines, the nearest is taken."""
    a, b = Rotation.from_matrix(first).as_quat(), Rotation.from_matrix(second).as_quat()
    candidates = np.stack([quaternion_product(a, np.tile(h, (len(a), 1))) for h in HALF_TURNS], axis=1)
    dots = np.einsum("ehk,ek->eh", candidates, b)
    best = np.abs(dots).argmax(axis=1)
    row = np.arange(len(a))
    a = candidates[row, best] * np.sign(dots[row, best])[:, None]
    angle = np.arccos(np.clip(np.abs(dots[row, best]), 0.0, 1.0))[:, None]
    t = fraction[:, None]
    small = angle < 1e-6
    scale = np.where(small, 1.0, np.sin(angle))
    q = np.where(small, 1 - t, np.sin((1 - t) * angle)) / scale * a + np.where(small, t, np.sin(t * angle)) / scale * b
    return Rotation.from_quat(q).as_matrix()


def fibres_and_sheets(phi: Potentials) -> tuple[Floats, Floats]:
    """Unit fibre and sheet directions of each cell, (n, 3) each, orthogonal to one another."""
    depth = np.clip(phi.rv / np.maximum(phi.lv + phi.rv, 1e-9), 0.0, 1.0)  # 0 on the left, 1 on the right side
    wall_helix = HELIX_ENDO * (1.0 - phi.epi) + HELIX_EPI * phi.epi
    wall_sheet = SHEET_ENDO * (1.0 - phi.epi) + SHEET_EPI * phi.epi
    # Seen from the left the angles change sign across the septum. Bayer leaves φ_epi out of the endocardial frames;
    # with 60° to −60° they would then differ from the epicardial frame by more than a right angle for φ_epi > 3/4, the
    # slerp would take the other way round and the fibres jump.
    side = 1.0 - 2.0 * depth
    left = turned(wall_frame(phi.grad_base, -phi.grad_lv), side * wall_helix, side * wall_sheet)
    right = turned(wall_frame(phi.grad_base, phi.grad_rv), side * wall_helix, side * wall_sheet)
    endo = blended(left, right, depth)
    outer = turned(wall_frame(phi.grad_base, phi.grad_epi), wall_helix, wall_sheet)
    frame = blended(endo, outer, np.clip(phi.epi, 0.0, 1.0))
    return frame[:, :, 0], frame[:, :, 2]
