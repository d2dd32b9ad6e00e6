"""Steps that a run came to where they are too long are told at its end, though all its numbers are finite."""

import numpy as np
import pytest

from tests.engines.stencil.equations.typed import CLOSED, built, plane, values

GRID = plane(8, 6)


def ended(backend, *given, until, **more):
    simulation = built(backend, *given, grid=GRID, sides=CLOSED, **more)
    while simulation.time < until * (1 - 1e-9):
        simulation.observe()
        simulation.advance(1)
    simulation.observe()
    assert simulation.non_finite() is None
    return simulation


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request, cpu):
    return cpu if request.param == "cpu" else request.getfixturevalue("on_host")


LINE, START, RESTS = "du/dt = 1 - 4*tanh(3*u)", {"u": "-3"}, np.arctanh(0.25) / 3


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
def test_steps_that_were_not_stable(backend, method):
    """Where it begins nothing hangs on u; where it rests λ is −11.25: steps of 0.5 s go round it for ever."""
    run = ended(backend, LINE, START, method=method, step=0.5, until=20)
    (told,) = run.noticed()
    assert "Steps of 0.5 s were not stable at t = " in told.message
    assert told.distorts
    better = ended(backend, LINE, START, method=method, step=told.remedy.changes["numerics", "step"], until=20)
    assert abs(values(run) - RESTS).max() > 0.1
    assert abs(values(better) - RESTS).max() < 1e-6
    assert not [each for each in better.noticed() if "stable" in each.message]


def test_stable_steps_that_were_far_off(cpu):
    """λΔt = −1.4 where it rests: it swings, and comes to rest."""
    run = ended(cpu, LINE, START, step=0.124, until=20)
    (told,) = run.noticed()
    assert "what reacts at 11.2/s as the fields were at t = " in told.message
    assert told.distorts
    better = ended(cpu, LINE, START, step=told.remedy.changes["numerics", "step"], until=20)
    assert not better.noticed()


def test_what_is_told_before_the_run_is_not_told_again(cpu):
    """What decays at 10/s wherever it is."""
    run = ended(cpu, "du/dt = -10*u", {"u": "1"}, step=0.1, until=2)
    assert not run.noticed()


def test_diffusion_that_became_backwards(cpu):
    """Its sign changes where a source brings u to 1."""
    lines = "du/dt = div((1 - u)*grad(u)) + 0.5*where(x > 3, 1, 0.9)"
    (told,) = ended(cpu, lines, {"u": "0.01*x"}, step=0.05, until=2.5).noticed()
    assert "the diffusivity of 'u' is below 0" in told.message
    assert told.message.startswith("At t = 1.9 s")


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
def test_chosen_steps_are_not_told(cpu, method):
    """Of a front of Fisher's, from 0 to 1."""
    run = ended(cpu, "du/dt = laplacian(u) + u*(1 - u)", {"u": "0.01*exp(-x)"}, method=method, until=20)
    assert values(run).min() > 0.99
    assert not run.noticed()
