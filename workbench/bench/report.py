"""Benchmark records as a table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields

from workbench.bench.measure import KernelRecord
from workbench.words.units import percent


def table(records: Sequence[KernelRecord]) -> str:
    """A plain-text table, one line per record, and below it what its marks mean."""
    width = width_of(r.case for r in records)
    return "\n".join([heading(width), *(row(r, width) for r in records), *meanings(records)])


def width_of(cases: Iterable[str]) -> int:
    return max([28, *map(len, cases)])


def heading(width: int) -> str:
    return f"{'case':{width}} {'kernel':10} {'time/step':>11} {'Gelem/s':>8} {'GB/s':>8} {'of copy':>8} {'of triad':>8}"


def meanings(records: Sequence[KernelRecord]) -> list[str]:
    """Of the marks of their rows."""
    found = {mark for r in records for mark in _marks(r)}
    return [f"{mark}: {meaning}" for mark, meaning in MARKS.items() if mark in found]


MARKS = {
    "fused": (
        "so many steps in one pass over the memory. GB/s count what a step's share of it moves;\n"
        "       the gain is in Gelem/s, elements times steps per second."
    ),
    "in cache": "caches hold all or part of it, so it is compared with copy and triad over as many bytes.",
    "above": (
        "more than 100 % of the copy or the triad. A plain store first reads what it overwrites, which is not counted\n"
        "       here nor there: a kernel that stores past the caches, or writes less than it reads, may pass them,\n"
        "       and all three figures are measured, each within some per cent."
    ),
}
"""What follows a line, and what it means."""


def _marks(r: KernelRecord) -> list[str]:
    above = max(r.fraction_of_copy, r.fraction_of_triad) > 1
    return [mark for mark, holds in zip(MARKS, (r.fused > 1, r.in_cache, above), strict=True) if holds]


def row(r: KernelRecord, width: int) -> str:
    marks = [f"fused {r.fused}" if mark == "fused" else mark for mark in _marks(r)]
    return (
        f"{r.case:{width}} {r.kernel:10} {r.seconds * 1e6:9.1f}µs {r.elements / r.seconds / 1e9:8.3f}"
        f" {r.bytes_per_second / 1e9:8.1f} {percent(r.fraction_of_copy, 1):>8}"
        f" {percent(r.fraction_of_triad, 1):>8}  {', '.join(marks)}"
    ).rstrip()


def as_json(machine: dict[str, object], records: Sequence[KernelRecord]) -> str:
    return json.dumps({**machine, "records": [asdict(record) for record in records]}, indent=1)


def as_csv(records: Sequence[KernelRecord]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [column.name for column in fields(KernelRecord)])
    writer.writeheader()
    writer.writerows(asdict(record) for record in records)
    return text.getvalue()
