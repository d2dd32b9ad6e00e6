"""Whether spectra have settled when a run ends: the energy that is still in the grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Finding, Remedy
from engines.api.charts import ChartData, ChartInfo
from engines.api.device import Backend
from engines.fdtd.grid.yee import TIME_UNITS
from engines.fdtd.monitors.energies import Energies
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.parameters import Continuous, Ending, FdtdParameters, TraceMonitor
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import NEVER, FieldWatcher
from engines.quantities import percent

END_AT_DECAY = Remedy("End when the field has died down", {("ending", "at_decay"): True}, without_end=True)
WITHOUT_END = Remedy("Run until the field has died down", without_end=True)
RESONANCES = Remedy("Find what rings", tool="resonances")
LOOKS = 24
"""At the energy, while sources drive: its largest is found to a few per cent."""
SETTLED = 1e-4
"""Of the largest energy: an amplitude of a hundredth, as much as spectra may then be wrong."""


def endless(parameters: FdtdParameters) -> Finding | None:
    """Of a run that nothing ends, though its sources are pulses and their spectra are measured."""
    spectra = parameters.ports or any(not isinstance(monitor, TraceMonitor) for monitor in parameters.monitors)
    signals = [each.signal for each in (*parameters.sources, *parameters.ports)]
    if not spectra or not signals or any(isinstance(signal, Continuous) for signal in signals):
        return None
    return Finding(
        "Nothing ends this run, and its spectra are right once the field has died down: let it end then.",
        "info",
        ("ending",),
        replace(END_AT_DECAY, without_end=False),
    )


def noted(data: ChartData, note: Callable[[bool], str]) -> ChartData:
    """A chart with the word on it, for which ``note`` is asked: whether the chart has curves yet."""
    said = note(any(np.isfinite(curve.y).any() for curve in data.curves))
    return replace(data, note=said) if said else data


class SettlingWatcher(FieldWatcher):
    """Knows the largest energy from a few looks until what the sources gave has spread, and none after that.

    Of what is left twice the magnetic energy counts: a cut current leaves charges, whose static field never goes and
    is not in spectra.
    """

    def __init__(self, around: Surroundings, backend: Backend, steps: YeeSteps, sought: bool, ending: Ending) -> None:
        """``sought``: resonances are looked for already."""
        self._backend, self._steps, self._dt = backend, steps, around.dt
        self._unit = TIME_UNITS[around.unit]
        self._over = around.over
        self._ending = ending
        self._rings = None if sought else RESONANCES
        self._between = self.every = max(1, int(self._over / around.dt / LOOKS))
        self._energies, self._step = Energies(backend, steps), 0
        self._left = (-1, 0.0)  # the step at which it was last asked for, and what was left

    def look(self, step: int) -> None:
        self._step = step
        self._energies.look()
        self.every = self._after(step)

    def _after(self, step: int) -> int:
        return NEVER if step * self._dt > 2 * self._over else self._between

    def restored(self, step: int) -> None:
        self._energies.restore()
        self._left = (-1, 0.0)
        self._step = step // self._between * self._between
        self.every = self._after(self._step)

    def note(self, info: ChartInfo, shown: bool, step: int) -> str:
        """A word on whether a chart's spectra are right, ``step`` steps after the start; ``shown``: it has curves."""
        if info.kind == "bar" or (info.kind == "line" and info.x_title not in ("Frequency", "Wavelength")):
            return ""
        if step * self._dt < self._over:
            begin = "Not settled" if shown else "Not yet"
            return f"{begin}: the pulse lasts until {self._over:.4g} {self._unit}."
        last, left = self._left
        if last < 0 or (left >= SETTLED and not last <= step < last + self._between):  # it reads all of the fields
            self._left = step, (left := self._left_over())
        return "" if left < SETTLED else f"Not settled: {_percent(left)} of the field energy is left."

    def _left_over(self) -> float:
        """What of the largest energy is still there: all of it while it grows, which is looked at now and then."""
        if not self._energies.largest:
            return 0.0
        with self._backend.active():
            return min(1.0, 2 * self._steps.energy()[1] / self._energies.largest)

    def noticed(self) -> Sequence[Finding]:
        left = self._left_over()
        if left < SETTLED:
            return ()
        advice, remedy = "switch on the end at decay", END_AT_DECAY
        if self._ending.at_decay and self._ending.part > SETTLED:
            advice = f"let it end at {SETTLED / 10:g} of the largest energy and not at {self._ending.part:g}"
            remedy = Remedy(f"End at {SETTLED / 10:g}", {("ending", "part"): SETTLED / 10}, without_end=True)
        elif self._ending.at_decay:
            advice, remedy = "take the end away that is set: it ends at decay then", WITHOUT_END
        still = "the sources are not over, and " if (self._step + self._between) * self._dt < self._over else ""
        return (
            Finding(
                f"Spectra have not settled: {still}{_percent(left)} of the largest field energy is still in the "
                f"grid, so they may be wrong by about {_percent(left**0.5)}. Run longer, or {advice}.",
                place=("ending",),
                remedy=remedy,
                alternative=self._rings,
                distorts=True,
            ),
        )

    def parts(self) -> dict[str, Any]:
        return {"largest energy": self._energies.held()[:1]}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else percent(share)
