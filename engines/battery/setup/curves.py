"""A function of one variable as a table of cubics on equal intervals: what kernels look up instead of calling it.

Open-circuit potentials, diffusivities and conductivities come as formulae, as measured tables and (BPX) as typed
expressions; a kernel sees one form of them all, four numbers per interval. Chen2020's potentials with 1024 intervals
are within 1e-8 V of their formulae.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from engines.api import Array

INTERVALS = 1024


@dataclass(frozen=True, eq=False)
class Curve:
    """``f(low + (i + t) step) = k0 + t (k1 + t (k2 + t k3))``; beyond its ends a curve keeps its last value.

    coefficients: (intervals, 4) float64
    """

    low: float
    high: float
    coefficients: Array

    @property
    def inverse_step(self) -> float:
        return len(self.coefficients) / (self.high - self.low)

    def __call__(self, x: Array) -> Array:
        """The curve at ``x`` in float64, with the same arithmetic as the kernels."""
        at = np.clip((np.asarray(x, float) - self.low) * self.inverse_step, 0, len(self.coefficients))
        i = np.minimum(at.astype(int), len(self.coefficients) - 1)
        t, k = at - i, self.coefficients[i]
        return k[..., 0] + t * (k[..., 1] + t * (k[..., 2] + t * k[..., 3]))


def curve(function: Callable[[Array], Array], low: float, high: float, intervals: int = INTERVALS) -> Curve:
    """Sample ``function`` (vectorised, finite on [low, high]); the spline's error falls with the fourth power.

    Raises ValueError if it is not a finite number somewhere.
    """
    nodes = np.linspace(low, high, intervals + 1)
    values = np.broadcast_to(np.asarray(function(nodes), float), nodes.shape)
    if not np.isfinite(values).all():
        bad = nodes[~np.isfinite(values)][0]
        raise ValueError(f"the function is not a finite number at {bad:g}")
    return _packed(scipy.interpolate.CubicSpline(nodes, values), low, high)


def table_curve(x: Array, y: Array) -> Curve:
    """Through measured points without overshoot (PCHIP). ``x`` rises. Raises ValueError if it does not."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 2 or (np.diff(x) <= 0).any():
        raise ValueError("the first column of a table has at least two numbers, and they rise")
    return curve(scipy.interpolate.PchipInterpolator(x, y), float(x[0]), float(x[-1]))


def monotone_curve(function: Callable[[Array], Array], low: float, high: float) -> Curve:
    """As :func:`curve`, never beyond the values at the ends of an interval: what has to stay positive does."""
    nodes = np.linspace(low, high, INTERVALS + 1)
    return _packed(scipy.interpolate.PchipInterpolator(nodes, function(nodes)), low, high)


def _packed(
    spline: scipy.interpolate.CubicSpline | scipy.interpolate.PchipInterpolator, low: float, high: float
) -> Curve:
    step = (high - low) / spline.c.shape[1]
    powers = step ** np.arange(4)[:, None]
    return Curve(low, high, np.ascontiguousarray((spline.c[::-1] * powers).T))
