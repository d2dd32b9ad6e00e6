"""How large a step the operator allows, and whether any mode of it grows however small the step is."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region
from engines.cardiac.diffusion.cpu import sliced_step
from engines.cardiac.diffusion.sliced import SlicedMatrix

GROWTH_STEPS = 150
"""Steps of local size between two looks at the largest value; noise has fallen below a tenth after as many."""


def step_limits(matrix: SlicedMatrix) -> Array:
    """(n_rows,) [ms]: ``1 / sum_j |alpha_ij|`` of each cell (thesis eq. 3.6), infinite for cells without neighbours.

    The smallest one is sufficient for stability of an operator without growing modes.
    """
    with np.errstate(divide="ignore"):
        return 1.0 / matrix.absolute_row_sums()


def stable_step(matrix: SlicedMatrix) -> float:
    """The smallest of :func:`step_limits` [ms]."""
    return float(step_limits(matrix).min())


def growing_cells(matrix: SlicedMatrix, volumes: Array) -> Array:
    """(n,) indices of the cells in which noise grows; empty if it decays everywhere.

    Explicit steps with each cell's own limit as step: noise of every scale decays within a few steps where the
    operator is dissipative, and what grows stands out by its largest value after a hundred.
    """
    limits = step_limits(matrix)
    limits[~np.isfinite(limits)] = 0.0
    # these weights are what local steps conserve: removing the mean leaves nothing that stays
    conserved = np.where(limits > 0, volumes / np.where(limits > 0, limits, 1.0), 0.0)
    v = np.random.default_rng(0).standard_normal(matrix.n_rows)
    v[limits == 0.0] = 0.0
    if not conserved.any():
        return np.empty(0, np.int64)
    v -= (conserved @ v) / conserved.sum()
    # float32: what grows stands out from any round-off
    local, v = matrix.scaled_rows(limits), v.astype(np.float32)
    out = v.copy()
    half_way = 0.0
    with parallel_region():
        for step in range(2 * GROWTH_STEPS):
            if step == GROWTH_STEPS:
                half_way = float(np.abs(v).max())
            sliced_step(local, v, out, 1.0)
            v, out = out, v
    size = np.abs(v)
    # disconnected meshes keep their means: growth of less than a thousandth in 150 steps is none
    if size.max() <= 1.001 * half_way:
        return np.empty(0, np.int64)
    return np.flatnonzero(size >= 0.01 * size.max())


def _rates(matrix: SlicedMatrix, v: Array) -> Array:
    """L v, float64."""
    out = np.empty_like(v)
    with parallel_region():
        sliced_step(matrix, v, out, 1.0)
    out -= v
    return out
