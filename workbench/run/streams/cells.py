"""Rows of values of every cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engines.api import Array, Simulation
from engines.api.abilities import Cells
from workbench.export.results import dims_of
from workbench.export.streams.cells import CellsFile
from workbench.run.streams.stream import Job, in_turn
from workbench.storage.atomic import sync

CELLS = "cells.h5"
GATHERED_BYTES = 1 << 25
"""Of rows of cells, in memory before they are written."""


def cells_file(cells: Cells, dt: float, folder: Path, unit: str) -> CellsFile:
    """Of these cells, in a folder of results."""
    first = next(iter(cells.cell_series().values()))
    return CellsFile(folder / CELLS, cells.cell_quantities, len(first), dt, unit)


class CellStream:
    """``cells.h5``: a row every ``cell_steps``, and one where the run ends, which it forgets again when it goes on."""

    def __init__(self, cells: Cells, simulation: Simulation, folder: Path, unit: str, resumed_at: float | None) -> None:
        self._cells = cells
        first = next(iter(cells.cell_series().values()))
        self._file = cells_file(cells, simulation.dt, folder, unit)
        self._last = -1
        if resumed_at is not None and self._file.path.is_file():
            self._last = self._file.keep_until(resumed_at, cells.cell_steps)
        else:
            self._file.make(cells.drawn_parameters())
        self._most = max(1, min(self._file.chunk, GATHERED_BYTES // (4 * len(first) * len(cells.cell_quantities))))
        self._times: list[float] = []
        self._rows: list[Mapping[str, Array]] = []

    def next_step(self, after: int) -> int | None:
        return (after // self._cells.cell_steps + 1) * self._cells.cell_steps

    def look(self, simulation: Simulation) -> None:
        if simulation.step != self._last:
            self._last = simulation.step
            self._times.append(simulation.time)
            self._rows.append({name: np.array(row) for name, row in self._cells.cell_series().items()})

    def written(self, everything: bool = False) -> Job | None:
        if not self._rows or not (everything or len(self._rows) >= self._most):
            return None
        times, rows = self._times, self._rows
        self._times, self._rows = [], []
        return lambda: self._file.append(times, rows)

    def ended(self, simulation: Simulation, finite: bool) -> Job:
        self.look(simulation)
        rest, results, dims = self.written(everything=True), self._cells.cell_results(), dims_of(simulation)
        return in_turn(rest, lambda: self._file.end(results, dims))

    def sync(self) -> None:
        sync(self._file.path)

    def close(self) -> None: ...
