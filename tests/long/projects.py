"""Projects that ship with parts of their JSON changed by hypothesis (tests/fuzz/test_projects.py)."""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.test_projects import attack
from tests.long.many import Lost, batches, chosen, in_turn, spread
from tests.long.report import Report
from workbench.project.presets import presets

BATCH = 100
"""Examples of one seed; hypothesis makes some more to shrink what fails."""
LONGEST = 1200.0
COLUMNS = ("opened", "refused")


@dataclass(frozen=True)
class Batch:
    """Changes to a preset's project; the seed chooses them."""

    preset: str
    seed: int
    count: int

    def __call__(self) -> tuple[Counter[str], str]:
        with tempfile.TemporaryDirectory(prefix="workbench-projects-") as folder:
            return attack(self.preset, Path(folder), self.count, self.seed)


def run(options: Namespace) -> int:
    """``count`` documents, as many for each preset; the exit code."""
    report = Report("projects", options, COLUMNS)
    names = chosen((preset.id for preset in presets()), options.only)

    jobs = in_turn(Batch(*each) for each in batches(names, options.seed, options.count, BATCH))
    for batch, told in spread(Batch.__call__, jobs, options.processes, report.until, LONGEST):
        again = f"--only {batch.preset} --seed {batch.seed} --count {batch.count}"
        if isinstance(told, Lost):
            report.lose(batch.preset, told, "the project", again)
            continue
        counts, wrong = told
        report.add(batch.preset, counts)
        if wrong:
            report.fail(batch.preset, wrong, again)
    return report.end()
