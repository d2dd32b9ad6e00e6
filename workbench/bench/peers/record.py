"""What was measured beside peers on one device on one day, as JSON, as CSV and as lines for people."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import time as clock
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engines.api.device import DeviceInfo
from workbench import __version__
from workbench.bench.peers.case import PeerCase, Size
from workbench.bench.table_lines import ratio_text
from workbench.bench.tables import duration

RATE_DIGITS = 3


@dataclass(frozen=True)
class SideRecord:
    """One side at one size.

    device:    ``"cpu"`` or ``"cuda"``: a peer that knows no GPU computes on the CPU beside ours on one
    ready:     seconds from the start of importing it until the problem is built
    first:     seconds of the first run, which compiles what is compiled when it is called
    seconds:   of the median of ``runs`` further runs; least, most: of the shortest and the longest
    core_seconds: that cores worked in a run, the median: what other programs on this machine disturb least
    """

    device: str
    threads: int
    note: str
    versions: dict[str, str]
    ready: float
    first: float
    seconds: float
    least: float
    most: float
    runs: int
    core_seconds: float

    @property
    def compiling(self) -> float:
        """About the seconds that the first run took longer than others."""
        return max(0.0, self.first - self.seconds)


@dataclass(frozen=True)
class PeerRecord:
    """A case at one size. ``work`` is in ``unit`` · s; answers differ by ``difference``, ``compared`` says of what, and
    ``tolerance`` is allowed. ``refused``: why there is no figure, both sides are None then; ``wrong``: they differ."""

    case: str
    title: str
    peer: str
    size: str
    values: dict[str, Any]
    precision: str
    steps: int
    work: float
    unit: str
    compared: str
    tolerance: float
    difference: float | None = None
    ours: SideRecord | None = None
    theirs: SideRecord | None = None
    refused: str = ""
    wrong: bool = False

    @property
    def ratio(self) -> float | None:
        """Our rate over theirs: above 1 ours is faster."""
        return self.theirs.seconds / self.ours.seconds if self.ours and self.theirs else None

    @classmethod
    def measured(
        cls, case: PeerCase, size: Size, difference: float, ours: SideRecord, theirs: SideRecord
    ) -> PeerRecord:
        return cls(**_about(case, size), difference=difference, ours=ours, theirs=theirs)

    @classmethod
    def refusing(cls, case: PeerCase, size: Size, reason: str, wrong: bool = False) -> PeerRecord:
        return cls(**_about(case, size), refused=reason, wrong=wrong)


def _about(case: PeerCase, size: Size) -> dict[str, Any]:
    return {
        "case": case.id, "title": case.title, "peer": case.peer, "size": size.name, "values": dict(size.values),
        "precision": case.precision, "steps": size.steps, "work": size.work, "unit": case.unit,
        "compared": case.measured, "tolerance": case.tolerance,
    }  # fmt: skip


@dataclass(frozen=True)
class PeersRecord:
    """A whole session. ``load``: processes that wanted a core when it began and ended, None where none are counted."""

    version: str
    system: str
    date: str
    device: dict[str, Any]
    threads: int
    load: tuple[float | None, float | None] = (None, None)
    records: tuple[PeerRecord, ...] = field(default=())

    @classmethod
    def of(cls, device: DeviceInfo, threads: int, records: Sequence[PeerRecord], load: float | None) -> PeersRecord:
        """``load``: that of before."""
        return cls(
            __version__,
            f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime()),
            asdict(device),
            threads,
            (load, load_now()),
            tuple(records),
        )


def load_now() -> float | None:
    """Processes that want a core, on average of the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def to_json(record: PeersRecord) -> str:
    """With the ratio of each that was measured."""
    document = asdict(record)
    for plain, one in zip(document["records"], record.records, strict=True):
        plain["ratio"] = one.ratio
    return json.dumps(document, indent=1)


COLUMNS = ("case", "peer", "size", "precision", "steps", "unit", "difference", "tolerance", "ratio", "refused")
OF_SIDE = ("device", "threads", "ready", "first", "seconds", "least", "most", "runs", "core_seconds")


def to_csv(record: PeersRecord) -> str:
    """A line a size, with the device and the date."""
    text = io.StringIO()
    writer = csv.writer(text)
    sides = ("ours", "theirs")
    writer.writerow([*COLUMNS, *(f"{side}_{name}" for side in sides for name in OF_SIDE), "device", "date"])
    for one in record.records:
        values = [getattr(one, name) for name in COLUMNS]
        for side in sides:
            values += [getattr(getattr(one, side), name, None) for name in OF_SIDE]
        writer.writerow(["" if value is None else value for value in (*values, record.device["name"], record.date)])
    return text.getvalue()


def lines_of(one: PeerRecord) -> list[str]:
    """What a person reads of one size."""
    head = f"{one.title}, {one.size}, {one.precision}"
    if one.ours is None or one.theirs is None:
        return [head, f"  {one.refused}"]
    name = max(len(one.peer), len("ours"))
    lines = [head]
    for side, called in ((one.ours, "ours"), (one.theirs, one.peer)):
        device = "GPU" if side.device == "cuda" else f"{side.threads} thread{'s' if side.threads > 1 else ''}"
        note = f", {side.note}" if side.note else ""
        lines += [
            f"  {called:{name}}  {one.work / side.seconds:.{RATE_DIGITS}g} {one.unit}: {duration(side.seconds)} a run"
            f" ({duration(side.least)} to {duration(side.most)}, {side.runs} runs); {device}{note}",
            f"  {'':{name}}  ready in {duration(side.ready)}, first run {duration(side.first)},"
            f" cores work {duration(side.core_seconds)} a run",
        ]
    lines.append(
        f"  ours / {one.peer}: {ratio_text(one.ratio)}; answers differ by {one.difference:.1e} of {one.tolerance:.0e}"
        f" allowed ({one.compared})"
    )
    return lines
