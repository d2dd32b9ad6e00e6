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
from typing import Any

from tests.long.many import Lost

WRITTEN_EVERY = 10.0


@dataclass
class Report:
    """Counts by row and column, and a line for each failure with the command that does it again."""

    command: str
    options: Namespace
    columns: Sequence[str]
    rows: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    cut_off: list[str] = field(default_factory=list)
    """Commands that do again what the end of the time came before."""
    began: float = field(default_factory=time.monotonic)
    _written: float = field(default_factory=time.monotonic)

    @property
    def until(self) -> float:
        """When nothing more is begun (time.monotonic)."""
        return self.began + 60 * self.options.minutes

    def add(self, row: str, counts: dict[str, int]) -> None:
        # Not Counter's own addition, which forgets counts of 0.
        self.rows.setdefault(row, Counter()).update(counts)
        if time.monotonic() - self._written > WRITTEN_EVERY:
            self.write()

    def fail(self, row: str, what: str, again: str) -> None:
        self.failures.append({"in": row, "what": what, "again": f"python -m tests.long {self.command} {again}"})
        print(f"FAILURE {row}: {what}\n    again: {self.failures[-1]['again']}", flush=True)
        self.add(row, {"failures": 1})

    def lose(self, row: str, lost: Lost, what: str, again: str) -> None:
        """There is no answer: a failure, unless only the time was over."""
        if lost.late:
            self.cut_off.append(f"python -m tests.long {self.command} {again}")
            self.add(row, {"cut off": 1})
        else:
            self.fail(row, f"{what}: {lost.why}", again)

    def total(self) -> Counter[str]:
        return sum(self.rows.values(), Counter())

    def table(self) -> str:
        columns = [*self.columns, *(["cut off"] if self.cut_off else []), "failures"]
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
        trouble = {"cut off": self.cut_off, "failures": self.failures}
        return json.dumps({**about, **self.facts, **counts, **trouble}, indent=1)

    def write(self) -> None:
        """The JSON, if it was asked for; meanwhile too, for whoever ends this early."""
        self._written = time.monotonic()
        if self.options.out:
            self.options.out.parent.mkdir(parents=True, exist_ok=True)
            self.options.out.write_text(self.as_json() + "\n", "utf-8")

    def end(self) -> int:
        """Print the table and write the JSON; the exit code."""
        print(self.table())
        told = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        print(f"{time.monotonic() - self.began:.0f} s on {self.options.processes} processes{told and f'; {told}'}")
        self.write()
        return 1 if self.failures else 0
