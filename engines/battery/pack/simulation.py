"""A pack on a device, stepped and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Finding, KernelTiming, NonFinite, Selection, SeriesInfo, Simulation
from engines.api.charts import EMPTY, ChartData, ChartInfo, Fact, Inspection, histogram
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.battery.pack.coupled import UNRESOLVED, CoupledPack
from engines.battery.pack.layout import Layout
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.parameters.pack import Cooling
from engines.battery.parameters.recording import Recording
from engines.battery.protocol.durations import NO_DRIVES
from engines.battery.watch.cell_record import ElementRecord, Recorded
from engines.battery.watch.overfilled import NOTHING_SEEN, Overfilled, some_of

CELSIUS = REFERENCE_TEMPERATURE - 273.15
"""Of the temperature that deviations are from."""
NOWHERE = -1000.0
"""Value of a cell's field in the gaps, exact in float32."""
GAPS: dict[str, Any] = {"missing": NOWHERE, "missing_title": "between the cells"}
BARS = 24

SERIES = (
    SeriesInfo("voltage", "Pack voltage", "V"),
    SeriesInfo("current", "Pack current", "A"),
    SeriesInfo("lowest_voltage", "Lowest voltage of a cell", "V"),
    SeriesInfo("highest_voltage", "Highest voltage of a cell", "V"),
    SeriesInfo("hottest", "Hottest", "°C"),
    SeriesInfo("mean", "Mean of the cells", "°C"),
    SeriesInfo("coldest", "Coldest", "°C"),
    SeriesInfo("heat", "Generated", "W"),
    SeriesInfo("removed", "Removed", "W"),
    SeriesInfo("capacity", "Charge given by the pack", "A h"),
    SeriesInfo("balance", "Energy balance error", "1"),
)

CHARTS = (
    ChartInfo("voltage", "Pack voltage", "V", series=("voltage",), comparable=True),
    ChartInfo("temperatures", "Temperature", "°C", series=("hottest", "mean", "coldest")),
    ChartInfo("cells", "Cells by temperature", "1", kind="bar", x_title="Temperature", x_unit="°C", y_title="Cells"),
    ChartInfo("heat", "Heat", "W", series=("heat", "removed")),
    ChartInfo("cell_voltages", "Cell voltages", "V", series=("lowest_voltage", "highest_voltage")),
)


def fields(
    temperatures: tuple[float, float], heat: float, rate: float, voltages: tuple[float, float]
) -> tuple[FieldInfo, ...]:
    """Temperature everywhere, the rest in the cells; ``heat`` [W/L] and ``rate`` [1/h] are the largest to expect."""
    return (
        FieldInfo("temperature", "Temperature", "°C", "cell", temperatures, "inferno"),
        FieldInfo("heat", "Heat source", "W/L", "cell", (0.0, heat), "inferno", **GAPS),
        FieldInfo("voltage", "Voltage of the cell", "V", "cell", voltages, **GAPS),
        FieldInfo("charge", "State of charge", "1", "cell", (0.0, 1.0), **GAPS),
        FieldInfo("rate", "Current over capacity", "1/h", "cell", (0.0, rate), **GAPS),
    )


class PackSimulation(Recorded, Simulation):
    """Elements are the voxels. ``capacity``: of one cell's segment [A h]; ``begun``: where between its cut-offs each
    element starts (0 to 1), and its [A h] between them; ``drawn``: (elements,) of what differs among them. Rows of
    ``cells.h5`` have the elements, segments beside each other."""

    series = SERIES
    charts = CHARTS

    def __init__(
        self,
        backend: Backend,
        pack: CoupledPack,
        layout: Layout,
        infos: tuple[FieldInfo, ...],
        cooling: Cooling,
        capacity: float,
        begun: tuple[Array, Array],
        recording: Recording,
        drawn: Mapping[str, Array],
    ) -> None:
        self.drives = NO_DRIVES
        """What may end a drive cycle."""
        self.geometry = layout.grid
        self.dt, self.step = pack.dt, 0
        self.fields = infos
        self._missing = {info.name: info.missing for info in infos}
        self.traffic = (pack.cells.traffic, pack.heat.traffic)
        self._backend, self._pack, self._layout = backend, pack, layout
        self._capacity, (self._start, self._usable) = capacity, begun
        boxes = layout.boxes
        voxels = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2]) * (boxes[:, 5] - boxes[:, 4])
        self._volume = voxels * float(np.prod(layout.grid.spacing)) * 1e-6
        self._owner = backend.array(layout.owner.reshape(-1))
        known = {
            "voltage": lambda: pack.voltages,
            "current": lambda: pack.currents,
            "temperature": lambda: pack.warmth + CELSIUS,
        }
        self._record = ElementRecord(recording, pack.wiring.elements, self.dt, known, self._ends, drawn)
        self._overfilled, self._some = Overfilled("of the cells"), some_of(pack.wiring.elements)
        self._air = {"ambient": cooling.ambient, "plate_temperature": cooling.plate_temperature}

    def _ends(self) -> Mapping[str, Array]:
        return {"end/charge given [A h]": self._pack.charge(), "end/voltage [V]": self._pack.voltages}

    def advance(self, steps: int) -> None:
        over = self.finished
        for _ in range(steps):
            self._pack.advance(self.step)
            self.step += 1
            if (
                self.finished and not over
            ):  # the run ends with this step, however many are asked for; who asks then cools
                break

    def synchronize(self) -> None:
        self._backend.synchronize()

    @property
    def finished(self) -> bool:
        return self._pack.finished

    @property
    def ending(self) -> str:
        if not self._pack.finished:
            return ""
        empty = self._pack.exhausted
        if empty is None:
            voltages = self._pack.voltages
            cut = self.drives.told_of(np.array([self.time]), voltages.min(keepdims=True), voltages.max(keepdims=True))
            told = f"The pack is through its protocol after {self.time:.6g} s{cut}."
            if self._pack.apart > UNRESOLVED:
                told += (
                    f" Its last voltages are known to {self._pack.apart:.2g} V: shorter time steps show its end better."
                )
            return told
        cell = int(self._layout.cell[empty]) + 1
        return (
            f"The electrolyte of cell {cell} has no salt left in an electrode: its current is more than it can carry, "
            "and the run ends there. Use a smaller current, or less of it before a rest."
        )

    def select(self, selection: Selection) -> Any:
        return self._backend.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        return self._backend.gather(self._values(name), handle, missing=self._missing[name])

    def field(self, name: str) -> Array:
        return self._backend.to_host(self._values(name)).astype(np.float32, copy=False)

    def _values(self, name: str) -> Any:
        """(voxels,) on the device."""
        if name == "temperature":
            with self._backend.active():
                return self._pack.heat.inside.reshape(-1) + np.float32(CELSIUS)
        each = self._backend.array(np.append(self._of_elements(name), NOWHERE).astype(np.float32))
        with self._backend.active():
            return each[self._owner]

    def _of_elements(self, name: str) -> Array:
        if name == "heat":
            return self._pack.power / self._volume
        if name == "voltage":
            return self._pack.voltages
        if name == "charge":
            return np.asarray(self._start - self._pack.charge() / self._usable)
        if name == "rate":
            return np.asarray(np.abs(self._pack.currents) / self._capacity)
        raise KeyError(name)

    def observe(self) -> Mapping[str, float]:
        pack = self._pack
        self._overfilled.see_cells(self.time, pack.cells.surfaces(self._some))
        coldest, hottest = pack.heat.extremes()
        return {
            "voltage": pack.voltage,
            "current": pack.current,
            "lowest_voltage": float(pack.voltages.min()),
            "highest_voltage": float(pack.voltages.max()),
            "hottest": hottest + CELSIUS,
            "mean": float(pack.warmth.mean()) + CELSIUS,
            "coldest": coldest + CELSIUS,
            "heat": float(pack.power.sum()),
            "removed": pack.heat.removed,
            "capacity": float(pack.charge().sum()) / pack.wiring.series,
            "balance": pack.heat.balance(),
        }

    def noticed(self) -> Sequence[Finding]:
        return self._overfilled.noticed()

    def chart(self, name: str) -> ChartData:
        if name != "cells":
            return super().chart(name)
        temperatures = self._pack.warmth + CELSIUS
        low, high = float(temperatures.min()), float(temperatures.max())
        if not np.isfinite([low, high]).all():
            return EMPTY
        room = max(high - low, 0.1) * 0.05  # all alike: a bar of 0.1 K
        edges = np.linspace(low - room, high + room, BARS + 1)
        bars = histogram(temperatures, edges, "Cells", np.clip(self._of_elements("charge"), 0, 1))
        return ChartData((bars,), "State of charge")

    def inspect(self, element: int) -> Inspection | None:
        where = self._layout
        owner = int(where.owner.reshape(-1)[element])
        voxel = self.gather("temperature", self.select(Selection(np.array([element], np.int32))))
        here = Fact("Temperature here", float(voxel[0]), "°C")
        if owner == where.n_elements:
            return Inspection("Gap between cells", (here,))
        title = f"Cell {int(where.cell[owner]) + 1}"
        if self._pack.wiring.segments > 1:
            title += f", segment {owner % self._pack.wiring.segments + 1}"
        return Inspection(
            title,
            (
                here,
                Fact("Mean temperature", float(self._pack.warmth[owner]) + CELSIUS, "°C"),
                Fact("Voltage", float(self._pack.voltages[owner]), "V"),
                Fact("Current", float(self._pack.currents[owner]), "A"),
                Fact("State of charge", float(self._of_elements("charge")[owner]), "1"),
                Fact("Heat", float(self._pack.power[owner]), "W"),
            ),
        )

    def set_control(self, name: str, value: Any) -> None:
        group, _, last = name.rpartition(".")
        if name == "current_factor":
            self._pack.factor = float(value)
        elif group == "pack.cooling" and last in self._air:
            self._air[last] = float(value)
            self._pack.heat.set_environment(environment(self._air["ambient"], self._air["plate_temperature"]))
        else:
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")

    def state(self) -> dict[str, Array]:
        seen, air = self._overfilled.seen.copy(), np.array(list(self._air.values()))
        return {"step": np.array(self.step), "air": air, "overfilled": seen, **self._pack.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        self.step = int(state["step"])
        self._air = dict(zip(self._air, state["air"].tolist(), strict=True))
        self._overfilled.seen = np.array(state.get("overfilled", NOTHING_SEEN))
        self._pack.restore(state)

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        advice = "use a smaller time step or a smaller current."
        found = np.flatnonzero(~np.isfinite(self._pack.voltages))
        if len(found):
            voxel = int(np.flatnonzero(self._layout.owner.reshape(-1) == found[0])[0])
            return NonFinite("The voltage", voxel, advice)
        place = self._backend.first_non_finite(self._pack.heat.inside)
        return None if place is None else NonFinite("The temperature", place, advice)

    def close(self) -> None:
        del self._pack, self._owner, self._record


def environment(ambient: float, plate: float) -> tuple[float, ...]:
    """What is beyond the sides of x, y, z, low and high: deviations from 298.15 K [K] for temperatures in °C."""
    air = ambient - CELSIUS
    return (air, air, air, air, plate - CELSIUS, air)
