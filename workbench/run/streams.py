"""What of a run grows without end: spikes and rows of cells, gathered while it goes on and written part by part."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from engines.api import Array, Simulation
from engines.api.abilities import Cells, Spiking
from engines.api.values import Spikes
from workbench.export.streams import CHUNK, CellsFile, SpikesFile
from workbench.storage.atomic import storing

SPIKES, SPIKES_NPZ, CELLS = "spikes.h5", "spikes.npz", "cells.h5"
NAMES = (SPIKES, SPIKES_NPZ, CELLS)
"""Of all files here."""
GATHERED_SPIKES = 16 * CHUNK
"""In memory, before they are written: 3 MB."""
GATHERED_BYTES = 1 << 25
"""Of rows of cells."""
GATHERED_SECONDS = 10.0
"""After which they are written however few they are."""
Job = Callable[[], None]


class Stream(Protocol):
    """Gathers on the worker thread; the jobs that it gives write, in their order, on any other."""

    def next_step(self, after: int) -> int | None:
        """The first step after ``after`` at which it has to :meth:`look`."""

    def look(self, simulation: Simulation) -> None:
        """The run stands at the step that was asked for."""

    def written(self, everything: bool = False) -> Job | None:
        """What writes all that was gathered, if it is enough or ``everything`` is wanted."""

    def ended(self, simulation: Simulation) -> Job:
        """What writes the rest, of a run that has come to its end and may be asked."""

    def close(self) -> None:
        """Nothing more comes."""


def streams_of(simulation: Simulation, folder: Path, unit: str, resumed_at: float | None) -> list[Stream]:
    """What is to be written of this run, into new files, or those that are there where it was ``resumed_at`` a time.

    Raises StorageError, ProblemError.
    """
    if resumed_at is None:
        with storing(folder):
            for name in NAMES:
                (folder / name).unlink(missing_ok=True)
    found: list[Stream] = []
    if isinstance(simulation, Spiking) and any(each.recorded for each in simulation.populations):
        found.append(SpikeStream(simulation, simulation, folder, unit, resumed_at))
    if isinstance(simulation, Cells) and simulation.cell_quantities:
        found.append(CellStream(simulation, simulation, folder, unit, resumed_at))
    return found


class SpikeStream:
    """``spikes.h5``, and at the end the same as ``spikes.npz``."""

    def __init__(
        self, spiking: Spiking, simulation: Simulation, folder: Path, unit: str, resumed_at: float | None
    ) -> None:
        self._file = SpikesFile(folder / SPIKES, spiking.populations, simulation.dt, unit)
        if resumed_at is not None and self._file.path.is_file():
            self._file.keep_before(resumed_at)
        else:
            self._file.make()
        self._npz = folder / SPIKES_NPZ
        self._reader = spiking.spike_trains()
        self._gathered: list[Spikes] = []
        self._count, self._since = 0, clock.monotonic()

    def next_step(self, after: int) -> int | None:
        """It takes them after each batch, whenever that is."""
        return None

    def look(self, simulation: Simulation) -> None: ...

    def written(self, everything: bool = False) -> Job | None:
        found = self._reader.take()
        if len(found):
            self._gathered.append(found)
            self._count += len(found)
        late = clock.monotonic() - self._since > GATHERED_SECONDS
        if not self._count or not (everything or late or self._count > GATHERED_SPIKES):
            return None
        gathered, self._gathered = self._gathered, []
        self._count, self._since = 0, clock.monotonic()
        return lambda: self._file.append(gathered)

    def ended(self, simulation: Simulation) -> Job:
        rest = self.written(everything=True)

        def write() -> None:
            if rest is not None:
                rest()
            self._file.write_npz(self._npz)

        return write

    def close(self) -> None:
        self._reader.close()


class CellStream:
    """``cells.h5``: a row every ``cell_steps``, and one where the run ends."""

    def __init__(self, cells: Cells, simulation: Simulation, folder: Path, unit: str, resumed_at: float | None) -> None:
        self._cells = cells
        first = next(iter(cells.cell_series().values()))
        self._file = CellsFile(folder / CELLS, cells.cell_quantities, len(first), simulation.dt, unit)
        self._last = -1
        if resumed_at is not None and self._file.path.is_file():
            last = self._file.keep_until(resumed_at)
            self._last = -1 if last is None else round(last / simulation.dt)
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

    def ended(self, simulation: Simulation) -> Job:
        self.look(simulation)
        rest, results = self.written(everything=True), self._cells.cell_results()

        def write() -> None:
            if rest is not None:
                rest()
            self._file.end(results)

        return write

    def close(self) -> None: ...
