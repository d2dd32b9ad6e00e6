"""Steps beside what reacts: those chosen by themselves come near the exponential, own ones that do not are told."""

import math

import numpy as np
import pytest

from engines.stencil.equations.accuracy import APART, longest_step, relative_error
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import CLOSED, built, plane, typed, values

METHODS = ("Euler", "AB2", "IMEX", "RK4")
DECAY = {
    "Euler": "du/dt = -k*u", "AB2": "du/dt = -k*u", "RK4": "du/dt = -k*u", "IMEX": "du/dt = D*laplacian(u) - k*u",
}  # fmt: skip


def reacting(method, start="1", k=5.0, step=None):
    numbers = {"D": 1.0, "k": k} if "D" in DECAY[method] else {"k": k}
    return DECAY[method], {"u": start}, numbers, plane(12, 8, 10.0, 10.0), method, "fp64", CLOSED, step


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [0.5, 5.0])
def test_steps_chosen_by_themselves_come_near_a_decay(cpu, method, k):
    """e^{−kt} after three times 1/k; the first step of methods that know two is one of Euler's."""
    simulation = built(cpu, *reacting(method, k=k))
    simulation.advance(round(3 / k / simulation.dt))
    right = math.exp(-k * simulation.time)
    assert values(simulation).mean() == pytest.approx(right, rel=4 * APART)
    assert not TypedProblem(typed(*reacting(method, k=k)), cpu).findings


@pytest.mark.parametrize("method", ["AB2", "RK4"])
def test_steps_chosen_by_themselves_follow_what_swings(cpu, method):
    """Klein and Gordon's equation at k = 0, of which friction is what AB2 needs: a tenth of a radian in each."""
    lines = ("du/dt = 3*v - 0.05*u", "dv/dt = -3*u - 0.05*v")
    simulation = built(cpu, lines, {"u": "1", "v": "0"}, None, plane(6, 5), method)
    simulation.advance(round(2 / simulation.dt))
    time = simulation.time
    right = math.exp(-0.05 * time) * math.cos(3 * time)
    assert values(simulation).mean() == pytest.approx(right, abs=6 * APART)


@pytest.mark.parametrize(("method", "step"), [("Euler", 0.36), ("AB2", 0.18), ("IMEX", 0.2), ("RK4", 0.5)])
def test_own_steps_that_are_stable_and_wrong_are_told_with_what_is_short_enough(cpu, method, step):
    (told,) = TypedProblem(typed(*reacting(method, step=step)), cpu).findings
    assert f"With steps of {step:g} s what reacts at 5/s" in told.message
    assert told.distorts
    assert told.place == ("numerics", "step")
    shorter = told.remedy.changes["numerics", "step"]
    assert not TypedProblem(typed(*reacting(method, step=shorter)), cpu).findings
    assert 5 * shorter == pytest.approx(longest_step(method, np.array([-1.0 + 0j])), rel=0.05)


def test_a_growth_in_long_steps_is_told(cpu):
    (told,) = TypedProblem(typed("du/dt = u*(1 - u)", {"u": "1e-3"}, step=0.9), cpu).findings
    assert "reacts at 0.998/s" in told.message
    assert told.distorts


def test_diffusion_alone_limits_no_step_by_what_reacts(cpu):
    posed = TypedProblem(typed("du/dt = div((1 + 0.5*sin(x))*grad(u))", {"u": "noise(1)"}), cpu)
    assert posed.step == pytest.approx(0.9 * posed.limit)
    assert not posed.findings


def test_implicit_diffusion_is_followed_across_the_grid(cpu):
    """The longest wave between closed sides decays at D (π/L)²: here 31.6/s, where a second would be a step."""
    wave = {"u": "cos(pi*x/10)"}
    simulation = built(
        cpu, "du/dt = 320*laplacian(u)", wave, None, plane(40, 4, 10.0, 1.0), "IMEX", "fp64", CLOSED
    )  # fmt: skip
    simulation.advance(round(2 / 31.6 / simulation.dt))
    right = math.exp(-320 * (math.pi / 10) ** 2 * simulation.time)
    assert np.abs(values(simulation)).max() == pytest.approx(right, rel=0.1)


@pytest.mark.parametrize("method", METHODS)
def test_the_error_is_that_of_the_method_in_a_run(cpu, method):
    """relative_error beside a field that decays, over many steps so that the first one does not count: 1 % of it."""
    z, k = 0.3, 5.0
    simulation = built(cpu, *reacting(method, k=k, step=z / k))
    simulation.advance(20)
    before = values(simulation).mean()
    simulation.advance(20)
    of_step = (values(simulation).mean() / before) ** (1 / 20)
    assert abs((of_step / math.exp(-z)) ** (1 / z) - 1) == pytest.approx(
        float(relative_error(method, np.array([-z + 0j]))[0]), rel=0.01, abs=1e-7
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_change_during_a_run_that_makes_its_steps_wrong_is_told_until_it_is_taken_back(cpu, method):
    """Of steps that the run has chosen itself: they stay as they are."""
    simulation = built(cpu, *reacting(method, k=1.0))
    place = "equation.parameters.1.value" if method == "IMEX" else "equation.parameters.0.value"
    simulation.advance(3)
    assert not simulation.of_changes()
    begun = simulation.state()
    simulation.set_control(place, 1.5)
    (told,) = simulation.of_changes()
    rates = np.array([-1.5 + 0j])
    off = float(relative_error(method, rates * simulation.dt)[0])
    assert off > APART
    assert f"reacts at 1.5/s as the fields are now is {off:.0%} off" in told.message
    assert (told.severity, told.place, told.distorts) == ("warning", ("numerics", "step"), True)
    assert told.remedy.changes["numerics", "step"] == pytest.approx(longest_step(method, rates), rel=0.05)
    changed = simulation.state()
    simulation.restore(begun)
    assert not simulation.of_changes()
    simulation.restore(changed)
    assert simulation.of_changes() == (told,)
    simulation.set_control(place, 1.0)
    assert not simulation.of_changes()


def test_steps_that_were_told_to_be_wrong_before_a_run_are_not_told_again_until_a_change(cpu):
    """The estimate says it of what the run begins with."""
    simulation = built(cpu, *reacting("Euler", step=0.3))
    assert not simulation.of_changes()
    simulation.set_control("equation.parameters.0.value", 5.5)
    assert "reacts at 5.5/s" in simulation.of_changes()[0].message
