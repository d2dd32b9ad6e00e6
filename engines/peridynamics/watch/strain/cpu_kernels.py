"""Strain and stress of particles in Numba, as in ``strain.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend.compile.digest import noticing
from engines.peridynamics.cloud import rows as cloud_rows
from engines.peridynamics.cloud.rows import SLICE
from engines.peridynamics.watch.strain import rows
from engines.peridynamics.watch.strain.rows import FEWEST, LEAST, Elasticity, Found


@njit(nogil=True)
def _add(k, m, sums, whole, left, xi, eta):
    """k, m: (3, 3) Σ w ξ ξᵀ and Σ w η ξᵀ; sums: weight of all bonds, what is left of it, Σ w |ξ| e, how many."""
    w = whole * left
    q = square = 0.0
    for a in range(3):
        q += eta[a] * (2 * xi[a] + eta[a])
        square += xi[a] * xi[a]
        for b in range(3):
            k[a, b] += w * xi[a] * xi[b]
            m[a, b] += w * eta[a] * xi[b]
    sums[0] += whole
    sums[1] += w
    sums[2] += w * q / (1 + math.sqrt(1 + q / square))
    sums[3] += 1


@njit(nogil=True)
def _largest_eigenvalue(e, d):
    """Of the symmetric e: (3, 3), in the plane if d is 2."""
    if d == 2:
        return 0.5 * (e[0, 0] + e[1, 1]) + math.hypot(0.5 * (e[0, 0] - e[1, 1]), e[0, 1])
    mean = (e[0, 0] + e[1, 1] + e[2, 2]) / 3
    a, b, c = e[0, 0] - mean, e[1, 1] - mean, e[2, 2] - mean
    yz, xz, xy = e[1, 2], e[0, 2], e[0, 1]
    p = math.sqrt((a * a + b * b + c * c + 2 * (yz * yz + xz * xz + xy * xy)) / 6)
    if p == 0:
        return mean
    r = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / (2 * p * p * p)
    return mean + 2 * p * math.cos(math.acos(min(max(r, -1.0), 1.0)) / 3)


@njit(nogil=True)
def _tell(k, m, sums, d, constants, whole, out, i):
    """All rows of out: (rows, size) but the dilatation, those from XX on if there are any."""
    if d == 2:
        k[2, 2] = 0.5 * (k[0, 0] + k[1, 1])
    third = (k[0, 0] + k[1, 1] + k[2, 2]) / 3
    inverse = np.empty((3, 3))  # times det
    for a in range(3):
        a1, a2 = (a + 1) % 3, (a + 2) % 3
        for b in range(3):
            b1, b2 = (b + 1) % 3, (b + 2) % 3
            inverse[b, a] = k[a1, b1] * k[a2, b2] - k[a1, b2] * k[a2, b1]
    det = k[0, 0] * inverse[0, 0] + k[0, 1] * inverse[1, 0] + k[0, 2] * inverse[2, 0]
    if sums[3] <= d or sums[3] < FEWEST * whole or not det > LEAST * third * third * third:
        for row in range(len(out)):
            if row != Found.DILATATION:
                out[row, i] = math.nan
        return
    h, e = np.zeros((3, 3)), np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            for c in range(3):
                h[a, b] += m[a, c] / det * inverse[c, b]
    for a in range(3):
        for b in range(3):
            product = 0.0
            for c in range(3):
                product += h[c, a] * h[c, b]
            e[a, b] = 0.5 * (h[a, b] + h[b, a] + product)
    trace, left = e[0, 0] + e[1, 1] + e[2, 2], sums[1] / sums[0]
    lame, twice = left * constants[Elasticity.LAME] * trace, 2 * left * constants[Elasticity.SHEAR]
    xx, yy = lame + twice * e[0, 0], lame + twice * e[1, 1]
    zz = left * constants[Elasticity.THROUGH] * trace + twice * e[2, 2]
    across = (twice * e[1, 2]) ** 2 + (twice * e[0, 2]) ** 2 + (twice * e[0, 1]) ** 2
    out[Found.STRAIN, i] = _largest_eigenvalue(e, d)
    out[Found.VON_MISES, i] = math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * across)
    out[Found.MEAN_STRESS, i] = (xx + yy + zz) / 3
    if len(out) > Found.XX:
        for a in range(3):
            for b in range(3):
                e[a, b] *= twice
        e[0, 0], e[1, 1], e[2, 2] = xx, yy, zz
        out[Found.XX, i], out[Found.YY, i], out[Found.ZZ, i] = xx, yy, zz
        out[Found.YZ, i], out[Found.XZ, i], out[Found.XY, i] = e[1, 2], e[0, 2], e[0, 1]
        out[Found.LARGEST, i] = _largest_eigenvalue(e, d)
        out[Found.SMALLEST, i] = -_largest_eigenvalue(-e, d)


class Bonds(NamedTuple):
    """offsets: (bonds, 3); steps, weights: (bonds,)."""

    offsets: Array
    steps: Array
    weights: Array


class Softened(NamedTuple):
    """soft: flat, as words; damage: (bonds, size); of bonds that soften, if ``softening``."""

    softening: bool
    soft: Array
    damage: Array


class Points(NamedTuple):
    """places: (d, size) in units of ``unit``; counts: (size,) of columns; starts, neighbours: as in
    ``cloud/cpu_kernels.py``; volumes: (size,)."""

    places: Array
    unit: float
    counts: Array
    starts: Array
    neighbours: Array
    volumes: Array


class Elastic(NamedTuple):
    """constants: (materials, 3) of ``solid.Solid``; material: (size,) if there are ``several``; dilation: (size,) if
    ``dilated``."""

    constants: Array
    several: bool
    material: Array
    dilated: bool
    dilation: Array


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def strain_lattice(u, words, bonds, softened, solid, whole, out, places):
    """F = I + (Σ w η ξᵀ)(Σ w ξ ξᵀ)⁻¹ over the bonds that hold, E = ½(FᵀF − I), and stress by λ and μ: fills out of
    ``places: (n,)``.

    u: (d, size); words: flat; whole: (size,) bonds before any cut; out: (rows, size), of which those of :func:`_tell`
    and the dilatation. Per particle u, words, whole and its place are read once from memory, out written: 2D float32 32
    bytes, 3D 48 (m = 3).
    """
    d, size = u.shape
    for index in prange(len(places)):
        i = places[index]
        k, m, sums = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(4)
        xi, eta = np.zeros(3), np.zeros(3)
        for bit in range(len(bonds.steps)):
            at = bit // 32 * size + i
            if (words[at] >> (bit % 32)) & 1:
                q = 0.0
                for axis in range(d):
                    xi[axis] = bonds.offsets[bit, axis]
                    eta[axis] = float(u[axis, i + bonds.steps[bit]]) - float(u[axis, i])
                    q += eta[axis] * (2 * xi[axis] + eta[axis])
                left = 1.0
                if softened.softening and q > 0 and (softened.soft[at] >> (bit % 32)) & 1:
                    left = 1 - float(softened.damage[bit, i])
                _add(k, m, sums, bonds.weights[bit], left, xi, eta)
        _tell(k, m, sums, d, solid.constants[solid.material[i] if solid.several else 0], whole[i], out, i)
        if solid.dilated:
            out[Found.DILATATION, i] = solid.dilation[i] * sums[2]


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows, cloud_rows)
def strain_points(u, words, points, solid, whole, out):
    """As :func:`strain_lattice`, of irregular points: per bond a number is read, and u, place and volume of the
    neighbour, mostly from a cache; per particle in 2D float32 44 bytes, in 3D 68."""
    d, size = u.shape
    for i in prange(size):
        k, m, sums = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(4)
        xi, eta = np.zeros(3), np.zeros(3)
        for column in range(points.counts[i]):
            if (words[column // 32 * size + i] >> (column % 32)) & 1:
                j = points.neighbours[points.starts[i // SLICE] + column * SLICE + i % SLICE]
                for axis in range(d):
                    xi[axis] = (float(points.places[axis, j]) - float(points.places[axis, i])) * points.unit
                    eta[axis] = float(u[axis, j]) - float(u[axis, i])
                _add(k, m, sums, float(points.volumes[j]), 1.0, xi, eta)
        _tell(k, m, sums, d, solid.constants[solid.material[i] if solid.several else 0], whole[i], out, i)
