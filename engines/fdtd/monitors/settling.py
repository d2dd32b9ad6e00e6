"""Whether spectra have settled when a run ends: the energy that is still in the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engines.api import Finding, Remedy
from engines.api.device import Backend
from engines.fdtd.monitors.energies import Energies
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.frequencies import over_at
from engines.fdtd.parameters import Continuous, FdtdParameters, TraceMonitor
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import NEVER, FieldWatcher

END_AT_DECAY = Remedy("End when the field has died down", {("ending", "at_decay"): True}, without_end=True)
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


class SettlingWatcher(FieldWatcher):
    """Knows the largest energy from a few looks until what the sources gave has spread, and none after that.

    Of what is left twice the magnetic energy counts: a cut current leaves charges, whose static field never goes and
    is not in spectra.
    """

    def __init__(self, around: Surroundings, backend: Backend, steps: YeeSteps) -> None:
        self._backend, self._steps, self._dt = backend, steps, around.dt
        self._over = max(over_at(waveform) for waveform in around.waveforms)
        self._between = self.every = max(1, int(self._over / around.dt / LOOKS))
        self._energies, self._step = Energies(backend, steps), 0

    def look(self, step: int) -> None:
        self._step = step
        self._energies.look()
        self.every = self._after(step)

    def _after(self, step: int) -> int:
        return NEVER if step * self._dt > 2 * self._over else self._between

    def restored(self, step: int) -> None:
        self._energies.restore()
        self._step = step // self._between * self._between
        self.every = self._after(self._step)

    def noticed(self) -> Sequence[Finding]:
        if not self._energies.largest:
            return ()
        with self._backend.active():
            left = 2 * self._steps.energy()[1] / self._energies.largest
        if left < SETTLED:
            return ()
        still = "the sources are not over, and " if (self._step + self._between) * self._dt < self._over else ""
        return (
            Finding(
                f"Spectra have not settled: {still}{100 * left:.2g} % of the largest field energy is still in the "
                f"grid, so they may be wrong by about {100 * left**0.5:.2g} %. Run longer, or switch on the end at "
                "decay.",
                place=("ending",),
                remedy=END_AT_DECAY,
                distorts=True,
            ),
        )

    def parts(self) -> dict[str, Any]:
        return {"largest energy": self._energies.held()[:1]}
