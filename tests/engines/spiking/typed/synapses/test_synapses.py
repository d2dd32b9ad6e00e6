"""What typed synapses do against formulas: the window of pairs, short-term plasticity, and events in float64."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity.plastic import delays_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.networks import _joined_block
from engines.spiking.typed.synapses.reference import Synapses
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.network.test_plasticity import pair
from tests.engines.spiking.typed.models import numbers
from tests.engines.spiking.typed.synapses.models import MODELS, SHORT_TERM, STDP, own
from tests.engines.spiking.typed.synapses.test_twins import UNEVEN, WIDE, driven


def typed_pair(sender, target, delay, weight=0.5):
    """The two neurons of the fixed rule's test, joined by typed STDP."""
    given = pair(sender, target).model_dump()
    values = numbers(
        taupre=(17.0, "ms"), taupost=(34.0, "ms"), gmax=(1.0, "1"), dApre=(0.1, "1"), dApost=(-0.05, "1")
    )  # fmt: skip
    on_pre = ["g_e_post += 1e-6*mV*w", *STDP["on_pre"][1:]]
    synapse = own(STDP, on_pre=on_pre, parameters=values, starts=f"w = {weight}", largest=1.0)
    late = {"kind": "constant", "delay": delay} if delay else {"kind": "none"}
    given["connections"][0] |= {"plasticity": synapse, "delay": late}
    return SpikingParameters.model_validate(given)


@pytest.mark.parametrize("delay", [0, 15])
@pytest.mark.parametrize("gap", [-120, -30, -1, 0, 1, 30, 120])
def test_the_window_of_pairs_is_exponential(gap, delay):
    """One spike of each, ``gap`` steps from the sender's, once it has arrived, to the hearer's. Of one step the
    sender's is first, as in Brian2. float32: a few 6e-8."""
    sender, target = (200, 200 + gap + delay) if gap >= 0 else (200 - gap, 200 + delay)
    net, *_ = built(typed_pair(sender, target, delay * 0.1), CpuBackend())
    net.advance(500)
    np.testing.assert_array_equal(net.arrays["last"], [sender, target])
    time = abs(gap) * 0.1
    change = 0.1 * np.exp(-time / 17) if gap >= 0 else -0.05 * np.exp(-time / 34)
    assert net.arrays["synapses_0_w"][0] == pytest.approx(0.5 + change, rel=2e-6)


@pytest.mark.parametrize(("gap", "weight", "expected"), [(1, 0.95, 1.0), (-1, 0.02, 0.0)])
def test_weights_stay_where_they_are_clipped(gap, weight, expected):
    net, *_ = built(typed_pair(max(200, 200 - gap), max(200, 200 + gap), 0, weight), CpuBackend())
    net.advance(300)
    assert net.arrays["synapses_0_w"][0] == np.float32(expected)


@pytest.mark.parametrize(("U", "tau_f", "tau_d", "interval"), [(0.2, 1500.0, 200.0, 50.0), (0.6, 10.0, 800.0, 20.0)])
def test_short_term_plasticity_comes_to_its_steady_state(U, tau_f, tau_d, interval):
    """Tsodyks and Markram (1998) at a constant rate, right after a spike: u = U/(1 − (1 − U) e^(−T/τ_f)), and before
    it x = (1 − e^(−T/τ_d))/(1 − (1 − u) e^(−T/τ_d)). Facilitating, and depressing. A spike adds w u x."""
    values = numbers(tau_f=(tau_f, "ms"), tau_d=(tau_d, "ms"), U=(U, "1"))
    clock = {
        "kind": "own equations", "lines": ["dv/dt = 1/ms : 1"], "threshold": "v > T/ms - 0.05", "reset": "v = 0",
        "refractory": "", "excitatory": "", "inhibitory": "", "starts": "v = 0",
        "parameters": numbers(T=(interval, "ms")),
    }  # fmt: skip
    hearer = {"kind": "lif", "excitatory_time": 0.5, "threshold": 100.0}
    given = SpikingParameters.model_validate(
        {
            "populations": [
                {"name": name, "number": 1, "neuron": each} for name, each in (("clock", clock), ("hearer", hearer))
            ],
            "connections": [
                {
                    "source": "clock", "target": "hearer", "rule": {"kind": "all to all"},
                    "weight": {"kind": "constant", "weight": 1.0}, "plasticity": own(SHORT_TERM, parameters=values),
                }
            ],
        }
    )  # fmt: skip
    net, *_ = built(given, CpuBackend())
    net.advance(round(200 * interval / 0.1))
    while net.arrays["last"][0] != net.arrays["clock"][0] - 1:
        net.advance(1)
    rest_f, rest_d = np.exp(-interval / tau_f), np.exp(-interval / tau_d)
    u = U / (1 - (1 - U) * rest_f)
    x = (1 - rest_d) / (1 - (1 - u) * rest_d)
    assert net.arrays["synapses_0_u"][0] == pytest.approx(u, rel=1e-5)
    assert net.arrays["synapses_0_x"][0] == pytest.approx(x * (1 - u), rel=1e-5)
    assert net.arrays["synapses_0_r"][0] == pytest.approx(u * x, rel=1e-5)
    net.advance(1)
    assert net.arrays["g_e"][1] == pytest.approx(u * x * np.exp(-0.1 / 0.5), rel=1e-4)


def test_starts_draw_for_each_synapse():
    """As Brian2's example of STDP has it; the chart of first weights draws the same."""
    given = driven(own({**STDP, "starts": "w = rand()*gmax"}), number=(300, 20))
    net, plan, wiring, _ = built(given, CpuBackend())
    weights = net.arrays["synapses_1_w"].astype(float)
    assert 0 < weights.min() < 0.01 * 4.0
    assert weights.mean() == pytest.approx(2.0, abs=5 * 4.0 / 12**0.5 / len(weights) ** 0.5)
    shown = _joined_block(wiring.joined[0], plan.synapses[1]).weights(np.arange(5))
    np.testing.assert_array_equal(shown.astype(np.float32), weights[:5])


@pytest.mark.parametrize("delay", [1.0, WIDE, UNEVEN])
@pytest.mark.parametrize("name", MODELS)
def test_events_are_those_of_float64(name, delay):
    """The spikes of the network on the CPU, told to NumPy's synapses as they arrive at each: after 60 ms all variables
    are alike, within some hundred roundings; conditions that float32 tells another way leave out what is next to
    them."""
    seed = int(np.random.default_rng().integers(1 << 30))
    given = driven(own(MODELS[name]), delay, seed=seed)
    net, plan, wiring, _ = built(given, CpuBackend())
    block, own_ = wiring.joined[0], plan.synapses[1]
    sender, hearer = block.words[:, 1], block.words[:, 0] >> 8
    reference = Synapses(own_.typed, own_.given, block.weights, sender, hearer)
    late = delays_of(block.words, block.late)
    assert late.max() == block.delay
    assert (late == 10).all() if delay == 1.0 else np.ptp(late) > 150  # thirty of the draws are farther apart
    history = np.zeros((600, plan.neurons), bool)
    for now in range(600):
        net.advance(1)
        history[now] = net.arrays["last"] == now
        reference.event(0, now, (late <= now) & history[np.maximum(now - late, 0), sender])
        if own_.typed.model.paths[1]:
            reference.event(1, now, history[now][hearer])
    far = 0.0
    for variable, values in reference.state.items():
        ours = net.arrays[f"synapses_1_{variable}"]
        near = np.isclose(ours, values, rtol=1e-4, atol=1e-5 * np.abs(values).max())
        far = max(far, 1 - near.mean())
    assert far < (0.01 if name == "everything" else 1e-9), f"seed {seed}"
