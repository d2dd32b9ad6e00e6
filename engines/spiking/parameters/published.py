"""Networks from the literature, as parameters."""

from __future__ import annotations

import math
from typing import Any

from engines.api import Problem
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, ConstantDelay, ConstantWeight, Inputs, NoDelay
from engines.spiking.parameters.populations import Population

Group = dict[str, Any]

LAYERS = ("L2/3e", "L2/3i", "L4e", "L4i", "L5e", "L5i", "L6e", "L6i")
NUMBERS = (20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948)
PROBABILITIES = (
    (0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0),
    (0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0),
    (0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0),
    (0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0),
    (0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0),
    (0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0),
    (0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252),
    (0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443),
)
"""Of a synapse to the row's population from the column's (Potjans and Diesmann 2014, table 5)."""
EXTERNAL = (1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100)
"""Inputs from outside, 8 Hz each (table 5)."""
RATES = (0.943, 3.026, 4.368, 5.882, 7.733, 8.664, 1.096, 7.851)
"""Mean rates of NEST's implementation at full scale [Hz]."""
FULL_RATES = (0.890, 2.933, 4.391, 5.853, 7.453, 8.605, 1.107, 7.809)
"""Those of ours over 5 s: what inputs that a smaller network lacks would fire at."""


def cuba(n: int, inputs: float = 80.0, delay: NoDelay | ConstantDelay | None = None) -> Problem:
    """Brian2's network CUBA with so many neurons."""
    weights = {"Excitatory": 1.62, "Inhibitory": -9.0}
    excitatory = max(1, n * 4 // 5)
    numbers = {"Excitatory": excitatory, "Inhibitory": n - excitatory}
    populations = [Population(name=name, number=number) for name, number in numbers.items()]
    connections = [
        Connection(
            source=name, rule=Inputs(inputs=inputs), weight=ConstantWeight(weight=weight), delay=delay or NoDelay()
        )
        for name, weight in weights.items()
    ]
    return Problem(SpikingParameters(populations=populations, connections=connections))


def coba(number: int = 4000) -> SpikingParameters:
    """Vogels and Abbott's network with conductances, benchmark 1 of Brette and others (2007), as in Brian:
    p 0.02 at 4,000 neurons, weights 6 and 67 nS over a leak of 10 nS."""
    start = {
        "kind": "normal", "voltage": -65.0, "voltage_spread": 5.0, "excitation": 4.0, "excitation_spread": 1.5,
        "inhibition": 20.0, "inhibition_spread": 12.0,
    }  # fmt: skip
    numbers = {"Excitatory": number * 4 // 5, "Inhibitory": number - number * 4 // 5}
    populations = [
        {"name": name, "number": count, "neuron": {"kind": "lif conductance"}, "start": start}
        for name, count in numbers.items()
    ]
    rule = {"kind": "inputs", "inputs": 80.0}
    weights = {"Excitatory": 0.6, "Inhibitory": -6.7}
    return _made(populations, [_connection(name, "all", rule, weight) for name, weight in weights.items()])


def brunel(g: float = 5.0, drive: float = 2.0, number: int = 12_500) -> SpikingParameters:
    """Brunel's network (2000), model A: jumps of 0.1 mV and −g 0.1 mV after 1.5 ms, each hears a tenth of the others;
    from outside ``drive`` times what would bring a neuron to threshold without the network.

    A smaller one has as many inputs of a neuron less and jumps that are as much larger.
    """
    excitatory = number * 4 // 5
    inputs = excitatory // 10
    jump = 0.1 * 1000 / inputs
    neuron = {
        "kind": "lif", "membrane_time": 20.0, "resting_voltage": 0.0, "threshold": 20.0, "reset": 10.0,
        "refractory_time": 2.0, "excitatory_time": 0.0, "inhibitory_time": 0.0,
    }  # fmt: skip
    rate = drive * 20.0 / (jump * 20.0) * 1000
    external = {"rate": rate, "weight": jump}
    start = {"kind": "uniform", "lowest": 0.0, "highest": 20.0}
    populations = [
        {"name": name, "number": count, "neuron": neuron, "start": start, "external": external}
        for name, count in {"Excitatory": excitatory, "Inhibitory": number - excitatory}.items()
    ]
    delay = {"kind": "constant", "delay": 1.5}
    return _made(
        populations,
        [
            _connection("Excitatory", "all", {"kind": "fixed inputs", "number": inputs}, jump, delay),
            _connection("Inhibitory", "all", {"kind": "fixed inputs", "number": inputs // 4}, -g * jump, delay),
        ],
    )


def izhikevich_2003() -> SpikingParameters:
    """Izhikevich's 1,000 neurons (2003) in steps of 1 ms, with the middle of the published spread of a to d, and
    weights of the published mean and variance: normal and cut off at 0, there even between 0 and 0.5 or −1."""
    kinds = {
        "Excitatory": (800, {"a": 0.02, "b": 0.2, "c": -60.0, "d": 6.0}, 5.0),
        "Inhibitory": (200, {"a": 0.06, "b": 0.225, "c": -65.0, "d": 2.0}, 2.0),
    }
    populations = [
        {
            "name": name,
            "number": number,
            "neuron": {"kind": "izhikevich", **neuron},
            "start": {"kind": "uniform", "lowest": -65.0, "highest": -65.0},
            "external": {"noise": noise},
        }
        for name, (number, neuron, noise) in kinds.items()
    ]
    rule = {"kind": "all to all"}
    weights = {"Excitatory": 0.25, "Inhibitory": -0.5}
    connections = [_connection(name, "all", rule, weight, spread=3**-0.5) for name, weight in weights.items()]
    return _made(populations, connections, step=1.0)


def potjans_diesmann(scale: float = 0.1) -> SpikingParameters:
    """The microcircuit below 1 mm² of cortex (Potjans and Diesmann 2014): 77,169 neurons and 0.3 G synapses at scale 1.

    Below, neurons and inputs are fewer by ``scale``, weights stronger by 1/√scale, and a constant current stands for
    the mean input that is lost (van Albada, Helias and Diesmann 2015, as in NEST's example), which keeps the mean and
    the variance of the input; and for what its skewness takes (:func:`_lost_to_skewness`). Currents are in mV of the
    membrane's resistance: 87.8 pA, with 250 pF and 10 ms, are 3.512 mV.
    """
    weight, tau, g = 3.512, 0.5, 4.0
    root = math.sqrt(scale)
    neuron = {
        "kind": "lif", "membrane_time": 10.0, "resting_voltage": -65.0, "threshold": -50.0, "reset": -65.0,
        "refractory_time": 2.0, "excitatory_time": tau, "inhibitory_time": tau,
    }  # fmt: skip
    populations, connections = [], []
    for k, name in enumerate(LAYERS):
        inputs = [(EXTERNAL[k] * 8.0, weight)]
        for j, sender in enumerate(LAYERS):
            full = -math.log1p(-PROBABILITIES[k][j]) * NUMBERS[j]
            strength = -g * weight if j % 2 else weight * (2 if (k, j) == (0, 2) else 1)
            inputs.append((full * FULL_RATES[j], strength))
            if full:
                connections.append(
                    _connection(
                        sender,
                        name,
                        {"kind": "fixed total", "number": round(full * scale * round(NUMBERS[k] * scale))},
                        strength / root,
                        {"kind": "normal", "delay": 0.8 if j % 2 else 1.5, "spread": 0.5},
                        spread=0.1,
                    )
                )
        mean = sum(rate * strength for rate, strength in inputs) * tau * 1e-3
        skewness = _lost_to_skewness([(rate * 1e-3, strength * tau / 10.0) for rate, strength in inputs])
        populations.append(
            {
                "name": name,
                "number": round(NUMBERS[k] * scale),
                "neuron": neuron,
                "start": {"kind": "normal", "voltage": -58.0, "voltage_spread": 10.0},
                "external": {
                    "rate": 8.0 * EXTERNAL[k] * scale,
                    "weight": weight / root,
                    "current": (1 - root) * mean + (1 / root - 1) * skewness,
                },
            }
        )
    return _made(populations, connections, sheets="downwards")


def _lost_to_skewness(inputs: list[tuple[float, float]]) -> float:
    """How far the voltage's upper tail, beyond the threshold, is moved down by the skewness of Poisson inputs [mV], of
    (rate [1/ms], jump of the voltage [mV]) each, in membranes of 10 ms.

    Campbell's theorem gives the cumulants of the voltage, κ_n = τ_m/n Σ rate jumpⁿ, and Cornish and Fisher's expansion
    moves its quantile z standard deviations above the mean by κ₃/κ₂ (z² − 1)/6. Inhibitory jumps are the larger ones,
    so κ₃ is negative; with jumps 1/√scale as large and as much fewer, κ₂ stays and κ₃ grows by 1/√scale.
    """
    mean, variance, third = (10.0 / n * sum(rate * jump**n for rate, jump in inputs) for n in (1, 2, 3))
    z = (15.0 - mean) / math.sqrt(variance)
    return -third / variance * (z * z - 1) / 6


def waves(columns: int = 80, velocity: float = 0.05, noise: float = 5.6, periodic: bool = True) -> SpikingParameters:
    """A slab of cells with noise, 120 µm thick, each joined to those around it in space: a few spikes set off a wave
    that runs over the slab once, for a spike leaves cells tired (a large d). No paper's network; that signals along
    fibres carry waves which are little slower than themselves is seen in cortex (Muller, Chavane, Reynolds and
    Sejnowski 2018), at 0.1 mm/ms and more; 0.05 can be watched."""
    place = {"kind": "slab", "side": 30.0 * columns, "thickness": 120.0}
    start = {"kind": "normal", "voltage": -65.0, "voltage_spread": 3.0}
    cells = {"kind": "izhikevich", "d": 200.0, "excitatory_time": 3.0, "inhibitory_time": 6.0}
    kinds = {
        "Excitatory": (columns**2, cells, noise),
        "Inhibitory": (columns**2 // 4, cells | {"a": 0.1, "d": 50.0}, 0.0),
    }
    populations = [
        {"name": name, "number": number, "neuron": neuron, "start": start, "external": {"noise": drawn}, "place": place}
        for name, (number, neuron, drawn) in kinds.items()
    ]
    delay = {"kind": "distance", "velocity": velocity}
    near = {"kind": "distance", "probability": 0.3, "width": 150.0, "periodic": periodic}
    return _made(
        populations,
        [
            _connection("Excitatory", "all", near, 16.0, delay),
            _connection("Inhibitory", "Excitatory", near | {"width": 210.0}, -6.0, delay),
        ],
        step=0.25,
    )


def _connection(
    source: str, target: str, rule: Group, weight: float, delay: Group | None = None, spread: float = 0.0
) -> Group:
    kind = {"kind": "normal", "spread": spread} if spread else {"kind": "constant"}
    return {
        "source": source,
        "target": target,
        "rule": rule,
        "weight": {**kind, "weight": weight},
        "delay": delay or {"kind": "none"},
    }


def _made(
    populations: list[Group], connections: list[Group], step: float = 0.1, seed: int = 1, sheets: str = "upwards"
) -> SpikingParameters:
    numerics = {"step": step, "seed": seed}
    return SpikingParameters.model_validate(
        {"populations": populations, "connections": connections, "numerics": numerics, "sheets": sheets}
    )
