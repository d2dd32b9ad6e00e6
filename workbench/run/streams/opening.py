"""Which streams a run has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.api import Finding, Simulation, SimulationInfo
from engines.api.abilities import Cells, Spiking
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from engines.recording import FieldSeries
from workbench.export.moments import igb
from workbench.export.moments.series import MOMENTS
from workbench.export.moments.vtkhdf import FILE
from workbench.export.streams.spikes import AS_BEFORE
from workbench.run.streams.cells import CELLS, CellStream, cells_file
from workbench.run.streams.fields import FieldStream, open_sink
from workbench.run.streams.spikes import SPIKES, SPIKES_NPZ, SpikeStream, spikes_file
from workbench.run.streams.stream import Stream
from workbench.storage.atomic import storing
from workbench.storage.journal import forget_journal
from workbench.words.units import time_text

NAMES = (SPIKES, SPIKES_NPZ, CELLS, FILE)
"""Of files here that are made anew or not at all."""

FORMS = (MOMENTS, FILE, igb.MOMENTS)
"""Of fields, whatever the format."""


def form_of(info: SimulationInfo, series: FieldSeries) -> str:
    """Where fields are written, as a pattern."""
    form: str = series.format
    if form == "igb" and isinstance(info.geometry, TetMesh):
        return igb.MOMENTS
    return FILE if form == "vtkhdf" else MOMENTS


def of_two_formats(folder: Path, form: str, time: float, unit: str) -> Iterator[Finding]:
    """Of fields that go on at ``time`` in another format than they began in."""
    before = [each for each in FORMS if any(folder.glob(each))]
    if time > 0 and before and form not in before:
        yield Finding(
            f"'{folder}' has its fields up to {time_text(time, unit)} in '{before[0]}', and they go on in '{form}': to "
            "have them in one piece, end the run and resume it with the format of before (recording.fields.format)."
        )


def continued(simulation: Simulation, info: SimulationInfo, series: FieldSeries) -> Iterator[str]:
    """What there is of the streams of a run on its way, as a pattern each."""
    if series.interval:
        yield form_of(info, series)
        if form_of(info, series) == igb.MOMENTS:
            yield from igb.mesh_files(info.geometry)
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


def check_streams(simulation: Simulation, series: FieldSeries, folder: Path, unit: str) -> None:
    """Raises ProblemError where what an earlier run has left in ``folder`` is of other fields, populations or cells
    than this one would write behind it. Changes nothing."""
    open_sink(simulation, series, folder, unit).check()
    if isinstance(simulation, Spiking) and (folder / SPIKES).is_file():
        if not any(each.recorded for each in simulation.populations):
            # who reads them would take the network for silent from there on
            raise ProblemError(
                f"'{folder / SPIKES}' has spikes, and this run would write none from here on: {AS_BEFORE}"
            )
        spikes_file(simulation, simulation.dt, folder, unit).check()
    if isinstance(simulation, Cells) and (folder / CELLS).is_file():
        if not simulation.cell_quantities:
            raise ProblemError(
                f"'{folder / CELLS}' has rows of cells, and this run would write none from here on: resume with "
                "recording.cells and what is recorded of each as they were, or run without --resume."
            )
        cells_file(simulation, simulation.dt, folder, unit).check()
