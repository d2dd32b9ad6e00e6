"""A plugin of pytest: which tests reach which lines of one file, as JSON (tests/long/mutations.py)."""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

FILE, TOLD = os.environ.get("REACHED_FILE", ""), os.environ.get("REACHED_JSON", "")
LONGEST = float(os.environ.get("REACHED_SECONDS", "inf"))
_began = time.monotonic()
_lines: dict[int, set[str]] = {}
_seconds: dict[str, float] = {}
_test = ""


def _trace(frame: FrameType, event: str, given: Any) -> Any:
    if frame.f_code.co_filename != FILE:
        return None
    tests = _lines.setdefault(frame.f_lineno, set())
    if _test and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function, and no module or class
        tests.add(_test)
    return _trace


sys.settrace(_trace)
threading.settrace(_trace)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    global _test
    _test = item.nodeid
    sys.settrace(_trace)  # which another test may have taken away
    try:
        return (yield)
    finally:
        _test = ""


def pytest_runtest_setup() -> None:
    if time.monotonic() - _began > LONGEST:
        pytest.skip("time is over")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped or report.failed:
        _seconds[report.nodeid] = float("nan")
    else:
        _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    sys.settrace(None)
    passed = {name: seconds for name, seconds in _seconds.items() if seconds == seconds}
    lines = {line: sorted(tests & set(passed)) for line, tests in _lines.items()}
    Path(TOLD).write_text(json.dumps({"tests": passed, "lines": lines}), "utf-8")
