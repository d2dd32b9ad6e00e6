"""Resonances of a trace, once the sources are over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.abilities import Axes
from engines.api.charts import EMPTY, ChartData
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, SPEED_OF_LIGHT, TIME_UNITS
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.frequencies import over_at
from engines.fdtd.monitors.ringing.chart import resonance_chart, resonance_info
from engines.fdtd.monitors.ringing.resonances import Resonance, resonances
from engines.fdtd.monitors.trace import TraceWatcher, trace_interval
from engines.fdtd.parameters import TraceMonitor
from engines.fdtd.watch.watcher import NEVER, FieldWatcher


def band_of(monitor: TraceMonitor, around: Surroundings) -> tuple[float, float]:
    """Lowest and highest frequency [1/time unit]. Raises ProblemError."""
    ringing, name = monitor.ringing, monitor.name
    first, last = (
        SPEED_OF_LIGHT / each if ringing.given == "wavelength" else each / PER_UNIT
        for each in (ringing.first, ringing.last)
    )
    low, high = min(first, last), max(first, last)
    if low == high:
        raise ProblemError(f"Monitor '{name}' seeks resonances in a band without width: let its two ends differ.")
    if any(math.isinf(over_at(waveform)) for waveform in around.waveforms):
        raise ProblemError(f"Monitor '{name}' seeks what rings after the sources are over: give them a pulse.")
    nyquist = 0.5 / (trace_interval(monitor, around) * around.dt)
    if high > nyquist:
        unit = FREQUENCY_UNITS[around.unit]
        raise ProblemError(
            f"Monitor '{name}' seeks resonances up to {PER_UNIT * high:.4g} {unit}, but its samples are good for "
            f"{PER_UNIT * nyquist:.4g} {unit}: let it take a sample every {max(1, int(0.25 / high / around.dt))} steps."
        )
    return low, high


FAINT = 1e-4
"""Of the largest value of a trace: less rings than absorbing layers may send back."""
FAINTEST = 1e-6
"""Below it nobody reads the number."""


class RingingWatcher(FieldWatcher):
    """Made of the samples of ``trace``, of its first component."""

    every = NEVER

    def __init__(self, number: int, trace: TraceWatcher, around: Surroundings) -> None:
        self._trace, self._unit = trace, around.unit
        self._band = band_of(trace.monitor, around)
        self._over = max((over_at(waveform) for waveform in around.waveforms), default=0.0)
        self._component = trace.monitor.components[0]
        self._kept: tuple[int, list[Resonance]] = (-1, [])
        self._chart = f"monitor_{number}_resonances"
        info = resonance_info(self._chart, FREQUENCY_UNITS[around.unit], "V/m" if self._component[0] == "E" else "A/m")
        self.charts = (info,)

    def look(self, step: int) -> None:
        """The trace looks."""

    def found(self) -> list[Resonance]:
        """Strongest first; none while the trace is too short."""
        times, values = self._trace.series_of(self._component)
        if self._kept[0] != len(times):
            after = times > self._over
            try:
                modes = resonances(values[after], float(times[1] - times[0]), self._band) if after.any() else []
            except ProblemError:  # too short yet
                modes = []
            self._kept = len(times), modes
        return self._kept[1]

    def chart(self, name: str) -> ChartData:
        modes = self.found()
        return replace(resonance_chart(modes, self._band, PER_UNIT) if modes else EMPTY, note=self._note(modes))

    def _note(self, modes: list[Resonance]) -> str:
        """Why there are none, or none that count."""
        if self._trace.note:
            return self._trace.note
        times, values = self._trace.series_of(self._component)
        if not len(times) or times[-1] <= self._over:
            return f"Not yet: it is found once the pulse is over, after {self._over:.4g} {TIME_UNITS[self._unit]}."
        if not modes:
            return "Nothing rings in this band here: the trace dies away with the pulse."
        part = modes[0].amplitude / max(float(np.abs(values).max()), 1e-300)
        if part >= FAINT:
            return ""
        told = f"{100 * part:.1g} %" if part >= FAINTEST else f"less than {100 * FAINTEST:g} %"
        return f"Hardly anything rings: the strongest is {told} of what the pulse was here."

    def parts(self) -> dict[str, Any]:
        return {}

    def restored(self, step: int) -> None:
        self._kept = (-1, [])

    def results(self) -> Mapping[str, Array]:
        modes, name = self.found(), self._trace.monitor.name
        unit = FREQUENCY_UNITS[self._unit]
        columns = {
            f"resonance frequency [{unit}]": [PER_UNIT * mode.frequency for mode in modes],
            f"resonance frequency error [{unit}]": [PER_UNIT * mode.error for mode in modes],
            "resonance Q": [mode.quality for mode in modes],
            "resonance Q error": [mode.quality_error for mode in modes],
            f"resonance amplitude [{'V/m' if self._component[0] == 'E' else 'A/m'}]": [
                mode.amplitude for mode in modes
            ],
        }
        return {f"{name}/{key}": np.array(values) for key, values in columns.items()}

    def axes(self) -> Mapping[str, Axes]:
        name = self._trace.monitor.name
        resonance: Axes = {"resonance": f"{name}/resonance frequency"}
        return {
            f"{name}/resonance {each}": resonance
            for each in ("frequency", "frequency error", "Q", "Q error", "amplitude")
        }
