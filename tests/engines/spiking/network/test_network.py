"""Networks of any populations: every model against float64, both backends bit for bit, delays, input from outside."""

import dataclasses

import numpy as np
import pytest

from engines.api import no_progress
from engines.backend.cpu import CpuBackend
from engines.spiking.connectivity.layout import places_of, space
from engines.spiking.connectivity.wiring import wire
from engines.spiking.lif.model import HISTORY
from engines.spiking.network import cpu, reference
from engines.spiking.network.plan import Plan, first_values, noise_table, poisson_table
from engines.spiking.network.twins import NETWORK
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.networks import general, plain
from engines.spiking.setup.populations import spans
from tests.cuda_on_host.loader import COMPILER

WEIGHTS = {
    "lif": (1.62, -9.0),
    "lif conductance": (0.6, -6.7),
    "izhikevich": (5.0, -10.0),
    "adaptive exponential": (6.0, -67.0),
    "hodgkin-huxley": (6.0, -67.0),
}
CURRENTS = {
    "lif": 5.0,
    "lif conductance": 20.0,
    "izhikevich": 10.0,
    "adaptive exponential": 900.0,
    "hodgkin-huxley": 200,
}


def parameters(model, number=(80, 20), delay=None, step=0.1, seed=3, external=None, **neuron):
    """Excitatory and inhibitory neurons of one model, joined at random."""
    delay = delay or {"kind": "normal", "delay": 1.5, "spread": 0.5}
    external = {"current": CURRENTS[model]} if external is None else external
    named = dict(zip(("Excitatory", "Inhibitory"), number, strict=True))
    return SpikingParameters.model_validate(
        {
            "populations": [
                {
                    "name": name,
                    "number": count,
                    "neuron": {"kind": model, **neuron},
                    "start": {"kind": "uniform", "lowest": -70, "highest": -52},
                    "external": external,
                }
                for name, count in named.items()
            ],
            "connections": [
                {
                    "source": name,
                    "rule": {"kind": "probability", "probability": 0.2},
                    "weight": {"kind": "normal", "weight": weight, "spread": 0.2},
                    "delay": delay,
                }
                for name, weight in zip(named, WEIGHTS[model], strict=True)
            ],
            "numerics": {"step": step, "seed": seed},
        }
    )


def built(given, backend):
    plan = Plan(tuple(given.populations), given.numerics.step, given.numerics.seed, tuple(given.connections))
    where = space(places_of(given.populations))
    seed = given.numerics.seed
    wiring = wire(given.connections, spans(given), where, plan.dt, seed, plan.largest_outside)
    first = first_values(given.populations, seed)
    return NETWORK.open(backend, plan, wiring, first), plan, wiring, first


def recorded(net):
    assert net.arrays["history"].shape == (HISTORY, len(net.arrays["voltage"]))
    return np.stack(np.nonzero(net.arrays["history"]))


@pytest.mark.parametrize(
    ("model", "time_course"),
    [*((model, "exponential") for model in WEIGHTS), ("lif", "alpha"), ("izhikevich", "alpha")],
)
def test_spikes_equal_those_of_float64(model, time_course):
    """Every spike of 40 ms in its step. Voltages of some 10 mV round by 4e-6 mV a step in float32 and rise by 1e-2 mV
    and more where they cross the threshold, so few spikes are near enough to it to be a step off."""
    times = (
        {"time_course": time_course, "excitatory_time": 2.0, "inhibitory_time": 3.0} if time_course == "alpha" else {}
    )
    given = parameters(model, step=0.5 if model == "izhikevich" else 0.1, **times)
    net, plan, wiring, first = built(given, CpuBackend())
    steps = round(40 / plan.dt)
    net.advance(steps)
    expected = np.stack(reference.spikes(plan, wiring, first, steps))
    assert expected.shape[1] > 60
    np.testing.assert_array_equal(recorded(net), expected)


def all_models():
    """All models in one network, with synapses of both time courses, spikes from outside and noise."""
    noisy = {"current": 1.0, "rate": 2000.0, "weight": 0.7, "noise": 0.5}
    populations = [
        {"name": model, "number": 40 + 3 * k, "neuron": {"kind": model}, "external": noisy}
        for k, model in enumerate(WEIGHTS)
    ]
    populations += [{**each, "name": f"{each['name']} alpha"} for each in populations]
    for each in populations[len(WEIGHTS) :]:
        each["neuron"] = {**each["neuron"], "time_course": "alpha", "excitatory_time": 3.0, "inhibitory_time": 5.0}
    populations[0]["external"] = {**noisy, "weight": -0.7, "current": 15.0}
    populations.append({"name": "sources", "number": 30, "neuron": {"kind": "poisson", "rate": 200.0}})
    delay = {"kind": "distance", "velocity": 0.1}
    return SpikingParameters.model_validate(
        {
            "populations": populations,
            "connections": [
                {"source": "all", "rule": {"kind": "fixed outputs", "number": 300}, "delay": delay},
                {"source": "lif", "weight": {"kind": "lognormal", "weight": -3.0}, "delay": delay},
            ],
        }
    )


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_both_backends_give_the_same_bits(own_cache):
    """All models in one network, delays and normal weights: nothing differs, ever."""
    from tests.cuda_on_host.backend import HostCudaBackend

    given = all_models()
    one, other = (built(given, backend)[0] for backend in (CpuBackend(), HostCudaBackend()))
    for steps in (1, 2, 200):
        one.advance(steps)
        other.advance(steps)
    assert (one.arrays["population_spikes"] > 10).all()
    assert one.arrays["events"][0] > 10_000
    for name, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[name], err_msg=name)


def test_shared_steps_are_the_same(monkeypatch):
    given = all_models()
    alone, shared = (built(given, CpuBackend())[0] for _ in range(2))
    alone.advance(200)
    monkeypatch.setattr(cpu, "PARALLEL_FROM", 1)
    shared._backend._info = dataclasses.replace(shared._backend.info, threads=2)
    shared.advance(200)
    for name, values in alone.arrays.items():
        np.testing.assert_array_equal(values, shared.arrays[name], err_msg=name)


def test_the_plain_network_is_the_general_one():
    """Where both know a network, they draw the same synapses and give the same spikes."""
    given = SpikingParameters.model_validate({"populations": {"excitatory": 320, "inhibitory": 80},
                                              "connections": {"kind": "probability", "probability": 0.2}})  # fmt: skip
    (one, left), (other, right) = (make(given, CpuBackend(), no_progress) for make in (plain, general))
    heard = [np.bincount(each.blocks[0].targets >> each.blocks[0].shift, minlength=400) for each in (one, other)]
    np.testing.assert_array_equal(*heard)
    for network in (left, right):
        network.advance(400)
    assert left.arrays["spikes"].sum() > 100
    for name in ("history", "spikes", "interval_square", "population_spikes", "events"):
        np.testing.assert_array_equal(left.arrays[name], right.arrays[name], err_msg=name)


@pytest.mark.parametrize("steps", [1, 15, 200, 255, 256, 3000])
def test_a_delay_is_exact_to_the_step(steps):
    """One spike at a known step; the input arrives that many steps later and moves the voltage in the next."""
    given = SpikingParameters.model_validate(
        {
            "populations": [
                {
                    "name": "one",
                    "number": 1,
                    "neuron": {"kind": "lif", "refractory_time": 900.0},
                    "start": {"kind": "uniform", "lowest": -49.5, "highest": -49.5},
                },
                {
                    "name": "other",
                    "number": 1,
                    "neuron": {"kind": "lif", "resting_voltage": -60.0},
                    "start": {"kind": "uniform", "lowest": -60, "highest": -60},
                },
            ],
            "connections": [
                {
                    "source": "one",
                    "target": "other",
                    "rule": {"kind": "one to one"},
                    "delay": {"kind": "constant", "delay": steps * 0.1},
                }
            ],
        }
    )
    net, *_ = built(given, CpuBackend())
    net.advance(1 + steps)  # fired in step 0
    assert net.arrays["spikes"][0] == 1
    assert net.arrays["g_e"][1] == 0
    net.advance(1)
    assert net.arrays["g_e"][1] == pytest.approx(1.62 * np.exp(-0.1 / 5), rel=1e-6)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_late_spikes_are_the_same_on_both_backends(own_cache):
    """Delays from a few to 600 steps, of fixed and of changing weights: the same bits, and spikes of float64."""
    from tests.cuda_on_host.backend import HostCudaBackend

    given = parameters("lif", number=(40, 10), delay={"kind": "normal", "delay": 30.0, "spread": 0.5})
    changing = {"kind": "stdp", "highest": 4.0}
    plastic = given.connections[0].model_dump() | {
        "plasticity": changing,
        "weight": {"kind": "constant", "weight": 2.0},
    }
    changed = SpikingParameters.model_validate(
        given.model_dump() | {"connections": [each.model_dump() for each in given.connections] + [plastic]}
    )
    (one, _, wiring, _), (other, *_) = (built(changed, backend) for backend in (CpuBackend(), HostCudaBackend()))
    assert wiring.longest >= wiring.delays.max() > 400
    assert wiring.plastic[0].late.any()
    for network in (one, other):
        network.advance(900)
    assert one.arrays["events"][0] > 1000
    for name, values in one.arrays.items():
        np.testing.assert_array_equal(values, other.arrays[name], err_msg=name)
    net, plan, wiring, first = built(given, CpuBackend())
    net.advance(900)
    np.testing.assert_array_equal(recorded(net), np.stack(reference.spikes(plan, wiring, first, 900)))


def test_spikes_from_outside_are_poisson():
    """2,000 neurons and 500 steps of mean 1.6: mean and variance within 5 standard deviations, none alike."""
    table = poisson_table(1.6)
    chance = np.diff(table.astype(float), prepend=0) / 2**32
    mean = (np.arange(len(chance)) * chance).sum()
    assert mean == pytest.approx(1.6, abs=1e-8)
    given = parameters("lif", number=(2000, 0), external={"rate": 16_000.0, "weight": 1.0}, threshold=100.0,
                       excitatory_time=1000.0)  # fmt: skip
    given = given.model_copy(update={"connections": []})
    net, *_ = built(given, CpuBackend())
    net.advance(500)
    kept = np.exp(-np.arange(1, 501) * 0.1 / 1000)
    values = net.arrays["g_e"].astype(float)
    expected, variance = 1.6 * kept.sum(), 1.6 * (kept**2).sum()
    assert values.mean() == pytest.approx(expected, abs=5 * np.sqrt(variance / 2000))
    assert values.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / 2000))


def test_noise_is_normal():
    """Sums of two drawn from 4,096 values each: variance 1, kurtosis 0 within what the finite table leaves (0.01)."""
    values = noise_table().astype(float)
    assert abs(values.sum()) < 1e-2
    assert 2 * values.var() == pytest.approx(1, abs=1e-6)
    excess = (values**4).mean() / values.var() ** 2 - 3
    assert abs(excess / 2) < 0.01


def test_the_seed_decides():
    runs = [built(parameters("lif", seed=seed), CpuBackend())[0] for seed in (3, 3, 4)]
    for run in runs:
        run.advance(200)
    first, again, other = (run.arrays["voltage"] for run in runs)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
