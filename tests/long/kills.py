"""Runs killed at random moments until they end, and every file held against an unbroken run's (tests/resuming)."""

from __future__ import annotations

import random
import shutil
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.long.many import Lost, spread
from tests.long.report import Report
from tests.resuming.killing import LONGEST, PROBLEMS, SIGNALS, Killed, Unbroken, killed_until_it_ends, unbroken

COLUMNS = ("compared", *dict.fromkeys(number.name for number in SIGNALS), "before run.json", "no checkpoint", "files")


@dataclass(frozen=True)
class Case:
    """A run of a preset that is killed; ``seed`` chooses the moments."""

    preset: str
    seed: int
    run: Unbroken
    folder: Path

    def __call__(self) -> Killed:
        self.folder.mkdir(parents=True)
        killed = killed_until_it_ends(self.run, self.folder / "killed", random.Random(f"{self.preset} {self.seed}"))
        if not killed.different:
            shutil.rmtree(self.folder)
        return killed


def run(options: Namespace) -> int:
    """At least ``count`` kills by SIGKILL, spread over the presets; the exit code."""
    report = Report("kills", options, COLUMNS)
    device = "cuda:0" if options.device == "gpu" else options.device
    names = [name for name in PROBLEMS if not options.only or name in options.only]
    work = Path(tempfile.mkdtemp(prefix="workbench-kills-", dir=options.folder))
    runs: dict[str, Unbroken] = {}
    for name, told in spread(
        lambda name: unbroken(name, device, work / name), names, options.processes, report.until, 3 * LONGEST
    ):
        if isinstance(told, Lost):
            report.fail(name, f"the unbroken run: {told.why}", f"--device {options.device} --only {name}")
        else:
            runs[name] = told
            print(f"{name}: {told.seconds:.1f} s unbroken, {told.first:.1f} s to its first checkpoint", flush=True)

    def cases() -> Iterator[Case]:
        seed = options.seed
        while runs:
            for name, whole in runs.items():
                if report.total()["SIGKILL"] >= options.count:
                    return
                yield Case(name, seed, whole, work / f"{name}-{seed}")
            seed += 1

    for case, told in spread(Case.__call__, cases(), options.processes, report.until, 3 * LONGEST):
        again = f"--device {options.device} --only {case.preset} --seed {case.seed} --count 1"
        if isinstance(told, Lost):
            report.fail(case.preset, f"{told.why} ({case.folder})", again)
            continue
        compared = {"compared": 1, "files": told.files}
        other = {"before run.json": told.before_run_json, "no checkpoint": told.before_checkpoint}
        report.add(case.preset, {**compared, **told.signals, **other})
        if told.different:
            report.fail(case.preset, f"differs in {', '.join(told.different)} ({case.folder})", again)
    if not report.failures:
        shutil.rmtree(work)
    return report.end()
