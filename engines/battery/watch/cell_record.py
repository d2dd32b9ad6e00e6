"""Every cell by itself, for a record: what it does, what differs in it, how it ended, what its cycles took."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engines.api import Array
from engines.api.abilities import Axes
from engines.api.charts import Fact
from engines.api.values import CellQuantity
from engines.battery.cells.step.cells import Cells
from engines.battery.parameter_sets import SCALARS
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.parameters import BatteryParameters
from engines.battery.parameters.recording import Recording
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import CycleRow, Row

ROUNDED = 2.5e-7
"""Of a number of steps in single precision."""
LIMIT_IS_MET = 1e-3
"""[V] within which a voltage at the end of a step says that a limit was met there, and not before the step."""
CELSIUS, HOUR, BYTES = REFERENCE_TEMPERATURE - 273.15, 3600.0, 4
QUANTITIES = {
    "voltage": (CellQuantity("voltage", "Terminal voltage", "V"), Row.VOLTAGE, 0.0),
    "current": (CellQuantity("current", "Current, positive in discharge", "A"), Row.CURRENT, 0.0),
    "temperature": (CellQuantity("temperature", "Temperature", "°C"), Row.WARMTH, CELSIUS),
}
CYCLES = {
    "cycles/discharge capacity [A h]": (CycleRow.DISCHARGED, HOUR),
    "cycles/charge capacity [A h]": (CycleRow.CHARGED, HOUR),
    "cycles/charge in the SEI [A h]": (CycleRow.SEI, HOUR),
    "cycles/charge plated [A h]": (CycleRow.PLATED, HOUR),
    "cycles/lowest potential of the anode [V]": (CycleRow.LOWEST_ANODE, 1.0),
}
CYCLE = "cycles/cycle"
ENDS = ("time", "charge given", "voltage")
OVER_CELLS: Axes = {"cell": ""}
AXES: Mapping[str, Axes] = {
    **{f"end/{name}": OVER_CELLS for name in ENDS},
    **{name.partition(" [")[0]: {"cycle": CYCLE, **OVER_CELLS} for name in CYCLES},
    CYCLE: {"cycle": CYCLE},
}
"""Of the results of all models."""


def over(ended: Array, time: float, dt: float) -> Array:
    """Whether cells whose protocols ended at ``ended`` [s] (-1: they go on) did so before the step to ``time``."""
    return (ended >= 0) & (ended < time - 0.99 * dt)


def at_end(
    last: Instruction, factor: float, dt: float, ended: Array, charge: Array, voltage: Array
) -> dict[str, Array]:  # fmt: skip
    """What cells had given [C] and their voltage at the moment ``ended`` [s] (-1 before) when a constant current came
    to a limit of the protocol's last instruction: they themselves go on to the end of that step."""
    low = voltage <= np.float32(last.lowest)
    met = (ended >= 0) & (low | (voltage >= np.float32(last.highest))) & (last.kind == Kind.CURRENT)
    limit = np.where(low, last.lowest, last.highest)
    steps = ended / dt
    began = np.floor(steps + ROUNDED * (1 + steps))
    at_once = np.abs(steps - began) <= ROUNDED * (1 + steps)  # at a step's begin or end, as single numbers tell
    at_begin = at_once & (np.abs(voltage - limit) > LIMIT_IS_MET)
    rest = np.where(met & (~at_once | at_begin), began + 1 - steps, 0.0)
    return {
        "end/charge given [A h]": (charge - last.value * factor * rest * dt) / HOUR,
        "end/voltage [V]": np.where(met & ~at_begin, limit, voltage),
    }


class CellRecord:
    """The first cells of an ensemble; the members of :class:`engines.api.abilities.Cells` without ``cell_``."""

    def __init__(self, cells: Cells, recording: Recording, drawn: Mapping[str, Array]) -> None:
        """``drawn``: (n_cells,) of the scalars that differ among cells, by name, in the units of the parameter set."""
        self._cells, self._n = cells, min(recording.cells, cells.n_cells)
        self._drawn = drawn
        chosen = wanted(recording, cells.lumped) if self._n else ()
        self.quantities = tuple(QUANTITIES[name][0] for name in chosen)
        self.steps = max(1, round(recording.interval / cells.dt))

    def _rows(self, *rows: Row) -> Array:
        """(rows, n) on the host."""
        wanted = [int(row) for row in rows]
        self._cells.copy_few()
        if self._cells.copied is not None:
            return self._cells.copied[wanted, : self._n]
        with self._cells.backend.active():
            found = self._cells.state[wanted, : self._n]
        return self._cells.backend.to_host(found)

    def series(self, time: float) -> dict[str, Array]:
        """(n,) float32 each at ``time`` [s], which is now; NaN of a cell whose protocol ended a step before or more."""
        names = [each.name for each in self.quantities]
        ended, *values = self._rows(Row.ENDED, *(QUANTITIES[name][1] for name in names))
        ended_before = over(ended, time, self._cells.dt)
        found = {}
        for name, row in zip(names, values, strict=True):
            given = (row.astype(float) + QUANTITIES[name][2]).astype(np.float32)
            given[ended_before] = np.nan
            found[name] = given
        return found

    def parameters(self) -> dict[str, Array]:
        """(n,) float64 by ``name [unit]``."""
        return told(self._drawn, self._n)

    def results(self) -> dict[str, Array]:
        """How cells ended; (cycles, n) of those that age."""
        ended, charge, error, voltage = self._rows(Row.ENDED, Row.CHARGE, Row.CHARGE_ERROR, Row.VOLTAGE).astype(float)
        found = {
            "end/time [s]": np.where(ended >= 0, ended, np.nan),
            **at_end(self._cells.last, self._cells.factor, self._cells.dt, ended, charge - error, voltage),
        }
        if self._cells.ageing is None:
            return found
        with self._cells.backend.active():
            record = self._cells.record[:, :, : self._n]
        record = self._cells.backend.to_host(record).astype(np.float32)
        through = record[np.isfinite(record[:, CycleRow.DISCHARGED]).any(axis=1)]
        found |= {name: through[:, row] / np.float32(unit) for name, (row, unit) in CYCLES.items()}
        return found | {f"{CYCLE} [1]": np.arange(1, 1 + len(through))}


class ElementRecord:
    """The same of elements that stand on the host: those of a pack, or the one cell of many particles.

    values: what gives (n,) of each quantity that is known of them, by its name; drawn: as of :class:`CellRecord`; ends:
    what gives the results at the end.
    """

    def __init__(
        self,
        recording: Recording,
        n: int,
        dt: float,
        values: Mapping[str, Callable[[], Array]],
        ends: Callable[[], Mapping[str, Array]],
        drawn: Mapping[str, Array] | None = None,
    ) -> None:
        self._values, self._ends, self._drawn, self._n = values, ends, drawn or {}, min(recording.cells, n)
        chosen = [name for name in QUANTITIES if getattr(recording, name) and name in values] if self._n else []
        self.quantities = tuple(QUANTITIES[name][0] for name in chosen)
        self.steps = max(1, round(recording.interval / dt))

    def series(self, time: float) -> dict[str, Array]:
        """(n,) float32 each, as they are now."""
        return {each.name: self._values[each.name]()[: self._n].astype(np.float32) for each in self.quantities}

    def parameters(self) -> dict[str, Array]:
        """(n,) float64 by ``name [unit]``."""
        return told(self._drawn, self._n)

    def results(self) -> dict[str, Array]:
        """How elements ended."""
        return {name: np.asarray(values, float)[: self._n] for name, values in self._ends().items()}


class Recorded:
    """What a simulation with such a record has of :class:`engines.api.abilities.Cells`."""

    time: float
    _record: CellRecord | ElementRecord

    @property
    def cell_quantities(self) -> tuple[CellQuantity, ...]:
        return self._record.quantities

    @property
    def cell_steps(self) -> int:
        return self._record.steps

    def cell_series(self) -> Mapping[str, Array]:
        """See :class:`engines.api.abilities.Cells`."""
        return self._record.series(self.time)

    def drawn_parameters(self) -> Mapping[str, Array]:
        return self._record.parameters()

    def cell_results(self) -> Mapping[str, Array]:
        return self._record.results()

    def result_axes(self) -> Mapping[str, Axes]:
        return AXES


def told(drawn: Mapping[str, Array], n: int) -> dict[str, Array]:
    """(n,) float64 of the first elements by ``name [unit]``."""
    return {f"{name} [{SCALARS[name]}]": np.asarray(values, float)[:n] for name, values in drawn.items()}


def wanted(recording: Recording, lumped: bool) -> tuple[str, ...]:
    """Names of what is written of cells that have heat of their own (``lumped``) or not."""
    names = (name for name in QUANTITIES if getattr(recording, name))
    return tuple(name for name in names if lumped or name != "temperature")


def cells_on_disk(parameters: BatteryParameters, step: float, cells: int, heats: bool) -> tuple[Fact, ...]:
    """How much rows of so many cells take on disk at most, before they are packed; ``heats``: with temperatures."""
    recording = parameters.recording
    n = min(recording.cells, cells) * len(wanted(recording, heats))
    if not n:
        return ()
    interval = max(1, round(recording.interval / step)) * step
    return (Fact("Cells on disk at most, per hour", n * BYTES * HOUR / interval / 1e6, "MB"),)
