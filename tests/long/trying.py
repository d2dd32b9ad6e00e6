"""What a copy of the process that has collected the tests does: looks which statements some tests reach, or runs those
of a defect with it put in. Each copy does one of them and ends, so nothing of a defect stays."""

from __future__ import annotations

import ast
import itertools
import math
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tests.long.mutants import Mutant, damaged, loaded, names_set_by, put
from tests.long.reach import Noting, Reached, Statements, start_others_with

ROOT = Path(__file__).parents[2]
OWN = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")
"""Folders that each copy has for itself, as a test that others disturb would tell of a defect that is not there."""
RECORDED = re.compile(r"^from tests\.ui\.recorded import", re.MULTILINE)
PATIENCE = (5.0, 10.0)
"""Seconds, and times its own seconds, after which a test has failed: waits of a test of the window are longer."""


@dataclass(frozen=True)
class Tests:
    """What is copied: the tests by name, the functions that they run, and the numbers of these' statements."""

    items: dict[str, pytest.Item]
    functions: dict[str, list[FunctionType]]
    statements: Statements

    @classmethod
    def of(cls, items: list[pytest.Item], statements: Statements) -> Tests:
        """With every module there that functions import only as they run; what cannot be imported here is not run."""
        for path in statements.paths:
            with suppress(ImportError):
                import_module(".".join(Path(path).with_suffix("").parts).removesuffix(".__init__"))
        return cls({item.nodeid: item for item in items}, loaded(ROOT), statements)


@dataclass(frozen=True)
class Look:
    """Which statements the tests of some files reach."""

    files: tuple[Path, ...]

    def __call__(self, tests: Tests) -> dict[Path, Reached]:
        folder = _own_folder()
        start_others_with(tests.statements.put_probes(tests.functions), folder)
        items = [item for item in tests.items.values() if item.path in self.files]
        noting, found = Noting(folder, tests.statements.count), {file: Reached() for file in self.files}
        for item, outcome, seconds in results(items, noting):
            bits = noting.of(item)
            if outcome == "failed":
                found[item.path].failed.append(item.nodeid)
            elif outcome == "passed":
                found[item.path].bits[item.nodeid] = bits
                found[item.path].seconds[item.nodeid] = round(seconds, 4)
        return found


@dataclass(frozen=True)
class Try:
    """Tests until one fails, with a defect in what they test or, ``clean``, without, as what fails then says nothing.

    names: of the tests that reach it, with the seconds that each takes. seconds: of processor time, after which there
    is an end.
    """

    mutant: Mutant
    names: tuple[tuple[str, float], ...]
    seconds: float
    clean: bool = False
    found: Any = None
    """Of a clean one, and of one that is done again: the names of the defect's, what became of it, by which test."""
    times: int = 0
    """How often that test has failed."""

    def __call__(self, tests: Tests) -> tuple[str, str]:
        """What becomes of the defect, and by which test."""
        if not self.names:
            return "not reached", ""
        try:
            if not self.clean:
                if not put(self.mutant, ROOT, tests.functions):
                    return "not reached", ""
                start_others_with({ROOT / self.mutant.path: damaged(self.mutant, ROOT)}, _own_folder())
        except Exception:  # as importing it would
            return "killed", ""
        items = []
        for name, seconds in self.names:
            items.append(tests.items[name])
            # By a signal, which ends the test alone: of a process that ended nobody knows at which test it was.
            items[-1].add_marker(pytest.mark.timeout((PATIENCE[0] + PATIENCE[1] * seconds) * busy(), method="signal"))
        # Where nobody knows which test it was, all would run for an hour; with the defect none did for longer.
        began, limit = spent(), self.seconds * (2 if self.clean else 1)
        for item, outcome, _ in results(items):
            if outcome == "failed":
                return "killed", item.nodeid
            if spent() - began > limit:
                break
        return "survived", ""


def spent() -> float:
    """Seconds of processor time, of what tests have started, too."""
    return sum(os.times()[:4])


def alone(place: Path) -> None:
    """Folders of its own for this process."""
    for name in OWN:
        (place / name).mkdir(parents=True)
        os.environ[name] = str(place / name)
    tempfile.tempdir = None  # asked for anew


def _own_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="workbench-started-")) / "path"


def busy() -> float:
    """How many times longer than on a quiet machine something takes on this one: by as much later it is given up."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def nearness(path: str) -> Callable[[Path], int]:
    """How likely a file of tests is about a file of sources, 0 most: of its name, that names it or what it defines,
    that stands where it does, any other."""
    module = Path(path)
    folder = ROOT / "tests" / module.parent
    package, stem = re.escape(".".join(module.parent.parts)), re.escape(module.stem)
    name = re.compile(rf"\b{package}(\.| import \(?([\w ,]*[ ,])?){stem}\b")
    defined = re.findall(r"^(?:class|def) ([A-Za-z]\w+)", text_of(ROOT / path), re.MULTILINE)
    words = re.compile(r"\b(" + "|".join(defined) + r")\b") if defined else None

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

    return cache(rank)


def sight(path: str) -> Callable[[Path], bool]:
    """Whether a file of tests looks at everything that a part of the window, or the whole of it, shows or offers, as it
    was recorded (tests/ui/recorded.py), and that part has the file of sources in it."""
    package, *inner = Path(path).parent.parts
    room = re.compile(rf"\b{'.'.join([package, *inner[:1]])}\b")
    folders = (ROOT / "tests" / package / "window", ROOT.joinpath("tests", package, *inner[:1]))

    def sees(file: Path) -> bool:
        text = text_of(file)
        return RECORDED.search(text) is not None and (file.parent in folders or room.search(text) is not None)

    return cache(sees)


class Likeness:
    """How much a test speaks of what a place in the sources does: by the words that both have, rare ones most."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """``texts`` of the tests, by name."""
        self._words = {name: words_in(text) for name, text in texts.items()}
        often = Counter(itertools.chain.from_iterable(self._words.values()))
        self._weights = {word: math.log(len(texts) / count) for word, count in often.items()}

    def to(self, text: str) -> dict[str, float]:
        """The likeness of each test to a text of the sources."""
        weights = {word: self._weights.get(word, 0.0) for word in words_in(text)}
        return {
            name: sum(weights[word] for word in words & weights.keys()) / math.sqrt(1 + len(words))
            for name, words in self._words.items()
        }


def words_in(text: str) -> set[str]:
    """In small letters; those of names apart."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}", text)}


def spoken_of(mutant: Mutant) -> str:
    """The function or statement that a defect is in, of a constant the functions that name it, and the file's path."""
    source = text_of(ROOT / mutant.path)
    places = [each for each in ast.walk(ast.parse(source)) if isinstance(each, (ast.FunctionDef, ast.Assign))]
    around = [each for each in places if each.lineno <= mutant.line <= (each.end_lineno or 0)]
    spoken = around and [min(around, key=lambda each: each.lineno)]
    for constant in names_set_by(mutant, source.encode()):
        named = re.compile(rf"\b{constant}\b")
        spoken += [each for each in places if named.search(ast.get_source_segment(source, each) or "")]
    return " ".join([mutant.path, *(ast.get_source_segment(source, each) or "" for each in spoken)])


@cache
def text_of(file: Path) -> str:
    return file.read_text("utf-8")


class Recorder:
    """A plugin of pytest that keeps what is reported of one test."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)


def results(items: list[pytest.Item], *plugins: object) -> Iterator[tuple[pytest.Item, str, float]]:
    """Each test as it has run: ``passed``, ``failed`` or ``skipped``, and its seconds."""
    for item, following in itertools.zip_longest(items, items[1:]):
        recorder = Recorder()
        for plugin in (recorder, *plugins):
            item.config.pluginmanager.register(plugin)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        for plugin in (recorder, *plugins):
            item.config.pluginmanager.unregister(plugin)
        outcomes = {each.outcome for each in recorder.reports}
        outcome = next((each for each in ("failed", "skipped") if each in outcomes), "passed")
        yield item, outcome, sum(each.duration for each in recorder.reports)
