"""Many particles on a device, stepped and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Finding, KernelTiming, NonFinite, Selection, SeriesInfo, Simulation
from engines.api.charts import ChartData, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.battery.mpm.many_particles import ManyParticles
from engines.battery.parameters.recording import Recording
from engines.battery.protocol.durations import NO_DRIVES
from engines.battery.step.many_particle_rows import ELECTRODES, CellRow
from engines.battery.watch.bands import run_means
from engines.battery.watch.cell_record import ElementRecord, Recorded
from engines.battery.watch.many_particles import (
    CHARTS,
    inspection,
    size_histogram,
    weighted_percentiles,
)
from engines.battery.watch.overfilled import NOTHING_SEEN, Overfilled
from engines.geometry.particles import Particles

SERIES = (
    SeriesInfo("voltage", "Terminal voltage", "V"),
    SeriesInfo("current", "Current", "A"),
    SeriesInfo("capacity", "Charge given", "A h"),
    *(
        SeriesInfo(f"{name}_stoichiometry{ending}", f"{name.capitalize()} electrode{what}", "1")
        for name in ELECTRODES
        for ending, what in (("", ""), ("_p05", ", 5th percentile by area"), ("_p95", ", 95th percentile by area"))
    ),
    SeriesInfo("balance", "Lithium balance error", "1"),
)


@dataclass(frozen=True)
class _Selected:
    """Columns of the state of the selected particles, and offsets of means."""

    columns: Array
    offsets: Array | None


class ManyParticleSimulation(Recorded, Simulation):
    """Elements 0 to n − 1 are the particles of the negative electrode, n to 2n − 1 those of the positive one."""

    series = SERIES
    charts = CHARTS

    def __init__(
        self, backend: Backend, particles: ManyParticles, geometry: Particles, points: int, recording: Recording
    ) -> None:
        self.drives = NO_DRIVES
        """What may end a drive cycle."""
        self.geometry = geometry
        self.dt = particles.dt
        self.step = 0
        typical = particles.parameters.values()["nominal_capacity"] * float(np.abs(particles.current_density).max())
        self.fields = (
            FieldInfo("surface_stoichiometry", "Stoichiometry at the surface", "1", "point", (0.0, 1.0)),
            FieldInfo("stoichiometry", "Stoichiometry", "1", "point", (0.0, 1.0), components=points),
            FieldInfo("flux", "Current density, where lithium leaves", "A/m²", "point", (-2 * typical, 2 * typical)),
        )
        self.traffic = (particles.traffic,)
        self._backend, self._particles, self._points = backend, particles, points
        self._ended, self._looked = False, 0
        self._overfilled = Overfilled("of its surface")
        known = {"voltage": lambda: self._of_cell(CellRow.VOLTAGE), "current": lambda: self._of_cell(CellRow.CURRENT)}
        self._record = ElementRecord(recording, 1, self.dt, known, self._ends)
        self._everything = self.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))

    def _of_cell(self, row: CellRow) -> Array:
        return np.asarray(self._particles.cell_on_host()[row : row + 1])

    def _ends(self) -> Mapping[str, Array]:
        ended = self._of_cell(CellRow.ENDED).astype(float)
        return {
            "end/time [s]": np.where(ended >= 0, ended, np.nan),
            "end/charge given [A h]": self._of_cell(CellRow.CHARGE) / 3600,
            "end/voltage [V]": self._of_cell(CellRow.VOLTAGE),
        }

    def advance(self, steps: int) -> None:
        if steps < 1:
            return
        with self._backend.timed("particles", steps):
            self._particles.advance(self.step, steps)
        self.step += steps

    def synchronize(self) -> None:
        self._backend.synchronize()

    @property
    def finished(self) -> bool:
        """Whether the protocol is through; it is looked as of ``CellSimulation``."""
        if not self._ended and self.step // self.sample_steps > self._looked // self.sample_steps:
            self._looked, self._ended = self.step, self._particles.ended
        return self._ended

    @property
    def ending(self) -> str:
        if not self.finished:
            return ""
        cell = self._particles.cell_on_host()
        ended, voltage = cell[[CellRow.ENDED]], cell[[CellRow.VOLTAGE]]
        told = self.drives.told_of(ended, voltage, voltage)
        return f"The cell is through its protocol after {ended[0]:.6g} s{told}."

    def select(self, selection: Selection) -> _Selected:
        elements = np.asarray(selection.elements, np.int64)
        if len(elements) and not (elements.min() >= 0 and elements.max() < 2 * self._particles.n):
            raise ValueError(f"a selection of elements outside of 0 to {2 * self._particles.n - 1}")
        return _Selected(self._particles.columns_of(elements), selection.offsets)

    def gather(self, name: str, handle: _Selected) -> Array:
        if name == "surface_stoichiometry":
            values = self._particles.surfaces(handle.columns)
        elif name == "flux":
            values = self._particles.current_densities(handle.columns)
        elif name == "stoichiometry":
            values = self._particles.stoichiometry(self._points, handle.columns).T
        else:
            raise KeyError(name)
        return run_means(values, handle.offsets).astype(np.float32)

    def field(self, name: str) -> Array:
        return self.gather(name, self._everything)

    def observe(self) -> Mapping[str, float]:
        cell = self._particles.cell_on_host()
        surfaces = self._particles.surfaces().reshape(2, -1)
        seen = {
            "voltage": float(cell[CellRow.VOLTAGE]),
            "current": float(cell[CellRow.CURRENT]),
            "capacity": float(cell[CellRow.CHARGE]) / 3600,
            "balance": self._particles.balance(),
        }
        for e, (name, x, sizes) in enumerate(zip(ELECTRODES, surfaces, self._particles.sizes, strict=True)):
            self._overfilled.see(self.time, e, x, sizes.shares)
            low, high = weighted_percentiles(x, sizes.shares, (0.05, 0.95))
            seen |= {
                f"{name}_stoichiometry": float(sizes.shares @ x),
                f"{name}_stoichiometry_p05": low,
                f"{name}_stoichiometry_p95": high,
            }
        return seen

    def noticed(self) -> Sequence[Finding]:
        return self._overfilled.noticed()

    def chart(self, name: str) -> ChartData:
        for e, electrode in enumerate(ELECTRODES):
            if name == f"{electrode}_sizes":
                n = self._particles.n
                columns = self._particles.columns_of(np.arange(e * n, (e + 1) * n))
                return size_histogram(electrode, self._particles.sizes[e], self._particles.means(columns))
        return super().chart(name)

    def inspect(self, element: int) -> Inspection | None:
        return inspection(self._particles, element)

    def set_control(self, name: str, value: Any) -> None:
        if name != "current_factor":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self._particles.factor = float(value)

    def state(self) -> dict[str, Array]:
        return {
            "step": np.array(self.step),
            "particles": self._backend.to_host(self._particles.state),
            "cell": self._backend.to_host(self._particles.cell),
            "current_factor": np.array(self._particles.factor),
            "overfilled": self._overfilled.seen.copy(),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        self.step = int(state["step"])
        self._particles.factor = float(state["current_factor"])
        with self._backend.active():
            self._particles.put_back(state["particles"], state["cell"])
        self._overfilled.seen = np.array(state.get("overfilled", NOTHING_SEEN))
        self._ended, self._looked = False, self.step - 1

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        advice = "use a smaller time step or a smaller current."
        if not np.isfinite(self._particles.cell_on_host()[CellRow.VOLTAGE]):
            return NonFinite("The voltage", 0, advice)
        found = self._particles.first_non_finite()
        return None if found is None else NonFinite("The stoichiometry", found, advice)

    def close(self) -> None:
        del self._particles, self._record
