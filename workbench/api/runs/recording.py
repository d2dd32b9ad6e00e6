"""What a run keeps in memory of each neuron and each cell while it goes on, where the project records them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.api import Array, Simulation, SimulationInfo
from engines.api.abilities import Cells, SpikeReader, Spiking
from engines.api.errors import WorkbenchError
from engines.api.values import Population, Spikes
from workbench.api.arrays import Quantity, target
from workbench.api.names import Named
from workbench.export.streams.nwb import write_nwb
from workbench.run.frames import RunState, Sample
from workbench.run.observer import Observer


@dataclass(frozen=True, eq=False)
class SpikeTrains:
    """Spikes in the order of time: ``neurons: (n,)`` int32 that count all neurons from 0, and ``times: (n,)``."""

    neurons: Array
    times: Quantity
    populations: tuple[Population, ...]

    def __len__(self) -> int:
        return len(self.neurons)

    def of(self, population: str) -> SpikeTrains:
        """Those of one population, by its name. Raises UnknownNameError."""
        own = Named("population", {each.name: each for each in self.populations}, lambda name: name)[population]
        which = next(each for each in self.populations if each.name == own)
        kept = (self.neurons >= which.first) & (self.neurons < which.stop)
        return SpikeTrains(self.neurons[kept], Quantity(self.times[kept], self.times.unit, "Time"), (which,))

    def save(self, path: Path | str, about: str = "Spikes of a simulated network") -> Path:
        """Write them as NWB (``NAME.nwb``), with a row for each neuron, by PyNWB (extra ``nwb``). Raises ProblemError,
        StorageError."""
        place = target(path, "A file of spikes", ".nwb")
        times = np.asarray(self.times)
        write_nwb(place, times, self.neurons, self.populations, unit=self.times.unit, about=about)
        return place


class EachRecorder(Observer):
    """Nothing is thinned out: 8 bytes a spike, and 4 for each quantity of each cell in each row."""

    def __init__(self, time_unit: str) -> None:
        self._unit = time_unit
        self._spiking: Spiking | None = None
        self._reader: SpikeReader | None = None
        self._spikes: list[Spikes] = []
        self._cells: Cells | None = None
        self._times: list[float] = []
        self._rows: list[Mapping[str, Array]] = []
        self._drawn: Mapping[str, Array] = {}

    # On the worker.

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        if isinstance(simulation, Spiking) and any(each.recorded for each in simulation.populations):
            self._spiking, self._reader = simulation, simulation.spike_trains()
        if isinstance(simulation, Cells) and simulation.cell_quantities:
            self._cells, self._drawn = simulation, simulation.drawn_parameters()

    def next_step(self, after: int) -> int | None:
        every = 0 if self._cells is None else self._cells.cell_steps
        return (after // every + 1) * every if every else None

    def observe(self, simulation: Simulation) -> None:
        self._times.append(simulation.time)
        self._rows.append(self._row())

    def _row(self) -> Mapping[str, Array]:
        assert self._cells is not None  # nobody else asked
        return {name: np.array(row) for name, row in self._cells.cell_series().items()}

    def sampled(self, sample: Sample) -> None:
        self._take()

    def restarted(self, simulation: Simulation) -> None:
        self._take()
        self._spikes.clear()
        self._times.clear()
        self._rows.clear()

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        if self._reader is not None:
            self._reader.close()

    def _take(self) -> None:
        found = None if self._reader is None else self._reader.take()
        if found:
            self._spikes.append(found)

    # What the run answers with, on the worker too.

    def spikes(self, _: Simulation) -> SpikeTrains | None:
        """All up to now; None where none are recorded."""
        if self._spiking is None:
            return None
        self._take()
        neurons = [each.neurons for each in self._spikes] or [np.empty(0, np.int32)]
        times = [each.times for each in self._spikes] or [np.empty(0)]
        trains = np.concatenate(neurons), Quantity(np.concatenate(times), self._unit, "Time")
        return SpikeTrains(*trains, self._spiking.populations)

    def at_the_end(self, _: Simulation) -> Mapping[str, Array]:
        """How cells ended, and their cycles, up to now; empty where nothing of them is recorded."""
        return {} if self._cells is None else self._cells.cell_results()

    def cells(self, simulation: Simulation) -> Mapping[str, Array] | None:
        """(rows,) times, (rows, cells) of each quantity, (cells,) of what was drawn, by ``name [unit]``, up to now;
        None where nothing of them is recorded."""
        if self._cells is None:
            return None
        times, rows = self._times, self._rows
        if times[-1:] != [simulation.time]:
            times, rows = [*times, simulation.time], [*rows, self._row()]
        found: dict[str, Array] = {f"time [{self._unit}]": np.array(times)}
        for each in self._cells.cell_quantities:
            found[f"{each.name} [{each.unit}]"] = np.array([row[each.name] for row in rows])
        return {**found, **self._drawn}
