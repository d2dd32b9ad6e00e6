"""What typed synapses do in each step: against formulas, float64 and event-driven ones, and alike on both backends."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.network.traffic import network_traffic
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.synapses.connection import typed_connections
from engines.spiking.typed.synapses.cuda_source import kernel_file
from engines.spiking.typed.synapses.reference import Synapses
from tests.compiled import assert_no_spills
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.typed.synapses.models import CELL, GAP, NMDA, STDP, STEPPED, own

ENGINE = SpikingEngine()
SILENT = {"threshold": "", "reset": "", "refractory": ""}


def cells(synapse, weight, number=40, step=0.1, delay=0.0, seed=1, current=400.0, cell=CELL, probability=1.0, **more):
    """Cells that hear each other, the first three populations of others aside."""
    one = {"kind": "own equations", **cell, **more}
    late = {"kind": "constant", "delay": delay} if delay else {"kind": "none"}
    pairs = {"kind": "probability", "probability": probability} if probability < 1 else {"kind": "all to all"}
    return SpikingParameters.model_validate(
        {
            "populations": [
                {"name": "others", "number": 3, "neuron": {"kind": "lif"}},
                {"name": "cells", "number": number, "neuron": one, "external": {"current": current}},
            ],
            "connections": [
                {
                    "source": "cells", "target": "cells", "rule": pairs, "delay": late, "plasticity": synapse,
                    "weight": {"kind": "constant", "weight": weight},
                }
            ],
            "numerics": {"seed": seed, "step": step},
        }
    )  # fmt: skip


def two(step, time, weight=5.0):
    """Voltages of two passive cells that are coupled, after so many ms."""
    given = cells(own(GAP), weight, 2, step, current=0.0, **SILENT, starts="v = -60*mV + 20*mV*i")
    net, *_ = built(given, CpuBackend())
    net.advance(round(time / step))
    return net.arrays["voltage"][3:].astype(float)


def test_two_coupled_cells_come_together_as_the_formula_says():
    """The mean decays by g_L/C, the difference by (g_L + 2 w)/C: currents hold for a step, so the first order of it."""
    mean, apart = 15 * np.exp(-10 / 20), 20 * np.exp(-10 * (10 + 2 * 5) / 200)
    errors = []
    for step in (0.2, 0.1, 0.05):
        v = two(step, 10.0)
        assert v.mean() + 65 == pytest.approx(mean, abs=2e-3 * step / 0.05)
        errors.append(abs((v[1] - v[0]) - apart))
    assert errors[2] < 0.02
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([1.0, 1.0], abs=0.05)


def test_two_coupled_cells_are_those_of_float64():
    """The same steps in NumPy: exact with a current that holds, to some roundings of float32."""
    v = np.array([-60.0, -40.0])
    for _ in range(100):
        gap = 5.0 * (v[::-1] - v)
        v = -65 + (v + 65) * np.exp(-0.1 / 20) + gap / 10 * -np.expm1(-0.1 / 20)
    np.testing.assert_allclose(two(0.1, 10.0), v, rtol=2e-6)


def gated(step, method, time=30.0):
    """g of a synapse whose sender fires at 0.2 ms, later."""
    clock = {
        "lines": ["dv/dt = 1/ms : 1", "I_nmda : amp (summed)"], "threshold": "v > 0.2 - dt/ms/2 and v < 0.2 + dt/ms/2",
        "reset": "", "refractory": "", "excitatory": "", "inhibitory": "", "starts": "v = 0", "parameters": [],
    }  # fmt: skip
    lines = [line for line in NMDA["lines"] if not line.startswith(("block", "I_nmda"))]
    given = cells(own({**NMDA, "lines": lines}, method=method), 1.0, 1, step, cell=clock)
    given.connections[0].plasticity.parameters = given.connections[0].plasticity.parameters[:3]
    net, *_ = built(given, CpuBackend())
    net.advance(round(time / step))
    return float(net.arrays["synapses_0_g"][0])


@pytest.mark.parametrize(("method", "order"), [("auto", 1.0), ("euler", 1.0), ("rk4", 4.0)])
def test_channels_that_saturate_open_as_the_equations_say(method, order):
    """dg/dt = −g/τ_d + a x (1 − g) with x = e^(−t/τ_r), by SciPy to 1e-12; errors fall with the order of the method,
    down to float32."""
    from scipy.integrate import solve_ivp

    exact = solve_ivp(lambda t, g: -g / 100 + 0.5 * np.exp(-t / 2) * (1 - g), (0, 29.8), [0.0], rtol=1e-12, atol=1e-14)
    errors = [abs(gated(step, method) - exact.y[0, -1]) for step in (0.2, 0.1)]
    assert errors[0] < (2e-2 if order == 1 else 2e-6)
    if order == 1:
        assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)


def test_a_variable_that_decays_in_each_step_is_that_of_events():
    """STDP with traces in each step, exactly: the same spikes, and the same weights to some hundred roundings."""
    from tests.engines.spiking.typed.synapses.test_twins import driven

    clocked = {**STDP, "lines": [line.replace("event-driven", "clock-driven") for line in STDP["lines"]]}
    one, other = (built(driven(own(each, largest=8.0)), CpuBackend())[0] for each in (STDP, clocked))
    for net in (one, other):
        net.advance(500)
    np.testing.assert_array_equal(one.arrays["spikes"][:7], other.arrays["spikes"][:7])
    assert one.arrays["spikes"][-20:].sum() > 20
    far = np.abs(one.arrays["synapses_1_w"] - other.arrays["synapses_1_w"]) > 2e-4
    assert far.mean() < 0.01
    assert len(one.arrays["events_1"]) > len(other.arrays["events_1"]) == 0


@pytest.mark.parametrize("name", STEPPED)
def test_steps_are_those_of_float64(name):
    """Of one step after another from the state on the CPU: sums and variables within some roundings of what they are
    sums of."""
    seed = int(np.random.default_rng().integers(1 << 30))
    model, weight = STEPPED[name]
    given = cells(own(model), weight, 60, seed=seed, probability=0.6)
    net, plan, wiring, _ = built(given, CpuBackend())
    block, own_ = wiring.joined[0], plan.synapses[0]
    reference = Synapses(own_.typed, own_.given, block.weights, block.words[:, 1], block.words[:, 0] >> 8)
    places = plan.typed[1].typed.places

    def far():
        rows = {name: net.arrays["more"][k] if isinstance(k, int) else net.arrays[k] for name, k in places.items()}
        return {name: row.astype(float) for name, row in rows.items()}

    for now in range(300):
        reference.state = {name: net.arrays[f"synapses_0_{name}"].astype(float) for name in own_.typed.variables}
        before = far()
        expected = reference.sums(now, before, 63)
        net.advance(1)
        for (place, _), values in zip(own_.typed.step.sums, expected, strict=True):
            row = net.arrays["more"][place] if isinstance(place, int) else net.arrays[place]
            np.testing.assert_allclose(row[3:], values[3:], rtol=2e-5, atol=2e-5 * np.abs(values).max() + 1e-12)
        reference.move(now, far())
        quiet = ~(net.arrays["last"] == now)[np.stack([block.words[:, 1], block.words[:, 0] >> 8])].any(axis=0)
        for variable in own_.typed.step.after:
            ours, theirs = net.arrays[f"synapses_0_{variable}"][quiet], reference.state[variable][quiet]
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=f"{variable}, seed {seed}")
    assert net.arrays["spikes"][3:].sum() > 15


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("delay", [0.0, 1.2])
@pytest.mark.parametrize("name", STEPPED)
def test_both_backends_give_the_same_bits(name, delay):
    from tests.cuda_on_host.backend import HostCudaBackend

    seed = int(np.random.default_rng().integers(1 << 30))
    model, weight = STEPPED[name]
    given = cells(own(model), weight, 90, delay=delay, seed=seed, probability=0.7)
    one, other = (built(given, backend)[0] for backend in (CpuBackend(), HostCudaBackend()))
    for network in (one, other):
        network.advance(250)
    assert one.arrays["population_spikes"][1] > 15
    for key, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[key], err_msg=f"{key}, seed {seed}")


@pytest.mark.parametrize("name", STEPPED)
def test_kernels_compile_and_spill_nothing(name):
    model, weight = STEPPED[name]
    parameters = cells(own(model), weight)
    found = typed_connections(parameters.connections, parameters.populations, 0.1)
    assert_no_spills(kernel_file(found[0].typed), ("-DLATE=0",))


def test_a_run_goes_on_bit_for_bit_from_a_checkpoint():
    model, weight = STEPPED["following"]
    first, second = (ENGINE.build(Problem(cells(own(model), weight)), CpuBackend()) for _ in range(2))
    first.set_control("connections.0.plasticity.parameters.0.value", 20.0)
    first.advance(105)
    second.restore(first.state())
    for simulation in (first, second):
        simulation.advance(100)
    for key, values in first.state().items():
        np.testing.assert_array_equal(values, second.state()[key], err_msg=key)


def test_bytes_of_a_step_are_those_of_all_synapses():
    """GAP: 8 of the place, 8 of the ends, w, both voltages; NMDA: the same with w, g and one voltage for the sums, and
    8 with x and g, which are written, to move."""
    for model, read, written in ((GAP, 28, 0), (NMDA, 8 + 8 + 8 + 4 + 8 + 8, 8)):
        parameters = cells(own(model), 1.0)
        typed = typed_connections(parameters.connections, parameters.populations, 0.1)[0].typed
        assert typed.bytes_of_step == (read, written)
        (quiet,) = network_traffic(43, 1600, 0.1, 0.0, typed=[(1600, typed)])
        (none,) = network_traffic(43, 0, 0.1, 0.0)
        assert quiet.bytes - none.bytes == 1600 * (read + written)
        assert ENGINE.estimate(Problem(parameters), CpuBackend()).bytes_per_step > 1600 * (read + written)


READING = {"lines": ["w : 1"], "on_pre": ["g_e_post += w", "w = 0.1*v_post/mV"], "on_post": [], "parameters": []}


@pytest.mark.parametrize(
    ("model", "sender", "hearer"),
    [
        (GAP, (0, 0), (0, 0)),
        (READING, (4 + 4 + 4 + 4, 4 + 4), (0, 0)),  # target, w, v and the sum; w and the sum
        (STDP, (4 + 4 + 3 * 4 + 4, 4 + 3 * 4 + 4), (8 + 4 + 3 * 4, 4 + 3 * 4)),  # with the last event, w and traces
    ],
    ids=["gap", "reading", "stdp"],
)
def test_bytes_of_an_event_are_those_of_its_end(model, sender, hearer):
    """A hearer's finds its synapse in a list, of 4 bytes more, and adds to no sum; 1,600 of each at 5 Hz."""
    parameters = cells(own(model, on_pre=[each.replace("w*mV", "w") for each in model["on_pre"]]), 1.0)
    typed = typed_connections(parameters.connections, parameters.populations, 0.1)[0].typed
    assert (typed.bytes_of(0), typed.bytes_of(1)) == (sender, hearer)
    quiet, firing = (network_traffic(43, 1600, 0.1, rate, typed=[(1600, typed)])[0] for rate in (0.0, 5.0))
    assert firing.bytes_read - quiet.bytes_read == round(0.8 * (sender[0] + hearer[0]))
    assert firing.bytes_written - quiet.bytes_written == round(0.8 * (sender[1] + hearer[1]))


W = "w : siemens"
REFUSED = [
    ([W, "I_x_post = w*(v_pre - v_post) : amp (summed)"], {}, ("lines", 1),
     r"sums up I_x_post: write 'I_x : amp \(summed\)' among the equations"),
    ([W, "I_gap_post = w*(v_pre - v_post) : volt (summed)"], {}, ("lines", 1), "sums up I_gap_post"),
    ([W, "I_gap_post = w*v_pre/v_post : amp (summed)"], {}, ("lines", 1), "is in siemens and must be in amps"),
    ([W, "I_gap_post = w*(u_pre - v_post) : amp (summed)"], {}, ("lines", 1),
     "reads 'u_pre', and the neurons that send have v, g_e"),
    ([W, "I_gap_post = w*(v_pre - I_gap_post*Gohm) : amp (summed)"], {}, ("lines", 1),
     "reads 'I_gap_post', and the neurons that hear have v, g_e"),
    ([W, "I_gap = w*v_pre : amp (summed)"], {}, ("lines", 1), "write I_post = … : amp"),
    ([W, "I_gap_post : amp (summed)"], {}, ("lines", 1), "write I_post = … : amp"),
    ([W, "dx/dt = -x/ms : 1 (event-driven)", "I_gap_post = x*pA : amp (summed)"], {}, ("lines", 2),
     r"hangs on x, which is worked out at events alone: make that \(clock-driven\)"),
    ([W, "dx/dt = -y*x/ms : 1 (event-driven)", "dy/dt = -y/ms : 1"], {}, ("lines", 1), "x hangs on y"),
    ([W, "dx/dt = v_post/mV/ms : 1 (event-driven)"], {}, ("lines", 1), "x hangs on v_post"),
    ([W, "s = v_pre : volt"], {"on_pre": ["w = s*nS/mV"]}, ("on_pre",), "reads 'v_pre', which the spike .* has reset"),
    ([W, "dx/dt = -x**2/ms : 1"], {"method": "exact"}, ("method",), "no such step"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "more", "place", "told"), REFUSED)
def test_what_cannot_be_is_told_where(lines, more, place, told):
    given = cells(own({**GAP, "lines": lines, **more}), 1.0)
    with pytest.raises(ProblemError, match=told) as caught:
        typed_connections(given.connections, given.populations, 0.1)
    assert caught.value.place == ("connections", 0, "plasticity", *place)


def test_one_connection_sums_up_a_variable():
    given = cells(own(GAP), 1.0)
    given.connections.append(given.connections[0].model_copy())
    with pytest.raises(ProblemError, match="I_gap of cells is summed up by connection 1 already"):
        typed_connections(given.connections, given.populations, 0.1)


def test_neurons_that_sum_say_so_and_are_told_of_nothing():
    findings = ENGINE.estimate(Problem(cells(own(GAP), 1.0)), CpuBackend()).findings
    assert [each.message for each in findings] == ["Nothing sums up I_nmda of cells: it stays 0."]
    given = cells(
        own(GAP), 1.0, cell={**CELL, "lines": [*CELL["lines"][:2], "I_gap = 3*pA : amp (summed)", CELL["lines"][3]]}
    )
    with pytest.raises(ProblemError, match="I_gap is summed up by synapses, which have its formula"):
        ENGINE.estimate(Problem(given), CpuBackend())


def test_the_editor_reads_steps_without_knowing_the_neurons():
    from engines.spiking.typed.synapses.language import check

    for model, _ in STEPPED.values():
        known = {each["name"]: dimension_of(each["unit"]) for each in model["parameters"]}
        assert check(model["lines"], known) is None
    assert "uses 'q'" in check(["w : 1", "I_post = w*q*v_pre : amp (summed)"], {})[1]


def dimension_of(text):
    from engines.formulas.typed.units import unit

    return unit(text)[0]


def test_weights_of_zero_do_where_spikes_add_nothing():
    assert ENGINE.build(Problem(cells(own(GAP), 0.0)), CpuBackend()).dt == 0.1
