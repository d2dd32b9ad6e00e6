"""A test that hangs inside C, where no signal handler of Python runs, ends its process, so that the run goes on.

pytest-timeout raises in a test that took too long, which needs the interpreter: a thread that waits for a lock of Qt's
while it holds the interpreter's lock never gives it back. :data:`GRACE_SECONDS` later a thread of faulthandler, which
needs no lock, writes where all threads are to stderr and ends the process. Run by pytest-xdist, that was a worker: the
test counts as failed, and another worker goes on with the others.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

GRACE_SECONDS = 30.0
"""For pytest-timeout to fail the test, and for what it leaves to be taken down."""
COLLECTING_SECONDS = 600.0
ENDING_SECONDS = 120.0
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_stderr] = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)  # capturing comes later


def _end_after(seconds: float, config: pytest.Config) -> None:
    faulthandler.dump_traceback_later(seconds, file=config.stash[_stderr], exit=True)


@contextmanager
def _watched() -> Iterator[None]:
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[Any]:
    _end_after(COLLECTING_SECONDS, session.config)
    with _watched():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[Any]:
    with _watched():
        return (yield)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> None:
    """Where pytest-timeout begins to count, and with the time that this test has; it goes on to set its own timer."""
    _end_after(settings.timeout + GRACE_SECONDS, item.config)


@pytest.hookimpl(tryfirst=True)
def pytest_enter_pdb() -> None:
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Threads that are left may keep the process from ending, too; a worker waits for the others, and is ended."""
    if not hasattr(session.config, "workerinput"):
        _end_after(ENDING_SECONDS, session.config)
