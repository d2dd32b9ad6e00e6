"""Every spike of a network."""

from __future__ import annotations

import time as clock
from pathlib import Path

from engines.api import Simulation
from engines.api.abilities import Spiking
from engines.api.values import Spikes
from workbench.export.streams.spikes import CHUNK, SpikesFile
from workbench.run.streams.stream import Job, in_turn
from workbench.storage.atomic import sync

SPIKES, SPIKES_NPZ = "spikes.h5", "spikes.npz"
GATHERED_SPIKES = 16 * CHUNK
"""In memory, before they are written: 3 MB."""
GATHERED_SECONDS = 10.0
"""After which they are written however few they are."""


def spikes_file(spiking: Spiking, dt: float, folder: Path, unit: str) -> SpikesFile:
    """Of this network, in a folder of results."""
    return SpikesFile(folder / SPIKES, spiking.populations, dt, unit)


class SpikeStream:
    """``spikes.h5``, and at the end the same as ``spikes.npz``."""

    def __init__(
        self, spiking: Spiking, simulation: Simulation, folder: Path, unit: str, resumed_at: float | None
    ) -> None:
        self._file = spikes_file(spiking, simulation.dt, folder, unit)
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

    def ended(self, simulation: Simulation, finite: bool) -> Job:
        return in_turn(self.written(everything=True), lambda: self._file.write_npz(self._npz))

    def sync(self) -> None:
        sync(self._file.path)

    def close(self) -> None:
        self._reader.close()
