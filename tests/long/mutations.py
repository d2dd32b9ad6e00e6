"""Small defects put into the sources one at a time (tests/long/mutants.py), each against the tests of its file.

Tests are collected once; whatever runs them is a copy of that process (tests/long/trying.py). For each file its tests,
those that name it first, run while it is noted which of them reach which of its lines. A defect is then tried against
the tests that reach its line, the shortest first, until one fails. The same tests run once more without the defect:
only where they pass it was caught. A process that dies or never ends is seen by whoever runs the tests: caught, too.

Beside the counts (``--out NAME.json``) ``NAME.jsonl`` has a line for each defect as it is through. Without Qt those of
the window are left out.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import random
import re
import shutil
import tempfile
import time
from argparse import Namespace
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.long.many import Lost, Worn, spread
from tests.long.mutants import PACKAGES, Mutant, mutants_of, package_of, sources
from tests.long.report import Report
from tests.long.trying import ROOT, Look, Reached, Try, alone, busy, lines_of

FLOOR = 0.9
"""Of the defects of a package that have to be caught."""
OF_A_FILE = 3
"""Defects, at most, for one look at which tests reach which line."""
CAUGHT = ("killed", "timed out", "died")
COLUMNS = ("mutants", *CAUGHT, "survived", "not reached")
PLACES = {
    "ui": ("tests/ui",),
    "workbench": ("tests/workbench", "tests/faults"),
    "accounting": ("tests/engines",),
}
NOT_HERE = re.compile(r"cuda|gpu|extreme|fuzz")
"""Tests that need a device, or that try at random."""
Job = Look | Try


@dataclass
class Cases:
    """What there is to do: a look at each file, then its defects, and what caught one once more without it."""

    files: dict[str, list[Mutant]]
    report: Report
    lines: Path | None
    """Takes a line of JSON for each defect as it is through."""
    looks: deque[Look] = field(init=False)
    tries: deque[Try] = field(default_factory=deque)
    found: dict[Mutant, tuple[str, str]] = field(default_factory=dict)
    """What became of a defect and by which test, as long as that has not passed without it."""
    through: int = 0

    def __post_init__(self) -> None:
        given = self.report.options
        looks = (Look(path, tuple(mutants), given.seconds, given.tests) for path, mutants in self.files.items())
        self.looks = deque(looks)

    def following(self) -> Job | None:
        return self.tries.popleft() if self.tries else self.looks.popleft() if self.looks else None

    def answer(self, job: Job, told: Any) -> None:
        """Takes what a copy has said, or why it has said nothing."""
        if isinstance(told, Lost) and told.late:
            return
        if isinstance(job, Look):
            self._looked(job, Reached() if isinstance(told, Lost) else told)
            return
        if isinstance(told, Lost):
            told = ("timed out" if told.why.startswith("not done") else "died", "")
        what, by = told
        if not job.clean and what in CAUGHT:
            self.found[job.mutant] = told
            # Where nobody knows which test it was, all have to pass.
            self.tries.appendleft(replace(job, clean=True, last=by))
        elif not job.clean:
            self._tell(job, what, by)
        elif what in CAUGHT and by:
            self.tries.appendleft(replace(job, clean=False, last="", without=job.without | {by}))
        elif what in CAUGHT:
            self._tell(job, "survived", "")  # the tests die without it, too
        else:
            self._tell(job, *self.found[job.mutant])

    def _looked(self, look: Look, reached: Reached) -> None:
        source = (ROOT / look.path).read_bytes()
        for mutant in look.mutants:
            names = reached.of(lines_of(mutant, source), look.seconds)
            self.tries.append(Try(mutant, tuple(names), frozenset(reached.seen), look.seconds, look.enough))

    def _tell(self, job: Try, what: str, by: str) -> None:
        mutant, source = job.mutant, (ROOT / job.mutant.path).read_bytes()
        self.through += 1
        self.report.add(package_of(mutant.path), {"mutants": 1, **dict.fromkeys(CAUGHT, 0), what: 1})
        told = {
            "file": mutant.path,
            "line": mutant.line,
            "edit": mutant.edit(source),
            "what": what,
            "by": by,
            "tests": len(job.names),
            "name": mutant.name,
        }
        if self.lines:
            with self.lines.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")
        if what not in CAUGHT:
            print(f"{what} ({len(job.names)} tests): {mutant.told(source)}", flush=True)

    def rates(self) -> dict[str, float]:
        """The share of the defects that were caught, by package."""
        rows = self.report.rows.items()
        return {name: sum(counts[what] for what in CAUGHT) / counts["mutants"] for name, counts in rows}


class Session:
    """A plugin of pytest that runs tests against defects instead of one after the other."""

    def __init__(self, cases: Cases, options: Namespace, folder: Path) -> None:
        self._cases, self._options, self._folder = cases, options, folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        marks = ("gpu", "slow", "keeps_time")
        items = [each for each in session.items if not any(map(each.get_closest_marker, marks))]
        items = [each for each in items if not NOT_HERE.search(each.path.name)]
        print(f"{len(items)} tests are collected after {time.monotonic() - self._cases.report.began:.0f} s", flush=True)
        work = partial(self._once, items=items)
        longest = (60 + 4 * self._options.seconds) * busy()
        until = self._cases.report.until
        for job, told in spread(work, self._cases.following, self._options.processes, until, longest):
            self._cases.answer(job, told)
            for place in self._folder.iterdir():  # of copies that have ended
                if not Path("/proc", place.name).exists():
                    shutil.rmtree(place, ignore_errors=True)
        return True

    def _once(self, job: Job, items: list[pytest.Item]) -> None:
        alone(self._folder / str(os.getpid()))
        raise Worn(job(items))

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""  # nothing for each test


def selected(options: Namespace) -> dict[str, list[Mutant]]:
    """``count`` defects by file, drawn from the packages in turn, or those that ``only`` asks for."""
    known = {path: mutants_of(path, (ROOT / path).read_bytes()) for path in sources(ROOT)}
    every = [mutant for mutants in known.values() for mutant in mutants]
    if options.again:
        missed = list(_missed(options.again, known))
        return _by_file(missed, len(missed))
    if named := [each for each in every if each.name in options.only]:
        return _by_file(named, len(named))
    asked = set(options.only)
    packages = _packages()
    every = [each for each in every if package_of(each.path) in packages]
    every = [each for each in every if not asked or asked & {each.path, package_of(each.path)}]
    if not every:
        raise SystemExit(f"--only: no defect is called so; there are {', '.join(packages)}, files and their places.")
    random.Random(options.seed).shuffle(every)
    by_package = [_by_file([each for each in every if package_of(each.path) == name], OF_A_FILE) for name in PACKAGES]
    files: dict[str, list[Mutant]] = {}
    left = options.count
    turns = itertools.chain.from_iterable(itertools.zip_longest(*(of.items() for of in by_package)))
    for path, mutants in filter(None, turns):
        files[path] = mutants[:left]
        left -= len(files[path])
        if not left:
            break
    return files


def _missed(lines: Path, known: dict[str, list[Mutant]]) -> Iterator[Mutant]:
    """Those that nothing has caught, of an earlier run's lines: the same edits, wherever they stand by now."""
    for told in map(json.loads, lines.read_text("utf-8").splitlines()):
        if told["what"] not in CAUGHT:
            source = (ROOT / told["file"]).read_bytes()
            same = [each for each in known[told["file"]] if each.edit(source) == told["edit"]]
            yield from sorted(same, key=lambda each: abs(each.line - told["line"]))[:1]


def _by_file(mutants: list[Mutant], most: int) -> dict[str, list[Mutant]]:
    """The first ``most`` of each file, files in the order of theirs."""
    files: dict[str, list[Mutant]] = {}
    for each in mutants:
        of_file = files.setdefault(each.path, [])
        if len(of_file) < most:
            of_file.append(each)
    return files


def _packages() -> list[str]:
    """Those whose tests can run here."""
    return [name for name in PACKAGES if name != "ui" or importlib.util.find_spec("PySide6")]


def run(options: Namespace) -> int:
    """Tries the defects; the exit code is 1 where a package misses more than it may."""
    report = Report("mutations", options, COLUMNS)
    files = selected(options)
    count = sum(map(len, files.values()))
    lines = options.out.with_suffix(".jsonl") if options.out else None
    if lines:
        lines.parent.mkdir(parents=True, exist_ok=True)
        lines.write_text("", "utf-8")
    folder = Path(tempfile.mkdtemp(prefix="workbench-mutations-", dir=options.folder))
    cases = Cases(files, report, lines)
    used = {package_of(path) for path in files}
    places = [place for name in PACKAGES if name in used for place in PLACES[name]]
    os.chdir(ROOT)
    pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *places], plugins=[Session(cases, options, folder)])
    shutil.rmtree(folder, ignore_errors=True)
    rates = cases.rates()
    report.facts["cut off by the end of the time"] = count - cases.through
    report.facts["caught"] = {name: f"{share:.1%}" for name, share in rates.items()}
    for name, share in rates.items():
        if share < FLOOR:
            report.fail(name, f"{share:.1%} of the defects were caught, below {FLOOR:.0%}", f"--only {name}")
    return report.end()
