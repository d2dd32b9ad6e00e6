"""Gray-Scott on the CPU against the float64 reference, and what the model itself says."""

from __future__ import annotations

import numpy as np
import pytest

from engines.stencil.gray_scott.forward_euler import GRAY_SCOTT
from engines.stencil.step import reference
from tests.engines.stencil.side_kinds import sides

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}


def advanced(cpu, u, v, ghosts, steps, precision="float64", feed=0.04, kill=0.06, dt=0.8):
    rates_u, rates_v = (0.13, 0.16, 0.1)[: u.ndim], (0.07, 0.08, 0.05)[: u.ndim]
    step = GRAY_SCOTT.open(cpu, u.shape, rates_u, rates_v, ghosts, dt, feed, kill, precision)
    arrays = [np.array(u, precision), np.array(v, precision)]
    spares = [np.full_like(arrays[0], np.nan) for _ in range(2)]
    with cpu.active():
        now = step.advance(*arrays, *spares, steps)
    expected = reference.gray_scott(u, v, rates_u, rates_v, ghosts, dt, feed, kill, steps)
    return now[:2], expected


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kinds", [("periodic", "value"), ("gradient", "mixed"), ("mixed", "periodic", "gradient")])
def test_steps_equal_the_reference(cpu, kinds, precision):
    """6 steps of some 30 roundings of half a unit of values below 2, none of which grow: 200 epsilon."""
    rng = np.random.default_rng(5)
    shape = (5, 7, 9)[-len(kinds) :]
    u, v = rng.uniform(0, 1, shape), rng.uniform(0, 0.4, shape)
    now, expected = advanced(cpu, u, v, sides(*kinds), 6, precision)
    for found, right in zip(now, expected, strict=True):
        assert np.abs(found - right).max() <= 200 * EPSILON[precision]


def test_without_v_nothing_happens(cpu):
    """u = 1, v = 0 is a rest state for all rates, to the last bit."""
    now, _ = advanced(cpu, np.ones((6, 8)), np.zeros((6, 8)), sides("insulated", "periodic"), 50, "float32")
    assert (now[0] == 1).all()
    assert (now[1] == 0).all()


def test_the_sum_relaxes_by_the_law_of_feeding(cpu):
    """With k = 0 and closed sides the reaction only exchanges: S = mean(u + v) follows S' = S + dt F (1 − S) exactly
    (each of 100 steps rounds the mean by less than 1e-16 · 10)."""
    rng = np.random.default_rng(6)
    u, v = rng.uniform(0, 1, (12, 10)), rng.uniform(0, 0.4, (12, 10))
    now, _ = advanced(cpu, u, v, sides("periodic", "insulated"), 100, feed=0.03, kill=0.0)
    start = (u + v).mean()
    expected = 1 + (start - 1) * (1 - 0.8 * 0.03) ** 100
    assert (now[0] + now[1]).mean() == pytest.approx(expected, abs=1e-13)
