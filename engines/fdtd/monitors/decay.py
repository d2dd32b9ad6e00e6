"""The end of a run whose field has died down."""

from __future__ import annotations

import math
from typing import Any

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import TIME_UNITS
from engines.fdtd.monitors.energies import Energies
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.frequencies import over_at
from engines.fdtd.parameters import Ending
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import FieldWatcher

PERIODS = 2
FEWEST_STEPS = 50
"""Looking at the energy reads the fields once: a fiftieth of the traffic of a step and a half."""


def check_dies_down(around: Surroundings) -> None:
    """Raises ProblemError for sources without an end."""
    if any(waveform.steady for waveform in around.waveforms):
        raise ProblemError("A continuous source never dies down: choose a pulse, or switch off the end at decay.")


def steps_between(around: Surroundings) -> int:
    """Steps from one look at the energy to the next."""
    highest = max((waveform.highest_frequency for waveform in around.waveforms), default=0.0)
    period = 1.0 / highest / around.dt if highest else FEWEST_STEPS
    return max(FEWEST_STEPS, round(PERIODS * period))


class DecayWatcher(FieldWatcher):
    """Looks at the field's energy every few periods."""

    def __init__(self, ending: Ending, around: Surroundings, backend: Backend, steps: YeeSteps) -> None:
        self._part, self._energies = ending.part, Energies(backend, steps)
        self._from = max((over_at(waveform) for waveform in around.waveforms), default=0.0) / around.dt
        self._dt, self._unit = around.dt, TIME_UNITS[around.unit]
        self.every = steps_between(around)
        self._step = 0

    def look(self, step: int) -> None:
        self._energies.look()
        self._step = step

    def restored(self, step: int) -> None:
        self._energies.restore()
        self._step = step // self.every * self.every

    @property
    def largest(self) -> float:
        """Largest Σ ε_r E² + μ_r (η₀H)² over the cells so far [V²/m²]."""
        return self._energies.largest

    @property
    def done(self) -> float | None:
        """Decibels that the energy has fallen by, of those that are wanted; nothing while the sources are on."""
        if self._step < self._from or not 0 < self._energies.last < self.largest:
            return 0.0
        return min(1.0, math.log(self._energies.last / self.largest) / math.log(self._part))

    @property
    def ending(self) -> str:
        if self._step < self._from or not self.largest or self._energies.last > self._part * self.largest:
            return ""
        return (
            f"The field has died down to {self._energies.last / self.largest:.1e} of its largest energy "
            f"at {self._step * self._dt:.4g} {self._unit}."
        )

    def parts(self) -> dict[str, Any]:
        return {"energies": self._energies.held()}
