"""Typed synapses: bit for bit the fixed ones where they say the same, and alike on both backends."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.synapses.connection import typed_connections
from engines.spiking.typed.synapses.cuda_source import kernel_file
from tests.compiled import assert_no_spills
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.typed.synapses.models import FIXED, MODELS, own

WIDE = {"kind": "normal", "delay": 15.0, "spread": 0.6}
UNEVEN = {"kind": "formula", "formula": "clip(6*ms*randn(), 0*ms, 20*ms)"}
"""From a step to more than 255; and half of them without any."""


def late_by(delay):
    return {"kind": "constant", "delay": delay} if delay else {"kind": "none"}


def driven(synapse, delay=1.0, weight=2.0, seed=1, spread=0.3, rate=30.0, number=(300, 20)):
    """Sources that drive leaky neurons through ``synapse``; these send to each other by fixed ones."""
    late = delay if isinstance(delay, dict) else late_by(delay)
    return SpikingParameters.model_validate(
        {
            "populations": [
                {"name": "others", "number": 7, "neuron": {"kind": "lif"}},
                {"name": "sources", "number": number[0], "neuron": {"kind": "poisson", "rate": rate}},
                {"name": "driven", "number": number[1], "neuron": {"kind": "lif", "resting_voltage": -60.0}},
            ],
            "connections": [
                {"source": "driven", "target": "driven", "weight": {"kind": "constant", "weight": 0.5}},
                {
                    "source": "sources", "target": "driven", "rule": {"kind": "probability", "probability": 0.8},
                    "weight": {"kind": "normal", "weight": weight, "spread": spread}, "delay": late,
                    "plasticity": synapse,
                },
            ],
            "numerics": {"seed": seed},
        }
    )  # fmt: skip


STILL = {"kind": "stdp", "potentiation": 0.0, "depression": 0.0, "highest": 8.0}


@pytest.mark.parametrize(("fixed", "spread"), [({"kind": "none"}, 0.0), (STILL, 0.3)])
@pytest.mark.parametrize("delay", [0.0, 0.1, 1.5, 30.0, WIDE, UNEVEN])
def test_a_weight_alone_gives_the_bits_of_fixed_synapses(delay, fixed, spread):
    """Of one quantum, or weights that are whole multiples of 2⁻¹⁶, which are in quanta of either what they are; delays
    of all, or of each."""
    known, typed = (built(driven(each, delay, spread=spread, weight=1.75), CpuBackend())[0]
                    for each in (fixed, own(FIXED, largest=8.0)))  # fmt: skip
    for network in (known, typed):
        network.advance(1000)
    assert known.arrays["spikes"][-20:].min() > 3
    late = known.arrays["events"][0] - typed.arrays["events"][0]  # counted when they arrive
    longest = 40.0 if isinstance(delay, dict) else delay
    assert late == 0 if delay == 0 else 0 <= late < 0.05 * known.arrays["events"][0] * max(longest, 1.0)
    for name in ("voltage", "g_e", "g_i", "last", "spikes", "interval"):
        np.testing.assert_array_equal(known.arrays[name], typed.arrays[name], err_msg=name)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("delay", [0.0, 1.2, WIDE, UNEVEN])
@pytest.mark.parametrize("name", MODELS)
def test_both_backends_give_the_same_bits(name, delay):
    from tests.cuda_on_host.backend import HostCudaBackend

    seed = int(np.random.default_rng().integers(1 << 30))
    given = driven(own(MODELS[name]), delay, seed=seed)
    one, other = (built(given, backend)[0] for backend in (CpuBackend(), HostCudaBackend()))
    before = one.arrays["synapses_1_w"].copy()
    for network in (one, other):
        network.advance(1000 if isinstance(delay, dict) else 400)
    assert one.arrays["population_spikes"][1:].min() > 10  # of any seed; 20 and more of most
    assert name in ("fixed", "short term") or (one.arrays["synapses_1_w"] != before).mean() > 0.5
    for key, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[key], err_msg=f"{key}, seed {seed}")


@pytest.mark.parametrize("name", MODELS)
def test_kernels_compile_and_spill_nothing(name):
    parameters = driven(own(MODELS[name]))
    found = typed_connections(parameters.connections, parameters.populations, 0.1)
    assert_no_spills(kernel_file(found[1].typed), ("-DLATE=0",))
