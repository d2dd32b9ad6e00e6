"""Kernels that other processes compile meanwhile: found by whoever asks, and no worse for a process that fails."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core import types
from numba.np import numpy_support

from engines.backend.compile.beside import PROCESSES
from engines.backend.compile.kinds import kind_of, told_kind
from engines.backend.threads import WAITING

ROOT = Path(__file__).parents[3]
COUNT = 12

KERNELS = """
import numpy as np
from numba import njit
""" + "".join(
    f"""
@njit(cache=True)
def kernel_{number}(values):
    total = 0.0
    for i in range(len(values)):
        for j in range({number + 2}):
            total += np.sqrt(abs(values[i]) + j) * np.cos(values[i] * {number + 1}) / (1.0 + np.exp(-values[i]))
    return total
"""
    for number in range(COUNT)
)

PROGRAM = """
import os, sys, time
import numpy as np
import engines.backend.cpu
import kernels
from engines.backend.compile import beside
from engines.backend.compile.expecting import expect
from engines.backend.compile.listed import listed
from numba import types

beside.processes_wanted = lambda: int(os.environ["WORKBENCH_COMPILERS"])
asked = [getattr(kernels, f"kernel_{n}") for n in range(%d)]
expect(lambda: [listed(each, (types.Array(types.float64, 1, "C"),)) for each in asked])
%s
print(*(repr(each(np.arange(3.0))) for each in asked))
print(sum(sum(each.stats.cache_hits.values()) for each in asked))
"""


@pytest.fixture
def run(tmp_path):
    """Ask for all kernels in a process of its own: their results, and how many were found on the disk."""
    (tmp_path / "kernels.py").write_text(KERNELS, "utf-8")
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}",
        "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
    }

    def ask(processes, first="", wait=True):
        command = [sys.executable, "-c", PROGRAM % (COUNT, first)]
        given = environment | {PROCESSES: str(processes)}
        if not wait:
            return subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True)
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=True, timeout=240)
        results, hits = done.stdout.splitlines()[-2:]
        return results, int(hits)

    return ask


SLOW = """
asked[0](np.arange(3.0))
ends = time.monotonic() + 150
places = beside._beside._place.values()
while time.monotonic() < ends and sum(place is beside._Is.DONE for place in places) < len(asked) - 1:
    time.sleep(0.05)
"""
"""The first process has much else to do, after its first kernel."""


def test_what_others_compile_is_found_and_is_the_same(run, tmp_path):
    results, hits = run(2, SLOW)
    assert hits == COUNT - 1
    assert run(0) == (results, COUNT)
    (tmp_path / "kept").rename(tmp_path / "before")
    assert run(0) == (results, 0)


KILLED = """
def kill():
    while not beside._beside._processes:
        time.sleep(0.01)
    time.sleep(0.5)
    beside._beside._processes[0].kill()
import threading
threading.Thread(target=kill, daemon=True).start()
"""
STOPPED = KILLED.replace("_processes[0].kill()", "_processes[0].send_signal(19)") + "beside.LONGEST = 1.0\n"
UNKEPT = """
beside.BEGIN = beside.BEGIN.replace("serve()", '''
from engines.backend.compile import numba_cache
def refuse(*_): raise OSError(28, "No space left on device")
numba_cache._save = refuse
from numba.core.caching import IndexDataCacheFile
import engines.backend.cpu
IndexDataCacheFile._save_data = refuse
serve()''')
"""


@pytest.mark.parametrize(
    "first",
    [
        "sys.executable = '/nowhere/python'",
        "beside.BEGIN = 'raise SystemExit(1)'",
        KILLED,
        pytest.param(STOPPED, marks=pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")),
        UNKEPT,
        "import engines.backend.compile.listed as l; expect(lambda: 1 / 0)",
    ],
    ids=["no Python", "ends at once", "killed", "stopped", "keeps nothing", "a wrong list"],
)
def test_a_process_that_fails_costs_time_alone(run, first):
    results, _ = run(1, first)
    assert run(0) == (results, COUNT)


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


BEGUN = """
asked[0](np.arange(3.0))
while not beside._beside._processes:
    time.sleep(0.01)
print(beside._beside._processes[0].pid, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", ["", "os._exit(0)", "os.kill(os.getpid(), 9)", "time.sleep(60)"])
def test_none_is_left_and_each_waits_as_the_first(run, end):
    with run(1, BEGUN + end, wait=False) as process:
        other = int(process.stdout.readline())
        told = Path(f"/proc/{other}/environ").read_bytes().decode().split("\0")
        assert any(line.startswith(tuple(f"{name}=" for name in WAITING)) for line in told)
        if "sleep" in end:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    ends = time.monotonic() + 20
    while alive(other) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not alive(other)


TOGETHER = """
import sys
import engines.backend.cpu
import kernels
from numba import types
for number in range(16):
    if sys.argv[1] == "all" or number % 4 == int(sys.argv[1]):
        for order in "CFA":
            kernels.small.compile((types.Array(types.float64, number // 2 + 1, order, readonly=number % 2 == 1),))
print(sum(kernels.small.stats.cache_misses.values()))
"""


def test_four_that_compile_one_kernel_for_different_arguments_lose_none(tmp_path):
    (tmp_path / "kernels.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef small(x):\n    return x.size\n", "utf-8"
    )
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}",
        "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
    }
    command = [sys.executable, "-c", TOGETHER]
    several = [subprocess.Popen([*command, str(part)], env=environment, stdout=subprocess.PIPE) for part in range(4)]
    for each in several:
        each.communicate(timeout=240)
    done = subprocess.run([*command, "all"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


ROW = np.dtype([("rate", "f4"), ("kind", "u1")], align=True)


@pytest.mark.parametrize(
    "kind",
    [
        types.int64,
        types.Array(types.float32, 2, "A", readonly=True),
        types.UniTuple(types.float64, 3),
        types.Tuple((types.boolean, types.none)),
        types.Omitted(1.5),
        types.Array(numpy_support.from_dtype(ROW), 1, "C"),
    ],
    ids=str,
)
def test_a_type_that_was_told_is_the_same(kind):
    assert kind_of(json.loads(json.dumps(told_kind(kind)))) == kind


def test_what_no_other_process_could_know_is_not_told():
    with pytest.raises(ValueError, match="cannot be told"):
        told_kind(types.List(types.float64))
