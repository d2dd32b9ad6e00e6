"""What a copy of the process that has collected the tests does: looks which tests reach which lines of a file, or runs
them with a defect put in. Each copy does one of them and ends, so nothing of a defect stays."""

from __future__ import annotations

import itertools
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.long.mutants import Mutant, names_set_by, put

ROOT = Path(__file__).parents[2]
OWN = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")
"""Folders that each copy has for itself, as a test that others disturb would tell of a defect that is not there."""


@dataclass
class Reached:
    """seen: the tests that ran; seconds: of each that passed; lines: of the file, with the tests that reach each."""

    seen: set[str] = field(default_factory=set)
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
class Look:
    """Which tests reach what the defects of a file change, for so many seconds of processor time, until ``enough``
    reach each."""

    path: str
    mutants: tuple[Mutant, ...]
    seconds: float
    enough: int

    def __call__(self, items: list[pytest.Item]) -> Reached:
        source = (ROOT / self.path).read_bytes()
        wanted = [lines_of(mutant, source) for mutant in self.mutants]
        return looked(ROOT / self.path, by_nearness(self.path, source, items), wanted, self.seconds, self.enough)


@dataclass(frozen=True)
class Try:
    """Tests until one fails, with a defect in what they test or, ``clean``, without, as what fails then says nothing.

    names: of the tests that reach it, in their order. seen: those that have been looked at; of the others the nearest
    are tried where few reach it. without: those that failed clean. last: after which there is an end.
    """

    mutant: Mutant
    names: tuple[str, ...]
    seen: frozenset[str]
    seconds: float
    enough: int
    clean: bool = False
    last: str = ""
    without: frozenset[str] = frozenset()

    def __call__(self, items: list[pytest.Item]) -> tuple[str, str]:
        """What becomes of the defect, and by which test: of as many of these as run in so much processor time."""
        own = by_nearness(self.mutant.path, (ROOT / self.mutant.path).read_bytes(), items)
        by_name = {item.nodeid: item for item in own}
        tests = [by_name[name] for name in self.names]
        if len(tests) < self.enough:
            tests += [item for item in own if item.nodeid not in self.seen]
        tests = [item for item in tests if item.nodeid not in self.without]
        try:
            _load(self.mutant.path)
            if not self.clean and not put(self.mutant, ROOT):
                return "not reached", ""
        except Exception:  # as importing it would
            return "killed", ""
        began = time.process_time()
        for item, outcome, _ in results(tests):
            if outcome == "failed":
                return "killed", item.nodeid
            if item.nodeid == self.last or (not self.last and time.process_time() - began > self.seconds):
                break
        return "survived" if self.names else "not reached", ""


def _load(path: str) -> None:
    """A module that functions import only as they run is not there before; what cannot be imported here is not run."""
    name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
    with suppress(ImportError):
        import_module(name)


def alone(place: Path) -> None:
    """Folders of its own for this process."""
    for name in OWN:
        (place / name).mkdir(parents=True)
        os.environ[name] = str(place / name)
    tempfile.tempdir = None  # asked for anew


def busy() -> float:
    """How many times longer than on a quiet machine something takes on this one: by as much later it is given up."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


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
        text = text_of(file)
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


@cache
def text_of(file: Path) -> str:
    return file.read_text("utf-8")


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


def looked(file: Path, items: list[pytest.Item], wanted: list[set[int]], longest: float, enough: int) -> Reached:
    """What each test reaches, until the time is over or enough of them reach every one of the wanted lines."""
    reached, test = Reached(), ""

    def trace(frame: FrameType, event: str, given: Any) -> Any:
        if frame.f_code.co_filename != str(file):
            return None
        reached.lines.setdefault(frame.f_lineno, set()).add(test)
        return trace

    threading.settrace(trace)
    began, latest = time.process_time(), time.monotonic() + 3 * longest * busy()
    test = items[0].nodeid if items else ""
    sys.settrace(trace)
    following = iter(items[1:])
    for item, outcome, seconds in results(items):
        reached.seen.add(item.nodeid)
        if outcome == "passed":
            reached.seconds[item.nodeid] = seconds
        if time.process_time() - began > longest or time.monotonic() > latest:
            break
        passed = set(reached.seconds)
        if all(len(set().union(*(reached.lines.get(line, ()) for line in each)) & passed) >= enough for each in wanted):
            break
        upcoming = next(following, None)
        test = upcoming.nodeid if upcoming else ""
        sys.settrace(trace)  # which a test may have taken away
    sys.settrace(None)
    return reached
