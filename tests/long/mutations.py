"""Small defects put into the sources one at a time (tests/long/mutants.py), each against the tests that reach it.

What mypy tells of, which the test command runs, needs no test (tests/long/typed.py). For the others tests are collected
once; whatever runs them is a copy of that process (tests/long/trying.py). All run once while it is noted which
statements each reaches (tests/long/reach.py), which is kept for the next time. A defect is then tried against those
that reach it, the likeliest first, until one fails. That one runs once more by itself and without the defect: only
where it passes has it caught anything. A process that dies or never ends is seen by whoever runs the tests: caught,
too. What a test starts as a process of its own has the defect, and is looked at, as well.

What engines count meets the tests that speak of it (:data:`COUNTED`). To look takes minutes to an hour; ``--near`` does
without: a defect meets all tests of its module, of its folder and of the files that name it, some that speak of the
same, and those that look at all that its part of the window shows (tests/ui/recorded.py), for as long as there is time,
so that no more are caught than are.

Beside the counts (``--out NAME.json``) ``NAME.jsonl`` has a line for each defect as it is through. Without Qt those of
the window are left out.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import json
import math
import os
import random
import re
import shutil
import tempfile
import time
from argparse import Namespace
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.long.many import Lost, Worn, spread
from tests.long.mutants import PACKAGES, Mutant, mutants_of, names_set_by, package_of, sources
from tests.long.reach import Kept, Reached, Statements
from tests.long.report import Report
from tests.long.trying import ROOT, Likeness, Look, Tests, Try, alone, busy, nearness, sight, spoken_of, text_of
from tests.long.typed import told_by_types

FLOOR = 0.9
"""Of the defects of a package that have to be caught."""
CAUGHT = ("typed", "killed", "timed out", "died")
COLUMNS = ("mutants", *CAUGHT, "survived", "not reached")
PLACES = {
    "ui": ("tests/ui",),
    "workbench": ("tests/workbench",),  # tests/faults breaks one call after the other, for minutes
    "accounting": ("tests/engines", "tests/workbench/run/test_ceiling.py"),
}
LEFT_OUT = ("gpu", "slow")
KEEPS_TIME = "keeps_time"
SURE = 3
"""How often a test that keeps time has to fail with a defect, and to pass without in between: beside other work it may
fail by chance."""
NOT_HERE = re.compile(r"cuda|gpu|extreme|fuzz")
"""Tests that need a device, or that try at random."""
COUNTING = re.compile(r"accounts|traffic|bytes|memory|needs|estimate|ceiling|faster")
COUNTED = re.compile(r"traffic|_bytes\b|nbytes|bytes_(per_step|of|read|written)|ceiling|core_seconds|flops")
"""Files and tests of engines that speak of what is counted. What others would catch is not tried: bytes are to be held
against arrays, not met by whatever runs them; and all of them run for hours."""
KEPT = ROOT / ".pytest_cache" / "reached"
TESTS_OF_A_LOOK = 30
LIKELIEST = 30
"""Tests that a defect meets before those that look at all of its part of the window, whose own words are few."""
ALIKE, IN_ITS_FOLDER = 60, 4
"""Without a look: how many tests of other files a defect meets, those that share most words with its place, beside
those that name it or something that it defines or stand where it does or in the folder above."""
UNKNOWN_SECONDS = 1.0
"""That a test is taken to last that nobody has timed."""
Job = Look | Try


@dataclass
class Cases:
    """What there is to do: looks at files of tests, then the defects, and what caught one once more without it."""

    mutants: list[Mutant]
    report: Report
    lines: Path | None
    """Takes a line of JSON for each defect as it is through."""
    statements: Statements
    looks: deque[Look] = field(default_factory=deque)
    tries: deque[Try] = field(default_factory=deque)
    reached: Reached = field(default_factory=Reached)
    passed: set[str] = field(default_factory=set)
    """Tests that pass by themselves in a copy without a defect."""
    failed: set[str] = field(default_factory=set)
    """Tests that do not."""
    keep_time: set[str] = field(default_factory=set)
    """Tests that do so or do not by chance."""
    typed: set[Mutant] = field(default_factory=set)
    """What mypy tells of."""
    through: int = 0
    near: list[pytest.Item] = field(default_factory=list)
    """Without looks: all tests, of which those that stand near a defect are tried, whether or not they reach it."""
    likeness: Likeness = field(default_factory=lambda: Likeness({}))
    _names: dict[Path, list[str]] = field(default_factory=dict)
    """Of the tests of each file."""
    _looked_at: int = 0
    _begun: bool = False

    def look_at(self, items: list[pytest.Item], kept: Kept) -> None:
        """What is known of the tests is taken over; of the others a few files make up a look."""
        self._kept = kept
        looks: list[list[Path]] = [[]]
        count = 0
        for file, of_file in itertools.groupby(items, key=lambda item: item.path):
            names = self._names[file] = [item.nodeid for item in of_file]
            if known := kept.of(file, names):
                self._take(known)
                continue
            looks[-1].append(file)
            count += len(names)
            if count >= TESTS_OF_A_LOOK:
                looks.append([])
                count = 0
        self.looks.extend(Look(tuple(files)) for files in looks if files)
        self._looked_at = len(self.looks)

    def following(self) -> Job | None:
        if self.looks:
            return self.looks.popleft()
        if not self._looked_at and not self._begun:
            self._begun = True
            self.tries.extend(map(self._try, self.mutants))
        while self.tries and self.tries[0].mutant in self.typed:  # in their turn, as the time may end before the last
            self._tell(self.tries.popleft(), "typed", "mypy")
        return self.tries.popleft() if self.tries else None

    def answer(self, job: Job, told: Any) -> None:
        """Takes what a copy has said, or why it has said nothing."""
        if isinstance(job, Look):
            self._looked(job, told)
            return
        if isinstance(told, Lost):
            if told.late:
                return
            told = ("timed out" if told.why.startswith("not done") else "died", "")
        what, by = told
        if job.clean:
            self._without(job, what, by)
        elif job.found and what not in CAUGHT:  # it has failed by chance
            names, _, test = job.found
            self.tries.appendleft(
                replace(job, names=tuple(each for each in names if each[0] != test), found=None, times=0)
            )
        elif what not in CAUGHT or by in self.passed:
            self._tell(job, what, by)
        else:
            # Where nobody knows which test it was, all have to pass.
            again = tuple(each for each in job.names if each[0] == by) or job.names
            found = job.found or (job.names, what, by)
            self.tries.appendleft(replace(job, names=again, clean=True, found=found, times=job.times + 1))

    def _without(self, clean: Try, what: str, by: str) -> None:
        """What a defect's test did without it."""
        names, found, test = clean.found
        if what not in CAUGHT and test in self.keep_time and clean.times < SURE:
            self.tries.appendleft(replace(clean, clean=False))
        elif what not in CAUGHT and test in self.keep_time:
            self._tell(clean, found, test)
        elif what not in CAUGHT:
            self.passed.update({test} - {""})
            self._tell(clean, found, test)
        elif by:
            self.failed.add(by)
            left = tuple(each for each in names if each[0] not in self.failed)
            self.tries.appendleft(replace(clean, names=left, clean=False, found=None, times=0))
        else:
            self._tell(clean, "survived", "")  # the tests die without it, too

    def _try(self, mutant: Mutant) -> Try:
        near, sees = nearness(mutant.path), sight(mutant.path)
        seconds = defaultdict(lambda: UNKNOWN_SECONDS, self.reached.seconds)
        alike = defaultdict(float, self.likeness.to(spoken_of(mutant)))
        if self.near:
            found = {each.nodeid for each in self.near if near(each.path) <= IN_ITS_FOLDER or sees(each.path)}
            found.update(sorted(alike, key=alike.__getitem__)[-ALIKE:])
        else:
            found = set(self.reached.by(self.statements.of(mutant)))
            for constant in names_set_by(mutant, (ROOT / mutant.path).read_bytes()):  # which tests read, too
                read = {file for file in self._names if near(file) <= 1 and constant in text_of(file)}
                found.update(name for file in read for name in self._names[file] if name in self.reached.bits)
        names = found - self.failed
        file = {name: ROOT / name.partition("::")[0] for name in names}
        late = self.keep_time
        order = sorted(names, key=lambda each: (each in late, near(file[each]) > 1, -alike[each], seconds[each], each))
        likeliest = set(order[:LIKELIEST])
        order.sort(key=lambda each: 0 if each in likeliest else 1 if sees(file[each]) else 2)
        return Try(mutant, tuple((name, seconds[name]) for name in order), self.report.options.seconds)

    def _looked(self, look: Look, told: Any) -> None:
        self._looked_at -= 1
        if isinstance(told, Lost):
            print(f"{', '.join(map(str, look.files))}: {told.why}", flush=True)
            return
        for file, reached in told.items():
            for name in reached.failed:
                print(f"left out, as it fails without a defect: {name}", flush=True)
            self._take(reached)
            if not reached.failed:  # they may pass the next time
                self._kept.add(file, reached, self._names[file])
        self._kept.write()

    def _take(self, reached: Reached) -> None:
        self.reached.bits.update(reached.bits)
        self.reached.seconds.update(reached.seconds)

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
            "tests": len(job.found[0] if job.found else job.names),
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
        cases, began = self._cases, self._cases.report.began
        items = [item for item in session.items if not any(map(item.get_closest_marker, LEFT_OUT))]
        items = [item for item in items if not NOT_HERE.search(item.path.name) and counts(item)]
        print(f"{len(items)} tests are collected after {time.monotonic() - began:.0f} s", flush=True)
        cases.likeness = Likeness({item.nodeid: f"{item.nodeid} {text_of_test(item)}" for item in items})
        cases.keep_time = {item.nodeid for item in items if item.get_closest_marker(KEEPS_TIME)}
        if self._options.near:
            cases.near = items
        else:
            cases.look_at(items, Kept(KEPT / f"{'-'.join(packages(cases.mutants))}.json", cases.statements))
        work = partial(self._once, tests=Tests.of(items, cases.statements))
        longest = (240 + 4 * self._options.seconds) * busy()
        for job, told in spread(work, cases.following, self._options.processes, cases.report.until, longest):
            cases.answer(job, told)
            for place in self._folder.iterdir():  # of copies that have ended
                if not Path("/proc", place.name).exists():
                    shutil.rmtree(place, ignore_errors=True)
        return True

    def _once(self, job: Job, tests: Tests) -> None:
        alone(self._folder / str(os.getpid()))
        try:
            told: Any = job(tests)
        except Exception as error:
            told = Lost(f"{type(error).__name__}: {error}")
        raise Worn(told)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""  # nothing for each test


def selected(options: Namespace) -> list[Mutant]:
    """``count`` defects, any as likely as another, of the packages in turn; or those that ``only`` asks for."""
    if options.again:
        return list(_missed(options.again))
    every = [mutant for path in sources(ROOT) for mutant in mutants_of(path, (ROOT / path).read_bytes())]
    if named := [each for each in every if each.name in options.only]:
        return named
    asked, here = set(options.only), _packages()
    every = [each for each in every if package_of(each.path) in here]
    every = [each for each in every if not asked or asked & {each.path, package_of(each.path)}]
    if not every:
        raise SystemExit(f"--only: no defect is called so; there are {', '.join(here)}, files and their places.")
    random.Random(options.seed).shuffle(every)
    by_package = [[each for each in every if package_of(each.path) == name] for name in here]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*by_package))
    return list(itertools.islice(filter(None, turns), options.count))


def places(used: list[str], paths: Iterable[str] = ()) -> list[str]:
    """Where the tests stand that are collected: of engines the files that speak of what is counted. A module among
    ``paths`` that none of these name has those that do."""
    found = [place for name in used for place in PLACES[name]]
    if "accounting" not in used:
        return [*found, *_beside(found, paths)]
    of_engines, *_ = PLACES["accounting"]
    files = [file for file in sorted((ROOT / of_engines).rglob("test_*.py")) if not NOT_HERE.search(file.name)]
    files = [file for file in files if COUNTING.search(file.name) or COUNTED.search(text_of(file))]
    return [*(place for place in found if place != of_engines), *(str(file.relative_to(ROOT)) for file in files)]


def _beside(found: list[str], paths: Iterable[str]) -> list[str]:
    own, others = [], []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        place = file.relative_to(ROOT).as_posix()
        if any(place.startswith(f"{each}/") for each in found):
            own.append(file)
        elif place.startswith(tuple(f"{each}/" for name in _packages() for each in PLACES[name])):
            others.append(file)
    more = set()
    for near in map(nearness, set(paths)):
        if min(map(near, own)) > 1:
            more.update(file for file in others if near(file) <= 1)
    return [str(file.relative_to(ROOT)) for file in sorted(more)]


def text_of_test(item: pytest.Item) -> str:
    return inspect.getsource(getattr(item, "function", type(item)))


def counts(item: pytest.Item) -> bool:
    """Whether a test is none of engines', or one that speaks of what they count."""
    if not item.path.is_relative_to(ROOT / PLACES["accounting"][0]) or COUNTING.search(item.path.name):
        return True
    return bool(COUNTED.search(text_of_test(item)))


def packages(mutants: list[Mutant]) -> list[str]:
    used = {package_of(each.path) for each in mutants}
    return [name for name in PACKAGES if name in used]


def _missed(lines: Path) -> Iterator[Mutant]:
    """Those that nothing has caught, of an earlier run's lines: the same edits, wherever they stand by now."""
    for told in map(json.loads, lines.read_text("utf-8").splitlines()):
        if told["what"] not in CAUGHT:
            source = (ROOT / told["file"]).read_bytes()
            same = [each for each in mutants_of(told["file"], source) if each.edit(source) == told["edit"]]
            yield from sorted(same, key=lambda each: abs(each.line - told["line"]))[:1]


def told(share: float, of: int) -> str:
    """A share of a sample, and between which ones that of all lies in 19 of 20 such samples (Wilson's interval)."""
    spread = 1.96**2 / of
    middle, half = share + spread / 2, math.sqrt(spread * (share * (1 - share) + spread / 4))
    low, high = ((middle + side * half) / (1 + spread) for side in (-1, 1))
    return f"{share:.1%} ({low:.0%} to {high:.0%})"


def _packages() -> list[str]:
    """Those whose tests can run here."""
    return [name for name in PACKAGES if name != "ui" or importlib.util.find_spec("PySide6")]


def run(options: Namespace) -> int:
    """Tries the defects; the exit code is 1 where a package misses more than it may."""
    report = Report("mutations", options, COLUMNS)
    mutants = selected(options)
    lines = options.out.with_suffix(".jsonl") if options.out else None
    if lines:
        lines.parent.mkdir(parents=True, exist_ok=True)
        lines.write_text("", "utf-8")
    folder = Path(tempfile.mkdtemp(prefix="workbench-mutations-", dir=options.folder))
    folder.chmod(0o755)  # tests become another user, who has to come through
    used = packages(mutants)
    cases = Cases(
        mutants, report, lines, Statements(ROOT, [path for path in sources(ROOT) if package_of(path) in used])
    )
    os.chdir(ROOT)
    # The first example that fails is enough: the smallest one takes minutes to find.
    hypothesis.settings.register_profile("mutations", phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate))
    hypothesis.settings.load_profile("mutations")
    cases.typed = told_by_types(mutants, ROOT, folder)
    arguments = [
        "-q",
        "--tb=line",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *places(used, {each.path for each in mutants}),
    ]
    pytest.main(arguments, plugins=[Session(cases, options, folder)])
    shutil.rmtree(folder, ignore_errors=True)
    rates = cases.rates()
    report.facts["cut off by the end of the time"] = len(mutants) - cases.through
    report.facts["caught"] = {name: told(share, report.rows[name]["mutants"]) for name, share in rates.items()}
    for name in used:
        if name not in rates:
            report.fail(name, "no defect is through: its tests do not run, or their time was over", f"--only {name}")
    for name, share in rates.items():
        if share < FLOOR:
            report.fail(name, f"{share:.1%} of the defects were caught, below {FLOOR:.0%}", f"--only {name}")
    return report.end()
