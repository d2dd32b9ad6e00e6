"""What a step does to intervals: as the kernels have it, and as the estimate says it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.neurons.accuracy import SPIKES, intervals, on_grid
from engines.spiking.neurons.equations import MODELS, SYNAPSES
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley, Lif
from tests.engines.spiking.network.test_network import built
from workbench.project.parameter_files import with_values

NEURONS = {"adaptive exponential": AdaptiveExponential(), "hodgkin-huxley": HodgkinHuxley()}


def alone(kind: str, current: float, step: float = 0.1) -> dict:
    population = {"name": "one", "number": 1, "neuron": {"kind": kind}, "external": {"current": current}}
    rest = NEURONS[kind].resting_voltage
    population["start"] = {"kind": "uniform", "lowest": rest, "highest": rest}
    return {"populations": [population], "connections": [], "numerics": {"step": step}}


@pytest.mark.parametrize(("kind", "current"), [("adaptive exponential", 1500.0), ("hodgkin-huxley", 600.0)])
def test_the_error_is_that_of_the_kernels(backend, kind, current):
    """The same mean interval, within a step at either end; at 0.1 ms it is within 0.2 %."""
    net, *_ = built(SpikingParameters.model_validate(alone(kind, current)), backend)
    net.advance(1200)
    fired = np.nonzero(net.arrays["history"])[0][:SPIKES]
    found = intervals(NEURONS[kind], 0.1, current)
    assert len(fired) == SPIKES
    assert abs(found.stepped * (SPIKES - 1) - (fired[-1] - fired[0]) * 0.1) <= 0.1
    assert abs(found.error) < 2e-3


@pytest.mark.parametrize("held", [0.0, 2.0])
def test_adaptive_neurons_fire_when_an_ode_solver_says(held):
    """Each of the first spikes in its step of 0.1 ms, or beside it, with a refractory time or without; the equations
    are those of ``equations.py`` by LSODA, tolerance 1e-10. Euler's method at such steps is late by 3 of them at the
    fifth spike."""
    neuron, current = AdaptiveExponential(refractory_time=held), 1500.0
    model = MODELS[neuron.kind]
    given = {name: getattr(neuron, name) for name in model.parameters} | {"current": current, "conducts": 1.0}
    given |= dict.fromkeys(SYNAPSES, 0.0)
    rates = model.program("rate of v", "rate of w")

    def slope(t, y):
        return [float(rate) for rate in rates(given | {"v": min(y[0], neuron.peak), "w": y[1]})]

    def passes(t, y):
        return y[0] - neuron.peak

    passes.terminal = True
    now, first, times = 0.0, [neuron.resting_voltage, 0.0], []
    for _ in range(5):
        found = solve_ivp(slope, (now, now + 100), first, method="LSODA", rtol=1e-8, atol=1e-8, events=passes)
        times.append(found.t_events[0][0])
        w, steady = found.y_events[0][0][1] + neuron.jump, neuron.adaptation * (neuron.reset - neuron.resting_voltage)
        first = [neuron.reset, steady + (w - steady) * np.exp(-held / neuron.adaptation_time)]
        now = times[-1] + held
    values = alone(neuron.kind, current)
    values["populations"][0]["neuron"]["refractory_time"] = held
    net, *_ = built(SpikingParameters.model_validate(values), CpuBackend())
    net.advance(round(times[-1] / 0.1) + 2)
    fired = np.nonzero(net.arrays["history"])[0]
    np.testing.assert_allclose((fired + 0.5) * 0.1, times, atol=0.06)


def test_the_error_falls_with_the_square_of_the_step():
    long, short = (intervals(AdaptiveExponential(), step, 3000.0).error for step in (0.4, 0.2))
    assert long > 2.9 * short > 0


def test_a_step_that_stretches_intervals_is_told_with_one_that_does_not():
    """Spikes of a millisecond are lost between steps of that."""
    engine, cpu = SpikingEngine(), CpuBackend()
    values = alone("hodgkin-huxley", 800.0, 1.0)
    (told,) = engine.estimate(Problem(SpikingParameters.model_validate(values)), cpu).findings
    assert told.place == ("numerics", "step")
    assert "% too long" in told.message
    mended = with_values(values, told.remedy.changes)
    assert mended["numerics"]["step"] == 0.1
    estimate = engine.estimate(Problem(SpikingParameters.model_validate(mended)), cpu)
    assert not estimate.findings
    (fact,) = (each for each in estimate.facts if each.title == "Intervals of one too long by")
    assert fact.unit == "%"
    assert 0 < fact.value < 0.2


@pytest.mark.parametrize(
    ("current", "held", "exact"), [(12.0, 2.0, 23.40066), (30.0, 2.0, 7.59616), (100.0, 0.0, 3.08301)]
)
def test_leaky_neurons_fire_on_the_grid_of_steps(backend, current, held, exact):
    """The run has the interval that is told, which is within a step of τ ln((I + 5)/(I − 10)) and the refractory
    time; it is told from 0.5 % on, with steps that put it off by less."""
    neuron = {
        "kind": "lif", "membrane_time": 10.0 if held else 20.0, "resting_voltage": -65.0, "threshold": -55.0,
        "reset": -70.0, "refractory_time": held,
    }  # fmt: skip

    def one(step: float) -> Problem:
        population = {"name": "one", "number": 1, "neuron": neuron, "external": {"current": current}}
        given = {"populations": [population], "connections": [], "numerics": {"step": step}}
        return Problem(SpikingParameters.model_validate(given))

    measured = on_grid(Lif.model_validate(neuron), 0.1, current)
    assert measured.exact == pytest.approx(exact, abs=1e-5)
    assert abs(measured.stepped - exact) < 0.1
    net, *_ = built(one(0.1).parameters, backend)
    net.advance(600)
    np.testing.assert_allclose(np.diff(np.nonzero(net.arrays["history"])[0]) * 0.1, measured.stepped)
    told = [each for each in SpikingEngine().estimate(one(0.1), CpuBackend()).findings if "on the grid" in each.message]
    assert bool(told) == (abs(measured.error) > 0.005)
    for each in told:
        ((_, shorter),) = each.remedy.changes.items()
        assert abs(on_grid(Lif.model_validate(neuron), shorter, current).error) <= 0.005
