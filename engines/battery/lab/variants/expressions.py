"""The battery studies as array expressions: the same lines for NumPy and for CuPy.

The arrays say which: CuPy's answer NumPy's functions, and each operation is then a kernel of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def spherical_steps(out: Any, c: Any, tau: Any, gain: Any, inner: Any, outer: Any, steps: int) -> None:
    """``steps`` steps of (n, 32) by slices. ``inner``, ``outer``: (32,), ``tau``, ``gain``: (n,)."""
    out[...] = c
    for _ in range(steps):
        flow = tau[:, None] * (out[:, 1:] - out[:, :-1])
        out[:, :-1] += outer[:-1] * flow
        out[:, 1:] -= inner[1:] * flow
        out[:, -1] += gain


def butler_volmer(j: Any, overpotential: Any, exchange: Any, half: Any) -> None:
    """As one writes it: two exponentials that cancel near equilibrium."""
    u = half * overpotential
    j[...] = exchange * (np.exp(u) - np.exp(-u))


def butler_volmer_inverse(overpotential: Any, j: Any, exchange: Any, twice: Any) -> None:
    overpotential[...] = twice * np.arcsinh(j / (2 * exchange))


def discharge(
    trace: Any, rate: Any, gain: Any, growth: Any, kinetic: Any, start: Any, *, squares: Any, weights: Any,
    potentials: Any, current: float, thermal_voltage: float, resistance: float, lowest: float, dt: float,
) -> None:  # fmt: skip
    """Voltages (steps, n) of single-particle models at a steady current; below ``lowest`` they are ``lowest``.

    Coefficients are (2, n), negative electrode first (``cells/coefficients.py``); ``squares``, ``weights``:
    (modes,) λ² and 2/λ²; ``potentials``: of the negative and the positive electrode; ``thermal_voltage``: 2RT/F.
    """
    share = -np.expm1(-dt * squares[:, None, None] * rate)
    target = weights[:, None, None] * (current * gain)
    tail = current * gain * (0.2 - weights.sum())
    modes = 0 * target
    negative, positive = potentials
    for step in range(len(trace)):
        modes += share * (target - modes)
        x = start + (current * dt * (step + 1)) * growth + modes.sum(axis=0) + tail
        x = np.clip(x, 1e-6, 1 - 1e-6)
        activation = np.arcsinh(current * kinetic / np.sqrt(x * (1 - x))).sum(axis=0)
        voltage = positive(x[1]) - negative(x[0]) - thermal_voltage * activation - current * resistance
        trace[step] = np.maximum(voltage, lowest)
