"""What a step does to intervals: as the kernels have it, and as the estimate says it."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.neurons.accuracy import intervals
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley
from tests.engines.spiking.network.test_network import built
from workbench.project.parameter_files import with_values

NEURONS = {"adaptive exponential": AdaptiveExponential(), "hodgkin-huxley": HodgkinHuxley()}


def alone(kind: str, current: float, step: float = 0.1) -> dict:
    population = {"name": "one", "number": 1, "neuron": {"kind": kind}, "external": {"current": current}}
    rest = NEURONS[kind].resting_voltage
    population["start"] = {"kind": "uniform", "lowest": rest, "highest": rest}
    return {"populations": [population], "connections": [], "numerics": {"step": step}}


@pytest.mark.parametrize(("kind", "current"), [("adaptive exponential", 1500.0), ("hodgkin-huxley", 600.0)])
def test_the_stretch_is_that_of_the_kernels(backend, kind, current):
    """200 ms of one neuron; the measured mean is over the reference's number of spikes, which may be one more."""
    net, *_ = built(SpikingParameters.model_validate(alone(kind, current)), backend)
    net.advance(2000)
    fired = np.nonzero(net.arrays["history"])[0]
    found = intervals(NEURONS[kind], 0.1, current)
    assert found.stepped == pytest.approx((fired[-1] - fired[0]) * 0.1 / (len(fired) - 1), rel=5e-3)
    assert found.error > 0.01


@pytest.mark.parametrize("kind", NEURONS)
def test_the_error_falls_with_the_step(kind):
    """Of first order (AdEx) and of one to two (HH)."""
    errors = [intervals(NEURONS[kind], step, 800.0).error for step in (0.1, 0.05)]
    assert errors[0] > 1.6 * errors[1] > 0


@pytest.mark.parametrize("kind", NEURONS)
def test_a_step_that_stretches_intervals_is_told_with_one_that_does_not(kind):
    engine, cpu = SpikingEngine(), CpuBackend()
    values = alone(kind, 800.0)
    (told,) = engine.estimate(Problem(SpikingParameters.model_validate(values)), cpu).findings
    assert told.place == ("numerics", "step")
    assert "% too long" in told.message
    mended = with_values(values, told.remedy.changes)
    assert mended["numerics"]["step"] < 0.1
    assert not engine.estimate(Problem(SpikingParameters.model_validate(mended)), cpu).findings
