"""What a long form counted, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Report:
    """Counts by row and column, and a line for each failure with the command that does it again."""

    command: str
    options: Namespace
    columns: Sequence[str]
    rows: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    @property
    def until(self) -> float:
        """When nothing more is begun (time.monotonic)."""
        return self.began + 60 * self.options.minutes

    def add(self, row: str, counts: dict[str, int]) -> None:
        # Not Counter's own addition, which forgets counts of 0.
        self.rows.setdefault(row, Counter()).update(counts)

    def fail(self, row: str, what: str, again: str) -> None:
        self.add(row, {"failures": 1})
        self.failures.append({"in": row, "what": what, "again": f"python -m tests.long {self.command} {again}"})
        print(f"FAILURE {row}: {what}\n    again: {self.failures[-1]['again']}", flush=True)

    def total(self) -> Counter[str]:
        return sum(self.rows.values(), Counter())

    def table(self) -> str:
        columns = [*self.columns, "failures"]
        width = max([len(name) for name in self.rows] + [5])
        lines = [" " * width + "".join(f"  {column:>{max(7, len(column))}}" for column in columns)]
        for name, counts in [*sorted(self.rows.items()), ("total", self.total())]:
            lines.append(f"{name:{width}}" + "".join(f"  {counts[column]:{max(7, len(column))}}" for column in columns))
        return "\n".join(lines)

    def as_json(self) -> str:
        about = {
            "command": self.command,
            "device": getattr(self.options, "device", "cpu"),
            "seed": self.options.seed,
            "processes": self.options.processes,
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "seconds": round(time.monotonic() - self.began, 1),
        }
        counts = {"rows": {name: dict(row) for name, row in sorted(self.rows.items())}, "total": dict(self.total())}
        return json.dumps({**about, **self.facts, **counts, "failures": self.failures}, indent=1)

    def end(self) -> int:
        """Print the table and write the JSON; the exit code."""
        print(self.table())
        told = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        print(f"{time.monotonic() - self.began:.0f} s on {self.options.processes} processes{told and f'; {told}'}")
        if self.options.out:
            Path(self.options.out).parent.mkdir(parents=True, exist_ok=True)
            Path(self.options.out).write_text(self.as_json() + "\n", "utf-8")
        return 1 if self.failures else 0
