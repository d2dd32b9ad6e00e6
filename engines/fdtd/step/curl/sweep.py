"""A step in one sweep over the planes, in Numba: row by row along x (rows.py).

E of row (k, j) is followed at once by H of row (k − 1, j), which nothing else needs as it was: E and H come from memory
once, not twice. Threads take bands of planes; H of a band's last plane waits until all bands are done, for it needs E
of the next band, and that needs it as it was. All that is written is the same, to the last bit, as that of two passes.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend import pointers, vector_math
from engines.backend.pointers import at, pointer
from engines.backend.threads import in_planes
from engines.fdtd.step.curl import rows as row_steps
from engines.fdtd.step.curl import vectors
from engines.fdtd.step.curl.rows import Across, Along, Material, polarize, row_across, row_along

MIXED = -1
"""What stands for a row of several materials."""
ELECTRIC, MAGNETIC, BOTH = 0, 1, 2
"""What a sweep steps. Both at once: with the entries of E's sources in between."""
TWIN, BANDS, ROWS = 0, 1, 2
"""Parts of a sweep: E of the last plane of a periodic z, both fields in bands of planes, one field by rows."""


class Half(NamedTuple):
    """What a step of E or of H takes besides the fields.

    ids: uint16, (3, nz + 1, ny + 1, row), or flat: of all rows or one for all; rows: of ``row_materials``;
    coefficients: (3, ids) of E ca, cb, −cb, of H da, −db, db; table: of 1/(κΔ), b, c, as in boundaries.py; parts: (3,)
    which components are; psi_x, psi_y, psi_z: as in boundaries.py
    """

    ids: Array
    rows: Array
    coefficients: Array
    table: Array
    parts: Array
    psi_x: Array
    psi_y: Array
    psi_z: Array


class Grid(NamedTuple):
    """Of x, y, z, (3,) each: counts of cells, cells of absorbing layers at the low and high ends, whether periodic;
    planes: 0 … planes − 1 are stepped"""

    counts: Array
    lows: Array
    highs: Array
    wraps: Array
    planes: int


class Entries(NamedTuple):
    """What E's sources add: at ascending places, weight times the signal of a slot."""

    places: Array
    weights: Array
    slots: Array
    signals: Array


class Poles(NamedTuple):
    """As in dispersion.py; ``states`` is empty without poles."""

    spans: Array
    states: Array
    constants: Array
    beta: Array
    seconds: int


@in_planes
@nb.njit(cache=True, nogil=True)
def row_materials(first_plane, last_plane, ids, ends, rows):
    """rows: (3, nz + 1, ny + 1) int32: the id of the places 1 … ends − 1 of a row, or MIXED; ends: nx."""
    for k in range(first_plane, last_plane):
        for c in range(3):
            for j in range(ids.shape[2]):
                first = ids[c, k, j, min(1, ends)]
                found = int(first)
                for i in range(1, ends):
                    if ids[c, k, j, i] != first:
                        found = MIXED
                rows[c, k, j] = found


@nb.njit(nogil=True)
def _slot(n, low, start):
    """Place of a node or half in the arrays of ψ, −1 outside of the layers; the high layer begins at ``start``."""
    if n < low:
        return n
    return low + n - start if n >= start else np.int64(-1)


@nb.njit(nogil=True)
def _layers(k, j, grid, psi, sy, sz):
    """Pointers to ψ of this row: of x, of y and of z, each for the first and the second of its components."""
    _, ny, nz, row, slots_x, slots_y, slots_z = grid
    psi_x, psi_y, psi_z = psi
    x, y, z = (k * (ny + 1) + j) * slots_x, (k * slots_y + max(sy, 0)) * row, (max(sz, 0) * (ny + 1) + j) * row
    return (
        at(psi_x, x), at(psi_x, x + (nz + 1) * (ny + 1) * slots_x),
        at(psi_y, y), at(psi_y, y + (nz + 1) * slots_y * row),
        at(psi_z, z), at(psi_z, z + slots_z * (ny + 1) * row),
    )  # fmt: skip


@nb.njit(nogil=True)
def _constants(table, n, count):
    """1/(κΔ), b and c of node or half n."""
    return table[n], table[count + n], table[2 * count + n]


@nb.njit(nogil=True)
def _media(ids, rows, coefficients, table, step):
    """Pointers to ids, rows, the three coefficients and the table; step: 0 where all rows share one of ids."""
    first, count = pointer(coefficients), coefficients.shape[1]
    return pointer(ids), pointer(rows), first, at(first, count), at(first, 2 * count), pointer(table), step


@nb.njit(nogil=True)
def _electric_row(k, j, e, h, media, grid, ends, wraps, parts, psi, poles, bound):
    """E ← ca E + cb curl H of row (k, j)."""
    nx, ny, nz, row = grid[0], grid[1], grid[2], grid[3]
    ids, rows, ca, cb, minus_cb, table, _ = media
    line, size = k * (ny + 1) + j, (nz + 1) * (ny + 1) * row
    here = line * row
    jh, kh = 0 if j == ny and wraps[1] else j, 0 if k == nz and wraps[2] else k
    jl = j - 1 if j > 0 else (ny - 1 if wraps[1] else ny)
    kl = k - 1 if k > 0 else (nz - 1 if wraps[2] else nz)
    to_jh, to_jl = (k * (ny + 1) + jh) * row, (k * (ny + 1) + jl) * row
    to_kh, to_kl = (kh * (ny + 1) + j) * row, (kl * (ny + 1) + j) * row
    iy, by, cy = _constants(at(table, 3 * row), j, ny + 1)
    iz, bz, cz = _constants(at(table, 3 * (row + ny + 1)), k, nz + 1)
    sy, sz = _slot(j, ends[0][1], ny - ends[1][1] + 1), _slot(k, ends[0][2], nz - ends[1][2] + 1)
    x_first, x_second, y_first, y_second, z_first, z_second = _layers(k, j, grid, psi, sy, sz)
    x = table, at(table, row), at(table, 2 * row)
    low, start = ends[0][0], nx + 1 - ends[1][0]
    h_y, h_z = at(h, size), at(h, 2 * size)
    lines = size // row
    if parts[0]:
        polar = _bound_row(0, line, lines, here, size, e, nx, ids, poles, bound, 1)
        row_across(
            at(e, here), nx,
            Across(at(h_z, to_jh), at(h_z, to_jl), iy, sy >= 0, y_second, by, cy),
            Across(at(h_y, to_kh), at(h_y, to_kl), iz, sz >= 0, z_first, bz, cz),
            Material(at(ids, here), np.int64(rows[line]), ca, cb), (polar, bound),
        )  # fmt: skip
    if parts[1]:
        polar = _bound_row(1, line, lines, here, size, e, nx + 1, ids, poles, bound, 1)
        q = at(h_z, here)
        before, behind = q[nx - 1] if wraps[0] else q[nx], q[0] if wraps[0] else q[nx]
        row_along(
            at(e, size + here), nx + 1, Across(at(h, to_kh), at(h, to_kl), iz, sz >= 0, z_second, bz, cz),
            Along(x[0], x[1], x[2], q, at(q, -1), before, behind, x_first, low, start),
            Material(at(ids, size + here), np.int64(rows[lines + line]), ca, cb), (polar, bound),
        )  # fmt: skip
    if parts[2]:
        polar = _bound_row(2, line, lines, here, size, e, nx + 1, ids, poles, bound, -1)
        q = at(h_y, here)
        before, behind = q[nx - 1] if wraps[0] else q[nx], q[0] if wraps[0] else q[nx]
        row_along(
            at(e, 2 * size + here), nx + 1, Across(at(h, to_jh), at(h, to_jl), iy, sy >= 0, y_first, by, cy),
            Along(x[0], x[1], x[2], q, at(q, -1), before, behind, x_second, low, start),
            Material(at(ids, 2 * size + here), np.int64(rows[2 * lines + line]), ca, minus_cb), (polar, bound),
        )  # fmt: skip


@nb.njit(nogil=True)
def _bound_row(component, line, lines, here, size, e, count, ids, poles, bound, sign):
    """Whether a row has poles; their step if so."""
    if poles[4] == 0:
        return False
    span = at(poles[0], 4 * (component * lines + line))
    if span[1] == 0:
        return False
    start = component * size + here
    polarize(bound, at(e, start), count, at(ids, start), span, poles, sign)
    return True


@nb.njit(nogil=True)
def _magnetic_row(k, j, e, h, media, grid, ends, parts, psi, bound):
    """H ← da H − db curl E of row (k, j); ``db`` is given negative, so that both fields take their step alike."""
    nx, ny, nz, row = grid[0], grid[1], grid[2], grid[3]
    ids, rows, da, db, minus_db, table, step = media
    line, size = k * (ny + 1) + j, (nz + 1) * (ny + 1) * row
    here = line * row
    above_j, above_k = here + row, here + (ny + 1) * row
    iy, by, cy = _constants(at(table, 3 * row), j, ny + 1)
    iz, bz, cz = _constants(at(table, 3 * (row + ny + 1)), k, nz + 1)
    sy, sz = _slot(j, ends[0][1], ny - ends[1][1]), _slot(k, ends[0][2], nz - ends[1][2])
    x_first, x_second, y_first, y_second, z_first, z_second = _layers(k, j, grid, psi, sy, sz)
    x = table, at(table, row), at(table, 2 * row)
    low, start = ends[0][0], nx - ends[1][0]
    e_y, e_z = at(e, size), at(e, 2 * size)
    lines = size // row
    if j < ny and k < nz and parts[0]:
        row_across(
            at(h, here), nx + 1,
            Across(at(e_z, above_j), at(e_z, here), iy, sy >= 0, y_second, by, cy),
            Across(at(e_y, above_k), at(e_y, here), iz, sz >= 0, z_first, bz, cz),
            Material(at(ids, step * here), np.int64(rows[line]), da, db), (False, bound),
        )  # fmt: skip
    if k < nz and parts[1]:
        q = at(e_z, here)
        row_along(
            at(h, size + here), nx, Across(at(e, above_k), at(e, here), iz, sz >= 0, z_second, bz, cz),
            Along(x[0], x[1], x[2], at(q, 1), q, q[0], q[nx], x_first, low, start),
            Material(at(ids, step * (size + here)), np.int64(rows[lines + line]), da, db), (False, bound),
        )  # fmt: skip
    if j < ny and parts[2]:
        q = at(e_y, here)
        row_along(
            at(h, 2 * size + here), nx, Across(at(e, above_j), at(e, here), iy, sy >= 0, y_first, by, cy),
            Along(x[0], x[1], x[2], at(q, 1), q, q[0], q[nx], x_second, low, start),
            Material(at(ids, step * (2 * size + here)), np.int64(rows[2 * lines + line]), da, minus_db), (False, bound),
        )  # fmt: skip


@nb.njit(nogil=True)
def _from(places, count, least):
    """The first of ascending places that is at least ``least``."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if places[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@nb.njit(nogil=True)
def _injected(values, number, end, entries):
    """Entries from ``number`` on are added to the places before ``end``; the number of the next one."""
    places, weights, slots, signals, count = entries
    while number < count and places[number] < end:
        values[places[number]] += weights[number] * signals[slots[number]]
        number += 1
    return number


def _compiled(sources: int) -> Any:
    """The kernel; ``sources`` is a digest of the other files' code in it, for Numba's cache."""

    @nb.njit(cache=True, nogil=True, parallel=True)
    def sweep(what, e, h, electric, magnetic, grid_of, sources_of, poles_of, bands):
        """E ← ca E + cb (curl H − w), H ← da H − db curl E: a step of one field or of both; fields as in yee.py.

        what: ELECTRIC, MAGNETIC or BOTH; electric, magnetic: :class:`Half`; grid_of: :class:`Grid`; sources_of:
        :class:`Entries` (for BOTH); poles_of: :class:`Poles`; bands: parts of a pass. Bytes of a cell and a step of
        both: the six components are read and written once, 48 in float32, where three rows of them stay in the caches;
        layers and poles move theirs besides.
        """
        ids_e, ids_h, rows_e, rows_h = electric.ids, magnetic.ids, electric.rows, magnetic.rows
        coefficients_e, coefficients_h = electric.coefficients, magnetic.coefficients
        table_e, table_h, parts_e, parts_h = electric.table, magnetic.table, electric.parts, magnetic.parts
        ex, ey, ez = electric.psi_x, electric.psi_y, electric.psi_z
        hx, hy, hz = magnetic.psi_x, magnetic.psi_y, magnetic.psi_z
        counts, lows, highs, wraps, planes = grid_of.counts, grid_of.lows, grid_of.highs, grid_of.wraps, grid_of.planes
        places, weights, slots, signals = sources_of.places, sources_of.weights, sources_of.slots, sources_of.signals
        spans, states, constants = poles_of.spans, poles_of.states, poles_of.constants
        beta, seconds = poles_of.beta, poles_of.seconds
        nx, ny, nz, row = counts[0], counts[1], counts[2], e.shape[3] if sources >= 0 else 0
        both, wrapped = what == BOTH, what == BOTH and wraps[2]
        total = planes * (ny + 1)
        swept = nz if wrapped else planes
        for part in range(TWIN if wrapped else BANDS if both else ROWS, ROWS + 1):
            for band in nb.prange(bands):
                bound = np.empty(row, e.dtype)
                grid = nx, ny, nz, row, ex.shape[3], ey.shape[2], ez.shape[1]
                ends = (lows[0], lows[1], lows[2]), (highs[0], highs[1], highs[2])
                wrap = wraps[0], wraps[1], wraps[2]
                there_e, there_h = (parts_e[0], parts_e[1], parts_e[2]), (parts_h[0], parts_h[1], parts_h[2])
                at_e, at_h = pointer(e), pointer(h)
                media_e = _media(ids_e, rows_e, coefficients_e, table_e, 1)
                media_h = _media(ids_h, rows_h, coefficients_h, table_h, 1 if ids_h.size > row else 0)
                layers_e = pointer(ex), pointer(ey), pointer(ez)
                layers_h = pointer(hx), pointer(hy), pointer(hz)
                poles = (
                    pointer(spans), pointer(states), pointer(constants), pointer(beta),
                    constants.shape[0] if states.size else 0,
                    np.int64(seconds), states.shape[1], beta.shape[1],
                )  # fmt: skip
                entries = (
                    pointer(places), pointer(weights), pointer(slots), pointer(signals), places.size if both else 0,
                )  # fmt: skip
                first, last = band * total // bands, (band + 1) * total // bands
                if part == TWIN:
                    first, last = (
                        nz * (ny + 1) + band * (ny + 1) // bands,
                        nz * (ny + 1) + (band + 1) * (ny + 1) // bands,
                    )
                elif part == BANDS:
                    first, last = band * swept // bands * (ny + 1), (band + 1) * swept // bands * (ny + 1)
                elif both:
                    waiting = (bands + (1 if wrapped else 0)) * (ny + 1)
                    first, last = band * waiting // bands, (band + 1) * waiting // bands
                size = (nz + 1) * (ny + 1) * row
                next_x = _from(entries[0], entries[4], first * row)
                next_y = _from(entries[0], entries[4], size + first * row)
                next_z = _from(entries[0], entries[4], 2 * size + first * row)
                for index in range(first, last):
                    k, j = index // (ny + 1), index % (ny + 1)
                    if part < ROWS or what == ELECTRIC:
                        _electric_row(
                            k, j, at_e, at_h, media_e, grid, ends, wrap, there_e, layers_e, poles, pointer(bound)
                        )  # fmt: skip
                        end = (index + 1) * row
                        next_x = _injected(at_e, next_x, end, entries)
                        next_y = _injected(at_e, next_y, size + end, entries)
                        next_z = _injected(at_e, next_z, 2 * size + end, entries)
                        k = k - 1 if part == BANDS and index - (ny + 1) >= first else np.int64(-1)
                    elif both:
                        k = (k + 1) * swept // bands - 1 if k < bands else nz
                    if k >= 0:
                        _magnetic_row(
                            k, j, at_e, at_h, media_h, grid, ends, there_h, layers_h, pointer(bound)
                        )  # fmt: skip

    return sweep


def _digest() -> int:
    files = [Path(str(module.__file__)).read_bytes() for module in (vector_math, pointers, vectors, row_steps)]
    return int.from_bytes(hashlib.sha256(b"".join(files)).digest()[:7], "big")


sweep = _compiled(_digest())
