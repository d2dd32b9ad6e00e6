"""Where the threads of ranks are, when somebody asks: without MPI, which passes on the signal and no more."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.ranks.launched import LAUNCHED, stacks_when_asked

RANK = """
import ctypes, sys, threading, time
from workbench.ranks.launched import write_stacks_at_signal
write_stacks_at_signal()

def deeper(depth):
    return depth and deeper(depth - 1)

def move():
    moving.set()
    while True:
        deeper(60)  # what reads threads stops at 100 frames

def keep_the_lock():
    while True:
        ctypes.PyDLL(None).usleep(900_000)

def wait_for_ever():
    while True:
        ctypes.CDLL(None).sleep(600)  # until a signal

moving = threading.Event()
if sys.argv[1] == "moving":
    for _ in range(3):
        threading.Thread(target=move, daemon=True).start()
    moving.wait()
open(sys.argv[2], "w").close()
if moving.is_set():
    wait_for_ever()
keep_the_lock()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize(
    ("kinds", "times", "said"),
    [(["moving"], 150, ["in move"]), (["moving", "stuck"], 1, ["in move", "in keep_the_lock"])],
)
def test_where_ranks_are_is_told_and_they_go_on(tmp_path, capfd, kinds, times, said):
    """Frames that move while they are read ended a rank at one look of some twenty."""
    path = os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])
    started = []
    try:
        for rank, kind in enumerate(kinds):
            own = {**os.environ, "PYTHONPATH": path, LAUNCHED: str(tmp_path), "OMPI_COMM_WORLD_RANK": str(rank)}
            started.append(subprocess.Popen([sys.executable, "-c", RANK, kind, tmp_path / f"at it {rank}"], env=own))
        latest = time.monotonic() + 60
        while len(list(tmp_path.glob("at it *"))) < len(kinds):
            assert time.monotonic() < latest
            time.sleep(0.1)

        def pass_on(number):
            for _ in range(times):
                for each in started:
                    each.send_signal(number)
                time.sleep(0.01)

        with stacks_when_asked(pass_on, tmp_path):
            os.kill(os.getpid(), signal.SIGUSR1)
        assert [each.poll() for each in started] == [None] * len(kinds)
    finally:
        for each in started:
            each.kill()
            each.wait()
    told = capfd.readouterr().err
    for rank, words in enumerate(said):
        assert words in told.split(f"Rank {rank}:")[1].split("Rank ")[0]
