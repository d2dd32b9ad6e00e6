"""Gray-Scott on the CPU against the float64 reference, and what the model itself says."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.stencil.gray_scott.forward_euler import GRAY_SCOTT
from engines.stencil.parameters import GrayScott, OwnRates
from engines.stencil.setup.reaction import FIRST, SPAN, STEP, error_of, off_by, reaction_findings
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


@pytest.mark.parametrize("step", [2.5, 1.0, 0.2])
def test_what_a_step_does_to_the_reaction_is_told(cpu, step):
    """Without gradients these are two ordinary equations: LSODA at 1e-11. What the run is off by, at most, is what is
    told of the step (8.1, 3.0 and 0.6 %); the step that is proposed leaves 0.5 %."""
    feed, kill = 0.04, 0.06
    times = np.arange(1, round(SPAN / step) + 1) * step
    exact = solve_ivp(
        lambda t, y: [-y[0] * y[1] ** 2 + feed * (1 - y[0]), y[0] * y[1] ** 2 - (feed + kill) * y[1]],
        (0, SPAN), FIRST, "LSODA", times, rtol=1e-11, atol=1e-12,
    ).y[1]  # fmt: skip
    now, seen = [np.full((4, 4), value) for value in FIRST], []
    for _ in times:
        (*now,), _ = advanced(cpu, *now, sides("periodic", "insulated"), 1, feed=feed, kill=kill, dt=step)
        seen.append(now[1][0, 0])
    off = np.abs(np.array(seen) - exact).max() / exact.max()
    assert error_of(feed, kill, step) == pytest.approx(off, rel=1e-3)
    equation = GrayScott(reaction=OwnRates(feed=feed, kill=kill))
    found = reaction_findings(equation, step)
    assert off_by(equation, step).value == pytest.approx(100 * off, rel=1e-3)
    assert bool(found) == (off > 0.05)
    for each in found:
        assert f"{100 * off:.2g} % off" in each.message
        assert error_of(feed, kill, each.remedy.changes[STEP]) <= 0.005


def test_the_error_of_a_step_is_known_at_once_however_short_or_long_it_is():
    assert error_of(0.04, 0.06, 0.005) == pytest.approx(error_of(0.04, 0.06, 0.01) / 2)
    assert 0 < error_of(0.04, 0.06, 1e-12) < 1e-11
    assert error_of(0.04, 0.06, 1e30) == 1.0
