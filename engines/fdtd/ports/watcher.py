"""What the ports of a run saw: spectra of voltage and current, S-parameters, input impedance.

Each sample is a row of a buffer on the device: the step, the voltages ``V = −Σ E Δ`` across the gaps, the currents
``I = ∮ H·dl`` along them. When the buffer is full, it is transformed on the host with phases from the integer step, H
half a step later than E.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.abilities import Axes
from engines.api.charts import EMPTY, ChartData
from engines.api.device import Backend
from engines.fdtd.grid.yee import FREQUENCY_UNITS, METRES, PER_UNIT, SECONDS, VACUUM_IMPEDANCE
from engines.fdtd.ports.lumped import Gap, Port
from engines.fdtd.ports.scattering import (
    impedance_chart,
    impedance_info,
    input_impedance,
    scattering_chart,
    scattering_column,
    scattering_info,
    waves,
)
from engines.fdtd.ports.touchstone import Network, suffix, touchstone_text
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import FieldWatcher

ROWS = 1024
LINES = 201
"""Frequencies of the spectra, from the bottom to the top of the pulse's band."""
RATE = 4.0
"""Samples per period of the band's top. What folds back into the band is of three times the top and more, where a
Gaussian that has fallen to a tenth at the top has fallen to 1e-9."""
GROUP = "ports"
"""Of what they give to files; no monitor has this name."""
SCATTERING, IMPEDANCE = "scattering", "input impedance"


class PortsWatcher(FieldWatcher):
    """All ports of a problem. With several that are driven, S_jj of the first is what that port sees of them all."""

    def __init__(
        self, backend: Backend, steps: YeeSteps, gaps: Sequence[Gap], ports: Sequence[Port], dt: float, unit: str
    ) -> None:
        self._backend, self._steps, self._dt, self._unit = backend, steps, dt, unit
        self._impedances = np.array([port.resistance for port in ports])
        driven = [n for n, port in enumerate(ports) if port.amplitude > 0]
        self._driven = driven[0] if driven else 0
        waveform = ports[self._driven].waveform
        top = waveform.highest_frequency
        bottom = max(2 * waveform.carrier - top, top / LINES)
        self.frequencies = np.linspace(bottom, top, LINES) if top > bottom else np.array([top])
        self.every = max(1, int(1 / (RATE * top * dt)))
        metre = METRES[unit]
        longest = max(len(gap.electric) for gap in gaps)
        places, weights = np.zeros((len(gaps), longest), np.int64), np.zeros((len(gaps), longest))
        for n, gap in enumerate(gaps):
            places[n, : len(gap.electric)], weights[n, : len(gap.electric)] = gap.electric, -gap.lengths * metre
        self._electric, self._lengths = backend.array(places), backend.array(weights)
        self._magnetic = backend.array(np.stack([gap.magnetic for gap in gaps]))
        circulation = np.stack([gap.circulation for gap in gaps]) * metre / VACUUM_IMPEDANCE
        self._circulation = backend.array(circulation)
        self._samples = backend.array(np.zeros((ROWS, 1 + 2 * len(gaps))))
        self._sums = backend.array(np.zeros((len(self.frequencies), 2 * len(gaps), 2)))
        self.charts = tuple(
            info(name, FREQUENCY_UNITS[unit])
            for info, name in ((scattering_info, SCATTERING), (impedance_info, IMPEDANCE))
            if driven
        )

    def look(self, step: int) -> None:
        row, ports = (step // self.every - 1) % ROWS, len(self._impedances)
        sample = self._samples[row]
        sample[0] = step
        sample[1 : 1 + ports] = (self._steps.values(True, self._electric) * self._lengths).sum(axis=1)
        sample[1 + ports :] = (self._steps.values(False, self._magnetic) * self._circulation).sum(axis=1)
        if row == ROWS - 1:
            spectra = self._spectra()
            self._sums[...] = self._backend.array(np.stack([spectra.real, spectra.imag], axis=2))
            self._samples[...] = 0.0

    def _spectra(self) -> Array:
        """(f, 2 · ports) complex: of voltages [V s], then of currents [A s], in units of time."""
        sums, samples = self._backend.to_host(self._sums), self._backend.to_host(self._samples)
        samples = samples[samples[:, 0] > 0]
        turn = -2j * np.pi * self.frequencies[:, None] * self._dt
        ports = len(self._impedances)
        found = sums[..., 0] + 1j * sums[..., 1]
        width = self._dt * self.every
        found[:, :ports] += width * np.exp(turn * samples[:, 0]) @ samples[:, 1 : 1 + ports]
        found[:, ports:] += width * np.exp(turn * (samples[:, 0] + 0.5)) @ samples[:, 1 + ports :]
        return np.asarray(found)

    def column(self) -> Array:
        """(f, ports): ``S_ij`` of the driven port j."""
        spectra, ports = self._spectra(), len(self._impedances)
        into, out = waves(spectra[:, :ports], spectra[:, ports:], self._impedances)
        return scattering_column(into, out, self._driven)

    def chart(self, name: str) -> ChartData:
        column, shown = self.column(), PER_UNIT * self.frequencies
        if not np.isfinite(column).any():
            return EMPTY
        if name == SCATTERING:
            return scattering_chart(shown, column, self._driven)
        if name == IMPEDANCE:
            impedance = self._impedances[self._driven]
            return impedance_chart(shown, input_impedance(column[:, self._driven], impedance))
        raise KeyError(name)

    def parts(self) -> dict[str, Any]:
        return {"samples": self._samples, "sums": self._sums}

    def results(self) -> Mapping[str, Array]:
        """voltages and currents (f, ports); scattering: (f, ports) of the driven port, which counts from 1."""
        spectra, ports, second = self._spectra(), len(self._impedances), SECONDS[self._unit]
        return {
            f"{GROUP}/frequencies [Hz]": self.frequencies / second,
            f"{GROUP}/voltages [V s]": spectra[:, :ports] * second,
            f"{GROUP}/currents [A s]": spectra[:, ports:] * second,
            f"{GROUP}/scattering": self.column(),
            f"{GROUP}/driven": np.array(self._driven + 1),
            f"{GROUP}/impedances [Ω]": self._impedances,
        }

    def axes(self) -> Mapping[str, Axes]:
        frequency: Axes = {"frequency": f"{GROUP}/frequencies"}
        port: Axes = {"port": np.arange(1, len(self._impedances) + 1)}
        whole = {f"{GROUP}/{each}": {**frequency, **port} for each in ("voltages", "currents", "scattering")}
        return {**whole, f"{GROUP}/frequencies": frequency, f"{GROUP}/impedances": port}

    def files(self) -> Mapping[str, str]:
        """Of a single port, a Touchstone file; of several a run knows one column of their matrix, which none takes."""
        column = self.column()
        if column.shape[1] > 1 or not self.charts or not np.isfinite(column).all():
            return {}
        network = Network(self.frequencies / SECONDS[self._unit], column[:, :, None], self._impedances)
        return {f"{GROUP}{suffix(1)}": touchstone_text(network)}
