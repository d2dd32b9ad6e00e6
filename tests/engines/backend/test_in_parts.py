"""Loops in parts: that together they are the loop."""

import os
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from engines.backend import threads


@pytest.mark.parametrize("count", [0, 1, threads.LEAST_PART, 10 * threads.LEAST_PART + 3])
def test_parts_are_the_whole_in_order(count, monkeypatch):
    """Each turn of the loop once, and what the parts give back in their order, whichever thread is first."""
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    done = np.zeros(count, np.int64)

    def kernel(first, last, more):
        done[first:last] += more
        return first, last

    parts = threads.in_parts(kernel)(count, 5)
    assert (done == 5).all()
    assert (parts[0][0], parts[-1][1]) == (0, count)
    assert all(before[1] == after[0] for before, after in pairwise(parts))
    assert len(parts) == (1 if count <= threads.LEAST_PART else 8)


def test_planes_are_shared_however_few_they_are(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    assert threads.in_planes(lambda first, last: (first, last))(3) == [(0, 1), (1, 2), (2, 3)]
    assert threads.in_planes(lambda first, last: (first, last))(1) == [(0, 1)]


def test_loops_share_their_threads_and_their_turn_lasts_until_the_last_part(monkeypatch):
    """New threads for each loop take longer than a short loop; a part that fails leaves none of the others behind."""
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    workers, ended = set(), []

    def kernel(first, last):
        workers.add(threading.current_thread())
        time.sleep(0.001)

    def fails(first, last):
        if first == 0:
            raise ValueError("a part")
        time.sleep(0.05)
        ended.append(first)

    for _ in range(5):
        threads.in_planes(kernel)(8)
    assert len(workers) <= 2
    with pytest.raises(ValueError, match="a part"):
        threads.in_planes(fails)(3)
    assert sorted(ended) == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    loop = threads.in_planes(lambda first, last: first)
    assert loop(3) == [0, 1, 2]
    child = os.fork()
    if child == 0:
        os._exit(0 if loop(3) == [0, 1, 2] else 1)
    for _ in range(1000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child waits for threads that it has not")
    assert os.waitstatus_to_exitcode(status) == 0
