"""Weights that change: the window of pairs against its formula, bounds, both backends bit for bit."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built

FAST, SLOW = 0.2, 20.0


def pair(sender, target, rule="additive", weight=0.5):
    """A synapse between two neurons that fire once, at given steps: both are pulled up from where they begin."""

    def neuron(name, step):
        # u falls from u0 to 20 mV below the pull: u0 = 20 e^(t/τ), t in the middle of the step
        start = -50 - (20 * np.exp((step + 0.5) * 0.1 / 20) - 20)
        return {
            "name": name,
            "number": 1,
            "neuron": {"kind": "lif", "resting_voltage": -30.0, "refractory_time": 900.0},
            "start": {"kind": "uniform", "lowest": start, "highest": start},
        }

    stdp = {"kind": "stdp", "rule": rule, "potentiation": 0.1, "depression": 0.05, "potentiation_time": 17.0,
            "depression_time": 34.0, "lowest": 0.0, "highest": 1e-6}  # fmt: skip
    return SpikingParameters.model_validate(
        {
            "populations": [neuron("pre", sender), neuron("post", target)],
            "connections": [
                {
                    "source": "pre",
                    "target": "post",
                    "rule": {"kind": "one to one"},
                    "weight": {"kind": "constant", "weight": weight * 1e-6},
                    "plasticity": stdp,
                }
            ],
        }
    )


@pytest.mark.parametrize("rule", ["additive", "multiplicative"])
@pytest.mark.parametrize("gap", [-120, -30, -1, 0, 1, 30, 120])
def test_the_window_is_exponential(gap, rule):
    """One pair of spikes; a weight of 1e-6 mV moves nothing else. float32: a few 6e-8 a step in the traces."""
    sender, target = (200, 200 + gap) if gap >= 0 else (200 - gap, 200)
    net, *_ = built(pair(sender, target, rule), CpuBackend())
    net.advance(400)
    np.testing.assert_array_equal(net.arrays["last"], [sender, target])
    time = abs(gap) * 0.1
    change = 0.1 * np.exp(-time / 17) if gap > 0 else -0.05 * np.exp(-time / 34)
    if gap == 0:
        change = 0.0
    elif rule == "multiplicative":
        change *= 0.5  # what is left to the bound, from the middle
    assert net.arrays["weights_0"][0] == pytest.approx((0.5 + change) * 1e-6, rel=1e-5)


@pytest.mark.parametrize(("gap", "weight", "expected"), [(1, 0.95, 1.0), (-1, 0.02, 0.0)])
def test_weights_stay_between_their_bounds(gap, weight, expected):
    net, *_ = built(pair(max(200, 200 - gap), max(200, 200 + gap), weight=weight), CpuBackend())
    net.advance(300)
    assert net.arrays["weights_0"][0] == pytest.approx(expected * 1e-6, abs=1e-13)


def driven(rule, seed=1):
    """Song, Miller and Abbott's neuron: 300 sources drive one population through weights that change."""
    stdp = {"kind": "stdp", "rule": rule, "potentiation": 0.05, "depression": 0.0525, "highest": 4.0}
    return SpikingParameters.model_validate(
        {
            "populations": [
                {"name": "sources", "number": 300, "neuron": {"kind": "poisson", "rate": 30.0}},
                {"name": "driven", "number": 20, "neuron": {"kind": "lif", "resting_voltage": -60.0}},
            ],
            "connections": [
                {
                    "source": "sources",
                    "target": "driven",
                    "rule": {"kind": "probability", "probability": 0.8},
                    "weight": {"kind": "normal", "weight": 2.0, "spread": 0.3},
                    "delay": {"kind": "constant", "delay": 1.0},
                    "plasticity": stdp,
                },
                {"source": "driven", "target": "driven", "weight": {"kind": "constant", "weight": 0.5}},
            ],
            "numerics": {"seed": seed},
        }
    )


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("rule", ["additive", "multiplicative"])
def test_both_backends_give_the_same_bits(rule, own_cache):
    from tests.cuda_on_host.backend import HostCudaBackend

    one, other = (built(driven(rule), backend)[0] for backend in (CpuBackend(), HostCudaBackend()))
    before = one.arrays["weights_0"].copy()
    for steps in (1, 300):
        one.advance(steps)
        other.advance(steps)
    assert one.arrays["population_spikes"][1] > 20
    assert (one.arrays["weights_0"] != before).mean() > 0.5
    for name, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[name], err_msg=name)


@pytest.mark.slow
def test_additive_competition_splits_the_weights():
    """Brian's example after Song, Miller and Abbott (2000), for 100 s: weights leave the middle for both ends."""
    stdp = {"kind": "stdp", "potentiation": 0.01, "depression": 0.0105, "highest": 0.01}
    neuron = {
        "kind": "lif conductance", "membrane_time": 10.0, "resting_voltage": -74.0, "threshold": -54.0, "reset": -60.0,
        "refractory_time": 0.0,
    }  # fmt: skip
    given = SpikingParameters.model_validate(
        {
            "populations": [
                {"name": "sources", "number": 1000, "neuron": {"kind": "poisson", "rate": 15.0}},
                {"name": "driven", "number": 1, "neuron": neuron},
            ],
            "connections": [
                {
                    "source": "sources",
                    "target": "driven",
                    "rule": {"kind": "all to all"},
                    "weight": {"kind": "normal", "weight": 0.005, "spread": 0.5},
                    "plasticity": stdp,
                }
            ],
        }
    )
    net, *_ = built(given, CpuBackend())
    net.advance(1_000_000)
    low, middle, high = np.histogram(net.arrays["weights_0"] / 0.01, [0, 1 / 3, 2 / 3, 1 + 1e-6])[0]
    assert net.arrays["spikes"][-1] > 100
    assert middle < min(low, high)


def test_inhibitory_weights_do_not_change():
    given = pair(10, 20)
    connection = given.connections[0]
    connection.weight.weight = -1.0
    with pytest.raises(ProblemError, match="Weights that change are positive"):
        built(given, CpuBackend())
