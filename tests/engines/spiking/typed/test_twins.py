"""Typed neurons on both backends: the same bits, and what float64 NumPy makes of the same graph."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.cuda_source import kernel_file
from engines.spiking.typed.population import populations_of
from engines.spiking.typed.reference import Neurons
from tests.compiled import assert_no_spills, known_architectures
from tests.cuda_on_host.loader import COMPILER
from tests.engines.spiking.network.test_network import built
from tests.engines.spiking.typed.models import METHODS, MODELS, neuron

STEPS = {"adaptive": 0.05, "channels": 0.02}
"""ms; 0.1 of others. With longer ones these fire within a step whose end float32 tells another way."""
WEIGHTS = {"conductances": (0.5, -3.0), "functions": (0.4, -0.2), "adaptive": (60.0, -1.0), "resting": (0.5, -0.5)}
N = 60


def network(name, method="auto", seed=None):
    """Two populations of one model that send to each other, with noise that the seed draws."""
    seed = int(np.random.default_rng().integers(1 << 30)) if seed is None else seed
    weights = WEIGHTS.get(name, (2.0, -2.0))
    one = neuron(MODELS[name], method=method).model_dump()
    lowest, highest = (-1.0, 1.0) if name == "functions" else (-70.0, -52.0)
    populations = [
        {
            "name": side, "number": N, "neuron": one, "external": {"current": 700.0, "noise": 50.0},
            "start": {"kind": "uniform", "lowest": lowest, "highest": highest},
        }
        for side in ("one", "other")
    ]  # fmt: skip
    connections = [
        {"source": side, "rule": {"kind": "probability", "probability": 0.3},
         "weight": {"kind": "normal", "weight": weight, "spread": 0.2},
         "delay": {"kind": "normal", "delay": 1.5, "spread": 0.5}}
        for side, weight in zip(("one", "other"), weights, strict=True)
    ]  # fmt: skip
    numerics = {"step": STEPS.get(name, 0.1), "seed": seed}
    return SpikingParameters.model_validate(
        {"populations": populations, "connections": connections, "numerics": numerics}
    )


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("name", MODELS)
def test_both_backends_give_the_same_bits(name):
    from tests.cuda_on_host.backend import HostCudaBackend

    given = network(name)
    cpu, cuda = built(given, CpuBackend())[0], built(given, HostCudaBackend())[0]
    for network_ in (cpu, cuda):
        network_.advance(600)
    assert cpu.arrays["spikes"].sum() > 0
    for key, values in cpu.arrays.items():
        np.testing.assert_array_equal(values, cuda.arrays[key], err_msg=f"{key}, seed {given.numerics.seed}")


def alone(name, method="auto", current=0.0):
    """(kernels on the CPU, NumPy) of neurons that hear nobody, from random voltages."""
    given = network(name, method)
    given.connections.clear()
    for each in given.populations:
        each.external.noise, each.external.current = 0.0, current
    net, plan, _, first = built(given, CpuBackend())
    found = populations_of([(each.neuron, each.number) for each in given.populations], plan.dt)
    return net, Neurons(found[0].typed, found[0].given, first.voltage[:N].astype(np.float32)), given.numerics.seed


METHODS_OF = [*((name, "auto") for name in MODELS), ("izhikevich", "rk4"), ("channels", "rk4"), ("resting", "euler"),
              ("lif", "rk4"), ("lif", "exponential euler")]  # fmt: skip


@pytest.mark.parametrize(("name", "method"), METHODS_OF)
def test_a_step_is_that_of_float64(name, method):
    """One step from the same state, again and again: some twenty roundings of the largest value, and of the largest
    change where that is of large terms. Neurons at their threshold may differ in who fires."""
    net, reference, seed = alone(name, method, 700.0)
    places = reference.typed.places
    for now in range(40):
        state = {v: (net.arrays["more"][p] if isinstance(p, int) else net.arrays[p])[:N] for v, p in places.items()}
        reference.state = {v: row.astype(float) for v, row in state.items()}
        reference.release = net.arrays["release"][:N].astype(np.int64)
        before = {v: row.copy() for v, row in reference.state.items()}
        fired = reference.step(now, np.zeros(N), np.zeros(N), 700.0)
        net.advance(1)
        ours = net.arrays["last"][:N] == now
        alike = ours == fired
        assert alike.mean() > 0.9, f"seed {seed}"
        for v, p in places.items():
            row = (net.arrays["more"][p] if isinstance(p, int) else net.arrays[p])[:N]
            size = np.abs(before[v]).max() + np.abs(reference.state[v] - before[v]).max() + 0.01
            np.testing.assert_allclose(
                row[alike], reference.state[v][alike], rtol=0, atol=3e-6 * size, err_msg=f"{v} {seed}"
            )


@pytest.mark.parametrize("name", MODELS)
def test_the_method_follows_from_the_equations(name):
    given = network(name)
    found = populations_of([(given.populations[0].neuron, N)], 0.1)
    assert found[0].typed.method == METHODS[name]


@pytest.mark.parametrize("name", MODELS)
def test_kernels_compile_and_spill_nothing(name):
    found = populations_of([(network(name).populations[0].neuron, N)], 0.1)
    assert_no_spills(kernel_file([found[0].typed]), ("-DDELAY=8",), min(known_architectures()), 90)
