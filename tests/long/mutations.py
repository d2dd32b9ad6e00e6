"""Small defects put into the sources one at a time (tests/long/mutants.py), each against the tests of its file.

Tests are collected once; whatever runs them is a copy of that process, so nothing of a defect stays. For each file its
tests, those that name it first, run while it is noted which of them reach which of its lines. A defect is then tried
against the tests that reach its line, the shortest first, until one fails.
"""

from __future__ import annotations

import itertools
import os
import pickle
import random
import re
import select
import signal
import sys
import tempfile
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.long.many import Lost, spread
from tests.long.mutants import PACKAGES, Mutant, mutants_of, names_set_by, package_of, put, sources
from tests.long.report import Report

ROOT = Path(__file__).parents[2]
FLOOR = 0.9
"""Of the defects of a package that have to be caught."""
OF_A_FILE = 6
"""Defects, at most, for one look at which tests reach which line."""
OF_A_PROCESS = 20
"""Files, for which tests are collected once."""
ENOUGH = 8
"""Tests that reach a line; no more are looked for."""
LONGEST = 3600.0
COLUMNS = ("mutants", "killed", "survived", "not reached")
PLACES = {
    "ui": ("tests/ui",),
    "workbench": ("tests/workbench", "tests/faults"),
    "accounting": ("tests/engines",),
}
NOT_HERE = re.compile(r"cuda|gpu|extreme|fuzz")
"""Tests that need a device, or that try at random."""
Told = tuple[Mutant, str, list[str]]


@dataclass
class Reached:
    """seconds: of each test that passed; lines: of the file, with the tests that reach each one."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[int, set[str]] = field(default_factory=dict)

    def of(self, lines: Iterable[int], longest: float) -> list[str]:
        """The tests to try, the shortest first, so many seconds of them."""
        names = set().union(*(self.lines.get(line, ()) for line in lines)) & set(self.seconds)
        chosen, spent = [], 0.0
        for name in sorted(names, key=lambda name: self.seconds[name]):
            spent += self.seconds[name]
            if chosen and spent > longest:
                break
            chosen.append(name)
        return chosen


@dataclass(frozen=True)
class Part:
    """Defects of some files, by file; no file is begun after ``until`` (time.monotonic). ``seconds`` of processor time
    go into looking which tests reach a file's lines, and as many at most into each defect."""

    mutants: dict[str, list[Mutant]]
    until: float
    seconds: float

    def __call__(self) -> list[Told]:
        session = Session(self.mutants, self.until, self.seconds)
        packages = {package_of(path) for path in self.mutants}
        arguments = [place for name in PACKAGES if name in packages for place in PLACES[name]]
        silent = os.open(os.devnull, os.O_WRONLY)
        if not os.environ.get("MUTATIONS_ALOUD"):
            os.dup2(silent, 1)
            os.dup2(silent, 2)
        os.chdir(ROOT)
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments], plugins=[session])
        return session.told


class Session:
    """A plugin of pytest that runs tests against defects instead of one after the other."""

    def __init__(self, mutants: dict[str, list[Mutant]], until: float, seconds: float) -> None:
        self._mutants, self._until, self._seconds = mutants, until, seconds
        self.told: list[Told] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        marks = ("gpu", "slow", "keeps_time")
        items = [each for each in session.items if not any(map(each.get_closest_marker, marks))]
        items = [each for each in items if not NOT_HERE.search(each.path.name)]
        for path, mutants in self._mutants.items():
            if time.monotonic() > self._until:
                break
            self._file(path, mutants, items)
        return True

    def _file(self, path: str, mutants: list[Mutant], items: list[pytest.Item]) -> None:
        source = (ROOT / path).read_bytes()
        lines = {mutant: lines_of(mutant, source) for mutant in mutants}
        own = by_nearness(path, source, items)
        look, patience = partial(looked, ROOT / path, own, list(lines.values()), self._seconds), 40 * self._seconds
        reached = in_a_copy(look, patience) or Reached()
        for mutant in mutants:
            names = reached.of(lines[mutant], self._seconds)
            known = dict.fromkeys(names)
            tests = [item for item in own if item.nodeid in known]
            tests.sort(key=lambda item: names.index(item.nodeid))
            # Where the time ended before enough of them were seen, the nearest of those that nobody has looked at.
            unseen = [item for item in own if item.nodeid not in reached.seconds] if len(names) < ENOUGH else []
            # A process that died or never ended is seen, too.
            what, by = in_a_copy(partial(tried, mutant, [*tests, *unseen], self._seconds), 60 + patience) or (
                "killed",
                "",
            )
            failing = [item for item in unseen if item.nodeid == by]
            if failing and in_a_copy(partial(tried, None, failing, self._seconds), 60 + patience) != ("survived", ""):
                what = "survived"  # that test fails without the defect, too
            self._tell(mutant, "not reached" if what == "survived" and not tests else what, names)

    def _tell(self, mutant: Mutant, what: str, tests: list[str]) -> None:
        self.told.append((mutant, what, tests))
        if journal := os.environ.get("MUTATIONS_JOURNAL"):
            with open(journal, "a", encoding="utf-8") as file:
                source = (ROOT / mutant.path).read_bytes()
                file.write(f"{what} ({len(tests)}): {mutant.told(source)}\n")


def lines_of(mutant: Mutant, source: bytes) -> set[int]:
    """The lines that run what a defect changes: its own, or those of the functions that read a constant."""
    names = names_set_by(mutant, source)
    if not names:
        return set(range(mutant.line, mutant.last_line + 1))
    word = re.compile(rb"\b(" + b"|".join(name.encode() for name in names) + rb")\b")
    return {number for number, line in enumerate(source.split(b"\n"), 1) if word.search(line)}


def by_nearness(path: str, source: bytes, items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that may belong to a file, the likeliest first: of its name, that name it or what it defines, that
    stand where it does, the others of its package."""
    module = Path(path)
    folder = ROOT / "tests" / module.parent
    name = re.compile(rf"\b{re.escape('.'.join(module.with_suffix('').parts))}\b")
    defined = re.findall(rb"^(?:class|def) ([A-Za-z]\w+)", source, re.MULTILINE)
    words = re.compile(r"\b(" + "|".join(each.decode() for each in defined) + r")\b") if defined else None

    def rank(file: Path) -> int:
        text = file.read_text("utf-8")
        marks = (
            file.parent == folder and module.stem in file.stem,
            bool(name.search(text)),
            bool(words and words.search(text)),
            file.is_relative_to(folder),
            file.is_relative_to(folder.parent),
        )
        return marks.index(True) if True in marks else len(marks)

    ranks = {file: rank(file) for file in {item.path for item in items}}
    package = ROOT / "tests" / module.parts[0]
    own = [item for item in items if ranks[item.path] < 4 or item.path.is_relative_to(package)]
    return sorted(own, key=lambda item: ranks[item.path])


def in_a_copy(work: Callable[[], Any], longest: float) -> Any:
    """What work answers in a copy of this process; None where that dies or takes longer [s]."""
    read, write = os.pipe()
    process = os.fork()
    if not process:
        code = 1
        try:
            os.setsid()
            os.close(read)
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(work(), pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    content, latest = b"", time.monotonic() + longest
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while (left := latest - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
            part = pipe.read(1 << 16)
            if not part:
                break
            content += part
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    try:
        return pickle.loads(content)  # noqa: S301  # of a process of ours
    except (EOFError, pickle.UnpicklingError):
        return None


class Recorder:
    """A plugin of pytest that keeps what is reported of one test."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)


def results(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, str, float]]:
    """Each test as it has run: ``passed``, ``failed`` or ``skipped``, and its seconds."""
    for item, following in itertools.zip_longest(items, items[1:]):
        recorder = Recorder()
        item.config.pluginmanager.register(recorder)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item.config.pluginmanager.unregister(recorder)
        outcomes = {each.outcome for each in recorder.reports}
        outcome = next((each for each in ("failed", "skipped") if each in outcomes), "passed")
        yield item, outcome, sum(each.duration for each in recorder.reports)


def tried(mutant: Mutant | None, items: list[pytest.Item], seconds: float) -> tuple[str, str]:
    """What becomes of a defect, and by which test: of as many of these as run in so much processor time."""
    try:
        if mutant and not put(mutant, ROOT):
            return "not reached", ""
    except Exception:  # as importing it would
        return "killed", ""
    began = time.process_time()
    for item, outcome, _ in results(items):
        if outcome == "failed":
            return "killed", item.nodeid
        if time.process_time() - began > seconds:
            break
    return "survived", ""


def looked(file: Path, items: list[pytest.Item], wanted: list[set[int]], longest: float) -> Reached:
    """What each test reaches, until the time is over or enough of them reach every one of the wanted lines."""
    reached, test = Reached(), ""

    def trace(frame: FrameType, event: str, given: Any) -> Any:
        if frame.f_code.co_filename != str(file):
            return None
        reached.lines.setdefault(frame.f_lineno, set()).add(test)
        return trace

    threading.settrace(trace)
    began, latest = time.process_time(), time.monotonic() + 20 * longest  # on a busy machine
    test = items[0].nodeid if items else ""
    sys.settrace(trace)
    following = iter(items[1:])
    for item, outcome, seconds in results(items):
        if outcome == "passed":
            reached.seconds[item.nodeid] = seconds
        if time.process_time() - began > longest or time.monotonic() > latest:
            break
        passed = set(reached.seconds)
        if all(len(set().union(*(reached.lines.get(line, ()) for line in each)) & passed) >= ENOUGH for each in wanted):
            break
        upcoming = next(following, None)
        test = upcoming.nodeid if upcoming else ""
        sys.settrace(trace)  # which a test may have taken away
    sys.settrace(None)
    return reached


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
    turns = itertools.chain.from_iterable(itertools.zip_longest(*(of.items() for of in by_package)))
    for path, mutants in filter(None, turns):
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


def _batched(files: list[tuple[str, list[Mutant]]], size: int) -> Iterator[list[tuple[str, list[Mutant]]]]:
    return (files[first : first + size] for first in range(0, len(files), size))


def run(options: Namespace) -> int:
    """Tries the defects; the exit code is 1 where a package misses more than it may."""
    report = Report("mutations", options, COLUMNS)
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(dir=os.environ["XDG_DATA_HOME"].rpartition("/")[0])
    chosen = selected(options)
    parts = (Part(dict(each), report.until, options.seconds) for each in _batched(list(chosen.items()), OF_A_PROCESS))
    survivors: list[str] = []
    for _, told in spread(lambda part: part(), lambda: next(parts, None), options.processes, report.until, LONGEST):
        if isinstance(told, Lost):
            report.lose("", told, "a process with tests", "")
            continue
        for mutant, what, tests in told:
            report.add(package_of(mutant.path), {"mutants": 1, "killed": 0, what: 1})
            if what != "killed":
                line = f"{what} ({len(tests)} tests): {mutant.told((ROOT / mutant.path).read_bytes())}"
                survivors.append(line)
                print(line, flush=True)
    report.facts["survivors"] = survivors
    for name, counts in list(report.rows.items()):
        if counts["killed"] < FLOOR * counts["mutants"]:
            share = counts["killed"] / counts["mutants"]
            report.fail(name, f"{share:.0%} of the defects were caught, below {FLOOR:.0%}", f"--only {name}")
    return report.end()
