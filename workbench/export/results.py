"""Export of what a run holds now, while it goes on or rests: the geometry with its fields for ParaView, and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Selection, Simulation
from engines.api.abilities import Axes, OnAxes, WithFiles, WithResults
from engines.api.charts import ChartData, ChartInfo
from engines.api.errors import ProblemError
from engines.api.simulation.contract import chart_of, fields_of
from workbench.export.chart_tables import chart_text
from workbench.export.formats import format_of, split_by_location, written_fields
from workbench.export.hdf5 import Dims, write_hdf5
from workbench.export.naming import file_stems
from workbench.export.pvd import write_pvd
from workbench.export.tables import points_table, write_table
from workbench.storage.atomic import check_room, storing, write_text

PACKED = 0.5
"""The share of its bytes that a field takes on disk at the least: digits of floats do not pack."""


Charts = Sequence[tuple[ChartInfo, ChartData]]


@dataclass(frozen=True)
class Results:
    """All fields at one moment, on the host, and the charts that are not over time.

    ``points`` are (name, element), ``point_values[field]: (n,)``. ``others``: arrays of
    :class:`~engines.api.abilities.WithResults`; ``files``: texts of :class:`~engines.api.abilities.WithFiles`, and
    tables of what went on over time;
    ``note``: what makes ``others`` wrong; ``dims``: what their axes are.
    """

    geometry: Any
    fields: tuple[FieldInfo, ...]
    values: dict[str, Array]
    step: int
    time: float
    points: tuple[tuple[str, int], ...]
    point_values: dict[str, Array]
    charts: tuple[tuple[ChartInfo, ChartData], ...] = ()
    others: Mapping[str, Array] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    dims: Dims = field(default_factory=dict)


def results_of(simulation: Simulation) -> Mapping[str, Array]:
    """What it exports beside fields and charts; empty where there is nothing."""
    return simulation.results() if isinstance(simulation, WithResults) else {}


def axes_of(simulation: Simulation) -> Mapping[str, Axes]:
    """What these are over, by ``group/quantity``, where the engine says it."""
    return simulation.result_axes() if isinstance(simulation, OnAxes) else {}


def dims_of(simulation: Simulation) -> Dims:
    """The same for files."""
    return {
        name: tuple((axis, along if isinstance(along, str) else "") for axis, along in axes.items())
        for name, axes in axes_of(simulation).items()
    }


def files_of(simulation: Simulation) -> Mapping[str, str]:
    """Its results in forms of other programs; empty where there are none."""
    return simulation.files() if isinstance(simulation, WithFiles) else {}


def note_of(simulation: Simulation) -> str:
    """What makes its results wrong at this moment (spectra that have not settled); empty where nothing does."""
    return " ".join(finding.message for finding in simulation.noticed() if finding.distorts)


def take_results(
    simulation: Simulation,
    points: Sequence[tuple[str, int]] = (),
    others: Callable[[Simulation], Charts] = lambda simulation: (),
) -> Results:
    """Copy the present moment; for the worker thread (``runner.post(take_results)``), quick beside the writing.

    ``others`` gives charts that the simulation does not know of (along lines)."""
    fields = written_fields(simulation)
    values = fields_of(simulation, fields)
    summaries = {}
    if points:
        handle = simulation.select(Selection(np.array([element for _, element in points], np.int32)))
        summaries = {info.name: simulation.gather(info.name, handle) for info in simulation.fields if info.summary}
    charts = tuple((info, chart_of(simulation, info)) for info in simulation.charts if not info.series)
    charts += tuple(others(simulation))
    moment = simulation.step, simulation.time
    return Results(
        simulation.geometry, fields, values, *moment, tuple(points), summaries, charts, results_of(simulation),
        files_of(simulation), note_of(simulation), dims_of(simulation),
    )  # fmt: skip


def export_results(results: Results, path: Path) -> list[Path]:
    """Write ``path`` (.pvd), its .vtu or .vti beside it, tables of the probes and charts, an .h5 of what there is
    besides and files for other programs; what was written.

    Raises StorageError, or ProblemError for a geometry that there is no format for, and where something else would be
    replaced.
    """
    form = format_of(results.geometry)
    check_room(
        path, int(PACKED * sum(values.nbytes for values in (*results.values.values(), *results.others.values())))
    )
    collection, data_file = path.with_suffix(".pvd"), path.with_suffix(".h5")
    grid = path.with_name(f"{path.stem}_{results.step:09d}{form.suffix}")
    points_file = path.with_name(f"{path.stem}_points.csv")
    stems = file_stems(info.name for info, _ in results.charts)
    tables = [path.with_name(f"{path.stem}_{stems[info.name]}.csv") for info, _ in results.charts]
    texts = [path.with_name(f"{path.stem}_{name}") for name in results.files]
    maybe = [*[data_file] * bool(results.others), *[points_file] * bool(results.points)]
    _check_earlier(collection, [grid, *maybe, *tables, *texts])
    cells, points = split_by_location(results.fields, results.values)
    form.writer(results.geometry).write(grid, cells, points)
    write_pvd(collection, [(results.time, grid.name)])
    written = [collection, grid]
    if results.points:
        header, rows = points_table(results.points, results.geometry, results.fields, results.point_values)
        write_table(points_file, header, rows)
        written.append(points_file)
    for table, (info, data) in zip(tables, results.charts, strict=True):
        write_text(table, chart_text(info, data))
    written += tables
    if results.others:
        write_hdf5(data_file, results.others, results.note, results.dims)
        written.append(data_file)
    for text_file, text in zip(texts, results.files.values(), strict=True):
        write_text(text_file, text)
    return written + texts


def _check_earlier(collection: Path, beside: Sequence[Path]) -> None:
    """Raises ProblemError where a file that nobody named would be replaced and no earlier export has left it."""
    with storing(collection):
        strange = [] if collection.exists() else [file for file in beside if file.exists()]
    if strange:
        raise ProblemError(
            f"'{strange[0]}' is there already, and no '{collection.name}' that it was exported with: choose another "
            "name or folder."
        )
