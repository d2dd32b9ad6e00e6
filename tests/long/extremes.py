"""Every problem that ships, run with numbers at the ends of what is accepted (tests/engines/test_extreme_runs.py)."""

from __future__ import annotations

import random
from argparse import Namespace
from collections import Counter
from dataclasses import dataclass
from functools import cache

from engines.api.device import Backend
from tests.engines.test_extreme_runs import attacked
from tests.long.many import Lost, Worn, batches, chosen, in_turn, spread
from tests.long.report import Report
from workbench.project.presets import presets

BATCH = 12
"""Numbers of one seed."""
LONGEST = 600.0
COLUMNS = ("refused", "too large", "finite", "told", "NOT told")


@cache
def opened(device: str) -> Backend:
    from engines.backend import open_backend

    return open_backend(device)


@dataclass(frozen=True)
class Batch:
    """Numbers of a preset; the seed chooses them."""

    preset: str
    seed: int
    count: int
    device: str

    def __call__(self) -> tuple[Counter[str], list[str]]:
        chance = random.Random(f"{self.preset} {self.seed}")
        answer = attacked(self.preset, chance, self.count, opened(self.device))
        if answer[1] and self.device != "cpu":  # whose context may be lost
            raise Worn(answer)
        return answer


def run(options: Namespace) -> int:
    """``count`` numbers, by engine; the exit code."""
    report = Report("extremes", options, COLUMNS)
    device = "cuda:0" if options.device == "gpu" else options.device
    names = chosen((preset.id for preset in presets()), options.only)
    engines = {preset.id: preset.engine for preset in presets()}

    jobs = in_turn(Batch(*each, device) for each in batches(names, options.seed, options.count, BATCH))
    for batch, told in spread(Batch.__call__, jobs, options.processes, report.until, LONGEST):
        again = f"--device {options.device} --only {batch.preset} --seed {batch.seed} --count {batch.count}"
        engine = engines[batch.preset]
        if isinstance(told, Lost):
            report.lose(engine, told, batch.preset, again)
            continue
        counts, wrong = told
        report.add(engine, {**counts, "NOT told": len(wrong)})
        for what in wrong:
            report.fail(engine, what, again)
    return report.end()
