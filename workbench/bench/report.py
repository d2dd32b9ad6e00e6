"""Benchmark records as a table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields

from workbench.bench.measure import KernelRecord


def table(records: Sequence[KernelRecord]) -> str:
    """A plain-text table, one line per record."""
    lines = [f"{'case':28} {'kernel':10} {'time':>11} {'GB/s':>8} {'of copy':>8} {'of triad':>8}"]
    lines += [
        f"{r.case:28} {r.kernel:10} {r.seconds * 1e6:9.1f}µs {r.bytes_per_second / 1e9:8.1f}"
        f" {r.fraction_of_copy:8.1%} {r.fraction_of_triad:8.1%}"
        for r in records
    ]
    return "\n".join(lines)


def as_json(machine: dict[str, object], records: Sequence[KernelRecord]) -> str:
    return json.dumps({**machine, "records": [asdict(record) for record in records]}, indent=1)


def as_csv(records: Sequence[KernelRecord]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [column.name for column in fields(KernelRecord)])
    writer.writeheader()
    writer.writerows(asdict(record) for record in records)
    return text.getvalue()
