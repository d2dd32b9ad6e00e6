"""Statements that read variables of neurons, and spikes of hearers that are late."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.typed.synapses import language
from engines.spiking.typed.synapses.connection import typed_connections
from engines.spiking.typed.synapses.cuda_source import kernel_file
from engines.spiking.typed.synapses.reference import Synapses
from engines.spiking.typed.synapses.state import row_of
from tests.compiled import assert_no_spills
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.typed.models import numbers
from tests.engines.spiking.typed.synapses.models import CELL, own
from tests.engines.spiking.typed.synapses.test_steps import ENGINE, cells

FOLLOWED = {
    **CELL,
    "lines": [*CELL["lines"], "du/dt = (v - u)/(7*ms) : volt"],
    "starts": "v = E_L + 12*mV*rand(); u = E_L",
}
VOLTAGE = {
    "lines": ["w : 1", "dx/dt = -x/tau_x : 1 (event-driven)", "low = clip(u_post/mV + 64, 0, 20) : 1"],
    "on_pre": ["g_e_post += w", "w = clip(w - A_d*low, 0, gmax)", "x += 1", "w += 0.001*clip(v_post/mV + 60, 0, 5)"],
    "on_post": ["w = clip(w + A_p*x*clip(u_post/mV + 62, 0, 9)*clip(v_pre/mV + 66, 0, 9), 0, gmax)"],
    "starts": "w = weight*(1 + 0.1*i)",
    "parameters": numbers(tau_x=(15.0, "ms"), A_d=(0.1, "1"), A_p=(0.02, "1"), gmax=(30.0, "1")),
}  # fmt: skip
"""As that of Clopath et al. (2010): down by the hearer's filtered voltage at spikes that arrive, up at its own."""


def network(backend, synapse=VOLTAGE, delay=0.8, post=0.0, **more):
    given = cells(own(synapse, post_delay=post, largest=8.0), 0.5, 12, 0.1, delay, cell=FOLLOWED, current=260.0, **more)
    return built(given, backend)[0], given


def test_statements_read_what_neurons_have_in_that_step():
    """Against float64, given who fired and what the neurons had: events of either end in turn, some hundred roundings
    of float32 after some hundred events."""
    for delay, post in ((0.0, 0.0), (0.8, 0.0), (0.5, 1.3)):
        net, given = network(CpuBackend(), delay=delay, post=post)
        typed = typed_connections(given.connections, given.populations, 0.1)[0]
        sender, hearer = (each.ravel() for each in np.meshgrid(np.arange(3, 15), np.arange(3, 15), indexing="ij"))
        reference = Synapses(typed.typed, typed.given, np.full(144, 0.5), sender, hearer)
        fired = []
        for now in range(800):
            net.advance(1)
            fired.append(net.arrays["last"] == now)
            read = (row for path in typed.typed.paths for row in path.rows)
            far = {row.name.rpartition("_")[0]: row_of(row.place, net.arrays).astype(float) for row in read}
            for which, late, end in ((0, delay, sender), (1, post, hearer)):
                before = now - round(late / 0.1)
                if before >= 0 and fired[before].any():
                    reference.event(which, now, fired[before][end], far)
        assert sum(map(np.sum, fired)) > 40
        found = net.arrays["synapses_0_w"].astype(float)
        assert np.ptp(found) > 0.3
        np.testing.assert_allclose(found, reference.state["w"], rtol=3e-5, atol=3e-5)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize(("delay", "post"), [(0.0, 0.0), (0.8, 1.3)])
def test_both_backends_give_the_same_bits(delay, post):
    from tests.cuda_on_host.backend import HostCudaBackend

    one, other = (network(backend, delay=delay, post=post)[0] for backend in (CpuBackend(), HostCudaBackend()))
    for net in (one, other):
        net.advance(300)
    assert one.arrays["population_spikes"][1] > 20
    assert ("came_0" in one.arrays) == (post > 0)
    for key, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[key], err_msg=key)


def test_a_late_spike_of_a_hearer_acts_when_it_comes():
    """A count at each spike is what it would be without a delay, so many steps later."""
    counted = {"lines": ["w : 1", "n : 1"], "on_pre": ["g_e_post += 0*w"], "on_post": ["n += 1"], "parameters": []}
    at_once, late = (network(CpuBackend(), counted, post=post)[0] for post in (0.0, 2.0))
    at_once.advance(200)
    late.advance(220)
    before = at_once.arrays["synapses_0_n"].copy()
    np.testing.assert_array_equal(before, late.arrays["synapses_0_n"])
    at_once.advance(20)
    assert (at_once.arrays["synapses_0_n"] > before).any()


def test_a_run_goes_on_from_its_state_bit_for_bit():
    given = network(CpuBackend(), post=1.3)[1]
    first, second = (ENGINE.build(Problem(given), CpuBackend()) for _ in range(2))
    first.advance(190)
    second.restore(first.state())
    for simulation in (first, second):
        simulation.advance(150)
    assert first.state()["came_0"].shape == (14, 12)
    for key, values in first.state().items():
        np.testing.assert_array_equal(values, second.state()[key], err_msg=key)


@pytest.mark.parametrize("macros", [("-DLATE=0",), ("-DLATE=1",)])
def test_kernels_compile_and_spill_nothing(macros):
    given = network(CpuBackend())[1]
    typed = typed_connections(given.connections, given.populations, 0.1)[0].typed
    assert_no_spills(kernel_file(typed), macros)


@pytest.mark.parametrize(("change", "place", "told"), [
    ({"on_post": ["w += v_post/mV"]}, ("on_post",), "'v_post', which the spike that it acts at has reset"),
    ({"on_pre": ["w += v_pre/mV"]}, ("on_pre",), "'v_pre', which the spike that it acts at has reset"),
    ({"on_pre": ["g_e_post += 0.1*g_e_post"]}, ("on_pre",), "'g_e_post', which that adds to"),
    ({"on_pre": ["w += q_post"]}, ("on_pre", 0), "reads 'q_post', and the neurons that hear have v, "),
    ({"on_pre": ["w += u_post"]}, ("on_pre", 0), "is in volts and must have none"),
    ({"starts": "w = u_post/mV"}, ("starts",), "neurons have begun nowhere yet"),
])  # fmt: skip
def test_what_makes_no_sense_gets_a_sentence(change, place, told):
    with pytest.raises(ProblemError, match=told) as refused:
        network(CpuBackend(), {**VOLTAGE, **change})
    assert refused.value.place[-len(place) :] == place


def test_a_delay_that_is_no_number_of_steps_gets_a_sentence():
    given = network(CpuBackend())[1]
    given.connections[0].plasticity.post_delay = 0.04
    with pytest.raises(ProblemError, match="between 1 and") as refused:
        typed_connections(given.connections, given.populations, 0.1)
    assert refused.value.place[-1] == "post_delay"


def test_forms_check_statements_whose_units_the_neurons_have():
    """Of a voltage that is read nothing is said; a unit that differs elsewhere is told still."""
    assert language.check_path(["w += v_post/mV"], ["w : 1"], {}) is None
    assert language.check_path(["g_e_post += w*mV", "w += 1*mV"], ["w : 1"], {}) is not None
