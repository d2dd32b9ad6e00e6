"""Cases that are through, each in a file of its own as soon as it is: a sweep that was ended goes on where it was.

A case is known by all that its numbers depend on, so that a sweep over other values, too, takes up what it shares with
one before. Files hold arrays and JSON, never pickled objects; one that cannot be read is a case that is run again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.reading import foreign_file, opened_npz, read_npz
from workbench import __version__
from workbench.run.states.checkpoint import problem_fingerprint
from workbench.storage.atomic import storing, write_atomically
from workbench.storage.zips import add_array, undated
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row, first_reading
from workbench.sweep.table import read_anew

log = logging.getLogger(__name__)

FOLDER = "cases"
CHARTS = "charts"
META = "case.json"
ARRAYS = ("x", "y", "shade", "low", "high", "across")
BESIDE = ("shade_title", "columns", "note", "part")
"""What a chart says besides its curves."""
OF_A_CURVE = ("told", "over", "mean")
"""What a curve says besides its points."""


def refuse_links(folder: Path) -> None:
    """Raises ProblemError where a sweep in ``folder`` would write through a link. Files are replaced, links or not."""
    for path in (folder / FOLDER, folder / CHARTS):
        if path.is_symlink():
            raise ProblemError(f"'{path}' is a link, and a sweep writes nothing through links: choose another folder.")


class KeptCases:
    """The cases of a plan in a folder; ``anew``: those of before are not asked for. Failures are not kept: they are
    tried again. Raises ProblemError where links lead elsewhere."""

    def __init__(self, folder: Path, plan: SweepPlan, *, anew: bool = False) -> None:
        refuse_links(folder)
        self._folder, self._plan, self._anew = folder / FOLDER, plan, anew
        self._plan_digest: str | None = None
        self.known: set[int] = set()
        """Places of the cases that were through before."""

    def found(self, place: int) -> Row | None:
        """The row of a case that is through."""
        path = self._path(place)
        if self._anew or not path.is_file():
            return None
        try:
            row = _read(path, self._plan, place)
        except ProblemError:
            log.info("The case in '%s' cannot be read and is run again.", path, exc_info=True)
            return None
        self.known.add(place)
        return row

    def keep(self, row: Row) -> None:
        """Raises StorageError."""
        if row.error:
            return
        path = self._path(row.place)
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, lambda stream: _write(stream, row))

    def _path(self, place: int) -> Path:
        return self._folder / f"{self._key(place)[:32]}.npz"

    def _key(self, place: int) -> str:
        """SHA-256 of all that the row depends on: problem, end, charts that are kept, how closely its end is looked at,
        version, and who computes."""
        plan = self._plan
        if self._plan_digest is None:
            places = [one.place for one in plan.numbers]
            kept = None if plan.kept is None else sorted({one.name for one in plan.kept})
            rest = [__version__, plan.until, kept, plan.converges, plan.document.project.run.device]
            self._plan_digest = problem_fingerprint(plan.document, (), places) + json.dumps(rest)
        written = zip(plan.numbers, plan.values(plan.case(place)), strict=True)
        case = sorted((one.name, float(value)) for one, value in written)
        return hashlib.sha256(f"{self._plan_digest}{json.dumps(case)}".encode()).hexdigest()


class RememberedCases(KeptCases):
    """The cases of a plan in memory, ``rows`` by what they depend on: of a sweep that was stopped."""

    def __init__(self, rows: dict[str, Row], plan: SweepPlan) -> None:
        super().__init__(Path(), plan)
        self._rows = rows

    def found(self, place: int) -> Row | None:
        row = self._rows.get(self._key(place))
        if row is None:
            return None
        self.known.add(place)
        return replace(read_anew([row], self._plan.kept)[0], place=place, case=self._plan.case(place))

    def keep(self, row: Row) -> None:
        if not row.error:
            self._rows[self._key(row.place)] = row


def _write(stream: BinaryIO, row: Row) -> None:
    charts: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}
    for place, (info, data, _) in enumerate(row.charts):
        curves = []
        for number, curve in enumerate(data.curves):
            held = {name: values for name in ARRAYS if (values := getattr(curve, name)) is not None}
            arrays.update({f"{place}.{number}.{name}": np.asarray(values) for name, values in held.items()})
            beside = {name: getattr(curve, name) for name in OF_A_CURVE}
            curves.append({"title": curve.title, "arrays": list(held), **beside})
        charts.append({"info": asdict(info), "curves": curves, **{name: getattr(data, name) for name in BESIDE}})
    told = {"time": row.time, "steps": row.steps, "seconds": row.seconds, "charts": charts, "noticed": row.noticed}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(undated(archive, META), json.dumps(told))
        for name, values in arrays.items():
            add_array(archive, name, values)


def _read(path: Path, plan: SweepPlan, place: int) -> Row:
    """Raises ProblemError."""
    readings = {one.name: one.reading for one in plan.kept or ()}
    charts = []
    with foreign_file(f"The case in '{path}' is damaged."), opened_npz(path) as archive:
        told = json.loads(archive.read(META))
        for number, chart in enumerate(told["charts"]):
            info = ChartInfo(**{name: _tuples(value) for name, value in chart["info"].items()})
            curves = tuple(_curve(archive, f"{number}.{one}", curve) for one, curve in enumerate(chart["curves"]))
            beside = {name: _tuples(chart[name]) for name in BESIDE if name in chart}
            data = ChartData(curves, **beside)
            charts.append((info, data, readings.get(info.name) or first_reading(info)))
        time, steps, seconds = float(told["time"]), int(told["steps"]), float(told["seconds"])
    noticed = tuple(str(each) for each in told["noticed"])
    return Row(place, plan.case(place), time, steps, seconds, tuple(charts), noticed=noticed)


def _curve(archive: zipfile.ZipFile, prefix: str, told: Mapping[str, Any]) -> Curve:
    names = [name for name in told["arrays"] if name in ARRAYS]
    arrays: dict[str, Any] = {name: read_npz(archive, f"{prefix}.{name}.npy") for name in names}
    beside = {name: told[name] for name in OF_A_CURVE}
    return Curve(told["title"], arrays.pop("x"), arrays.pop("y"), **beside, **arrays)


def _tuples(value: Any) -> Any:
    """JSON knows lists where the house has tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
