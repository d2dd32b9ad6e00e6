"""The formulae of README.md, compiled: the flux through a face, the gradient of a cell, the rows of the matrix.

All in one module, for Numba's cache on disk notices a change only in the file of the function that is called.
Nothing is stored per face: what the rows need is computed again for each cell.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import in_parts
from engines.cardiac.diffusion import sliced

MOST_ENTRIES, LANES = 16, 32
"""Those of :mod:`sliced`, once more: Numba's cache on disk notices a change only in the file of the kernel."""
assert (MOST_ENTRIES, LANES) == (sliced.WIDTH, sliced.SLICE)


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
    a, b = tensors[i], tensors[j]
    x = 0.5 * (a[0, 0] + b[0, 0]), 0.5 * (a[0, 1] + b[0, 1]), 0.5 * (a[0, 2] + b[0, 2])
    y = 0.5 * (a[1, 0] + b[1, 0]), 0.5 * (a[1, 1] + b[1, 1]), 0.5 * (a[1, 2] + b[1, 2])
    z = 0.5 * (a[2, 0] + b[2, 0]), 0.5 * (a[2, 1] + b[2, 1]), 0.5 * (a[2, 2] + b[2, 2])
    ks = dot(x, area), dot(y, area), dot(z, area)
    inverse = solve3(x, y, z, d)
    return dot(area, d) ** 2 / (dot(d, inverse) * dot(area, ks))


@nb.njit(cache=True, nogil=True)
def solve3(x, y, z, b):
    """The solution for a symmetric 3×3 matrix of rows x, y, z, of which the upper triangle counts; zero where it is
    singular. In registers: an array for each call would take longer than the arithmetic."""
    c00 = y[1] * z[2] - y[2] * y[2]
    c01 = x[2] * y[2] - x[1] * z[2]
    c02 = x[1] * y[2] - x[2] * y[1]
    c11 = x[0] * z[2] - x[2] * x[2]
    c12 = x[1] * x[2] - x[0] * y[2]
    c22 = x[0] * y[1] - x[1] * x[1]
    determinant = x[0] * c00 + x[1] * c01 + x[2] * c02
    trace = x[0] + y[1] + z[2]
    if not abs(determinant) > 1e-12 * trace**3:
        return 0.0, 0.0, 0.0
    r = 1.0 / determinant
    return (
        r * (c00 * b[0] + c01 * b[1] + c02 * b[2]),
        r * (c01 * b[0] + c11 * b[1] + c12 * b[2]),
        r * (c02 * b[0] + c12 * b[1] + c22 * b[2]),
    )


def least_squares(points, cells, volumes, centroids, tensors, neighbours) -> Array:
    """Least squares: ``g_i = sum_k c[i, k] (u_j(k) - u_i)``, c: (n_cells, 4, 3) (README eq. 6).

    Across the boundary the difference is zero by construction, and so is c.
    """
    coefficients = np.zeros((len(cells), 4, 3))
    _least_squares(len(cells), points, cells, volumes, centroids, tensors, neighbours, coefficients)
    return coefficients


@in_parts
@nb.njit(cache=True, nogil=True)
def _least_squares(first, last, points, cells, volumes, centroids, tensors, neighbours, coefficients):
    """coefficients: (n_cells, 4, 3), filled where a face has another side."""
    directions = np.empty((4, 3))
    for i in range(first, last):
        xx = xy = xz = yy = yz = zz = 0.0
        for k in range(4):
            j = np.int64(neighbours[i, k])  # of one type wherever rows are made: each compiles anew
            e, weight = gradient_row(points, cells, volumes, centroids, tensors, i, j, k)
            x, y, z = weight * e[0], weight * e[1], weight * e[2]
            directions[k, 0], directions[k, 1], directions[k, 2] = x, y, z
            xx, xy, xz = xx + x * e[0], xy + x * e[1], xz + x * e[2]
            yy, yz, zz = yy + y * e[1], yz + y * e[2], zz + z * e[2]
        for k in range(4):
            if neighbours[i, k] >= 0:
                direction = directions[k, 0], directions[k, 1], directions[k, 2]
                g = solve3((xx, xy, xz), (xy, yy, yz), (xz, yz, zz), direction)
                coefficients[i, k, 0], coefficients[i, k, 1], coefficients[i, k, 2] = g


def energy_need(points, cells, volumes, centroids, tensors, neighbours, gradients, relaxation_cap, enough=1.0) -> Array:
    """(n_cells,) the part of its share of two-point energy that each cell's correction can consume (README eq. 8).

    Where neither a cell nor one of its neighbours needs more than ``enough``, at most 1, it may be told too high, up to
    that: no face of it can owe energy, and nobody's gradient is scaled for it. That spares most cells' eigenvalues.
    """
    bounds = np.zeros(len(cells))
    arguments = (points, cells, volumes, centroids, tensors), neighbours, gradients, relaxation_cap, enough
    _energy_need(len(cells), *arguments, bounds, bounds, False)
    need = bounds.copy()
    _energy_need(len(cells), *arguments, bounds, need, True)
    return need


@in_parts
@nb.njit(cache=True, nogil=True)
def _energy_need(first, last, geometry, neighbours, gradients, relaxation_cap, enough, bounds, need, again):
    """need: (n_cells,), filled; ``again`` where a cell has been told ``enough`` and a neighbour needs more."""
    points, cells, volumes, centroids, tensors = geometry
    d, b, form = np.empty(4), np.empty((4, 4)), np.empty((4, 4))
    for i in range(first, last):
        if again and not (bounds[i] == enough and _beside_more(bounds, neighbours, i, enough)):
            continue
        for k in range(4):
            d[k], b[k, 0], b[k, 1], b[k, 2], b[k, 3] = 1.0, 0.0, 0.0, 0.0, 0.0
            j = np.int64(neighbours[i, k])
            if j < 0:
                continue
            alpha, a_i, _ = face_flux(points, cells, volumes, centroids, tensors, i, j, k, relaxation_cap)
            d[k] = alpha * volumes[j] / (volumes[i] + volumes[j])
            for m in range(4):
                b[k, m] = dot(a_i, gradients[i, m])
        squares = 0.0
        for k in range(4):
            for n in range(4):
                form[k, n] = 0.5 * (b[k, n] + b[n, k]) / np.sqrt(d[k] * d[n])
                squares += form[k, n] * form[k, n]
        bound = np.sqrt(squares)
        if bound <= 0.5:
            need[i] = bound
        elif not again and _positive(form, enough, b):
            need[i] = enough
        else:
            need[i] = max(0.0, -np.linalg.eigvalsh(form)[0])


@nb.njit(nogil=True)
def _beside_more(need, neighbours, i, enough):
    """Whether a neighbour of cell i needs more."""
    more = False
    for k in range(4):
        more = more or (neighbours[i, k] >= 0 and need[neighbours[i, k]] > enough)
    return more


@nb.njit(nogil=True)
def _positive(form, shift, rest):
    """Whether a symmetric 4×4 matrix plus ``shift`` times the identity is positive definite, by its pivots; ``rest`` is
    room for it. A fiftieth of the time of LAPACK's eigenvalues."""
    for k in range(4):
        for c in range(4):
            rest[k, c] = form[k, c]
        rest[k, k] += shift
    for k in range(4):
        if not rest[k, k] > 0.0:
            return False
        for r in range(k + 1, 4):
            for c in range(k + 1, 4):
                rest[r, c] -= rest[r, k] * rest[k, c] / rest[k, k]
    return True


def kept_shares(volumes, neighbours, need, allowed) -> Array:
    """Share of its gradient that each cell keeps: all up to ``allowed`` times what its two-point fluxes give, beyond
    that as much as the neighbours leave of it."""
    kept = np.ones(len(need))
    _kept_shares(len(need), volumes, neighbours, need, allowed, kept)
    return kept


@in_parts
@nb.njit(cache=True, nogil=True)
def _kept_shares(first, last, volumes, neighbours, need, allowed, kept):
    """kept: (n_cells,), 1 where it is not lowered."""
    for i in range(first, last):
        if need[i] <= allowed[i]:
            continue
        for k in range(4):
            j = neighbours[i, k]
            if j >= 0:
                w_i = volumes[j] / (volumes[i] + volumes[j])
                left = 1.0 - (1.0 - w_i) * min(need[j] / allowed[j], 1.0)
                kept[i] = min(kept[i], allowed[i] * left / (w_i * need[i]))


def proved_stable(volumes, neighbours, need) -> bool:
    """Whether no face owes more energy than it has (README eq. 9); rounding is left 1e-12."""
    return not any(_faces_in_debt(len(need), volumes, neighbours, need))


@in_parts
@nb.njit(cache=True, nogil=True)
def _faces_in_debt(first, last, volumes, neighbours, need):
    """How many faces owe more than they have."""
    failures = 0
    for i in range(first, last):
        for k in range(4):
            j = neighbours[i, k]
            if j > i:
                w_i = volumes[j] / (volumes[i] + volumes[j])
                if w_i * need[i] + (1.0 - w_i) * need[j] > 1.0 + 1e-12:
                    failures += 1
    return failures


@nb.njit(cache=True, nogil=True, inline="always")
def _add(columns, values, length, column, value):
    """Add ``value`` to the entry of ``column`` in a short row; returns the new length."""
    for e in range(length):
        if columns[e] == column:
            values[e] += value
            return length
    columns[length] = column
    values[length] = value
    return length + 1


@in_parts
@nb.njit(cache=True, nogil=True)
def _fill_rows(first, last, geometry, neighbours, gradients, kept, relaxation_cap, starts, columns, weights):
    """Rows of the slices from ``first`` to ``last``: merge the contributions of a cell's four faces and divide by its
    volume."""
    points, cells, volumes, centroids, tensors = geometry
    n = len(cells)
    row_columns = np.empty(MOST_ENTRIES, np.int32)
    row_values = np.empty(MOST_ENTRIES)
    for s in range(first, last):
        width = (starts[s + 1] - starts[s]) // LANES
        for lane in range(LANES):
            i = s * LANES + lane
            length = 0
            for k in range(4):
                j = neighbours[i, k] if i < n else -1
                if j < 0:
                    continue
                alpha, a_i, a_j = face_flux(points, cells, volumes, centroids, tensors, i, j, k, relaxation_cap)
                length = _add(row_columns, row_values, length, j, alpha)
                for m in range(4):
                    if neighbours[i, m] >= 0:
                        value = kept[i] * dot(a_i, gradients[i, m])
                        length = _add(row_columns, row_values, length, neighbours[i, m], value)
                    other = neighbours[j, m]
                    if other >= 0:
                        # multiplies u_other - u_j; the part of u_j goes to the neighbour's own entry
                        value = kept[j] * dot(a_j, gradients[j, m])
                        length = _add(row_columns, row_values, length, j, -value)
                        if other != i:
                            length = _add(row_columns, row_values, length, other, value)
            for e in range(width):
                place = starts[s] + e * LANES + lane
                if e >= length:
                    columns[place] = min(i, n - 1)
                    weights[place] = 0.0
                    continue
                # the smallest column that is left; a row is too short for a better sort
                smallest = e
                for other in range(e + 1, length):
                    if row_columns[other] < row_columns[smallest]:
                        smallest = other
                columns[place] = row_columns[smallest]
                weights[place] = row_values[smallest] / volumes[i]
                row_columns[smallest] = row_columns[e]
                row_values[smallest] = row_values[e]


def fill_rows(
    points, cells, volumes, centroids, tensors, neighbours, gradients, kept, relaxation_cap, starts, columns, weights
) -> None:
    """One row per cell. ``kept: (n_cells,)`` is the share of each cell's gradient that counts. Layout:
    :class:`sliced.SlicedMatrix`."""
    geometry = points, cells, volumes, centroids, tensors
    _fill_rows(len(starts) - 1, geometry, neighbours, gradients, kept, relaxation_cap, starts, columns, weights)
