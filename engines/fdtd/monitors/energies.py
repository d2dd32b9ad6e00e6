"""The largest energy of a field and the last one that was looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api.device import Backend
from engines.fdtd.step.steps import YeeSteps


class Energies:
    """Σ ε_r E² + μ_r (η₀H)² over the cells [V²/m²] at each look, which waits for nothing: a device is asked for what
    it found when somebody wants to know."""

    def __init__(self, backend: Backend, steps: YeeSteps) -> None:
        self._backend, self._steps = backend, steps
        self._asked: list[Callable[[], tuple[float, float]]] = []
        self._largest = self._last = 0.0
        self._held = backend.array(np.zeros(2))

    def look(self) -> None:
        with self._backend.active():
            self._asked.append(self._steps.energy_later())

    def _known(self) -> None:
        for found in self._asked:
            self._last = sum(found())
            self._largest = max(self._largest, self._last)
        self._asked.clear()

    @property
    def largest(self) -> float:
        self._known()
        return self._largest

    @property
    def last(self) -> float:
        self._known()
        return self._last

    def held(self) -> Any:
        """(largest, last) on the device."""
        with self._backend.active():
            self._held[...] = self._backend.array(np.array([self.largest, self.last]))
        return self._held

    def restore(self) -> None:
        """``held`` has been given other values."""
        self._asked.clear()
        self._largest, self._last = (float(value) for value in self._backend.to_host(self._held))
