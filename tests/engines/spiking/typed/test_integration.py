"""Orders of convergence of the methods, in float64, and that linear equations are exact."""

from functools import cache

import numpy as np
import pytest
import scipy

from engines.api.errors import ProblemError
from engines.spiking.typed.population import populations_of
from engines.spiking.typed.reference import Neurons
from tests.engines.spiking.typed.models import CHANNELS, LIF, RESTING, neuron

UNTIL = 4.0
SILENT = {"threshold": "v > 1*volt", "reset": ""}


@cache
def right():
    return voltage(CHANNELS, "rk4", 0.005, 200.0)


def voltage(model, method, dt, outside):
    """Of one neuron from -65 mV after 4 ms without a spike, all variables."""
    found = populations_of([(neuron({**model, **SILENT}, method=method), 1)], dt)[0]
    one = Neurons(found.typed, found.given, np.array([-65.0]))
    for now in range(round(UNTIL / dt)):
        one.step(now, np.zeros(1), np.zeros(1), outside)
    return np.array([values[0] for values in one.state.values()])


@pytest.mark.parametrize(
    ("method", "order", "steps"),
    [("euler", 1, (0.02, 0.01)), ("exponential euler", 1, (0.04, 0.02)), ("rk4", 4, (0.08, 0.04))],
)
def test_steps_of_half_the_length_are_as_much_better_as_the_order_says(method, order, steps):
    """Hodgkin and Huxley's neuron at 200 pA, in an upstroke, against Runge and Kutta's method at 0.005 ms."""
    errors = [np.abs(voltage(CHANNELS, method, dt, 200.0) - right())[0] for dt in steps]
    assert errors[0] < 5.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(
    ("more", "method", "taken"),
    [
        ("1*mV/ms*int(v > -60*mV)", "auto", "euler"),
        ("1*mV/ms*int(v > -60*mV)", "exact", None),
        ("1*mV/ms*int(t >= 2*ms)", "auto", "exponential euler"),
        ("1*mV/ms*int(t >= 2*ms and t < 3*ms)", "exact", "exact"),
        ("t*mV/ms**2*int(t >= 2*ms)", "exact", None),
    ],
)
def test_what_decides_between_formulas_is_exact_only_of_time_and_only_where_asked_for(more, method, taken):
    lines = [LIF["lines"][0].replace(" : volt", f" + {more} : volt"), *LIF["lines"][1:]]
    given = [(neuron({**LIF, "lines": lines}, method=method), 1)]
    if taken is None:
        with pytest.raises(ProblemError, match="not linear"):
            populations_of(given, 1.0)
    else:
        assert populations_of(given, 1.0)[0].typed.method == taken
    if taken == "exact":  # of a current for 1 ms: e^(−t/τ) from its end on
        alone = voltage({**LIF, "lines": lines}, "exact", 0.5, 0.0)[0] - voltage(LIF, "exact", 0.5, 0.0)[0]
        assert alone == pytest.approx(20 * (np.exp(-1 / 20) - np.exp(-2 / 20)), rel=1e-9)


@pytest.mark.parametrize("model", [LIF, RESTING])
def test_linear_equations_are_exact_at_any_step(model):
    """By scipy's adaptive integration, to its tolerance."""
    found = populations_of([(neuron({**model, **SILENT}), 1)], 1.0)[0]
    names, rates = found.typed.variables, found.typed.model.rates
    from engines.formulas.emit_numpy import Program

    program = Program(list(rates.values()))

    def rate(t, x):
        return program({**found.given, **dict(zip(names, x, strict=True)), "I_ext": 30.0})

    begun = [-65.0, *[0.0] * (len(names) - 1)]
    wanted = scipy.integrate.solve_ivp(rate, (0, UNTIL), begun, rtol=1e-11, atol=1e-11).y[:, -1]
    for dt in (0.1, 1.0, 4.0):
        np.testing.assert_allclose(voltage(model, "exact", dt, 30.0), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "exponential euler", "euler", "rk4"])
def test_a_rate_that_does_not_hang_on_its_variable_adds_up(method):
    """A phase, a counter or calcium: a decay of −0 was divided by."""
    lines = ["dv/dt = 1*mV/ms*cos(t/ms) : volt", "dc/dt = abs(v)/mV/ms : 1"]
    moved = voltage({**RESTING, "lines": lines}, method, 0.001, 0.0) - [-65.0, 0.0]
    at = np.linspace(0.0, UNTIL, 100_001)
    assert moved[0] == pytest.approx(np.sin(UNTIL), abs=2e-3)
    assert moved[1] == pytest.approx(scipy.integrate.trapezoid(np.abs(-65.0 + np.sin(at)), at), rel=1e-3)


def test_variables_go_on_with_what_others_rest_at():
    """The voltage is held at -62 mV after a spike; the adaptation then follows it there."""
    given = {**RESTING, "threshold": "v > -100*mV", "refractory": "50*ms"}
    found = populations_of([(neuron(given), 1)], 0.1)[0]
    one = Neurons(found.typed, found.given, np.array([-65.0]))
    one.step(0, np.zeros(1), np.zeros(1), 0.0)
    begun = one.state["w"][0]
    for now in range(1, 101):
        assert not one.step(now, np.zeros(1), np.zeros(1), 0.0)[0]
    held = 2.0 * (-62.0 + 60.0)
    assert one.state["v"][0] == -62.0
    # the step of the spike counts: 49 steps of 0.1 ms are left of 50 ms for each ms, here 100 of them
    assert one.state["w"][0] == pytest.approx(held + (begun - held) * np.exp(-10.0 / 100.0), rel=1e-9)


def test_a_method_that_the_equations_do_not_allow_is_refused():
    for method, told in (("exact", "not linear in all variables"), ("exponential euler", "not each linear")):
        given = {**CHANNELS, "lines": ["dv/dt = (E_L - v)*(v - E_k)/(ms*mV) : volt"], "starts": "", "refractory": "",
                 "excitatory": "", "inhibitory": "", "method": method}  # fmt: skip
        with pytest.raises(ProblemError, match=told) as caught:
            populations_of([(neuron(given), 1)], 0.1)
        assert caught.value.place == ("populations", 0, "neuron", "method")
