"""Which tests belong to a change, for ``./workbench.sh test --quick [PATH …]``; and leaving out those that take long.

    python -m tests.quick [PATH …]      the test files that belong to these paths, or to all that changed

What changed is what differs from where this branch left the main one, and what is not committed. A test file belongs
to a module if it stands where the module does (tests mirror the sources) and bears its name, or if it names the module.
How long tests take is remembered from run to run in pytest's cache; what nobody has timed yet runs while there is time.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("engines", "workbench", "ui")
ALWAYS = ("tests/test_rooms.py",)
LONGEST_SECONDS = 0.3
BUDGET_SECONDS = 35.0
"""Of tests alone; with formatting, lint, imports and types a quick run stays below a minute."""
KEY = "workbench/seconds"


def git(*arguments: str) -> str:
    """What git says; empty where it refuses."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def changed() -> list[Path]:
    """Files that differ from where this branch began, relative to the root."""
    head = git("rev-parse", "HEAD")
    bases = (git("merge-base", "HEAD", name) for name in ("@{upstream}", "origin/HEAD", "origin/main", "main"))
    base = next((each for each in bases if each and each != head), "HEAD")
    names = [*git("diff", "--name-only", base).splitlines(), *git("ls-files", "-o", "--exclude-standard").splitlines()]
    return [Path(name) for name in dict.fromkeys(names) if (ROOT / name).is_file()]


def tests_of(paths: Iterable[Path]) -> list[str]:
    """The test files that belong to these files and folders."""
    every = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    found: dict[Path, None] = {}
    for path in paths:
        absolute = ROOT / path
        if absolute.is_dir():
            folder = absolute if path.parts[0] == "tests" else ROOT / "tests" / path
            found |= dict.fromkeys(test for test in every if test.is_relative_to(folder))
        elif absolute in every:
            found[absolute] = None
        elif path.parts[0] in SOURCES and path.suffix in (".py", ".cu", ".cuh"):
            mirror = ROOT / "tests" / path.parent
            name = re.escape(".".join(path.with_suffix("").parts) if path.suffix == ".py" else path.name)
            named = [test for test, text in every.items() if re.search(rf"\b{name}\b", text)]
            beside = [test for test in mirror.glob(f"test_*{path.stem}*.py") if test in every]
            found |= dict.fromkeys(named + beside or [test for test in mirror.glob("test_*.py") if test in every])
    found |= dict.fromkeys(ROOT / name for name in ALWAYS)
    return sorted(str(test.relative_to(ROOT)) for test in found if "gpu" not in test.relative_to(ROOT).parts)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out tests that took long before, and end in time")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # what workers ran is reported to the process that started them
        config.pluginmanager.register(Timing(config))
        if config.getoption("--quick"):
            config.pluginmanager.register(Quick(config))


def cache_of(config: pytest.Config) -> pytest.Cache | None:
    """Pytest's cache, where it is not switched off."""
    return getattr(config, "cache", None)


def seconds_of_tests(config: pytest.Config) -> dict[str, float]:
    """How long each test took when it last ran in this checkout; empty before the first run."""
    cache = cache_of(config)
    return cache.get(KEY, {}) if cache else {}


class Quick:
    """Leaves out tests that are known to take longer than :data:`LONGEST_SECONDS`, and all that is left when the time
    is over; says how many."""

    def __init__(self, config: pytest.Config) -> None:
        self._began = time.monotonic()
        self._known = seconds_of_tests(config)
        self._long = self._late = 0

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left_out = [
            item
            for item in items
            if self._known.get(item.nodeid, 0.0) > LONGEST_SECONDS or item.get_closest_marker("keeps_time")
        ]
        self._long = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = sorted(set(items) - set(left_out), key=items.index)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() - self._began > BUDGET_SECONDS:
            self._late += 1
            pytest.skip("the time of a quick run is over")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(f"quick: {self._long} tests take long and {self._late} came too late")


class Timing:
    """Remembers how long each test took, with what it had made for it."""

    def __init__(self, config: pytest.Config) -> None:
        self._cache = cache_of(config)
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped:
            self._seconds[report.nodeid] = round(self._seconds.get(report.nodeid, 0.0) + report.duration, 3)

    def pytest_sessionfinish(self) -> None:
        if self._cache and self._seconds:
            self._cache.set(KEY, {**self._cache.get(KEY, {}), **self._seconds})


if __name__ == "__main__":
    given = [Path(argument).absolute().relative_to(ROOT) for argument in sys.argv[1:]]
    print(*tests_of(given or changed()), sep="\n")
