"""Compiled functions have no wrapper for callers in C, unless they ask for one; those that only compiled functions call
have no machine code of their own, and are right whoever calls them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numba import njit, prange
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Flags
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.extending import overload

import engines.backend.threads  # noqa: F401  # which who compiles imports
from engines.backend.compile import wrappers
from engines.backend.compile.wrappers import COLLECTED_EVERY, leave_out_wrappers_for_c, make_code_when_asked_for
from engines.backend.threads import parallel_region

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def ours_too(monkeypatch):
    """Functions of these tests wait for callers as those of engines do."""
    monkeypatch.setattr(wrappers, "OURS", (*wrappers.OURS, "tests"))


@pytest.mark.parametrize(
    ("options", "left_out"), [({}, True), ({"no_cfunc_wrapper": False}, False), ({"parallel": True}, True)]
)
def test_wrappers_for_c_are_left_out(options, left_out):
    assert CPUTargetOptions.parse_as_flags(Flags(), options).no_cfunc_wrapper is left_out


def test_leaving_them_out_again_changes_nothing():
    finalize, compile_for = CPUTargetOptions.finalize, Dispatcher.compile
    leave_out_wrappers_for_c()
    make_code_when_asked_for()
    assert CPUTargetOptions.finalize is finalize
    assert Dispatcher.compile is compile_for


@pytest.mark.parametrize("most", [0, 900])
def test_the_collector_looks_seldom_while_something_compiles(most):
    """As before after it, also where nothing comes of it; never, where it was told to look never."""
    seen, before = [], gc.get_threshold()

    def look(x):
        raise NotImplementedError

    @overload(look)
    def typed(x):
        seen.append(gc.get_threshold()[0])
        return lambda x: x

    try:
        gc.set_threshold(most)
        assert njit(lambda x: look(x) + 1)(1) == 2
        assert seen[0] == (most and COLLECTED_EVERY)
        with pytest.raises(TypingError):
            njit(lambda x: x.nothing)(1)
        assert gc.get_threshold() == (most, *before[1:])
    finally:
        gc.set_threshold(*before)


def test_options_have_the_values_that_their_properties_have():
    flags = CPUTargetOptions.parse_as_flags(Flags(), {"parallel": True, "fastmath": True})
    assert flags.values() == {name: getattr(flags, name) for name in flags.options}
    assert flags.values()["auto_parallel"].enabled
    assert flags == flags.copy() != Flags()


def functions(**options):
    """A function that a kernel calls, and two kernels."""

    @njit(**options)
    def inner(x):
        if x < 0:
            raise ValueError("below zero")
        return 3 * x

    @njit
    def outer(x):
        return inner(x) + 1

    @njit(parallel=True, nogil=True)
    def each(values):
        for i in prange(len(values)):
            values[i] = inner(values[i])

    return inner, outer, each


def coded(function) -> list[bool]:
    """Whether there is machine code of its own, for each kind of arguments."""
    return [not result.library._waits for result in function.overloads.values()]


def wrapped(function) -> list[bool]:
    """Whether Python can call it, for each kind of arguments."""
    return [result.library._wrapped for result in function.overloads.values()]


def test_what_only_kernels_call_has_no_code_of_its_own():
    inner, outer, _ = functions()
    assert outer(2.0) == 7.0
    assert coded(outer) == wrapped(outer) == [True]
    assert coded(inner) == wrapped(inner) == [False]
    assert inner(2.0) == 6.0
    assert coded(inner) == wrapped(inner) == [True]


def test_it_is_right_from_python_too_and_kernels_stay_right():
    inner, outer, each = functions()
    assert outer(2.0) == 7.0
    assert [inner(5.0), inner(5), outer(3.0)] == [15.0, 15, 10.0]
    assert coded(inner) == [True, True]
    values = np.arange(100.0)
    with parallel_region():
        each(values)
    assert (values == 3 * np.arange(100.0)).all()


def test_its_errors_are_those_of_the_kernel():
    inner, outer, _ = functions()
    for function in (outer, inner, outer):
        with pytest.raises(ValueError, match="below zero"):
            function(-1.0)


def test_a_parallel_kernel_may_be_the_first_caller():
    inner, outer, each = functions()
    values = np.arange(100.0)
    with parallel_region():
        each(values)
    assert (values == 3 * np.arange(100.0)).all()
    assert coded(inner) == [False]
    assert [outer(1.0), inner(1.0)] == [4.0, 3.0]


def test_bodies_of_parallel_loops_have_no_code_of_their_own(monkeypatch):
    """They did where Numba's name of their module was taken for another package's: a sixth of compiling FDTD."""
    asked, address = [], JITCodeLibrary.get_pointer_to_function

    def asking(self, name):
        asked.append(self.name)
        return address(self, name)

    monkeypatch.setattr(JITCodeLibrary, "get_pointer_to_function", asking)
    values = np.arange(100.0)
    with parallel_region():
        functions()[2](values)
    assert "functions.<locals>.each" in asked
    assert not [name for name in asked if name.startswith(wrappers.LOOP)]


def test_what_is_kept_on_disk_is_whole(tmp_path):
    """A function that a kernel compiled, and that another process calls: it is not compiled anew."""
    (tmp_path / "kernels.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef inner(x):\n    return 3 * x\n"
        "@njit(cache=True)\ndef middle(x):\n    return inner(x) + 1\n"
        "@njit(cache=True)\ndef outer(x):\n    return middle(x)\n"
        "@njit\ndef between(x):\n    return middle(x)\n"
        "@njit(cache=True)\ndef later(x):\n    return between(x) + 1\n",
        "utf-8",
    )
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    environment.pop("NUMBA_CACHE_DIR", None)

    def told(call: str) -> list[str]:
        program = (
            f"import engines.backend.threads, kernels; print(*({call},), sum(kernels.inner.stats.cache_hits.values()))"
        )
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert told("kernels.outer(2)") == ["7", "0"]
    assert told("kernels.outer(2), kernels.inner(4)") == ["7", "12", "1"]
    assert told("kernels.later(2), kernels.middle(3)")[:2] == ["8", "10"], "a kernel that finds there what it calls"


def test_python_and_a_kernel_may_ask_at_once():
    inner, outer, _ = functions()
    found = {}

    def ask(name, function):
        found[name] = function(2.0)

    threads = [
        threading.Thread(target=ask, args=pair) for pair in (("outer", outer), ("inner", inner), ("outer", outer))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"outer": 7.0, "inner": 6.0}


def test_another_numba_compiles_as_it_always_does():
    """Its inner workings may be others."""
    program = (
        "import numba; numba.__version__ = '0.70.0'\n"
        "import engines.backend.threads\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "print(hasattr(Dispatcher.compile, '__wrapped__'))"
    )
    command = [sys.executable, "-c", program]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == "False\n"


MODULE = """
import numpy as np
from numba import njit
import engines.backend.threads

@njit(nogil=True, cache=True)
def bits(key, i):
    z = (key + np.uint64(i)) * np.uint64(0xBF58476D1CE4E5B9)
    return z ^ (z >> np.uint64(31))

@njit(nogil=True, cache=True)
def inner(key, values):
    for i in range(len(values)):
        values[i] = bits(key, i) & np.uint64(7)

@njit(nogil=True)
def between(key, values):
    inner(key, values)

@njit(nogil=True, cache=True)
def outer(key, values):
    between(key, values)

values = np.zeros(4, np.int64)
outer(np.uint64(5), values)
print(*values)
"""


def test_a_kernel_is_compiled_anew_around_functions_from_the_disk(tmp_path):
    """As after an edit of the file of one of them: those that are linked in are told of Python only when wanted."""
    path = tmp_path / "kernels_of_a_test.py"
    path.write_text(MODULE, "utf-8")
    place = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    for _ in range(2):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=place, check=False)
        assert (done.returncode, done.stdout) == (0, "6 3 0 1\n"), done.stderr
        kept = [each for each in (tmp_path / "cache").rglob("*.nb?") if ".outer-" in each.name]
        assert kept
        for each in kept:
            each.unlink()


def test_functions_of_other_packages_are_compiled_as_ever():
    """py-pde hands its own over, in a process that has engines too: their entries are called by whoever holds them."""

    def add(x):
        return x + 1.0

    add.__module__ = "elsewhere.kernels"
    inner = njit(add)

    @njit
    def outer(x):
        return inner(x)

    assert outer(2.0) == 3.0
    (compiled,) = inner.overloads.values()
    assert compiled.entry_point(2.0) == 3.0
