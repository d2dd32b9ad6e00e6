"""Particles of a cell on the CPU, eigenmode by eigenmode: the twin of ``Particle`` in ``cells.cu``."""

from __future__ import annotations

import math

from numba import njit

from engines.backend.pointers import rounded
from engines.battery.step.particle_rows import MODES


@njit
def relaxed(b, share):
    """The modes' sum at the end of a step without current; four sums side by side, for one would wait for itself."""
    one, s0, s1, s2, s3 = rounded(b, 1.0), rounded(b, 0.0), rounded(b, 0.0), rounded(b, 0.0), rounded(b, 0.0)
    for k in range(0, MODES, 4):
        s0 += b[k] * (one - share[k])
        s1 += b[k + 1] * (one - share[k + 1])
        s2 += b[k + 2] * (one - share[k + 2])
        s3 += b[k + 3] * (one - share[k + 3])
    return (s0 + s1) + (s2 + s3)


@njit
def driven_part(share, weights):
    """The modes' sum at the end of a step that started at rest, per unit of gain and current, with the tail."""
    total = 0.2
    for k in range(MODES):
        total += (share[k] - 1.0) * weights[k]
    return total


@njit
def rising(share, squares, weights, rate_time):
    """What a rise of the current from the step's mean to its end adds at the surface, per unit of gain and current."""
    total = 0.2
    for k in range(MODES):
        total += weights[k] * (1.0 - share[k] - 2.0 * share[k] / (squares[k] * rate_time))
    return total


@njit
def surface(b, squares, weights, rate_time, driven):
    """The modes' sum at the surface after a part of a step, with the tail."""
    x = 0.2 * driven
    for k in range(MODES):
        x += math.exp(-squares[k] * rate_time) * (b[k] - weights[k] * driven)
    return x


@njit(forceinline=True)
def shares(own, squares, rate_n, rate_p, dt):
    """g_k = 1 − e^{−λ_k² D t/R²} of both particles."""
    for k in range(MODES):
        own.share_n[k] = -math.expm1(-squares[k] * (rate_n * dt))
        own.share_p[k] = -math.expm1(-squares[k] * (rate_p * dt))


@njit(forceinline=True)
def move(own, model, rates, driven_n, driven_p, rise, dt):
    """The amplitudes after a step: b_k += g_k (2/λ_k² G I − b_k), and what a rise of the current adds; driven: G I."""
    b_n, b_p, share_n, share_p, squares, weights = (
        own.b_n,
        own.b_p,
        own.share_n,
        own.share_p,
        model.squares,
        model.weights,
    )
    for k in range(MODES):
        b_n[k] += share_n[k] * (weights[k] * driven_n - b_n[k])
        b_p[k] += share_p[k] * (weights[k] * driven_p - b_p[k])
    if rise != 0.0:
        for k in range(MODES):
            late_n = 2.0 - share_n[k] - 2.0 * share_n[k] / (squares[k] * (rates.rate_n * dt))
            late_p = 2.0 - share_p[k] - 2.0 * share_p[k] / (squares[k] * (rates.rate_p * dt))
            b_n[k] += weights[k] * rates.gain_n * rise * late_n
            b_p[k] += weights[k] * rates.gain_p * rise * late_p
