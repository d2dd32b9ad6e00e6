"""The sum of surface currents with their phases, for many directions at once.

Points of a box lie in rows, so the phase of a point is a product of three that belong to its coordinates. These are
tabulated for a block of directions, and a row is summed before it takes the phase that all of it has: a point then
costs a direction four complex products (two tangential parts of J and of M) and no sine.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region
from engines.fdtd.far.spectra import SurfaceSpectra

BLOCK = 64
"""Directions that are summed together: what a row adds to fits into the first cache."""
ALIGNED = 1e-9


class Rows(NamedTuple):
    """Points of a surface in rows that run along one axis.

    order: (m,) of the points; starts: (rows + 1,); normal_axis: (rows,); indices: (m, 3) into ``coordinates``
    coordinates: the values that occur along x, y, z, one after another; ends: (4,) where those of an axis begin
    """

    order: Array
    starts: Array
    normal_axis: Array
    indices: Array
    coordinates: Array
    ends: Array


def rows_of(surface: SurfaceSpectra) -> Rows:
    """Raises ValueError where a normal is not along an axis."""
    normal_axis = np.abs(surface.normals).argmax(axis=1)
    if (np.abs(surface.normals).sum(axis=1) > 1 + ALIGNED).any():
        raise ValueError("a far field is taken from a surface whose faces lie across the axes")
    indices = np.empty(surface.positions.shape, np.int64)
    values = []
    reach = float(np.ptp(surface.positions, axis=0).max()) or 1.0
    for axis in range(3):
        # places that differ by rounding are one
        rounded = np.round(surface.positions[:, axis] / (ALIGNED * reach))
        _, first, indices[:, axis] = np.unique(rounded, return_index=True, return_inverse=True)
        values.append(surface.positions[first, axis])
    points = np.arange(len(indices))
    fixed = indices[points, (normal_axis + 1) % 3]
    order = np.lexsort((indices[points, (normal_axis + 2) % 3], fixed, indices[points, normal_axis], normal_axis))
    keys = np.stack([normal_axis, indices[points, normal_axis], fixed], axis=1)[order]
    begins = np.flatnonzero(np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)]))
    return Rows(
        order,
        np.append(begins, len(order)),
        normal_axis[order][begins],
        indices[order],
        np.concatenate(values),
        np.concatenate([[0], np.cumsum([len(each) for each in values])]),
    )


def radiation_vectors(
    rows: Rows, electric_current: Array, magnetic_current: Array, wavenumber: float, directions: Array
) -> tuple[Array, Array]:
    """N and L, (directions, 3) complex: ``Σ current · exp(ik r'·r̂)`` of currents (m, 3) that hold the area.

    directions: (d, 3) unit vectors; wavenumber [1/m]
    """
    currents = np.concatenate([electric_current, magnetic_current], axis=1)[rows.order]
    points = np.arange(len(currents))
    axis = np.repeat(rows.normal_axis, np.diff(rows.starts))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    # (m, 8): real and imaginary parts of the two tangential parts of J, then of M
    parts = np.stack([currents[points, c] for c in (first, second, first + 3, second + 3)], axis=1)
    tangential = np.ascontiguousarray(np.stack([parts.real, parts.imag], axis=2).reshape(len(points), 8))
    found = np.zeros((6, 2, len(directions)))
    with parallel_region():
        _sum_rows(
            rows.starts, rows.normal_axis, rows.indices, rows.coordinates, rows.ends, tangential,
            wavenumber, np.ascontiguousarray(directions), found,
        )  # fmt: skip
    vectors = (found[:, 0] + 1j * found[:, 1]).T
    return vectors[:, :3], vectors[:, 3:]


@nb.njit(cache=True, nogil=True, parallel=True)
def _sum_rows(starts, normal_axis, indices, coordinates, ends, currents, wavenumber, directions, found):
    """currents: (m, 8); found: (6, 2, directions) of N and L, real and imaginary."""
    count = len(directions)
    for block in nb.prange((count + BLOCK - 1) // BLOCK):
        begin = block * BLOCK
        width = min(BLOCK, count - begin)
        phase = np.empty((2, len(coordinates), width))
        for axis in range(3):
            for n in range(ends[axis], ends[axis + 1]):
                for d in range(width):
                    angle = wavenumber * coordinates[n] * directions[begin + d, axis]
                    phase[0, n, d] = np.cos(angle)
                    phase[1, n, d] = np.sin(angle)
        total = np.zeros((6, 2, width))
        row = np.empty((8, width))
        for r in range(len(starts) - 1):
            axis = normal_axis[r]
            along = (axis + 2) % 3
            row[:] = 0.0
            for p in range(starts[r], starts[r + 1]):
                n = ends[along] + indices[p, along]
                for c in range(4):
                    re, im = currents[p, 2 * c], currents[p, 2 * c + 1]
                    for d in range(width):
                        row[2 * c, d] += re * phase[0, n, d] - im * phase[1, n, d]
                        row[2 * c + 1, d] += re * phase[1, n, d] + im * phase[0, n, d]
            p = starts[r]
            a = ends[axis] + indices[p, axis]
            b = ends[(axis + 1) % 3] + indices[p, (axis + 1) % 3]
            for d in range(width):
                re = phase[0, a, d] * phase[0, b, d] - phase[1, a, d] * phase[1, b, d]
                im = phase[0, a, d] * phase[1, b, d] + phase[1, a, d] * phase[0, b, d]
                for c in range(4):
                    component = (axis + 1 + c % 2) % 3 + 3 * (c // 2)
                    total[component, 0, d] += re * row[2 * c, d] - im * row[2 * c + 1, d]
                    total[component, 1, d] += re * row[2 * c + 1, d] + im * row[2 * c, d]
        for component in range(6):
            for d in range(width):
                found[component, 0, begin + d] = total[component, 0, d]
                found[component, 1, begin + d] = total[component, 1, d]
