"""Time late in a run: whole steps, and sines that keep their phase, where float32 has neither; and alike on a GPU."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.clock import COUNTED
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.typed.models import numbers
from tests.engines.spiking.typed.synapses.models import own

STEP, BASE = 0.125, 2.0**21
"""ms; t of :data:`COUNTED` steps."""
LATE = (0, COUNTED - 3, COUNTED + 7, (1 << 28) + 11)
FOLLOWS = "dv/dt = (sin(t/(8*ms)) - v)/dt : 1", "du/dt = (t/ms - base - u)/dt : 1"
"""By Euler's method: what they are after a step is the first term at its begin."""


def network(begun, backend):
    """Neurons of v and u, and synapses with the same g and h, and one whose sum follows the clock."""
    neuron = {
        "kind": "own equations", "method": "euler", "threshold": "", "reset": "", "refractory": "", "excitatory": "",
        "inhibitory": "", "starts": "", "parameters": numbers(base=(BASE, "1")),
        "lines": [*FOLLOWS, "dc/dt = (where(t >= (base + 0.75)*ms, 1, 0) + abs(min(-t, 0*ms))/ms - base - c)/dt : 1",
                  "s : 1 (summed)"],
    }  # fmt: skip
    synapse = own({
        "lines": ["w : 1", *(line.replace("dv", "dg").replace("v)", "g)").replace("du", "dh").replace("u)", "h)")
                             + " (clock-driven)" for line in FOLLOWS), "s_post = t/ms - base : 1 (summed)"],
        "on_pre": [], "on_post": [], "starts": "", "parameters": numbers(base=(BASE, "1")),
    }, method="euler")  # fmt: skip
    given = {
        "populations": [{"name": "cells", "number": 5, "neuron": neuron}],
        "connections": [{"source": "cells", "target": "cells", "rule": {"kind": "all to all"}, "plasticity": synapse,
                         "delay": {"kind": "none"}, "weight": {"kind": "constant", "weight": 1.0}}],
        "numerics": {"step": STEP},
    }  # fmt: skip
    net = built(SpikingParameters.model_validate(given), backend)[0]
    net.arrays["clock"][0] = begun
    net.advance(1)
    return net


def rows(net):
    return {name: np.array(values) for name, values in net.arrays.items()}


@pytest.mark.parametrize("begun", LATE)
def test_time_is_that_of_whole_steps_at_any_time(begun):
    """t/ms and the sine of begun/64, to some roundings of them."""
    net = network(begun, CpuBackend())
    time = begun * STEP
    for v, u in (("voltage", "recovery"), ("synapses_0_g", "synapses_0_h")):
        np.testing.assert_allclose(net.arrays[v], np.sin(time / 8), atol=1e-5)  # v begins at -65
        np.testing.assert_allclose(net.arrays[u], time - BASE, rtol=1e-6)
    c, s = net.arrays["more"]
    np.testing.assert_allclose(c, (time >= BASE + 0.75) + time - BASE, rtol=1e-6)
    each = s / (time - BASE)
    np.testing.assert_allclose(each, round(float(each[0])), rtol=1e-6)
    assert each[0] > 3


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("begun", LATE)
def test_a_gpu_has_the_same_bits(begun):
    from tests.cuda_on_host.backend import HostCudaBackend

    cpu, cuda = (rows(network(begun, backend())) for backend in (CpuBackend, HostCudaBackend))
    for name, values in cpu.items():
        np.testing.assert_array_equal(values, cuda[name], err_msg=name)
