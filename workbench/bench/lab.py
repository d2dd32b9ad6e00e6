"""A session of the Kernel Lab: first the ceilings, then each variant of each study, checked and timed, then tables.

For each case, variant and launch shape the answer is compared with the reference (:mod:`workbench.bench.check`), then
timed and held against the ceiling (:mod:`workbench.bench.timed`).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Literal

from engines.api import Engine, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Case, LabTable, Shape, Study, Variant
from engines.backend.ceilings.curve import measured_curve
from workbench.bench.check import Checker
from workbench.bench.measured_tables import measured_table
from workbench.bench.records import MachineRecord, TableRecord, VariantRecord
from workbench.bench.timed import FULL, QUICK, Bench, Cancelled

ALL = "all"
"""Names every study, and with that no whole steps."""
LARGEST_ON_CPU = 1 << 26
"""Points of the largest cases that a processor is given: 8192², the end of the published tables."""
QUICK_POINTS = {"cuda": 1 << 24, "cpu": 1 << 22}
"""A quick session takes of each study the largest case up to so many points, and of each variant the usual shape."""


def never() -> bool:
    """A cancel flag that nobody raises."""
    return False


def chosen_studies(engines: Sequence[Engine], names: Sequence[str], cases: Sequence[str] = ()) -> list[Study]:
    """The studies of these engines, or those of them that are named, with all their sizes or those that are named.

    The name ``all`` stands for every study. A study that has none of the sizes is left out. Raises ProblemError that
    lists what there is.
    """
    known = {study.id: study for engine in engines for study in engine.studies()}
    for name in names:
        if name not in known and name != ALL:
            listed = ", ".join(known) or "none"
            raise ProblemError(f"There is no study '{name}' (there are: {listed}).")
    studies = [study for study in known.values() if not names or ALL in names or study.id in names]
    if not cases:
        return studies
    check_sizes(cases, (case.name for study in studies for case in study.cases))
    narrowed = [replace(study, cases=[case for case in study.cases if case.name in cases]) for study in studies]
    return [study for study in narrowed if study.cases]


def check_sizes(names: Sequence[str], known: Iterable[str]) -> None:
    """Raises ProblemError that lists what there is where a name is none of them."""
    sizes = list(dict.fromkeys(known))
    for name in names:
        if name not in sizes:
            raise ProblemError(f"There is no size '{name}' (there are: {', '.join(sizes) or 'none'}).")


class Lab:
    """Measures studies on one device.

    ``cancelled`` is asked between timed runs and between variants; once it answers True, :meth:`run` ends early.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        cache: Literal["cold", "warm"] = "cold",
        quick: bool = False,
        progress: Progress = no_progress,
        cancelled: Callable[[], bool] = never,
    ) -> None:
        self._backend, self._cache, self._quick = backend, cache, quick
        self._progress, self._cancelled = progress, cancelled
        self._kind = backend.info.kind
        self._machine: MachineRecord | None = None

    def machine(self) -> MachineRecord:
        """Device, date and ceilings, measured at the first call of the session."""
        if self._machine is None:
            curve = measured_curve(self._backend, quick=self._quick, progress=self._progress)
            self._machine = MachineRecord(
                date=time.strftime("%Y-%m-%d", time.gmtime()),
                device=asdict(self._backend.info),
                curve=curve.points,
                launch_seconds=curve.launch_seconds,
                graph_node_seconds=curve.graph_node_seconds,
                operations_per_second=curve.operations_per_second,
            )
        return self._machine

    def run(self, studies: Iterable[Study]) -> Iterator[VariantRecord]:
        """Each record as it comes: study by study, case by case. Variants for other devices are left out.

        A study is narrowed with ``dataclasses.replace(study, cases=..., variants=...)``.
        """
        work = [(study, case, self._chosen(study)) for study in studies for case in self._cases(study)]
        total = max(1, sum(len(chosen) for _, _, chosen in work))
        effort = QUICK if self._quick else FULL
        bench = Bench(self._backend, self.machine().curve, self._cache, effort, self._cancelled)
        done = 0
        for study, case, chosen in work:
            checker: Checker | None = None
            for variant, shape in chosen:
                if self._cancelled():
                    return
                self._progress(f"Measuring {study.title}, {case.name}: {variant.title}", done / total)
                checker = checker or Checker(study, case, secrets.randbits(32))
                try:
                    record = bench.record(checker, variant, shape)
                except Cancelled:
                    return
                yield record
                done += 1
        self._progress("All is measured", 1.0)

    def tables(self, tables: Sequence[LabTable], thorough: bool = False) -> Iterator[TableRecord]:
        """Each table as it comes; one that cannot be measured says why. A table that is cancelled is left out."""
        for place, table in enumerate(tables):

            def progress(text: str, fraction: float, table: LabTable = table, place: int = place) -> None:
                if self._cancelled():
                    raise Cancelled
                self._progress(f"{table.title}: {text}", (place + fraction) / len(tables))

            try:
                progress("begins", 0.0)
                record = measured_table(table, self._backend, progress, thorough)
            except Cancelled:
                return
            yield record
        self._progress("All is measured", 1.0)

    def _cases(self, study: Study) -> list[Case]:
        cases = [case for case in study.cases if self._kind != "cpu" or case.points <= LARGEST_ON_CPU]
        if not self._quick:
            return cases
        small = [case for case in cases if case.points <= QUICK_POINTS[self._kind]]
        return [max(small, key=lambda case: case.points)] if small else cases[:1]

    def _chosen(self, study: Study) -> list[tuple[Variant, Shape | None]]:
        chosen: list[tuple[Variant, Shape | None]] = []
        for variant in study.variants:
            if variant.device == self._kind:
                shapes: tuple[Shape | None, ...] = variant.shapes or (None,)
                chosen += [(variant, shape) for shape in (shapes[:1] if self._quick else shapes)]
        return chosen
