"""Stages of an explicit step that is as long as the cells' step: Runge-Kutta-Legendre of second order, RKL2.

C. D. Meyer, D. S. Balsara, T. D. Aslam, "A stabilized Runge-Kutta-Legendre method for explicit super-time-stepping of
parabolic and mixed equations", J. Comput. Phys. 257 (2014) 594, eqs. 16 to 18. s stages are stable for (s² + s − 2)/4
Euler steps. Written for the change D_j = Y_j − Y_0 of the step, with R = τ L(Y_0) and A the linear part of L:

    D_1 = first R,   D_j = μ D_{j−1} + ν D_{j−2} + near τ A D_{j−1} + start R

so that rounding errors are those of a change, not of a temperature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array

MOST_STAGES = 1001


@dataclass(frozen=True)
class Stages:
    """``first``; ``rows: (s − 1, 4)``: μ, ν, near, start of stages 2 … s; ``weights: (s − 1,)``: with what share of τ
    the change D_1 … D_{s−1} counts in what flows out during the step (the temperature at its start counts with τ)."""

    first: float
    rows: Array
    weights: Array

    @property
    def count(self) -> int:
        return len(self.rows) + 1


def count_for(step: float, fastest: float) -> int:
    """Stages that a step [s] needs where the fastest rate is ``fastest`` [1/s]: odd, which damps better, from 3 on."""
    s = math.ceil((math.sqrt(9 + 8 * step * fastest) - 1) / 2)  # s² + s − 2 ≥ 2 step fastest
    return max(3, s + (s + 1) % 2)


def stages(count: int) -> Stages:
    """The coefficients of ``count`` stages."""

    def b(j: int) -> float:
        return (j * j + j - 2) / (2 * j * (j + 1)) if j > 2 else 1 / 3

    share = 4 / (count * count + count - 2)
    first = b(1) * share
    rows = np.empty((count - 1, 4))
    # D_j = Σ spread[j][k] τ A D_k + … R
    spread = np.zeros((count + 1, count))
    for j in range(2, count + 1):
        mu = (2 * j - 1) / j * b(j) / b(j - 1)
        nu = -(j - 1) / j * b(j) / b(j - 2)
        near = mu * share
        rows[j - 2] = mu, nu, near, near - (1 - b(j - 1)) * near
        spread[j] = mu * spread[j - 1] + nu * spread[j - 2]
        spread[j, j - 1] += near
    return Stages(first, rows, spread[count, 1:])
