"""Inside a parallel region numbers below the smallest normal one are zero, on every thread; outside they are not."""

from __future__ import annotations

import threading

import numba as nb
import numpy as np
import pytest

from engines.backend import denormals
from engines.backend.cpu import CpuBackend
from engines.backend.threads import parallel_region
from engines.stencil.diffusion.forward_euler import DIFFUSION
from engines.stencil.setup.sides import Ghost

SMALL = np.float32(2.0**-126)

pytestmark = pytest.mark.skipif(not denormals.KNOWN, reason="this processor makes denormal numbers at full speed")


@nb.njit(parallel=True, nogil=True)
def halves(values, out):
    for i in nb.prange(len(values)):
        out[i] = values[i] * np.float32(0.5)


def halved() -> set[float]:
    """What half of SMALL, which is no normal number, is on all threads."""
    out = np.empty(64, np.float32)
    halves(np.full(64, SMALL), out)
    return set(out.tolist())


def test_small_numbers_are_zero_inside_alone():
    ordinary = float(SMALL * np.float32(0.5))
    with parallel_region():
        assert halved() == {0.0}
        with parallel_region(1):
            assert halved() == {0.0}
        assert halved() == {0.0}
    assert float(SMALL * np.float32(0.5)) == ordinary > 0


def test_threads_that_were_there_before_flush_too():
    """They belong to the thread that starts loops, and may have been started before."""
    found = []

    def work() -> None:
        halved()
        with parallel_region():
            found.append(halved())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [{0.0}]


def test_an_error_inside_ends_it():
    with pytest.raises(ZeroDivisionError), parallel_region():
        raise ZeroDivisionError
    assert SMALL * np.float32(0.5) > 0


def test_what_is_loaded_stays_as_it_is():
    """Half floats are told by numbers that are not normal (spiking's events)."""
    held = np.full(64, SMALL) * np.float32(0.5)
    out = np.empty_like(held)
    with parallel_region():
        doubles(held, out)
    assert set(out.tolist()) == {float(SMALL)}


@nb.njit(parallel=True, nogil=True)
def doubles(values, out):
    for i in nb.prange(len(values)):
        out[i] = values[i] * np.float32(2.0)


@pytest.mark.parametrize("depth", [1, None])
def test_heat_in_front_of_a_front_is_none(depth):
    """A cold plate beside a hot side: each cell further on had a number that is some digits smaller."""
    backend, n = CpuBackend(), 256
    u, spare = backend.array(np.zeros((n, n), np.float32)), backend.empty((n, n), np.float32)
    hot, cold = Ghost(False, -1.0, 2.0), Ghost(False, -1.0, 0.0)
    step = DIFFUSION.open(backend, (n, n), (0.2, 0.2), ((cold, cold), (hot, cold)), 1.0, "float32", None, depth=depth)
    with backend.active():
        u, spare = step.advance(u, spare, None, 96)
    small = (u != 0) & (np.abs(u) < np.finfo(np.float32).tiny)
    assert not small.any()
    assert (u > 0).sum() > 10 * n
