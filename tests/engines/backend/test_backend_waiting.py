"""Threads that wait sleep: the policy is there before threads start, and what the person set stays.

Read from the environment of fresh processes, whose own has nothing of it, once a parallel kernel has run: the policy
was in force then, for GNU's OpenMP reads it when Numba loads it at that kernel.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.api import KernelTraffic
from engines.backend import threads
from engines.backend.cpu import CpuBackend
from engines.backend.threads import WAITING, WORTH_A_THREAD, core_seconds, threads_for

ROOT = Path(threads.__file__).parents[2]

FIRST_KERNEL = """
import os
import numpy as np

def openmp_is_loaded():
    try:
        with open("/proc/self/maps") as maps:
            return any("omppool" in line or "gomp" in line for line in maps)
    except OSError:  # another system
        return False

from engines.backend import open_backend
backend = open_backend("cpu")
assert not openmp_is_loaded(), "OpenMP was loaded before the policy could be set"
policy = os.environ.get("OMP_WAIT_POLICY")
backend.first_non_finite(np.zeros(8))
assert os.environ.get("OMP_WAIT_POLICY") == policy
print(policy)
"""
COMMAND_LINE = ["-P", "-m", "workbench", "run", "sine_mode", "--device", "cpu", "--until", "0.001", "--out"]


def fresh(arguments: list[str], **settings: str) -> str:
    """Standard output and error of Python with these arguments, and no setting of how threads wait but these."""
    environment = {name: value for name, value in os.environ.items() if name not in WAITING}
    environment |= {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "2", **settings}
    run = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout + run.stderr


def test_python_has_the_policy_before_its_first_parallel_kernel():
    assert fresh(["-c", FIRST_KERNEL]).split() == ["PASSIVE"]


@pytest.mark.skipif(sys.platform != "linux", reason="asks GNU's OpenMP what it was loaded with")
def test_the_command_line_has_the_policy_when_openmp_is_loaded(tmp_path):
    shown = fresh([*COMMAND_LINE, str(tmp_path)], OMP_DISPLAY_ENV="true", NUMBA_THREADING_LAYER="omp")
    if "OMP_WAIT_POLICY" not in shown:
        pytest.skip("this Numba has no layer of OpenMP")
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in shown


def test_what_the_person_set_stays():
    assert fresh(["-c", FIRST_KERNEL], OMP_WAIT_POLICY="active").split() == ["active"]
    for name in set(WAITING) - {"OMP_WAIT_POLICY"}:
        assert fresh(["-c", FIRST_KERNEL], **{name: "0" if name != "KMP_LIBRARY" else "turnaround"}).split() == ["None"]


def test_short_loops_take_one_thread_and_long_ones_all():
    assert threads_for(0.0, 16) == threads_for(1.9 * WORTH_A_THREAD, 16) == 1
    assert threads_for(5.5 * WORTH_A_THREAD, 16) == 5
    assert threads_for(1.0, 16) == 16
    assert threads_for(1.0, 1) == 1


def test_a_core_moves_or_computes_whichever_takes_longer():
    moved = KernelTraffic("step", bytes_read=1_000_000, bytes_written=1_000_000, flops=1)
    computed = KernelTraffic("step", bytes_read=1, bytes_written=1, flops=1_000_000)
    assert core_seconds(moved) == pytest.approx(100e-6)  # 2 MB at 20 GB/s
    assert core_seconds(computed) == pytest.approx(25e-6)  # 10⁶ at 40 Gflop/s


@pytest.mark.parametrize("reserve_core", [False, True])
def test_the_cores_of_a_loop_are_those_of_the_backend_at_most(reserve_core):
    import numba

    backend = CpuBackend(reserve_core)
    with backend.active():
        with backend.cores_for(1e-6):
            assert numba.get_num_threads() == 1
        with backend.cores_for(1.0):
            assert numba.get_num_threads() == backend.threads
        assert numba.get_num_threads() == backend.threads
