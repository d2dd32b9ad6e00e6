"""Which streams a run has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.api import Simulation, SimulationInfo
from engines.api.abilities import Cells, Spiking
from engines.geometry.meshes.mesh import TetMesh
from engines.recording import FieldSeries
from workbench.export.moments import igb
from workbench.export.moments.series import MOMENTS
from workbench.export.moments.vtkhdf import FILE
from workbench.run.streams.cells import CELLS, CellStream
from workbench.run.streams.fields import FieldStream
from workbench.run.streams.spikes import SPIKES, SPIKES_NPZ, SpikeStream
from workbench.run.streams.stream import Stream
from workbench.storage.atomic import storing
from workbench.storage.journal import forget_journal

NAMES = (SPIKES, SPIKES_NPZ, CELLS, FILE)
"""Of files here that are made anew or not at all."""


def continued(simulation: Simulation, info: SimulationInfo, series: FieldSeries) -> Iterator[str]:
    """What there is of the streams of a run on its way, as a pattern each."""
    if series.interval:
        form: str = series.format
        if form == "igb" and isinstance(info.geometry, TetMesh):
            yield from (igb.MOMENTS, *igb.mesh_files(info.geometry))
        else:
            yield FILE if form == "vtkhdf" else MOMENTS
    if isinstance(simulation, Spiking) and any(each.recorded for each in simulation.populations):
        yield SPIKES
    if isinstance(simulation, Cells) and simulation.cell_quantities:
        yield CELLS


def streams_of(
    simulation: Simulation, info: SimulationInfo, series: FieldSeries, folder: Path, resumed_at: float | None
) -> list[Stream]:
    """What is to be written of this run, into new files, or those that are there where it was ``resumed_at`` a time;
    ``series``: which fields, how often and as what.

    Raises StorageError, ProblemError.
    """
    if resumed_at is None:
        with storing(folder):
            for name in NAMES:
                (folder / name).unlink(missing_ok=True)
                forget_journal(folder / name)
    unit = info.time_unit
    found: list[Stream] = [FieldStream(info, series, folder, resumed_at)]
    if isinstance(simulation, Spiking) and any(each.recorded for each in simulation.populations):
        found.append(SpikeStream(simulation, simulation, folder, unit, resumed_at))
    if isinstance(simulation, Cells) and simulation.cell_quantities:
        found.append(CellStream(simulation, simulation, folder, unit, resumed_at))
    return found
