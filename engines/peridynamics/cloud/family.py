"""The bonds of irregular points: a Hilbert order, neighbours in sliced columns, and a weight for each bond.

Points are put on a fine grid: a bond at rest is then a vector of whole numbers that both ends know exactly, and in 32
or 64 bits a place within a horizon fits beside the displacement. The grid divides the mean distance of points, so a
lattice stays one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.threads import parallel_region
from engines.geometry.meshes.ordering import hilbert_order
from engines.peridynamics.cloud import kernels
from engines.peridynamics.cloud.body import ROUNDING, CloudBody
from engines.peridynamics.cloud.rows import FOUR, LOWEST, MANTISSA, SLICE, WEIGHT_BITS
from engines.peridynamics.lattice.family import WORD

PLACES = {"float32": 511, "float64": 2**20 - 1}
"""Grid places in a horizon, at most: 10 or 21 bits with a sign for each coordinate of a bond."""
MOST_PLACES = {"float32": 2**24, "float64": 2**31 - 1}
"""In a body: whole numbers that a number of this precision, or an index, holds exactly."""
RANGE = 2**16
"""The largest weight over the least."""
WINDOW = 256
"""Particles that are sorted among each other: a block of ``cloud.cu``."""
SWEEPS, ACCURACY = 60, 1e-5
"""Of the calibration: passes at most, and the deviation at which it ends."""


@dataclass(frozen=True, eq=False)
class CloudFamily:
    """Bonds of n particles in memory order, padded to ``size``.

    order: (n,) the body's particle in each place; grid: (size, 3) int64; unit: a grid step in mean distances;
    counts: (size,) int32; starts: (slices + 1,) int64, neighbours: (entries,) int32, places (``kernels.py``);
    codes: (entries,) uint16 of the weights (see :func:`decoded`), times ``scale``; volumes: (size,) in means; masses:
    (size,) in those of a mean volume of the first material; factors: (size,) μ. A weight is k = C V_i V_j μ_i μ_j/|ξ|
    in mean volumes and distances, C the stiffness of a bond over that of the first material; ``largest`` is the largest
    eigenvalue of Σ k n nᵀ/m over all particles.
    """

    dimensions: int
    order: Array
    grid: Array
    unit: float
    counts: Array
    starts: Array
    neighbours: Array
    codes: Array
    scale: float
    volumes: Array
    masses: Array
    factors: Array
    largest: float

    @property
    def corrections(self) -> tuple[float, float]:
        """Least and largest μ²."""
        squares = self.factors[: len(self.order)] ** 2
        return float(squares.min()), float(squares.max())

    @property
    def size(self) -> int:
        """Places in all, a multiple of a slice."""
        return len(self.counts)

    @property
    def words(self) -> int:
        """Words of 32 bits that hold one bit per column."""
        return max(1, -(-int(self.counts.max()) // WORD))

    @property
    def bonds(self) -> int:
        """Of all particles; each bond twice."""
        return int(self.counts.sum())

    def in_fours(self, values: Array) -> Array:
        """``values: (entries,)`` with columns 4k to 4k + 3 of a particle side by side."""
        return np.ascontiguousarray(values.reshape(-1, FOUR, SLICE).transpose(0, 2, 1)).reshape(-1)

    def column(self, number: int) -> tuple[Array, Array]:
        """(m,) particles that have this column, and where it is in the arrays of bonds."""
        mine = np.flatnonzero(self.counts > number)
        return mine, self.starts[mine // SLICE] + number * SLICE + mine % SLICE


def encoded(weights: Array) -> tuple[Array, float]:
    """(entries,) uint16 and the scale: floats without a sign, 4 bits of exponent and 12 behind the point.

    The relative error is 2^-13; weights below 1/RANGE of the largest become that.
    """
    scale = float(weights.max()) / (2.0**8 * (1 - 2.0**-13))
    bits = (weights / scale).astype(np.float32).view(np.uint32).astype(np.int64)
    drop = 23 - MANTISSA
    codes = (bits - (LOWEST << 23) + (1 << drop - 1)) >> drop
    return np.clip(codes, 0, 2**WEIGHT_BITS - 1).astype(np.uint16), scale


def decoded(codes: Array) -> Array:
    """(entries,) float32 of codes: the numbers that kernels compute with."""
    return ((codes.astype(np.uint32) << np.uint32(23 - MANTISSA)) + np.uint32(LOWEST << 23)).view(np.float32)


def full_dilation(dimensions: int, reach: float) -> float:
    """∫ |ξ| dV over the family of the continuum, in mean distances."""
    return math.pi * reach**4 if dimensions == 3 else 2 * math.pi * reach**3 / 3


def cloud_family(body: CloudBody, precision: str, calibrated: bool) -> CloudFamily:
    """Search, calibration, weights. calibrated: each particle for itself, else all alike. Raises ProblemError."""
    n, d = len(body.volumes), body.dimensions
    reach = body.reach * (1 + ROUNDING)
    per_spacing = math.floor(PLACES[precision] / reach)
    order = hilbert_order(body.filled.centers)
    size = -(-n // SLICE) * SLICE
    grid = np.zeros((n, 3), np.int64)
    centred = (body.points - body.points.min(axis=0)) / body.spacing
    if centred.max() * per_spacing >= MOST_PLACES[precision]:
        raise ProblemError("The body is too long for these numbers: use more mean distances per point, or fp64.")
    grid[:, :d] = np.rint(centred * per_spacing)
    counts, starts, neighbours, order = _searched(grid, order, math.floor(reach * per_spacing), size, d == 3)
    grid = grid[order]
    volumes = np.ones(size)
    volumes[:n] = body.volumes[order]
    unit = 1.0 / per_spacing
    padded = np.zeros((size, 3), np.int64)
    padded[:n] = grid
    factors = _calibrated(padded, counts, starts, neighbours, volumes, unit, full_dilation(d, body.reach), calibrated)
    weights = np.zeros(len(neighbours))
    with parallel_region():
        kernels.weigh(padded, counts, starts, neighbours, volumes * factors, unit, weights)
        codes, scale = encoded(weights)
        tensors = stiffness_tensors(padded, counts, starts, neighbours, codes)
    return CloudFamily(
        d, order, padded, unit, counts, starts, neighbours, codes, scale, volumes, volumes, factors,
        scale * largest_over(tensors, volumes),
    )  # fmt: skip


def stiffness_tensors(grid: Array, counts: Array, starts: Array, neighbours: Array, codes: Array) -> Array:
    """(size, 3, 3) Σ k n nᵀ without the scale of the weights. Inside ``parallel_region``."""
    tensors = np.zeros((len(counts), 3, 3))
    kernels.stiffnesses(grid, counts, starts, neighbours, decoded(codes), tensors)
    return tensors


def largest_over(tensors: Array, masses: Array) -> float:
    """The largest eigenvalue of each of ``tensors: (size, 3, 3)`` over its mass, of all."""
    return float((np.linalg.eigvalsh(tensors)[:, -1] / masses).max())


def _searched(grid: Array, order: Array, limit: int, size: int, spreading: bool) -> tuple[Array, Array, Array, Array]:
    """counts: (size,), starts and neighbours of particles ``grid: (n, 3)`` within ``limit``, and their order: ``order:
    (n,)`` with those of a window sorted by their neighbours, so that slices have few columns that are not full.

    spreading: neighbours in the order that suits a GPU's shared memory (in 3D 8.8 turns for a bond of a warp instead of
    13.4 when they rise); rising numbers are a fifth faster on a CPU in 2D, where it helps little.
    """
    n = len(grid)
    counts, starts = np.zeros(size, np.int32), np.zeros(size // SLICE + 1, np.int64)
    nothing = np.empty(0, np.int32)
    with parallel_region():
        kernels.search(*_cells(grid[order], limit), starts, counts[:n], nothing, False, False)
        if not counts[:n].all():
            raise ProblemError("A point has no neighbour within the horizon: take it away, or use a greater horizon.")
        sorted_places = np.lexsort((-counts[:n], np.arange(n) // WINDOW))
        order, counts[:n] = order[sorted_places], counts[:n][sorted_places]
        columns = -(-counts.reshape(-1, SLICE).max(axis=1).astype(np.int64) // FOUR) * FOUR
        np.cumsum(columns * SLICE, out=starts[1:])
        # columns that a particle has not lead to itself
        slices = np.repeat(np.arange(size // SLICE), np.diff(starts))
        neighbours = (slices * SLICE + np.arange(starts[-1]) % SLICE).astype(np.int32)
        kernels.search(*_cells(grid[order], limit), starts, counts[:n], neighbours, spreading, True)
    return counts, starts, neighbours, order


def _cells(grid: Array, limit: int) -> tuple[Any, ...]:
    """What ``kernels.search`` looks through."""
    cells = grid // limit + 1
    nx, ny, _ = cells.max(axis=0) + 2
    row, plane = int(nx), int(nx * ny)
    keys = cells[:, 0] + row * cells[:, 1] + plane * cells[:, 2]
    order = np.argsort(keys, kind="stable").astype(np.int32)
    return grid, cells, keys[order], order, row, plane, limit * limit


def _calibrated(
    grid: Array, counts: Array, starts: Array, neighbours: Array, volumes: Array, unit: float, full: float, each: bool
) -> Array:
    """(size,) μ such that bonds weighted with μ_i μ_j have the continuum's energy in uniform dilation.

    For each particle: μ_i Σ |ξ| V_j μ_j = ``full``, which asks for a symmetric scaling of the matrix |ξ| to given row
    sums (Knight, Ruiz and Uçar 2014: μ goes on as the root of what is missing). It is the energy method of surface
    correction (Madenci and Oterkus 2014; Le and Bobaru 2018) without its remainder. Else one μ for all: that of
    particles inside the body.
    """
    factors, sums = np.ones(len(counts)), np.zeros(len(counts))
    real = counts > 0
    with parallel_region():
        kernels.dilation(grid, counts, starts, neighbours, volumes, factors, unit, sums)
        if not each:
            # inside: a family about as heavy as the heaviest usual ones, as have all of its members
            heavy = real & (sums >= 0.95 * np.quantile(sums[real], 0.95))
            among = np.zeros(len(counts))
            kernels.dilation(grid, counts, starts, neighbours, volumes, heavy.astype(float), unit, among)
            inside = heavy & (among == sums)
            usual = float(np.median(sums[inside if inside.any() else heavy]))
            return np.full(len(counts), math.sqrt(full / usual))
        for _ in range(SWEEPS):
            missing = full / (factors[real] * sums[real])
            factors[real] *= np.sqrt(missing)
            if np.abs(missing - 1).max() < ACCURACY:
                break
            kernels.dilation(grid, counts, starts, neighbours, volumes, factors, unit, sums)
    return factors
