"""One particle with constant diffusivity under a sequence of fluxes, exactly: its series mode by mode."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.battery.particles.series import mode_shapes, roots, shell_modes, static_tail

MODES = 1000
"""Enough to 1e-12 of NR/D from D t/R² = 3e-6 after a change of flux on; the rest is in its final state (the tail)."""


@lru_cache(maxsize=4)
def _in_shells(points: int) -> tuple[Array, Array]:
    """(points, MODES) means of the modes over the shells, and (points,) of what stands for all others."""
    return shell_modes(points, MODES), static_tail(points, MODES)[0]


@lru_cache(maxsize=1)
def _tail_at_surface() -> float:
    return static_tail(8, MODES)[1]


class ExactParticle:
    """Deviations from the start [mol/m³] of a sphere of ``radius`` [m] with ``diffusivity`` [m²/s]."""

    def __init__(self, radius: float, diffusivity: float) -> None:
        self._rate, self._gain = diffusivity / radius**2, radius / diffusivity
        self._amplitudes = np.zeros(MODES)
        self._squares = roots(MODES) ** 2
        self._flux = 0.0
        self.mean = 0.0
        self._begun = self._amplitudes, self.mean
        """When the flux was last another; ``_seconds`` have passed since."""
        self._seconds = 0.0

    def advance(self, flux: float, seconds: float) -> None:
        """``seconds`` under a steady inward ``flux`` [mol/m²/s]; in how many parts they come changes no bit."""
        if flux != self._flux:
            self._flux, self._begun, self._seconds = flux, (self._amplitudes, self.mean), 0.0
        self._seconds += seconds
        tau, gain = self._rate * self._seconds, self._gain * flux
        final = gain * 2 / self._squares
        amplitudes, mean = self._begun
        self._amplitudes = final + (amplitudes - final) * np.exp(-self._squares * tau)
        self.mean = mean + 3 * gain * tau

    def follow(self, flux: float, runs: Sequence[tuple[float, float]]) -> ExactParticle:
        """Through (seconds, factor on ``flux``), one after the other; returns itself."""
        for seconds, factor in runs:
            self.advance(flux * factor, seconds)
        return self

    def profile(self, x: Array) -> Array:
        """(len(x),) at x = r/R."""
        x = np.asarray(x, float)
        shapes = mode_shapes(x, MODES)
        tail = (5 * x**2 - 3) / 10 - shapes @ (2 / self._squares)
        return self.mean + shapes @ self._amplitudes + self._gain * self._flux * tail

    def shell_means(self, points: int) -> Array:
        """(points,) means over shells of equal thickness from the centre outwards."""
        shapes, tail = _in_shells(points)
        return self.mean + shapes @ self._amplitudes + self._gain * self._flux * tail

    @property
    def surface(self) -> float:
        return float(self.mean + self._amplitudes.sum() + self._gain * self._flux * _tail_at_surface())
