"""Every cell by itself, for a record: what it does, what differs in it, how it ended, what its cycles took."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.api.charts import Fact
from engines.api.values import CellQuantity
from engines.battery.cells.step.cells import Cells
from engines.battery.parameter_sets import SCALARS
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.parameters import BatteryParameters
from engines.battery.parameters.recording import Recording
from engines.battery.step.cell_rows import CycleRow, Row

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
        with self._cells.backend.active():
            found = self._cells.state[[int(row) for row in rows], : self._n]
        return self._cells.backend.to_host(found)

    def series(self, time: float) -> dict[str, Array]:
        """(n,) float32 each at ``time`` [s], which is now; NaN of a cell whose protocol ended a step before or more."""
        names = [each.name for each in self.quantities]
        ended, *values = self._rows(Row.ENDED, *(QUANTITIES[name][1] for name in names))
        over = (ended >= 0) & (ended < time - 0.99 * self._cells.dt)
        found = {}
        for name, row in zip(names, values, strict=True):
            given = (row.astype(float) + QUANTITIES[name][2]).astype(np.float32)
            given[over] = np.nan
            found[name] = given
        return found

    def parameters(self) -> dict[str, Array]:
        """(n,) float64 by ``name [unit]``."""
        return {
            f"{name} [{SCALARS[name]}]": np.asarray(values, float)[: self._n] for name, values in self._drawn.items()
        }

    def results(self) -> dict[str, Array]:
        """How cells ended; (cycles, n) of those that age."""
        ended, charge, error, voltage = self._rows(Row.ENDED, Row.CHARGE, Row.CHARGE_ERROR, Row.VOLTAGE).astype(float)
        found = {
            "end/time [s]": np.where(ended >= 0, ended, np.nan),
            "end/charge given [A h]": (charge - error) / HOUR,
            "end/voltage [V]": voltage,
        }
        if self._cells.ageing is None:
            return found
        with self._cells.backend.active():
            record = self._cells.record[:, :, : self._n]
        record = self._cells.backend.to_host(record).astype(np.float32)
        through = record[np.isfinite(record[:, CycleRow.DISCHARGED]).any(axis=1)]
        return found | {name: through[:, row] / np.float32(unit) for name, (row, unit) in CYCLES.items()}


def wanted(recording: Recording, lumped: bool) -> tuple[str, ...]:
    """Names of what is written of cells that have heat of their own (``lumped``) or not."""
    names = (name for name in QUANTITIES if getattr(recording, name))
    return tuple(name for name in names if lumped or name != "temperature")


def cells_on_disk(parameters: BatteryParameters, step: float) -> tuple[Fact, ...]:
    """How much rows of cells take on disk at most, before they are packed."""
    recording = parameters.recording
    n = min(recording.cells, parameters.ensemble.cells) * len(wanted(recording, parameters.heats))
    if not n:
        return ()
    interval = max(1, round(recording.interval / step)) * step
    return (Fact("Cells on disk at most, per hour", n * BYTES * HOUR / interval / 1e6, "MB"),)
