"""Small defects put into the sources one at a time (tests/long/mutants.py), in a copy of the tree, against its tests.

The tests of a file (tests/quick.py) first run as it is, while it is noted which of them reach which of its lines. A
defect is then tried against the tests that reach its line, the shortest first, until one fails.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import importlib.util
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.long.many import Lost, Worn, spread
from tests.long.mutants import PACKAGES, Mutant, mutants_of, package_of, sources
from tests.long.report import Report
from tests.quick import ALWAYS, tests_of

ROOT = Path(__file__).parents[2]
PLUGIN = "tests.long.reached"
FLOOR = 0.9
"""Of the defects of a package that have to be caught."""
OF_A_FILE = 6
"""Defects, at most, for one look at which tests reach which line."""
LONGEST = 900.0
LOOK_SECONDS = 150.0
"""Of tests that are run to see what they reach."""
TRY_SECONDS = 60.0
"""Of tests, by how long they took before, that are run against one defect."""
COLUMNS = ("mutants", "killed", "survived", "not reached")
OURS = ("tests", "engines", "workbench", "ui")
LARGE = (
    "numpy",
    "numba",
    "h5py",
    "pydantic",
    "hypothesis",
    "pytestqt",
    "PySide6.QtWidgets",
    "pyqtgraph",
    "vispy.scene",
)
"""What processes need not import again."""


@dataclass(frozen=True)
class Reached:
    """tests: seconds of each that passed; lines: of the file, with the tests that reach each one, none of which is
    named for what runs where a module is imported."""

    tests: dict[str, float]
    lines: dict[int, list[str]]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests to try, the shortest first."""
        span = range(mutant.line, mutant.last_line + 1)
        names = {name for line in span for name in self.lines.get(line, ())} or (
            set(self.tests) if any(line in self.lines for line in span) else set()
        )
        chosen, seconds = [], 0.0
        for name in sorted(names & set(self.tests), key=lambda name: self.tests[name]):
            seconds += self.tests[name]
            if chosen and seconds > TRY_SECONDS:
                break
            chosen.append(name)
        return chosen


@dataclass(frozen=True)
class Look:
    """Which tests reach which lines of a file."""

    path: str
    folder: Path

    def __call__(self) -> dict[str, Any]:
        files = [name for name in tests_of([Path(self.path)]) if name not in ALWAYS]
        with copy_of_the_tree(self.folder) as copy:
            told = copy / "reached.json"
            told.unlink(missing_ok=True)
            os.environ["REACHED_FILE"], os.environ["REACHED_JSON"] = str(copy / self.path), str(told)
            os.environ["REACHED_SECONDS"] = str(LOOK_SECONDS)
            pytest_in(copy, ["-p", PLUGIN, *files])
            seen = json.loads(told.read_text("utf-8"))
        raise Worn(seen)  # which has no class of ours: their modules are not those that this process began with


@dataclass(frozen=True)
class Try:
    """A defect, and the tests that might see it."""

    mutant: Mutant
    tests: tuple[str, ...]
    seconds: float
    """Which the longest of them took."""
    folder: Path

    def __call__(self) -> bool:
        """Whether a test failed."""
        with copy_of_the_tree(self.folder) as copy:
            file = copy / self.mutant.path
            file.write_bytes(self.mutant.applied(file.read_bytes()))
            compiled = Path(importlib.util.cache_from_source(str(file)))
            compiled.unlink(missing_ok=True)  # it may have the same size and time
            code = pytest_in(copy, ["-x", f"--timeout={20 + 10 * self.seconds:.0f}", *self.tests])
        if code not in (0, 1, 2, 3):
            raise RuntimeError(f"pytest ended with {code}")
        raise Worn(code != 0)


@contextlib.contextmanager
def copy_of_the_tree(folder: Path) -> Iterator[Path]:
    """A copy that no other process uses, as the tree is; made where there is none. What was changed in it is undone."""
    for number in range(1000):
        lock = (folder / f"{number}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            lock.close()
    copy = folder / str(number)
    if not copy.exists():
        made = folder / f"{number}.part"
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(ROOT, made, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "shared"))
        made.rename(copy)
    for name in sources(copy):
        if (copy / name).read_bytes() != (ROOT / name).read_bytes():  # of a process that was ended
            shutil.copy2(ROOT / name, copy / name)
            Path(importlib.util.cache_from_source(str(copy / name))).unlink(missing_ok=True)
    yield copy
    # The lock goes with the process, which does one thing.


def pytest_in(folder: Path, arguments: list[str]) -> int:
    """pytest's exit code, in this process, with the modules of that folder; what it prints goes to a file there."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sys.path[:] = [str(folder), *(each for each in sys.path if Path(each or ".").resolve() != ROOT)]
    os.environ["PYTHONPATH"] = str(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder.parent)
    os.chdir(folder)
    printed = os.open(folder / "printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(printed, number)
    pytest = importlib.import_module("pytest")
    base = tempfile.mkdtemp(prefix="pytest-", dir=folder.parent)
    given = ["-q", "-p", "no:cacheprovider", f"--basetemp={base}", "--rootdir", str(folder), *arguments]
    try:
        return int(pytest.main(given))
    finally:
        shutil.rmtree(base, ignore_errors=True)


@dataclass
class Work:
    """What there is to do: a look at each file, and then its defects."""

    chosen: dict[str, list[Mutant]]
    folder: Path
    report: Report
    survivors: list[str] = field(default_factory=list)
    waiting: list[Try] = field(default_factory=list)
    begun: int = 0

    def following(self) -> Look | Try | None:
        if self.waiting:
            return self.waiting.pop(0)
        if self.begun == len(self.chosen):
            return None
        self.begun += 1
        return Look(list(self.chosen)[self.begun - 1], self.folder)

    def looked(self, path: str, seen: dict[str, Any]) -> None:
        reached = Reached(seen["tests"], {int(line): names for line, names in seen["lines"].items()})
        for mutant in self.chosen[path]:
            tests = reached.of(mutant)
            if tests:
                longest = max(reached.tests[name] for name in tests)
                self.waiting.append(Try(mutant, tuple(tests), longest, self.folder))
            else:
                self.tell(mutant, "not reached")

    def tell(self, mutant: Mutant, what: str) -> None:
        self.report.add(package_of(mutant.path), {"mutants": 1, "killed": 0, what: 1})
        if what != "killed":
            line = f"{what}: {mutant.told((ROOT / mutant.path).read_bytes())}"
            self.survivors.append(line)
            print(line, flush=True)


def selected(options: Namespace) -> dict[str, list[Mutant]]:
    """``count`` defects by file, drawn from the packages in turn, or those that ``only`` asks for."""
    known = {path: mutants_of(path, (ROOT / path).read_bytes()) for path in sources(ROOT)}
    every = [mutant for mutants in known.values() for mutant in mutants]
    if named := [each for each in every if each.name in options.only]:
        return _by_file(named, len(named))
    asked = set(options.only)
    every = [each for each in every if not asked or asked & {each.path, package_of(each.path)}]
    if not every:
        raise SystemExit(f"--only: no defect is called so; there are {', '.join(PACKAGES)}, files and their places.")
    random.Random(options.seed).shuffle(every)
    by_package = [_by_file([each for each in every if package_of(each.path) == name], OF_A_FILE) for name in PACKAGES]
    files: dict[str, list[Mutant]] = {}
    left = options.count
    for path, mutants in (
        each for turn in itertools.zip_longest(*(of.items() for of in by_package)) for each in turn if each
    ):
        files[path] = mutants[:left]
        left -= len(files[path])
        if not left:
            break
    return files


def _by_file(mutants: list[Mutant], most: int) -> dict[str, list[Mutant]]:
    """The first ``most`` of each file, files in the order of theirs."""
    files: dict[str, list[Mutant]] = {}
    for each in mutants:
        of_file = files.setdefault(each.path, [])
        if len(of_file) < most:
            of_file.append(each)
    return files


def run(options: Namespace) -> int:
    """Tries the defects; the exit code is 1 where a package misses more than it may."""
    report = Report("mutations", options, COLUMNS)
    folder = Path(tempfile.mkdtemp(prefix="workbench-mutations-", dir=options.folder))
    for name in LARGE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    work = Work(selected(options), folder, report)
    for job, told in spread(lambda job: job(), work.following, options.processes, report.until, LONGEST):
        if isinstance(job, Look):
            if isinstance(told, Lost):
                report.lose(package_of(job.path), told, f"the tests of {job.path}", f"--only {job.path}")
            else:
                work.looked(job.path, told)
        elif isinstance(told, Lost) and told.late:
            report.lose(package_of(job.mutant.path), told, "", f'--only "{job.mutant.name}"')
        else:  # a process that died or never ended is seen, too
            work.tell(job.mutant, "killed" if isinstance(told, Lost) or told else "survived")
    report.facts["survivors"] = work.survivors
    for name, counts in report.rows.items():
        if counts["killed"] < FLOOR * counts["mutants"]:
            share = counts["killed"] / counts["mutants"]
            report.fail(name, f"{share:.0%} of the defects were caught, below {FLOOR:.0%}", f"--only {name}")
    shutil.rmtree(folder)
    return report.end()
