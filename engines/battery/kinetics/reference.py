"""Butler-Volmer in float64, one value at a time: what kernels are compared with."""

from __future__ import annotations

import numpy as np
import scipy

from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE


def overpotential(
    current_density: float, exchange: float, temperature: float = REFERENCE_TEMPERATURE, alpha: float = 0.5
) -> float:
    """η [V] at which :func:`current_density` is this; ``current_density`` and ``exchange`` in A/m²."""
    s, skew = current_density / (2 * exchange), 2 * alpha - 1
    y = np.arcsinh(s)
    if skew and s:
        low, high = sorted((0.0, float(y / (1 - abs(skew)))))
        tolerance = 1e-15 * abs(y)
        y = scipy.optimize.brentq(
            lambda y: float(y - np.arcsinh(s * np.exp(-skew * y))), low, high, xtol=tolerance, rtol=1e-15
        )
    return float(2 * GAS * temperature / FARADAY * y)


def current_density(
    eta: float, exchange: float, temperature: float = REFERENCE_TEMPERATURE, alpha: float = 0.5
) -> float:
    """j [A/m²] at the overpotential ``eta`` [V] by Butler-Volmer, ``j0 (e^{αfη} − e^{−(1−α)fη})`` with f = F/RT.

    Written with sinh, which keeps small overpotentials where two exponentials would cancel.
    """
    y = FARADAY * eta / (2 * GAS * temperature)
    return float(2 * exchange * np.exp((2 * alpha - 1) * y) * np.sinh(y))
