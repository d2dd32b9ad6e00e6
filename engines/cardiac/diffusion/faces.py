"""The flux through one face, and the gradient of one cell: the formulae of README.md, compiled.

Every function here works on scalars and small tuples, so that the assembly keeps no array per face.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np


@nb.njit(cache=True, nogil=True, inline="always")
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@nb.njit(cache=True, nogil=True, inline="always")
def apply(tensors, cell, a):
    """K a"""
    k = tensors[cell]
    return (
        k[0, 0] * a[0] + k[0, 1] * a[1] + k[0, 2] * a[2],
        k[1, 0] * a[0] + k[1, 1] * a[1] + k[1, 2] * a[2],
        k[2, 0] * a[0] + k[2, 1] * a[1] + k[2, 2] * a[2],
    )


@nb.njit(cache=True, nogil=True)
def area_vector(points, cells, cell, k):
    """Outward area vector S of the face opposite vertex k."""
    o = points[cells[cell, k]]
    a = points[cells[cell, 1 if k == 0 else 0]]
    b = points[cells[cell, 2 if k <= 1 else 1]]
    c = points[cells[cell, 2 if k == 3 else 3]]
    px, py, pz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    qx, qy, qz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    sx, sy, sz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
    outward = 0.5 if sx * (a[0] - o[0]) + sy * (a[1] - o[1]) + sz * (a[2] - o[2]) > 0 else -0.5
    return outward * sx, outward * sy, outward * sz


@nb.njit(cache=True, nogil=True)
def conormal_step(tensors, volumes, cell, area):
    """``(p, V / (S.K S))``: p leads from the centroid along the co-normal K S to the plane of the face.

    The centroid lies a quarter of the height above each face, so that ``A delta = 3 V / 4``.
    """
    flow = apply(tensors, cell, area)
    resistance = volumes[cell] / dot(area, flow)
    f = 0.75 * resistance
    return (f * flow[0], f * flow[1], f * flow[2]), resistance


@nb.njit(cache=True, nogil=True)
def gradient_row(points, cells, volumes, centroids, tensors, i, j, k):
    """``(e, weight)`` of one row of the least squares (README eq. 6).

    ``g_i . e = u_j - u_i`` for a linear field whose flux is continuous at the face; across the boundary (j < 0) e is
    the co-normal, along which the field does not change.
    """
    area = area_vector(points, cells, i, k)
    p, resistance_i = conormal_step(tensors, volumes, i, area)
    if j < 0:
        return p, 4.0 / (3.0 * resistance_i)
    q, resistance_j = conormal_step(tensors, volumes, j, area)
    flow_i = apply(tensors, i, area)
    f = 0.75 * resistance_j
    x, y = centroids[i], centroids[j]
    e = (
        y[0] - x[0] + f * flow_i[0] - q[0],
        y[1] - x[1] + f * flow_i[1] - q[1],
        y[2] - x[2] + f * flow_i[2] - q[2],
    )
    return e, 4.0 / (3.0 * (resistance_i + resistance_j))


@nb.njit(cache=True, nogil=True)
def face_flux(points, cells, volumes, centroids, tensors, i, j, k, relaxation_cap):
    """``(alpha, a_i, a_j)``: the flow from j into i is ``alpha (u_j - u_i) + a_i . g_i + a_j . g_j`` (README eq. 4, 7).

    The weights of the distance-weighted mean are in ``a_i`` and ``a_j``.
    """
    area = area_vector(points, cells, i, k)
    p, resistance_i = conormal_step(tensors, volumes, i, area)
    q, resistance_j = conormal_step(tensors, volumes, j, area)
    x, y = centroids[i], centroids[j]
    d = (y[0] - x[0], y[1] - x[1], y[2] - x[2])
    alpha = 4.0 / (3.0 * (resistance_i + resistance_j))
    slip = (p[0] + q[0] - d[0], p[1] + q[1] - d[1], p[2] + q[2] - d[2])
    w_i = volumes[j] / (volumes[i] + volumes[j])
    w_j = 1.0 - w_i
    s = 0.0
    if relaxation_cap < np.inf:
        s = alpha * max(0.0, 1.0 - relaxation_cap * conormal_cosine2(tensors, i, j, area, d))
    flow_i, flow_j = apply(tensors, i, area), apply(tensors, j, area)
    f_i, f_j = 0.75 * resistance_i, 0.75 * resistance_j
    # what each side's gradient predicts for u_j - u_i, so that the part s of the two-point flux can be handed over
    a_i = (
        w_i * (alpha * slip[0] + s * (d[0] + f_j * flow_i[0] - q[0])),
        w_i * (alpha * slip[1] + s * (d[1] + f_j * flow_i[1] - q[1])),
        w_i * (alpha * slip[2] + s * (d[2] + f_j * flow_i[2] - q[2])),
    )
    a_j = (
        w_j * (alpha * slip[0] + s * (d[0] + f_i * flow_j[0] - p[0])),
        w_j * (alpha * slip[1] + s * (d[1] + f_i * flow_j[1] - p[1])),
        w_j * (alpha * slip[2] + s * (d[2] + f_i * flow_j[2] - p[2])),
    )
    return alpha - s, a_i, a_j


@nb.njit(cache=True, nogil=True)
def conormal_cosine2(tensors, i, j, area, d):
    """``(S.d)² / ((d.K⁻¹d)(S.K S))`` with the mean tensor: cos² of the angle between cell line and co-normal,
    measured in the metric K⁻¹, in (0, 1]."""
    k = np.empty((3, 3))
    for r in range(3):
        for c in range(3):
            k[r, c] = 0.5 * (tensors[i, r, c] + tensors[j, r, c])
    ks = (
        k[0, 0] * area[0] + k[0, 1] * area[1] + k[0, 2] * area[2],
        k[1, 0] * area[0] + k[1, 1] * area[1] + k[1, 2] * area[2],
        k[2, 0] * area[0] + k[2, 1] * area[1] + k[2, 2] * area[2],
    )
    inverse = solve3(k, d)
    return dot(area, d) ** 2 / (dot(d, inverse) * dot(area, ks))


@nb.njit(cache=True, nogil=True)
def solve3(m, b):
    """x with M x = b for a symmetric 3×3 matrix; zero where M is singular."""
    c00 = m[1, 1] * m[2, 2] - m[1, 2] * m[1, 2]
    c01 = m[0, 2] * m[1, 2] - m[0, 1] * m[2, 2]
    c02 = m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1]
    c11 = m[0, 0] * m[2, 2] - m[0, 2] * m[0, 2]
    c12 = m[0, 1] * m[0, 2] - m[0, 0] * m[1, 2]
    c22 = m[0, 0] * m[1, 1] - m[0, 1] * m[0, 1]
    determinant = m[0, 0] * c00 + m[0, 1] * c01 + m[0, 2] * c02
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if not abs(determinant) > 1e-12 * trace**3:
        return 0.0, 0.0, 0.0
    r = 1.0 / determinant
    return (
        r * (c00 * b[0] + c01 * b[1] + c02 * b[2]),
        r * (c01 * b[0] + c11 * b[1] + c12 * b[2]),
        r * (c02 * b[0] + c12 * b[1] + c22 * b[2]),
    )
