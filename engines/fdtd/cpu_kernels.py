"""The two passes of a step in Numba: row by row along x, in vectors.

A row's curl is gathered in a scratch row that stays in the first-level cache: differences over κΔ, then what the
absorbing layers add (whole rows in those of y and z, the ends of a row in those of x), then the update with the
coefficients, which are one number where all of the row has the same material.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numba as nb
import numpy as np

MIXED = 65_536
"""What stands for a row of several materials."""


@nb.njit(cache=True, nogil=True, parallel=True)
def row_materials(ids, ends, rows):
    """rows: (3, nz + 1, ny + 1) int32: the id of the places 1 … ends − 1 of a row, or MIXED; ends: nx."""
    for k in nb.prange(ids.shape[1]):
        for c in range(3):
            for j in range(ids.shape[2]):
                first = ids[c, k, j, min(1, ends)]
                found = int(first)
                for i in range(1, ends):
                    if ids[c, k, j, i] != first:
                        found = MIXED
                rows[c, k, j] = found


@nb.njit(nogil=True)
def _differences(curl, p, p_low, ip, q, q_low, iq):
    """curl = (p − p_low) ip − (q − q_low) iq"""
    for i in range(curl.size):
        curl[i] = (p[i] - p_low[i]) * ip - (q[i] - q_low[i]) * iq


@nb.njit(nogil=True)
def _differences_x_second(curl, p, p_low, ip, q, q_low, inverse):
    for i in range(curl.size):
        curl[i] = (p[i] - p_low[i]) * ip - (q[i] - q_low[i]) * inverse[i]


@nb.njit(nogil=True)
def _differences_x_first(curl, p, p_low, inverse, q, q_low, iq):
    for i in range(curl.size):
        curl[i] = (p[i] - p_low[i]) * inverse[i] - (q[i] - q_low[i]) * iq


@nb.njit(nogil=True)
def _layer_row(curl, psi, b, c, p, p_low):
    """A row of a layer of y or z: ψ ← bψ + c(p − p_low), curl += ψ."""
    for i in range(curl.size):
        psi[i] = b * psi[i] + c * (p[i] - p_low[i])
        curl[i] += psi[i]


@nb.njit(nogil=True)
def _layer_row_minus(curl, psi, b, c, p, p_low):
    for i in range(curl.size):
        psi[i] = b * psi[i] + c * (p[i] - p_low[i])
        curl[i] -= psi[i]


@nb.njit(nogil=True)
def _layer_end(curl, psi, b, c, p, p_low, first, slot, count, sign):
    """Places first … first + count − 1 of a row, in a layer of x; p_low is given so that both have the same index."""
    for n in range(count):
        i = first + n
        psi[slot + n] = b[i] * psi[slot + n] + c[i] * (p[i] - p_low[i])
        curl[i] += sign * psi[slot + n]


@nb.njit(nogil=True)
def _update(values, curl, ids, row, ca, cb):
    """values = ca values + cb curl, places 1 … size − 2 of them with the one material of the row if it has one."""
    last = values.size - 1
    if row < MIXED and last > 1:
        a, b = ca[row], cb[row]
        inner, around = values[1:last], curl[1:last]
        for i in range(inner.size):
            inner[i] = a * inner[i] + b * around[i]
        values[0] = ca[ids[0]] * values[0] + cb[ids[0]] * curl[0]
        values[last] = ca[ids[last]] * values[last] + cb[ids[last]] * curl[last]
    else:
        for i in range(values.size):
            values[i] = ca[ids[i]] * values[i] + cb[ids[i]] * curl[i]


@nb.njit(nogil=True)
def _polarize(values, curl, ids, span, states, constants, beta, seconds):
    """curl −= w of each slot over the span of a row, and its states (dispersion.py) take their step."""
    first = span[0]
    count = min(span[1], values.size) - first
    start = 4 * np.int64(span[2])
    for slot in range(constants.shape[0]):
        p, c, g, r = constants[slot, 0], constants[slot, 1], constants[slot, 2], constants[slot, 3]
        strength = beta[slot]
        y_j = states[slot, start : start + count]
        if slot < seconds:
            y_p = states[constants.shape[0] + slot, start : start + count]
            for n in range(count):
                t = strength[ids[first + n]] * values[first + n]
                w = p * y_j[n] + c * y_p[n] + g * t
                curl[first + n] -= w
                y_j[n] = w + r * y_j[n]
                y_p[n] += w + (t + t)
        else:
            for n in range(count):
                w = p * y_j[n] + g * strength[ids[first + n]] * values[first + n]
                curl[first + n] -= w
                y_j[n] = w + r * y_j[n]


@nb.njit(nogil=True)
def _slot(n, low, start):
    """Place of a node or half in the arrays of ψ, −1 outside of the layers; the high layer begins at ``start``."""
    if n < low:
        return n
    return low + n - start if n >= start else -1


@nb.njit(cache=True, nogil=True, parallel=True)
def electric_pass(
    e, h, ids, rows, ca, cb, table, lows, highs, wraps, counts, planes, parts, psi_x, psi_y, psi_z, bands,
    spans, states, constants, beta, seconds,
):  # fmt: skip
    """E ← ca E + cb curl H; arrays as in yee.py, ψ and ``table`` as in boundaries.py, the others (x, y, z).

    planes: 0 … planes − 1 are stepped; parts: (3,) which components are; spans … seconds: as in dispersion.py, with
    ``states`` empty where nothing is dispersive
    """
    dispersive = states.size > 0
    nx, ny, nz = counts[0], counts[1], counts[2]
    row = e.shape[3]
    inverse_x, b_x, c_x = table[:row], table[row : 2 * row], table[2 * row : 3 * row]
    y0, z0 = 3 * row, 3 * (row + ny + 1)
    minus, plus = e.dtype.type(-1), e.dtype.type(1)
    total = planes * (ny + 1)
    for band in nb.prange(bands):
        curl = np.zeros(nx + 1, e.dtype)
        before_y, before_z = np.zeros(nx + 1, e.dtype), np.zeros(nx + 1, e.dtype)
        for index in range(band * total // bands, (band + 1) * total // bands):
            k, j = index // (ny + 1), index % (ny + 1)
            kh = 0 if k == nz and wraps[2] else k
            jh = 0 if j == ny and wraps[1] else j
            kl = k - 1 if k > 0 else (nz - 1 if wraps[2] else nz)
            jl = j - 1 if j > 0 else (ny - 1 if wraps[1] else ny)
            iy, by, cy = table[y0 + j], table[y0 + ny + 1 + j], table[y0 + 2 * (ny + 1) + j]
            iz, bz, cz = table[z0 + k], table[z0 + nz + 1 + k], table[z0 + 2 * (nz + 1) + k]
            sy = _slot(j, lows[1], ny - highs[1] + 1)
            sz = _slot(k, lows[2], nz - highs[2] + 1)
            # E_x
            if parts[0]:
                p, p_low, q, q_low = h[2, k, jh, :nx], h[2, k, jl, :nx], h[1, kh, j, :nx], h[1, kl, j, :nx]
                around = curl[:nx]
                _differences(around, p, p_low, iy, q, q_low, iz)
                if sy >= 0:
                    _layer_row(around, psi_y[1, k, sy, :nx], by, cy, p, p_low)
                if sz >= 0:
                    _layer_row_minus(around, psi_z[0, sz, j, :nx], bz, cz, q, q_low)
                if dispersive and spans[0, k, j, 1]:
                    _polarize(
                        e[0, k, j, :nx], around, ids[0, k, j, :nx], spans[0, k, j], states, constants, beta, seconds
                    )
                # its row has no end places: it is all of one material, or mixed
                _update(e[0, k, j, :nx], around, ids[0, k, j, :nx], rows[0, k, j], ca, cb)
            # E_y and E_z: the halves of x before the nodes, which at node 0 are node n's or nothing
            low, high = lows[0], highs[0]
            if parts[1]:
                here_z = h[2, k, j]
                before_z[1:] = here_z[:nx]
                before_z[0] = here_z[nx - 1] if wraps[0] else here_z[nx]
                after_z = here_z[0] if wraps[0] else here_z[nx]
                p, p_low = h[0, kh, j, : nx + 1], h[0, kl, j, : nx + 1]
                _differences_x_second(curl, p, p_low, iz, here_z[: nx + 1], before_z, inverse_x)
                curl[nx] = (p[nx] - p_low[nx]) * iz - (after_z - before_z[nx]) * inverse_x[nx]
                if sz >= 0:
                    _layer_row(curl, psi_z[1, sz, j, : nx + 1], bz, cz, p, p_low)
                if low:
                    _layer_end(curl, psi_x[0, k, j], b_x, c_x, here_z, before_z, 0, 0, low, minus)
                if high:
                    _layer_end(curl, psi_x[0, k, j], b_x, c_x, here_z, before_z, nx - high + 1, low, high, minus)
                if dispersive and spans[1, k, j, 1]:
                    _polarize(
                        e[1, k, j, : nx + 1], curl, ids[1, k, j], spans[1, k, j], states, constants, beta, seconds
                    )
                _update(e[1, k, j, : nx + 1], curl, ids[1, k, j], rows[1, k, j], ca, cb)
            if parts[2]:
                here_y = h[1, k, j]
                before_y[1:] = here_y[:nx]
                before_y[0] = here_y[nx - 1] if wraps[0] else here_y[nx]
                after_y = here_y[0] if wraps[0] else here_y[nx]
                q, q_low = h[0, k, jh, : nx + 1], h[0, k, jl, : nx + 1]
                _differences_x_first(curl, here_y[: nx + 1], before_y, inverse_x, q, q_low, iy)
                curl[nx] = (after_y - before_y[nx]) * inverse_x[nx] - (q[nx] - q_low[nx]) * iy
                if sy >= 0:
                    _layer_row_minus(curl, psi_y[0, k, sy, : nx + 1], by, cy, q, q_low)
                if low:
                    _layer_end(curl, psi_x[1, k, j], b_x, c_x, here_y, before_y, 0, 0, low, plus)
                if high:
                    _layer_end(curl, psi_x[1, k, j], b_x, c_x, here_y, before_y, nx - high + 1, low, high, plus)
                if dispersive and spans[2, k, j, 1]:
                    _polarize(
                        e[2, k, j, : nx + 1], curl, ids[2, k, j], spans[2, k, j], states, constants, beta, seconds
                    )
                _update(e[2, k, j, : nx + 1], curl, ids[2, k, j], rows[2, k, j], ca, cb)


@nb.njit(cache=True, nogil=True, parallel=True)
def magnetic_pass(e, h, ids, rows, da, db, table, lows, highs, counts, planes, parts, psi_x, psi_y, psi_z, bands):
    """H ← da H − db curl E; ``db`` is given negative, so that both passes update alike. Arguments as above."""
    nx, ny, nz = counts[0], counts[1], counts[2]
    row = e.shape[3]
    inverse_x, b_x, c_x = table[:row], table[row : 2 * row], table[2 * row : 3 * row]
    y0, z0 = 3 * row, 3 * (row + ny + 1)
    minus, plus = e.dtype.type(-1), e.dtype.type(1)
    total = planes * (ny + 1)
    low, high = lows[0], highs[0]
    for band in nb.prange(bands):
        curl = np.zeros(nx + 1, e.dtype)
        for index in range(band * total // bands, (band + 1) * total // bands):
            k, j = index // (ny + 1), index % (ny + 1)
            iy, by, cy = table[y0 + j], table[y0 + ny + 1 + j], table[y0 + 2 * (ny + 1) + j]
            iz, bz, cz = table[z0 + k], table[z0 + nz + 1 + k], table[z0 + 2 * (nz + 1) + k]
            sy = _slot(j, lows[1], ny - highs[1])
            sz = _slot(k, lows[2], nz - highs[2])
            if j < ny and k < nz and parts[0]:
                p, p_low = e[2, k, j + 1, : nx + 1], e[2, k, j, : nx + 1]
                q, q_low = e[1, k + 1, j, : nx + 1], e[1, k, j, : nx + 1]
                _differences(curl, p, p_low, iy, q, q_low, iz)
                if sy >= 0:
                    _layer_row(curl, psi_y[1, k, sy, : nx + 1], by, cy, p, p_low)
                if sz >= 0:
                    _layer_row_minus(curl, psi_z[0, sz, j, : nx + 1], bz, cz, q, q_low)
                _update(h[0, k, j, : nx + 1], curl, ids[0, k, j], rows[0, k, j], da, db)
            around = curl[:nx]
            if k < nz and parts[1]:
                p, p_low = e[0, k + 1, j, :nx], e[0, k, j, :nx]
                q, q_low = e[2, k, j, 1 : nx + 1], e[2, k, j, :nx]
                _differences_x_second(around, p, p_low, iz, q, q_low, inverse_x)
                if sz >= 0:
                    _layer_row(around, psi_z[1, sz, j, :nx], bz, cz, p, p_low)
                if low:
                    _layer_end(around, psi_x[0, k, j], b_x, c_x, q, q_low, 0, 0, low, minus)
                if high:
                    _layer_end(around, psi_x[0, k, j], b_x, c_x, q, q_low, nx - high, low, high, minus)
                _update(h[1, k, j, :nx], around, ids[1, k, j], rows[1, k, j], da, db)
            if j < ny and parts[2]:
                p, p_low = e[1, k, j, 1 : nx + 1], e[1, k, j, :nx]
                q, q_low = e[0, k, j + 1, :nx], e[0, k, j, :nx]
                _differences_x_first(around, p, p_low, inverse_x, q, q_low, iy)
                if sy >= 0:
                    _layer_row_minus(around, psi_y[0, k, sy, :nx], by, cy, q, q_low)
                if low:
                    _layer_end(around, psi_x[1, k, j], b_x, c_x, p, p_low, 0, 0, low, plus)
                if high:
                    _layer_end(around, psi_x[1, k, j], b_x, c_x, p, p_low, nx - high, low, high, plus)
                _update(h[2, k, j, :nx], around, ids[2, k, j], rows[2, k, j], da, db)


@nb.njit(cache=True, nogil=True)
def inject(values, places, weights, slots, signals):
    """values[places] += weights · signals[slots], in order; a place may come several times."""
    for n in range(places.size):
        values[places[n]] += weights[n] * signals[slots[n]]


@nb.njit(cache=True, nogil=True)
def line_electric(line_e, line_h, inverse, b, c, psi, cb):
    """A plane wave on its own line of nodes: E ← E − cb ∂H, nodes 1 … n − 1; node 0 is the source's."""
    for m in range(1, line_e.size - 1):
        difference = line_h[m] - line_h[m - 1]
        psi[m] = b[m] * psi[m] + c[m] * difference
        line_e[m] -= cb * (difference * inverse[m] + psi[m])


@nb.njit(cache=True, nogil=True)
def line_magnetic(line_e, line_h, inverse, b, c, psi, db):
    for m in range(line_h.size - 1):
        difference = line_e[m + 1] - line_e[m]
        psi[m] = b[m] * psi[m] + c[m] * difference
        line_h[m] -= db * (difference * inverse[m] + psi[m])


@nb.njit(cache=True, nogil=True, parallel=True)
def energy_sums(e, h, ids_e, ids_h, permittivity, permeability, counts, weights, sums):
    """sums: (nz + 1, 2) of ε E² and μ H²; weights: (6, longest) part of a cell at nodes of x, y, z, then at halves."""
    nx, ny, nz = counts[0], counts[1], counts[2]
    for k in nb.prange(nz + 1):
        electric, magnetic = 0.0, 0.0
        for j in range(ny + 1):
            for i in range(nx + 1):
                wx, wy, wz = weights[0, i], weights[1, j], weights[2, k]
                vx, vy, vz = weights[3, i], weights[4, j], weights[5, k]
                hx, hy, hz = i < nx, j < ny, k < nz
                mu = permeability[0]
                if hx:
                    electric += permittivity[ids_e[0, k, j, i]] * vx * wy * wz * e[0, k, j, i] ** 2
                if hy:
                    electric += permittivity[ids_e[1, k, j, i]] * wx * vy * wz * e[1, k, j, i] ** 2
                if hz:
                    electric += permittivity[ids_e[2, k, j, i]] * wx * wy * vz * e[2, k, j, i] ** 2
                if hy and hz:
                    if ids_h is not None:
                        mu = permeability[ids_h[0, k, j, i]]
                    magnetic += mu * wx * vy * vz * h[0, k, j, i] ** 2
                if hx and hz:
                    if ids_h is not None:
                        mu = permeability[ids_h[1, k, j, i]]
                    magnetic += mu * vx * wy * vz * h[1, k, j, i] ** 2
                if hx and hy:
                    if ids_h is not None:
                        mu = permeability[ids_h[2, k, j, i]]
                    magnetic += mu * vx * vy * wz * h[2, k, j, i] ** 2
        sums[k, 0] = electric
        sums[k, 1] = magnetic
