"""Cells on a device, stepped and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Finding, KernelTiming, NonFinite, Selection, Simulation
from engines.api.charts import ChartData, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Share
from engines.battery.cells.step.cells import Cells, padded, recorded_cells
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.parameters.recording import Recording
from engines.battery.protocol.durations import NO_DRIVES
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, AgeingRow, Row
from engines.battery.watch import cell_charts as charts
from engines.battery.watch import losses
from engines.battery.watch.bands import bands, bands_on_host, run_means
from engines.battery.watch.cell_inspection import inspection
from engines.battery.watch.cell_record import HOUR, CellRecord, Recorded, at_end, over
from engines.battery.watch.cycles import Cycles
from engines.battery.watch.overfilled import NOTHING_SEEN, Overfilled, some_of
from engines.geometry.particles import Particles

KELVIN = 273.15
COARSE = 5e-3
"""Of a charge, by which the end of a protocol and that of its last step may differ without a word."""
APART = 8
"""Samples between two looks at surfaces, which take longer than the rest of a sample."""
LAYERS = ("negative electrode", "separator", "positive electrode")


def fields(points: int, voltages: tuple[float, float], thermal: bool) -> tuple[FieldInfo, ...]:
    """What lives on the particles: ``stoichiometry`` has a component per shell from the centre to the surface."""
    return (
        FieldInfo("surface_stoichiometry", "Stoichiometry at the surface", "1", "point", (0.0, 1.0)),
        FieldInfo("stoichiometry", "Stoichiometry", "1", "point", (0.0, 1.0), components=points),
        FieldInfo("voltage", "Terminal voltage of the cell", "V", "point", voltages),
        *((FieldInfo("temperature", "Temperature of the cell", "°C", "point", (20.0, 60.0)),) if thermal else ()),
    )


@dataclass(frozen=True)
class _Selected:
    """``cells`` and ``positive``: which cell and electrode each selected particle is; ``offsets`` of means."""

    cells: Array
    positive: Array
    offsets: Array | None


class CellSimulation(Recorded, Simulation):
    """N cells of two particles each; elements 0 to N−1 are the negative ones, N to 2N−1 the positive ones."""

    def __init__(
        self,
        backend: Backend,
        cells: Cells,
        geometry: Particles,
        points: int,
        sample_steps: int = 1,
        driven: bool = False,
        record: CellRecord | None = None,
    ) -> None:
        """``points``: shells of a particle that viewers get; ``driven``: there is a drive cycle in the protocol;
        ``record``: what is written of single cells."""
        self.sample_steps = sample_steps
        self.geometry = geometry
        self.dt = cells.dt
        self.step = 0
        values = cells.parameters.values()
        self.fields = fields(points, (values["lower_cutoff"], values["upper_cutoff"]), cells.lumped)
        self.traffic = (cells.traffic.spread(sample_steps),)
        self._backend, self._cells, self._points = backend, cells, points
        self.series = charts.series(cells)
        self._cycles = Cycles(cells) if cells.ageing is not None else None
        self.charts = charts.charts(cells, self._cycles, driven)
        self._record = record or CellRecord(cells, Recording(cells=0), {})
        self.drives = NO_DRIVES
        """What may end a drive cycle."""
        self._inspected = 0
        self._overfilled, self._some = Overfilled("of the cells" if cells.n_cells > 1 else ""), some_of(cells.n_cells)
        self._running, self._looked = cells.n_cells, 0
        self._counted, self._seen = cells.n_cells, -1
        self._everything = self.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))

    def advance(self, steps: int) -> None:
        if steps < 1:
            return
        with self._backend.timed("cells", launches=steps):
            self._cells.advance(self.step, steps)
        self._cells.moved()
        self.step += steps

    @property
    def cell(self) -> ParameterSet:
        """What the cells are of, with all that the problem says about it."""
        return self._cells.parameters

    @property
    def ended(self) -> float:
        """When the first cell ended [s], within its last step; −1 while it goes on."""
        return float(self._columns(np.array([0]), slice(Row.ENDED, Row.ENDED + 1))[0, 0])

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> _Selected:
        elements = np.asarray(selection.elements, np.int64)
        n = self._cells.n_cells
        if len(elements) and not (elements.min() >= 0 and elements.max() < 2 * n):
            raise ValueError(f"a selection of elements outside of 0 to {2 * n - 1}")
        return _Selected(elements % n, elements >= n, selection.offsets)

    @property
    def _now(self) -> Any:
        """The state, where it is read fastest: on the host if it was copied there."""
        self._cells.copy_few()
        return self._cells.state if self._cells.copied is None else self._cells.copied

    def gather(self, name: str, handle: _Selected) -> Array:
        self._cells.copy_few()
        if name == "voltage":
            values = self._columns(handle.cells, slice(Row.VOLTAGE, Row.VOLTAGE + 1))[0]
        elif name == "temperature":
            values = self._columns(handle.cells, slice(Row.WARMTH, Row.WARMTH + 1))[0] + REFERENCE_TEMPERATURE - KELVIN
        elif name == "surface_stoichiometry":
            values = np.where(handle.positive, *reversed(self._cells.surfaces(handle.cells)))
        else:
            negative, positive = self._cells.stoichiometry(self._points, handle.cells)
            values = np.where(handle.positive, positive, negative).T
        return run_means(values, handle.offsets).astype(np.float32)

    def field(self, name: str) -> Array:
        return self.gather(name, self._everything)

    def observe(self) -> Mapping[str, float]:
        self._cells.copy_few()
        if self.step // self.sample_steps % APART == 0:
            self._see_surfaces()
        voltage, low, high, current, power, warmth, charge = self._one() if self._cells.n_cells == 1 else self._means()
        return {
            "voltage": voltage,
            "voltage_p05": low,
            "voltage_p95": high,
            "current": current,
            "power": power,
            "temperature": warmth + REFERENCE_TEMPERATURE - KELVIN,
            "capacity": charge / 3600,
            "running": float(self._look()),
            "balance": float(self._cells.balance().max()),
            **losses.observed(self._cells, self._inspected),
            **self._observed_ageing(),
        }

    def _see_surfaces(self) -> None:
        self._overfilled.see_cells(self.time, self._cells.surfaces(self._some))

    def noticed(self) -> Sequence[Finding]:
        self._see_surfaces()
        return self._overfilled.noticed()

    def _one(self) -> tuple[float, ...]:
        """:meth:`_means` of a single cell, fetched at once: its own values, in the end those of its last step."""
        rows = self._now[: Row.INSTRUCTION, 0]
        rows = rows if isinstance(rows, np.ndarray) else self._backend.to_host(rows)
        voltage, current = rows[Row.VOLTAGE], rows[Row.CURRENT]
        found = (voltage, voltage, voltage, current, voltage * current, rows[Row.WARMTH], rows[Row.CHARGE])
        return tuple(float(each) for each in found)

    def _means(self) -> tuple[float, ...]:
        """Of all cells: voltage, its 5th and 95th percentile [V], current [A], power [W], warmth [K], charge [A s].

        Those that ended a step before or more keep their last voltage, and have neither current nor power."""
        state, n = self._now, self._cells.n_cells
        voltages = state[Row.VOLTAGE : Row.VOLTAGE + 1]
        voltage = bands(self._backend, voltages, n) if self._cells.copied is None else bands_on_host(voltages, n)
        with self._backend.active():
            flowing = state[int(Row.CURRENT), :n] * ~over(state[int(Row.ENDED), :n], self.time, self.dt)
            current, power = float(flowing.mean()), float((state[int(Row.VOLTAGE), :n] * flowing).mean())
            warmth, charge = (float(state[int(row), :n].mean()) for row in (Row.WARMTH, Row.CHARGE))
        spread = (float(each[0]) for each in (voltage.mean, voltage.low, voltage.high))
        return (*spread, current, power, warmth, charge)

    def _observed_ageing(self) -> dict[str, float]:
        cells, found = self._cells, {}
        if cells.ageing is not None:
            with self._backend.active():
                aged = self._now[cells.aged :, : cells.n_cells]
                sei, plated = (
                    float(aged[int(row)].mean(dtype=np.float64)) for row in (AgeingRow.SEI, AgeingRow.PLATED)
                )
                lowest = float(aged[int(AgeingRow.LOWEST_ANODE)].min())
            found["lithium_lost"] = (sei + plated) / 3600
            if cells.ageing.plating != "none":
                found["lowest_anode_potential"] = lowest
        return found

    def _look(self) -> int:
        """Cells that are still in the protocol."""
        if self._seen != self.step:
            with self._backend.active():
                row = self._now[int(Row.INSTRUCTION), : self._cells.n_cells]
                self._counted = int((row < self._cells.n_instructions).sum())
            self._seen = self.step
        return self._counted

    @property
    def ending(self) -> str:
        """Of cells that are through the protocol, or have run out of salt."""
        if self._running:
            return ""
        empty = self._cells.exhausted() if self._cells.electrolyte else np.zeros(0, int)
        if not len(empty):
            return self._through()
        n, (state, _) = self._cells.n_cells, self._cells.columns(empty)
        salt = state[Row.SALT : self._cells.aged]
        where = LAYERS[int(salt[:, 0].argmin()) // ELECTROLYTE_CELLS]
        what = "The electrolyte" if n == 1 else f"The electrolyte of {len(empty):,} of {n:,} cells"
        first = float(state[Row.ENDED].min())
        when = f"after {first:.4g} s" if len(empty) == 1 else f"from {first:.4g} s on"
        return (
            f"{what} has no salt left in the {where} {when}: the current is more than it can carry, and the run ends "
            "there. Use a smaller current, or less of it before a rest."
        )

    def _through(self) -> str:
        cells, to_host, n = self._cells, self._backend.to_host, self._cells.n_cells
        ended, voltage, charge = (to_host(cells.state[int(row), :n]) for row in (Row.ENDED, Row.VOLTAGE, Row.CHARGE))
        told, last = self.drives.told_of(ended, voltage, voltage), float(ended.max())
        until = at_end(cells.last, cells.factor, cells.dt, ended, charge, voltage)["end/charge given [A h]"]
        given, whole = float(until.mean()), float(charge.mean()) / HOUR
        if abs(whole - given) > COARSE * abs(whole):
            mean = "" if n == 1 else " in the mean"
            told += (
                f"; until then {given:.5g} A h were given{mean}, and charts count all of the last step of {cells.dt:g} "
                f"s ({whole:.5g} A h): a smaller step brings them together"
            )
        if n == 1:
            return f"The cell is through its protocol after {last:.6g} s{told}."
        return f"All {n:,} cells are through their protocol, the last of them after {last:.6g} s{told}."

    @property
    def finished(self) -> bool:
        """Whether all cells are through the protocol; it is looked once the step has come to the next multiple of
        ``sample_steps``: the step at which a run ends does not hang on who asks when, and looking waits for a GPU."""
        if self._running and self.step // self.sample_steps > self._looked // self.sample_steps:
            self._looked, self._running = self.step, self._look()
        return self._running == 0

    def chart(self, name: str) -> ChartData:
        if self._cycles is None:
            raise KeyError(name)
        return self._cycles.chart(name)

    def inspect(self, element: int) -> Inspection | None:
        """What is known of a particle; the losses are its cell's from then on."""
        chosen = self.select(Selection(np.array([element], np.int32)))
        self._inspected = int(chosen.cells[0])
        return inspection(self._cells, self._inspected, bool(chosen.positive[0]), self._points)

    def set_control(self, name: str, value: Any) -> None:
        if name != "current_factor":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self._cells.factor = float(value)

    def state(self) -> dict[str, Array]:
        return {
            "step": np.array(self.step),
            "cells": self._backend.to_host(self._cells.state),
            "current_factor": np.array(self._cells.factor),
            "overfilled": self._overfilled.seen.copy(),
            **({"cycles": self._backend.to_host(self._cells.record)} if self._cycles is not None else {}),
        }

    def shares(self, first: int, n: int) -> dict[str, Share]:
        """Of the state, where its cells are those from ``first`` on among ``n``."""
        cells = self._cells
        found = {"cells": Share(1, padded(n), first + np.arange(cells.n_padded))}
        if self._cycles is not None:
            recorded = recorded_cells(n, len(cells.record))
            at = first + np.arange(cells.record.shape[2])
            found["cycles"] = Share(2, recorded, np.where(at < recorded, at, -1), np.flatnonzero(at < recorded))
        return found

    def restore(self, state: Mapping[str, Array]) -> None:
        self.step = int(state["step"])
        self._cells.factor = float(state["current_factor"])
        self._overfilled.seen = np.array(state.get("overfilled", NOTHING_SEEN))
        with self._backend.active():
            self._cells.put_back(state["cells"])
            if self._cycles is not None:
                self._cells.record[:] = self._backend.array(state["cycles"])
                self._cycles.forget()
        self._running, self._looked, self._seen = self._cells.n_cells, self.step - 1, -1

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        n = self._cells.n_cells
        particles = slice(int(Row.NEGATIVE_MODES), int(Row.SALT))
        shells = [slice(self._cells.shells, self._cells.rows)] if self._cells.varying else []
        looked_at = (slice(0, int(Row.SALT)), *shells)
        self._cells.copy_few()
        if (copied := self._cells.copied) is not None and all(np.isfinite(copied[rows]).all() for rows in looked_at):
            return None
        whole = (self._cells.state[rows] for rows in looked_at)
        if all(self._backend.first_non_finite(each) is None for each in whole):
            return None  # told in one launch, since a GPU waits for each
        rows: dict[str, list[int | slice]] = {
            "The voltage": [int(Row.VOLTAGE)],
            "The temperature": [int(Row.WARMTH)],
            "The stoichiometry": [int(Row.NEGATIVE_MEAN), int(Row.POSITIVE_MEAN), particles, *shells],
        }
        for title, places in rows.items():
            for place in places:
                found = self._backend.first_non_finite(self._cells.state[place, :n])
                if found is not None:
                    return NonFinite(title, found % n, "use a smaller time step or a smaller current.")
        return None

    def close(self) -> None:
        del self._cells, self._cycles, self._record

    def _columns(self, cells: Array, rows: slice) -> Array:
        if self._cells.copied is not None:
            return self._cells.copied[rows][:, cells].astype(float)
        with self._backend.active():
            wanted = self._cells.state[rows][:, self._backend.array(cells)]
        return self._backend.to_host(wanted).astype(float)
