"""Single neurons against formulas, a published pattern and an ODE solver."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.backend.cpu import CpuBackend
from engines.spiking.network.cpu_kernels import expm1
from engines.spiking.network.reference import rates
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import AdaptiveExponential, ConductanceLif, HodgkinHuxley, Lif
from tests.engines.spiking.network.test_network import built


def alone(currents, start, step=0.1, **neuron):
    """A neuron for each current, joined to none."""
    populations = [
        {
            "name": str(k),
            "number": 1,
            "neuron": neuron,
            "start": {"kind": "uniform", "lowest": start, "highest": start},
            "external": {"current": current},
        }
        for k, current in enumerate(currents)
    ]
    given = {"populations": populations, "connections": [], "numerics": {"step": step}}
    return built(SpikingParameters.model_validate(given), CpuBackend())[0]


def test_the_exponential():
    """Cephes' polynomial is within 1e-7 of e^x, relative; the loss near 0 is as exact."""
    x = np.linspace(-80, 80, 4001).astype(np.float32)
    found = np.array([expm1(value) for value in x], float)
    np.testing.assert_allclose(found, np.expm1(x.astype(float)), rtol=3e-7)


@pytest.mark.parametrize(("kind", "model"), [("lif", Lif), ("lif conductance", ConductanceLif)])
def test_leaky_neurons_fire_at_the_rate_of_the_formula(kind, model):
    """T = t_ref + τ ln((E + I − V_r)/(E + I − V_t)), up to a step longer on the grid; the step of the spike counts,
    and the form says so."""
    assert "of which the step of the spike is the first" in model.model_fields["refractory_time"].description
    currents = np.array([10.5, 12.0, 15.0, 30.0])
    net = alone(currents, -60.0, kind=kind, resting_voltage=-60.0)
    net.advance(20_000)
    interval = net.arrays["interval"] / (net.arrays["spikes"] - 1) * 0.1
    expected = 5.0 - 0.1 + 20.0 * np.log(currents / (currents - 10))
    assert ((interval > expected) & (interval <= expected + 0.1 + 1e-6)).all()


@pytest.mark.parametrize("time", [2.0, 20.0, 20.001])
def test_a_potential_of_an_alpha_function_is_that_of_the_formula(time):
    """A spike that arrives at 0: v = w e/(τ τ_m) e^(−t/τ_m) (1 − e^(−a t)(1 + a t))/a², a = 1/τ − 1/τ_m (the limit t²/2
    for a = 0), at every step, for steps are exact; float32 leaves 1e-6 of the highest. Its current peaks at the weight
    after τ."""
    given = {
        "populations": [
            {"name": "one", "number": 1, "start": {"kind": "uniform", "lowest": -49.5, "highest": -49.5}},
            {
                "name": "other",
                "number": 1,
                "neuron": {"kind": "lif", "resting_voltage": -60.0, "time_course": "alpha", "excitatory_time": time},
                "start": {"kind": "uniform", "lowest": -60, "highest": -60},
            },
        ],
        "connections": [{"source": "one", "target": "other", "rule": {"kind": "one to one"}}],
    }
    net = built(SpikingParameters.model_validate(given), CpuBackend())[0]
    net.advance(1)
    found, currents = [], []
    for _ in range(100):
        net.advance(1)
        found.append(float(net.arrays["voltage"][1]))
        currents.append(float(net.arrays["g_e"][1]))
    assert net.arrays["spikes"][0] == 1
    t, a = np.arange(1, 101) * 0.1, 1 / time - 1 / 20
    # for the smallest a the quotient would lose all digits: its series, to a t = 2.5e-4 / 100
    share = t**2 / 2 - a * t**3 / 3 if abs(a) < 1e-4 else (1 - np.exp(-a * t) * (1 + a * t)) / a**2
    expected = 1.62 * np.e / (time * 20) * np.exp(-t / 20) * share
    np.testing.assert_allclose(found, expected, atol=1e-6 * expected.max())
    np.testing.assert_allclose(currents, 1.62 * t / time * np.exp(1 - t / time), rtol=1e-5)


def test_the_rheobase_of_the_adaptive_exponential_neuron():
    """Without adaptation below threshold: g_L (V_T − E_L − Δ_T), where the two fixed points meet; 1 % below never, 1 %
    above within π C/√(ΔI g_L/2Δ_T) = 190 ms of passing the gap."""
    given = AdaptiveExponential()
    rheobase = given.leak * (given.soft_threshold - given.resting_voltage - given.slope)
    net = alone([0.99 * rheobase, 1.01 * rheobase], -70.6, kind="adaptive exponential", adaptation=0.0)
    net.advance(10_000)
    spikes = net.arrays["spikes"]
    assert spikes[0] == 0
    assert spikes[1] >= 1


def test_regular_spiking_adapts():
    """Izhikevich (2003), figure 2, RS: the first interval is the shortest, then they settle; in steps of 0.5 ms."""
    net = alone([10.0], -65.0, step=0.5, kind="izhikevich")
    net.advance(2000)
    steps = np.nonzero(net.arrays["history"][:, 0])[0]
    intervals = np.diff(steps) * 0.5
    assert intervals[0] < 0.7 * intervals[2]
    assert np.ptp(intervals[3:]) <= 3.0  # six steps, of an interval of 47 ms
    assert 18 < 1000 / intervals[-1] < 30


def test_a_spike_of_hodgkin_and_huxley_is_that_of_an_ode_solver():
    """The time at which the voltage rises through −20 mV, against a solver of tolerance 1e-10: half the step leaves a
    third of the error at most (second order), and at 0.025 ms that is a tenth of a step."""
    p = HodgkinHuxley()
    current = 400.0

    def slope(t, y):
        v, m, h, n = y
        ionic = p.leak * (p.resting_voltage - v) + p.sodium * m**3 * h * (p.sodium_reversal - v)
        ionic += p.potassium * n**4 * (p.potassium_reversal - v)
        changes = [a * (1 - x) - b * x for (a, b), x in zip(rates(v, p.shift), (m, h, n), strict=True)]
        return [(ionic + current) / p.capacitance, *changes]

    def crossing(t, y):
        return y[0] + 20.0

    crossing.direction = 1
    first = [-65.0, *(a / (a + b) for a, b in rates(np.float64(-65.0), p.shift))]
    exact = solve_ivp(slope, (0, 20), first, method="LSODA", rtol=1e-10, atol=1e-12, events=crossing).t_events[0][0]
    errors = []
    for step in (0.025, 0.0125):
        net = alone([current], -65.0, step=step, kind="hodgkin-huxley")
        before = -65.0
        for k in range(round(20 / step)):
            net.advance(1)
            after = float(net.arrays["voltage"][0])
            if net.arrays["spikes"][0]:
                errors.append((k + (-20 - before) / (after - before)) * step - exact)
                break
            before = after
    assert abs(errors[0]) < 0.0025
    assert abs(errors[0]) > 3 * abs(errors[1])
