"""Loops in parts: that together they are the loop."""

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
