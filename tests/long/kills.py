"""Runs killed at random moments until they end, and every file held against an unbroken run's (tests/resuming)."""

from __future__ import annotations

import random
import shutil
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.long.many import Lost, chosen, spread
from tests.long.report import Report
from tests.resuming.killing import LONGEST, PROBLEMS, SIGNALS, Killed, Unbroken, killed_until_it_ends, unbroken

COLUMNS = ("compared", *dict.fromkeys(number.name for number in SIGNALS), "before run.json", "no checkpoint", "files")


@dataclass(frozen=True)
class Whole:
    """The run of a preset that nobody disturbs."""

    preset: str
    device: str
    folder: Path

    def __call__(self) -> Unbroken:
        return unbroken(self.preset, self.device, self.folder)


@dataclass(frozen=True)
class Case:
    """A run of a preset that is killed; ``seed`` chooses the moments, and after ``until`` none comes any more."""

    preset: str
    seed: int
    run: Unbroken
    folder: Path
    until: float

    def __call__(self) -> Killed:
        self.folder.mkdir(parents=True)
        chance = random.Random(f"{self.preset} {self.seed}")
        killed = killed_until_it_ends(self.run, self.folder / "killed", chance, until=self.until)
        if not killed.different:
            shutil.rmtree(self.folder)
        return killed


@dataclass
class Cases:
    """What there is to do: every preset's unbroken run, then those of them that have ended, killed, in turn."""

    names: Sequence[str]
    device: str
    seed: int
    work: Path
    report: Report
    runs: dict[str, Unbroken] = field(default_factory=dict)
    begun: int = 0
    killed: Counter[str] = field(default_factory=Counter)

    def following(self) -> Whole | Case | None:
        """None while no unbroken run has ended, and once there were as many kills as were wanted."""
        if self.begun < len(self.names):
            self.begun += 1
            name = self.names[self.begun - 1]
            return Whole(name, self.device, self.work / name)
        if not self.runs or self.report.total()["SIGKILL"] >= self.report.options.count:
            return None
        name = min(self.runs, key=lambda name: self.killed[name])
        seed, self.killed[name] = self.seed + self.killed[name], self.killed[name] + 1
        return Case(name, seed, self.runs[name], self.work / f"{name}-{seed}", self.report.until)


def run(options: Namespace) -> int:
    """At least ``count`` kills by SIGKILL, spread over the presets; the exit code."""
    report = Report("kills", options, COLUMNS)
    device = "cuda:0" if options.device == "gpu" else options.device
    names = chosen(PROBLEMS, options.only)
    work = Path(tempfile.mkdtemp(prefix="workbench-kills-", dir=options.folder))
    cases = Cases(names, device, options.seed, work, report)
    for case, told in spread(lambda case: case(), cases.following, options.processes, report.until, 3 * LONGEST):
        again = f"--device {options.device} --only {case.preset}"
        if isinstance(case, Whole):
            if isinstance(told, Lost):
                report.lose(case.preset, told, "the unbroken run", again)
            else:
                cases.runs[case.preset] = told
                print(
                    f"{case.preset}: {told.seconds:.1f} s unbroken, {told.first:.1f} s to its first checkpoint",
                    flush=True,
                )
            continue
        again += f" --seed {case.seed} --count 1"
        if isinstance(told, Lost):
            report.lose(case.preset, told, f"{case.folder}", again)
            continue
        compared = {"compared": 1, "files": told.files}
        other = {"before run.json": told.before_run_json, "no checkpoint": told.before_checkpoint}
        report.add(case.preset, {**compared, **told.signals, **other})
        if told.different:
            report.fail(case.preset, f"differs in {', '.join(told.different)} ({case.folder})", again)
    if not report.failures:
        shutil.rmtree(work)
    return report.end()
