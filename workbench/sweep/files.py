"""A sweep as files: the table and the curves as CSV, and all of it in one HDF5 file with a group for each run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from workbench.export.chart_tables import chart_text, titled
from workbench.export.hdf5 import write_hdf5
from workbench.export.naming import file_stems, plain
from workbench.export.tables import write_table
from workbench.storage.atomic import storing, write_text
from workbench.sweep.convergence import HEADER, convergence_table, convergences
from workbench.sweep.kept import CHARTS, FOLDER, refuse_links
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row
from workbench.sweep.table import chart_of_runs, charts_of, table_of

TABLE, DATA, CONVERGENCE = "sweep.csv", "sweep.h5", "convergence.csv"


def refuse_others(folder: Path) -> None:
    """Raises ProblemError for a file, and where files are called as those of a sweep are, and no sweep has left its
    cases beside them."""
    if folder.exists() and not folder.is_dir():
        raise ProblemError(f"'{folder}' is a file: choose a folder with --out.")
    if not (folder / FOLDER).is_dir():
        own = (folder / name for name in (TABLE, DATA, CONVERGENCE))
        other = next((path for path in (*own, *(folder / CHARTS).glob("*.csv")) if path.exists()), None)
        if other is not None:
            raise ProblemError(
                f"'{other}' is there already, and no '{FOLDER}' that a sweep has left: choose another folder with "
                "--out."
            )


def earlier(folder: Path, names: Sequence[str]) -> list[str]:
    """A sentence on tables of a sweep before that stand beside those with these names, which are written now."""
    tables = [f"{CHARTS}/{path.name}" for path in sorted((folder / CHARTS).glob("*.csv"))]
    tables += [CONVERGENCE] if (folder / CONVERGENCE).exists() else []
    left = [name for name in tables if name not in names]
    return [f"Not of this sweep, but of one before: {', '.join(left)}."] if left else []


def write_sweep(plan: SweepPlan, rows: Sequence[Row], folder: Path) -> list[str]:
    """Write ``sweep.csv``, ``charts/NAME.csv``, ``sweep.h5`` and, where its number is made finer, ``convergence.csv``;
    their names. Raises ProblemError, StorageError."""
    if not rows:
        raise ProblemError("No run is through yet: there is nothing to write.")
    refuse_links(folder)
    with storing(folder):
        (folder / CHARTS).mkdir(parents=True, exist_ok=True)
    write_table(folder / TABLE, *table_of(plan, rows))
    names = [TABLE]
    if plan.converges:
        write_table(folder / CONVERGENCE, HEADER, convergence_table(convergences(plan, rows)))
        names.append(CONVERGENCE)
    charts = charts_of(rows)
    stems = file_stems(info.name for info in charts)
    for info in charts:
        found = chart_of_runs(plan, rows, info.name)
        if found is not None and found[1].curves:
            name = f"{CHARTS}/{stems[info.name]}.csv"
            write_text(folder / name, chart_text(*found, "time", plan.document.time_unit))
            names.append(name)
    write_hdf5(folder / DATA, {name: values for row in rows for name, values in _group(plan, row).items()})
    return [*names, DATA]


def _group(plan: SweepPlan, row: Row) -> dict[str, Array]:
    """``run_0001/parameters/…``, ``run_0001/end``, ``run_0001/charts/NAME/CURVE/x`` and ``y``."""
    run = f"run_{row.place + 1:04d}"
    found: dict[str, Array] = {
        titled(f"{run}/parameters/{one.name}", one.unit): np.array(value)
        for one, value in zip(plan.numbers, plan.values(row.case), strict=True)
    }
    found[titled(f"{run}/end", plan.document.time_unit)] = np.array(row.time)
    found[f"{run}/wall time [s]"] = np.array(row.seconds)
    if trouble := row.error or " ".join(row.noticed):
        found[f"{run}/trouble"] = np.array(trouble.encode())
    for info, data, _ in row.charts:
        for place, curve in enumerate(data.curves):
            titles = [one.title for one in data.curves]
            name = curve.title if titles.count(curve.title) == 1 else f"{curve.title} {place + 1}"
            group = f"{run}/charts/{plain(info.name)}/{name.replace('/', '∕')}"  # a slash would begin another group
            found[titled(f"{group}/x", info.x_unit or plan.document.time_unit)] = np.asarray(curve.x)
            found[titled(f"{group}/y", info.unit)] = np.asarray(curve.y)
            if curve.across is not None:
                found[f"{group}/across"] = np.asarray(curve.across)
    return found
