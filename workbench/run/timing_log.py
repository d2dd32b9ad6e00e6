"""The timing log: what each kernel reached, on which device, against which ceiling; one row per kernel and second."""

from __future__ import annotations

import json
import time as clock
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from engines.api import Simulation, SimulationInfo
from workbench.export.tables import rows_as_text
from workbench.run.frames import Sample
from workbench.run.observer import Observer
from workbench.run.runner import Runner
from workbench.storage.atomic import write_text

ROW_SECONDS = 1.0
KEPT_ROWS = 50_000
"""Rows kept in memory, about four hours of a run with three kernels."""


@dataclass(frozen=True)
class TimingRow:
    """One kernel over about one second of wall time.

    ``bytes`` are counted from the algorithm for ``launches`` launches that took ``seconds`` (device events on a
    GPU); ``ceiling`` [bytes/s] is the best bandwidth (copy or triad) measured on this device in this session, over as
    many bytes as a launch moves.
    """

    wall_time: str
    device: str
    driver: str
    versions: str
    step: int
    time: float
    kernel: str
    launches: int
    seconds: float
    bytes: int
    bytes_per_second: float
    ceiling: float
    fraction: float


COLUMNS = tuple(column.name for column in fields(TimingRow))


@dataclass
class TimingLog:
    """Adds samples up to rows. Give it the simulation's info, then each sample."""

    rows: deque[TimingRow] = field(default_factory=lambda: deque(maxlen=KEPT_ROWS))
    _launches: dict[str, int] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _bytes: dict[str, float] = field(default_factory=dict)
    _since: float = 0.0
    _info: SimulationInfo | None = None
    _at: tuple[int, float] = (0, 0.0)

    def begin(self, info: SimulationInfo) -> None:
        """A run on this device begins."""
        self._info = info
        self._launches, self._seconds, self._bytes, self._since = {}, {}, {}, 0.0

    def add(self, sample: Sample) -> list[TimingRow]:
        """Take a sample in; the rows that became complete with it."""
        for rate in sample.kernels:
            self._launches[rate.kernel] = self._launches.get(rate.kernel, 0) + rate.launches
            self._seconds[rate.kernel] = self._seconds.get(rate.kernel, 0.0) + rate.seconds
            per_launch = rate.bytes_per_second * rate.seconds_per_step  # may change on the way, as spikes do
            self._bytes[rate.kernel] = self._bytes.get(rate.kernel, 0.0) + per_launch * rate.launches
        self._at = (sample.step, sample.time)
        self._since += sample.wall_seconds
        return self.flush() if self._since >= ROW_SECONDS else []

    def flush(self) -> list[TimingRow]:
        """Rows of what was added since the last ones."""
        info = self._info
        if info is None or info.device_info is None or info.ceilings is None:
            return []
        device, ceiling = info.device_info, info.ceiling or info.ceilings.best
        versions = " ".join(f"{name}={version}" for name, version in sorted(device.versions.items()))
        rows = []
        for traffic in info.traffic:
            launches, seconds = self._launches.get(traffic.kernel, 0), self._seconds.get(traffic.kernel, 0.0)
            if launches and seconds > 0:
                moved = round(self._bytes[traffic.kernel])
                rate = moved / seconds
                rows.append(
                    TimingRow(
                        wall_time=clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime()),
                        device=device.name,
                        driver=device.driver,
                        versions=versions,
                        step=self._at[0],
                        time=self._at[1],
                        kernel=traffic.kernel,
                        launches=launches,
                        seconds=seconds,
                        bytes=moved,
                        bytes_per_second=rate,
                        ceiling=ceiling,
                        fraction=rate / ceiling,
                    )
                )
        self._launches, self._seconds, self._bytes, self._since = {}, {}, {}, 0.0
        self.rows.extend(rows)
        return rows


class TimingObserver(Observer):
    """Collects the timing log of one run on its worker."""

    def __init__(self) -> None:
        self._log = TimingLog()

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._log.begin(info)

    def sampled(self, sample: Sample) -> None:
        self._log.add(sample)

    def taken(self, runner: Runner) -> Future[tuple[TimingRow, ...]]:
        """All rows until now, taken on the worker while it lives."""

        def take(_: Simulation) -> tuple[TimingRow, ...]:
            self._log.flush()
            return tuple(self._log.rows)

        rows = runner.post(take)
        if not rows.cancelled():
            return rows
        ended: Future[tuple[TimingRow, ...]] = Future()
        ended.set_result(tuple(self._log.rows))  # the worker has ended: nobody else writes
        return ended


def jsonl_of(rows: Sequence[TimingRow]) -> str:
    return "".join(json.dumps(asdict(row)) + "\n" for row in rows)


def csv_rows_of(rows: Sequence[TimingRow]) -> list[list[Any]]:
    return [list(asdict(row).values()) for row in rows]


def export_timing(rows: Sequence[TimingRow], path: Path) -> list[Path]:
    """Write ``rows`` beside each other as JSON lines and CSV under the stem of ``path``. Raises StorageError."""
    jsonl, table = path.with_suffix(".jsonl"), path.with_suffix(".csv")
    write_text(jsonl, jsonl_of(rows))
    write_text(table, rows_as_text([COLUMNS, *csv_rows_of(rows)]))
    return [jsonl, table]
