"""A session of the Kernel Lab on a thread of its own, followed by polling: a window never waits for it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engines.api.device import Backend
from engines.api.lab import LabTable, Study
from workbench.bench.lab import Lab
from workbench.bench.records import LabRecord, MachineRecord, TableRecord, VariantRecord
from workbench.words.failures import as_sentence

log = logging.getLogger(__name__)

Names = Mapping[str, Sequence[str]]

CEILINGS = 0.2
"""The part of the progress that measuring the ceilings is, whatever follows."""


@dataclass(frozen=True)
class Progress:
    """What is being measured, and how much of the whole is done (0..1)."""

    text: str
    fraction: float


@dataclass(frozen=True)
class Ceilings:
    """What the device can deliver: measured before any variant."""

    machine: MachineRecord


@dataclass(frozen=True)
class Measured:
    """One more figure."""

    record: VariantRecord


@dataclass(frozen=True)
class MeasuredTable:
    """One more table, or why it could not be measured."""

    record: TableRecord


@dataclass(frozen=True)
class Finished:
    """All that was asked for, or all there was until it was cancelled."""

    record: LabRecord


@dataclass(frozen=True)
class Failed:
    """One sentence: why the measurement ended."""

    sentence: str


LabEvent = Progress | Ceilings | Measured | MeasuredTable | Finished | Failed


class LabRun:
    """Measures ``studies``, then ``tables``, on the device that ``open_backend`` opens and that is closed at the end.

    cases, variants: names and ids to measure, by study id; a study that is not named there is measured whole
    thorough: tables with the published sizes
    """

    def __init__(
        self,
        open_backend: Callable[[], Backend],
        studies: Sequence[Study],
        *,
        cases: Names | None = None,
        variants: Names | None = None,
        cache: Literal["cold", "warm"] = "cold",
        quick: bool = False,
        tables: Sequence[LabTable] = (),
        thorough: bool = False,
    ) -> None:
        self._open_backend = open_backend
        self._studies = [_narrowed(study, cases or {}, variants or {}) for study in studies]
        # Tables are held against published figures and not against the ceilings, so that the quick ones do.
        self._cache, self._quick = cache, quick or not studies
        self._tables, self._thorough = tables, thorough
        self._events: deque[LabEvent] = deque()
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._work, name="workbench-lab")

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        """End after the launch that is under way; what was measured until then stays."""
        self._cancelled.set()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def poll(self) -> Sequence[LabEvent]:
        """What has happened since the last call."""
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    def _work(self) -> None:
        try:
            backend = self._open_backend()
            try:
                self._measure(backend)
            finally:
                backend.close()
        except Exception as error:
            log.warning("the measurement ended", exc_info=True)
            self._events.append(Failed(str(as_sentence(error))))

    def _measure(self, backend: Backend) -> None:
        share = len(self._studies) / max(1, len(self._studies) + len(self._tables))
        part = [0.0, CEILINGS]  # of the whole progress: where it begins and how much it is

        def progress(text: str, fraction: float) -> None:
            self._events.append(Progress(text, part[0] + part[1] * fraction))

        lab = Lab(backend, cache=self._cache, quick=self._quick, progress=progress, cancelled=self._cancelled.is_set)
        machine = lab.machine()
        self._events.append(Ceilings(machine))
        records = []
        part[:] = [CEILINGS, (1 - CEILINGS) * share]
        if self._studies:
            for record in lab.run(self._studies):
                records.append(record)
                self._events.append(Measured(record))
        tables = []
        if self._tables:
            part[:] = [sum(part), 1.0 - sum(part)]
            for table in lab.tables(self._tables, self._thorough):
                tables.append(table)
                self._events.append(MeasuredTable(table))
        self._events.append(Finished(LabRecord(machine, tuple(records), tuple(tables))))


def _narrowed(study: Study, cases: Names, variants: Names) -> Study:
    return replace(
        study,
        cases=[case for case in study.cases if case.name in cases.get(study.id, (case.name,))],
        variants=[variant for variant in study.variants if variant.id in variants.get(study.id, (variant.id,))],
    )
