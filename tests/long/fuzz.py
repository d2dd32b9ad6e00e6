"""Mutated files for each reader (tests/fuzz), a batch of them for each seed."""

from __future__ import annotations

import random
import shutil
import tempfile
from argparse import Namespace
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tests.fuzz.readers import Reader, readers
from tests.fuzz.test_readers import attacked, outcome
from tests.long.many import Lost, batches, chosen, in_turn, spread
from tests.long.report import Report

BATCH = 100
"""Files of one seed."""
LONGEST = 600.0
COLUMNS = ("inputs", "refused", "opened")


@cache
def known(folder: Path) -> dict[str, Reader]:
    folder.mkdir(exist_ok=True)
    return readers(folder)


def sound(name: str, folder: Path) -> bool:
    """Whether the reader reads all the files that the damaged ones are made of, which may need what is not here."""
    reader = known(folder / "seeds")[name]
    for seed, content in reader.seeds.items():
        (folder / seed).write_bytes(content)
        if outcome(reader, folder / seed) != "read":
            return False
    return bool(reader.seeds)


@dataclass(frozen=True)
class Batch:
    """Files for a reader; the seed chooses how they are damaged."""

    reader: str
    seed: int
    count: int
    folder: Path

    def __call__(self) -> tuple[Counter[str], dict[str, Path]]:
        place = self.folder / f"{self.reader}-{self.seed}"
        place.mkdir()
        chance = random.Random(f"{self.reader} {self.seed}")
        counts, wrong = attacked(known(self.folder / "seeds")[self.reader], place, chance, self.count)
        if not wrong:
            shutil.rmtree(place)
        return counts, wrong


def run(options: Namespace) -> int:
    """``count`` files, as many for each reader; the exit code."""
    report = Report("fuzz", options, COLUMNS)
    folder = Path(tempfile.mkdtemp(prefix="workbench-fuzz-", dir=options.folder))
    names = chosen(known(folder / "seeds"), options.only)
    checks = spread(partial(sound, folder=folder), in_turn(names), options.processes, report.until, LONGEST)
    report.facts["left out"] = sorted(name for name, told in checks if told is not True)
    names = [name for name in names if name not in report.facts["left out"]]

    jobs = in_turn(Batch(*each, folder) for each in batches(names, options.seed, options.count, BATCH))
    for batch, told in spread(Batch.__call__, jobs, options.processes, report.until, LONGEST):
        again = f'--only "{batch.reader}" --seed {batch.seed} --count {batch.count}'
        if isinstance(told, Lost):
            report.lose(batch.reader, told, f"{batch.count} files", again)
            continue
        counts, wrong = told
        report.add(batch.reader, {"inputs": batch.count, "refused": counts["refused"], "opened": counts["read"]})
        for what, path in wrong.items():
            report.fail(batch.reader, f"{what} ({path})", again)
    if not report.failures:
        shutil.rmtree(folder)
    return report.end()
