"""What all tests share: the machine they see, which of them run, and that none leaves anything running.

A test that leaves a thread, a ``QThread`` or an active ``QTimer`` behind fails, and the report names the line
that started it: what is left over otherwise fails some later, innocent test (the idea is napari's).
"""

from __future__ import annotations

import gc
import importlib.util
import itertools
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["tests.quick", "tests.hang"]
if importlib.util.find_spec("xdist"):
    pytest_plugins.append("tests.order")

try:
    import shiboken6
    from PySide6 import QtCore
except ImportError:  # a compute node: engines and their tests need no Qt
    shiboken6 = QtCore = None  # type: ignore[assignment]

try:
    import hypothesis
except ImportError:
    hypothesis = None  # type: ignore[assignment]

# Before Qt and Numba are imported. Qt's offscreen platform draws no GL, so it only stands in where there is no display.
if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
# OpenBLAS's threads spin while they wait, and gain nothing on systems as small as those of reference solutions: those
# of batteries took 57 s of processor time with two threads on busy cores, 9 with one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# While it looks for types Numba raises thousands of errors that it catches; each would be coloured, for 0.4 ms.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
# Kernels are on the disk already, and each test ends with the threads that it has started.
os.environ.setdefault("WORKBENCH_COMPILERS", "0")
# A busy machine takes its time, for an example as for making it up, which says nothing of what is tested.
if hypothesis is not None:
    hypothesis.settings.register_profile(
        "busy",
        parent=hypothesis.settings.default,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("busy")
# Settings, recent files and autosaves of whoever runs the tests stay as they are; compiled kernels are shared.
_home = tempfile.TemporaryDirectory(prefix="workbench-tests-")
for _variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_variable] = os.path.join(_home.name, _variable)
# A shell that starts the tests in the background has signals ignored, as ``nohup`` has, and so would do each process
# that a test starts and asks to end.
if threading.current_thread() is threading.main_thread():
    for _name, _heard in (("SIGINT", signal.default_int_handler), ("SIGHUP", lambda *_: None)):
        _number = getattr(signal, _name, None)
        if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
            signal.signal(_number, _heard)

GRACE_SECONDS = 10.0
"""How long a thread that was told to stop may take to end on a busy machine; 0.2 s are promised and tested alone."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the long forms of tests")
    for name, package in (("qt_api", "pytestqt"), ("timeout", "pytest_timeout")):
        if not importlib.util.find_spec(package):
            parser.addini(name, "of a plugin that a compute node may lack")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    on_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if on_gpu:
        from engines.backend.devices.cuda_status import cuda_status

        status = cuda_status()
        if not status.devices:
            for item in on_gpu:
                item.add_marker(pytest.mark.skip(reason=status.sentence))
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="long; run with --slow"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Python's collector of garbage rests while tests are collected, a sixth of the time, and never looks at what is
    there then: modules, classes and tests, which stay."""
    on = gc.isenabled()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        if on:
            gc.enable()


class _Started:
    """Remembers where each object of a class was started. Objects are held weakly."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[weakref.ref[Any], str]] = {}

    def wrap(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def recording_start(this: Any, *args: Any, **kwargs: Any) -> Any:
            frames = itertools.islice(traceback.walk_stack(sys._getframe()), 1, 8)  # their lines are read for no one
            told = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in frames]
            file, line, name = next((each for each in told if "site-packages" not in each[0]), told[0])
            self._by_id[id(this)] = (weakref.ref(this), f"{file}:{line} in {name}")
            return start(this, *args, **kwargs)

        return recording_start

    def alive(self) -> list[tuple[Any, str]]:
        objects = [(reference(), where) for reference, where in self._by_id.values()]
        return [(thing, where) for thing, where in objects if thing is not None]

    def clear(self) -> None:
        self._by_id.clear()


_threads, _qthreads, _qtimers = _Started(), _Started(), _Started()


@pytest.fixture(scope="session", autouse=True)
def _record_starts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", _threads.wrap(threading.Thread.start))
        if QtCore is None:
            yield
            return
        patch.setattr(QtCore.QThread, "start", _qthreads.wrap(QtCore.QThread.start))
        patch.setattr(QtCore.QTimer, "start", _qtimers.wrap(QtCore.QTimer.start))
        yield


@pytest.fixture(scope="session", autouse=True)
def _estimates_measured_briefly() -> Iterator[None]:
    """Estimates ask for the memory's bandwidth, which each process measures over three arrays of four last-level caches
    each: 9 s of processor time and 6 GB where the cache has 480 MB. Tests of what uses it do with 64 MB. And they ask
    for the pace of each small problem, 0.1 s long: the fewest tries do where nobody asks how sure it is."""
    from engines.backend import pace
    from engines.backend.ceilings import memory as ceilings

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ceilings, "cpu_array_size", lambda: (64 << 20) // 8)
        patch.setattr(pace, "SECONDS", 0.0)
        yield


def _left_over() -> list[str]:
    """One line for each thing that still runs and was started since the last :func:`_Started.clear`. Threads that share
    loops in parts (``part_…``) are kept for the next loop."""
    lines = [
        f"thread '{thread.name}' started at {where}"
        for thread, where in _threads.alive()
        if thread.is_alive() and not thread.name.startswith(("pytest", "execnet", "part_"))
    ]
    lines += [
        f"QThread '{thread.objectName() or type(thread).__name__}' started at {where}"
        for thread, where in _qthreads.alive()
        if shiboken6.isValid(thread) and thread.isRunning()
    ]
    lines += [
        f"QTimer ({timer.interval()} ms) started at {where}"
        for timer, where in _qtimers.alive()
        if shiboken6.isValid(timer) and timer.isActive()
    ]
    return lines


_tests_of_windows = itertools.count(1)


def _collect_as_the_window_does() -> None:
    """Where tests of the window have turned Python's own collections off (ui/widgets/garbage.py), on this thread."""
    if not gc.isenabled():
        gc.collect(1 if next(_tests_of_windows) % 10 else 2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Any]:
    """What is still there after a file of tests of the window, modules and caches, stays: Python's collector does not
    look at it any more, which took a sixth of their time."""
    try:
        return (yield)
    finally:
        if not gc.isenabled() and (nextitem is None or nextitem.path != item.path):
            gc.collect()
            gc.freeze()


def _settle(*, collecting: bool = True) -> None:
    """Let closed windows be deleted, which stops the timers that they own."""
    if collecting:
        gc.collect()
    if QtCore is not None and QtCore.QCoreApplication.instance() is not None:
        QtCore.QCoreApplication.sendPostedEvents(None, QtCore.QEvent.Type.DeferredDelete.value)
        QtCore.QCoreApplication.processEvents()


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written to the cache folder, sources and what was measured, is the test's and not this machine's."""
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """Fails a test that leaves a running thread, QThread or QTimer, and names where it was started."""
    for started in (_threads, _qthreads, _qtimers):
        started.clear()
    yield
    _collect_as_the_window_does()
    if not _left_over():
        return
    deadline = time.monotonic() + GRACE_SECONDS
    _settle()
    turns = itertools.count(1)
    while (left := _left_over()) and time.monotonic() < deadline:
        time.sleep(0.02)
        _settle(collecting=next(turns) % 25 == 0)  # half a second each late in a run, in which no timer has its turn
    if left:
        pytest.fail("left running:\n  " + "\n  ".join(left), pytrace=False)
