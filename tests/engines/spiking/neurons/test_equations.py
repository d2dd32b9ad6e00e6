"""A step of each neuron model on both backends against its equations, which are formulas: rates, thresholds, resets."""

import numpy as np
import pytest

from engines.spiking.neurons.constants import rest_of
from engines.spiking.neurons.equations import MODELS, SYNAPSES
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import NAMES, AdaptiveExponential, HodgkinHuxley, Lif
from tests.engines.spiking.network.test_network import built

N = 512
CURRENTS = {
    "lif": 5.0,
    "lif conductance": 20.0,
    "izhikevich": 10.0,
    "adaptive exponential": 900.0,
    "hodgkin-huxley": 1000.0,
}
STEPS = {"izhikevich": 0.01, "adaptive exponential": 0.01, "hodgkin-huxley": 0.002}
"""ms, of those that move by millivolts in the 0.04 ms of the others."""
EDGES = {"adaptive exponential": -40.0, "izhikevich": 30.0}
"""Voltages above which those fire that have no ``threshold``: a peak below the default, which takes longer steps."""
SECOND_ORDER = ("adaptive exponential", "hodgkin-huxley")
AFTER_A_SPIKE = 5e-3
"""mV and pA that may be left where the voltage moved by up to 0.5 mV, and the adaptation by 80 pA."""
UNSURE = 0.1
"""mV around the threshold in which either answer is right, for errors are of second order."""
STARTS = {"izhikevich": (-4.0, 0.0)}
"""mV from there, of half of the neurons; from half a millivolt below to half one above for others."""
INPUTS = {"lif": 3.0, "lif conductance": 3.0, "izhikevich": 30.0}
"""The most that synapses give; 1000 pA or 200 nS for others."""
ROUNDING = 4e-7
"""Of the largest value: some five roundings."""
THIRD = 0.1
"""Of the error, what is of third order in so short a step."""
CASES = [
    ("lif", {}),
    ("lif", {"time_course": "alpha"}),
    ("lif conductance", {"excitatory_reversal": 10.0, "time_course": "alpha"}),
    ("izhikevich", {"excitatory_time": 3.0, "inhibitory_time": 7.0}),
    ("adaptive exponential", {"excitatory_reversal": 10.0, "adaptation_time": 20.0}),
    ("adaptive exponential", {"synapses": "current", "time_course": "alpha"}),
    ("hodgkin-huxley", {"excitatory_reversal": 10.0, "leak": 100.0}),
    ("hodgkin-huxley", {"synapses": "current", "time_course": "alpha"}),
]


def started(kind, settings, rng):
    """A neuron and random states: half of the voltages are around the threshold."""
    neuron = MODELS[kind].neuron(**settings, **({"peak": EDGES[kind]} if kind == "adaptive exponential" else {}))
    edge = getattr(neuron, "threshold", EDGES.get(kind))
    near, far = edge + rng.uniform(*STARTS.get(kind, (-0.5, 0.5)), N), rng.uniform(-75.0, -52.0, N)
    state = {"v": np.where(np.arange(N) % 2, near, far)}
    rises = neuron.time_course == "alpha"
    given = INPUTS.get(kind, 200.0 if conducts(neuron) else 1000.0)
    most = dict.fromkeys(("g_e", "g_i"), given) | dict.fromkeys(("rise_e", "rise_i"), given * rises)
    most["w"] = 10.0 if kind == "izhikevich" else 300.0
    state |= {name: rng.uniform(0.0, most.get(name, 0.6), N) for name in MODELS[kind].states if name != "v"}
    return neuron, edge, {name: value.astype(np.float32).astype(float) for name, value in state.items()}


def kernels(neuron, current, dt, backend, state, free):
    """(states after a step, who fired)."""
    population = {"name": "one", "number": N, "neuron": neuron.model_dump(), "external": {"current": current}}
    given = {"populations": [population], "connections": [], "numerics": {"step": dt}}
    net = built(SpikingParameters.model_validate(given), backend)[0]
    sign = 1.0 if conducts(neuron) else -1.0  # of currents, inhibition is stored as it acts
    places = {"v": net.arrays["voltage"], "w": net.arrays["recovery"], "g_e": net.arrays["g_e"]}
    places |= {"g_i": net.arrays["g_i"], **dict(zip("mhn", net.arrays["gates"], strict=False))}
    places |= dict(zip(("rise_e", "rise_i"), net.arrays.get("rise", ()), strict=False))
    places = {name: place for name, place in places.items() if name in state}
    scales = {"g_i": sign, "rise_e": dt, "rise_i": sign * dt}
    offsets = {"v": rest_of(neuron)}
    for name, place in places.items():
        place[:] = (state[name] - offsets.get(name, 0.0)) * scales.get(name, 1.0)
    net.arrays["release"][:] = np.where(free, 0, 1000)
    net.advance(1)
    after = {
        name: np.array(place, float) / scales.get(name, 1.0) + offsets.get(name, 0.0) for name, place in places.items()
    }
    return after, np.array(net.arrays["spikes"]) > 0


def conducts(neuron):
    return neuron.kind == "lif conductance" or getattr(neuron, "synapses", "") == "conductance"


def equations(neuron, current, dt, state, free):
    """The same by the formulas in float64: 40 steps of Runge and Kutta's method. Kernels of all models but the leaky
    one with currents hold what synapses give for a step, so these do."""
    model = MODELS[neuron.kind]
    given = {name: getattr(neuron, name) for name in model.parameters}
    given |= {"current": current, "before": state["v"], "dt": dt, "conducts": float(conducts(neuron)), "drawn": 1.0}
    program = model.program(*(f"rate of {name}" for name in model.states))

    def rates(now, held):
        values = now | {name: state[name] for name in held}
        found = dict(zip(model.states, program(given | values), strict=True))
        if model.rests:
            found["v"] = np.where(free, found["v"], 0.0)
        return found

    def moved(now, held, step):
        k1 = rates(now, held)
        k2 = rates({name: now[name] + step / 2 * k1[name] for name in now}, held)
        k3 = rates({name: now[name] + step / 2 * k2[name] for name in now}, held)
        k4 = rates({name: now[name] + step * k3[name] for name in now}, held)
        return {name: now[name] + step / 6 * (k1[name] + 2 * k2[name] + 2 * k3[name] + k4[name]) for name in now}

    def integrated(held, resets=False):
        now = dict(state)
        for _ in range(40):
            before, now = now, moved(now, held, dt / 40)
            if resets:  # when the peak is passed, not at the end of the step
                passed = free & (now["v"] > neuron.peak)
                part = np.ones(N)
                part[passed] = ((neuron.peak - before["v"])[passed] / (now["v"] - before["v"])[passed]).clip(0, 1)
                met = {name: before[name] + part * (now[name] - before[name]) for name in now}
                met |= {name: model.program(f"{name} after")(given | met)[0] for name in model.after}
                again = moved(met, held, (1 - part) * dt / 40)
                now = {name: np.where(passed, again[name], now[name]) for name in now}
        return now

    own = integrated(() if isinstance(neuron, Lif) else tuple(SYNAPSES))
    after = own | {name: value for name, value in integrated(()).items() if name in SYNAPSES}
    (fires,) = model.program("fires")(given | after)
    fired = (fires > 0) & free
    if isinstance(neuron, AdaptiveExponential):
        after |= {name: value for name, value in integrated(tuple(SYNAPSES), True).items() if name in model.after}
        return after, fired, own["v"]
    for name in model.after:
        (value,) = model.program(f"{name} after")(given | after)
        after[name] = np.where(fired, value, after[name])
    return after, fired, own["v"]


@pytest.mark.parametrize(("kind", "settings"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_step_is_that_of_the_equations(backend, kind, settings):
    """Leaky neurons are stepped exactly. What is left of a step of others is of second order, e = a dt², of a method of
    first order, so that it is the fourth part at half the step: four times that less e itself is nothing, where a wrong
    number leaves as much as it changes a step. Of methods of second order it is of third order, the eighth part; but of
    second order in what is left of a step after a spike within it, which half a step cuts by more than half."""
    neuron, edge, state = started(kind, settings, np.random.default_rng(11))
    current = CURRENTS[kind]
    free = np.arange(N) % 8 > 0 if "refractory_time" in type(neuron).model_fields else np.ones(N, bool)
    left, spikes, known = [], [], np.ones(N, bool)
    for dt in STEPS.get(kind, 0.04) * np.array([1.0, 0.5]):
        expected, fires, reached = equations(neuron, current, dt, state, free)
        after, fired = kernels(neuron, current, dt, backend, state, free)
        known &= np.abs(reached - edge) > UNSURE
        assert (fired == fires)[known].all()
        left.append({name: after[name] - expected[name] for name in after})
        spikes.append(fired)
    known &= spikes[0] == spikes[1]
    assert 10 < (spikes[0] & known).sum() < known.sum() - 100
    assert set(left[0]) >= {name for name in state if state[name].any()}
    for name, whole in left[0].items():
        exact = name in SYNAPSES or "lif" in kind
        share = 8 if kind in SECOND_ORDER else 4
        wrong = whole if exact else share * left[1][name] - whole
        allowed = ROUNDING * np.abs(state[name]).max() * (1 if exact else 5) + (0 if exact else THIRD * np.abs(whole))
        within = known & spikes[0] if kind == "adaptive exponential" and not exact else np.zeros(N, bool)
        assert (np.abs(whole) < AFTER_A_SPIKE)[within].all(), (name, np.abs(whole)[within].max())
        plain = known & ~within
        assert (np.abs(wrong) < allowed)[plain].all(), (name, (np.abs(wrong) / allowed)[plain].max())


def test_the_equations_are_those_of_all_kinds():
    assert {*MODELS, "own equations", "spike list"} == set(NAMES)  # a list needs no equations
    for model in MODELS.values():
        assert model.graphs["fires"]
        assert set(model.after) <= set(model.states)


def test_sources_fire_at_the_chance_of_the_formula(backend):
    """4096 sources in 40 steps; five standard deviations."""
    rate, dt, number, steps = 400.0, 0.1, 4096, 40
    population = {"name": "one", "number": number, "neuron": {"kind": "poisson", "rate": rate}}
    given = {"populations": [population], "connections": [], "numerics": {"step": dt}}
    net = built(SpikingParameters.model_validate(given), backend)[0]
    net.advance(steps)
    drawn = (np.arange(100_000) + 0.5) / 100_000
    (fires,) = MODELS["poisson"].program("fires")({"rate": rate, "dt": dt, "drawn": drawn})
    expected = fires.mean() * number * steps
    assert abs(np.sum(net.arrays["spikes"]) - expected) < 5 * np.sqrt(expected)


def test_gates_at_rest_are_those_that_neither_open_nor_close():
    """What ``opens`` over ``opens + closes`` is, the rates leave as it is."""
    neuron, model = HodgkinHuxley(), MODELS["hodgkin-huxley"]
    values = {name: getattr(neuron, name) for name in model.parameters} | {"v": -65.0}
    for gate in "mhn":
        opens, closes = model.program(f"opens_{gate}", f"closes_{gate}")(values)
        (rate,) = model.program(f"rate of {gate}")(values | {gate: opens / (opens + closes)})
        assert abs(rate) < 1e-15
