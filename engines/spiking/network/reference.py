"""Neuron models in float64, as their papers write them, and a network of them step by step; nothing is shared with the
kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.network.plan import First, Plan
from engines.spiking.parameters.neurons import (
    AdaptiveExponential,
    ConductanceLif,
    HodgkinHuxley,
    Izhikevich,
    Lif,
    Neuron,
)


class Cells:
    """Neurons of one population: ``step`` takes what arrives and gives who fires."""

    def __init__(self, neuron: Neuron, dt: float, voltage: Array, excitation: Array, inhibition: Array) -> None:
        self.neuron, self.dt = neuron, dt
        self.v, self.g_e, self.g_i = voltage.astype(float), excitation.astype(float), inhibition.astype(float)
        self.since = np.full(len(voltage), 10**9)
        self.w = np.zeros(len(voltage))
        self.rise_e, self.rise_i = np.zeros(len(voltage)), np.zeros(len(voltage))
        if isinstance(neuron, Izhikevich):
            self.w = neuron.b * self.v
        if isinstance(neuron, HodgkinHuxley):
            self.m, self.h, self.n = (a / (a + b) for a, b in rates(self.v, neuron.shift))

    def step(self, excitatory: Array, inhibitory: Array, current: float) -> Array:
        """Sizes of arriving weights and a constant current; returns (n,) bool."""
        neuron, dt = self.neuron, self.dt
        self.since = self.since + 1
        ready = self.since >= max(1, round(getattr(neuron, "refractory_time", 0.0) / dt))
        rises = getattr(neuron, "time_course", "exponential") == "alpha"
        if rises:  # slopes, such that an alpha function's highest value is the weight
            self.rise_e = self.rise_e + math.e * excitatory / neuron.excitatory_time  # type: ignore[union-attr]  # sources have no cells
            self.rise_i = self.rise_i + math.e * inhibitory / neuron.inhibitory_time  # type: ignore[union-attr]
        else:
            self.g_e, self.g_i = self.g_e + excitatory, self.g_i + inhibitory
        fired = STEPS[type(neuron)](self, neuron, ready, current)
        for name, time in (("g_e", neuron.excitatory_time), ("g_i", neuron.inhibitory_time)):  # type: ignore[union-attr]  # sources have no cells
            left = math.exp(-dt / time) if time > 0 else 0.0
            rise = "rise" + name[1:]
            setattr(self, name, (getattr(self, name) + dt * getattr(self, rise)) * left)
            setattr(self, rise, getattr(self, rise) * left)
        self.since[fired] = 0
        return fired


def _lif(cells: Cells, neuron: Lif, ready: Array, current: float) -> Array:
    """Exact: the membrane driven by two exponentials or alpha functions, or by jumps."""
    e = math.exp(-cells.dt / neuron.membrane_time)
    infinity = neuron.resting_voltage + current
    moved = infinity + (cells.v - infinity) * e
    for sign, g, time in ((1, cells.g_e, neuron.excitatory_time), (-1, cells.g_i, neuron.inhibitory_time)):
        share = e if time == 0 else time / (time - neuron.membrane_time) * (math.exp(-cells.dt / time) - e)
        moved = moved + sign * share * g
        rise = cells.rise_e if sign > 0 else cells.rise_i
        if rise.any():
            r = 1 / neuron.membrane_time - 1 / time
            moved = moved + sign * rise * e / neuron.membrane_time * (
                cells.dt * math.exp(r * cells.dt) / r - math.expm1(r * cells.dt) / r**2
            )
    cells.v = np.where(ready, moved, cells.v)
    fired = ready & (cells.v > neuron.threshold)
    cells.v[fired] = neuron.reset
    return fired


def _conductance(cells: Cells, neuron: ConductanceLif, ready: Array, current: float) -> Array:
    """Exact for conductances that hold for a step."""
    total = 1 + cells.g_e + cells.g_i
    pull = neuron.resting_voltage + current + cells.g_e * neuron.excitatory_reversal
    infinity = (pull + cells.g_i * neuron.inhibitory_reversal) / total
    moved = infinity + (cells.v - infinity) * np.exp(-cells.dt * total / neuron.membrane_time)
    cells.v = np.where(ready, moved, cells.v)
    fired = ready & (cells.v > neuron.threshold)
    cells.v[fired] = neuron.reset
    return np.asarray(fired)


def _izhikevich(cells: Cells, neuron: Izhikevich, ready: Array, current: float) -> Array:
    """The published program: v in two half steps, then u."""
    total = current + cells.g_e - cells.g_i
    for _ in range(2):
        cells.v = cells.v + cells.dt / 2 * (0.04 * cells.v**2 + 5 * cells.v + 140 - cells.w + total)
    cells.w = cells.w + cells.dt * neuron.a * (neuron.b * cells.v - cells.w)
    fired = cells.v >= 30
    cells.v[fired] = neuron.c
    cells.w[fired] += neuron.d
    return np.asarray(fired)


def _synaptic(cells: Cells, neuron: AdaptiveExponential | HodgkinHuxley) -> Array:
    if neuron.synapses == "current":
        return cells.g_e - cells.g_i
    excitation = cells.g_e * (neuron.excitatory_reversal - cells.v)
    return excitation + cells.g_i * (neuron.inhibitory_reversal - cells.v)


def _adaptive(cells: Cells, neuron: AdaptiveExponential, ready: Array, current: float) -> Array:
    """Euler's method."""
    v, w = cells.v, cells.w
    bend = neuron.leak * neuron.slope * np.exp(np.minimum((v - neuron.soft_threshold) / neuron.slope, 40))
    total = neuron.leak * (neuron.resting_voltage - v) + bend - w + current + _synaptic(cells, neuron)
    cells.w = w + cells.dt / neuron.adaptation_time * (neuron.adaptation * (v - neuron.resting_voltage) - w)
    cells.v = np.where(ready, v + cells.dt / neuron.capacitance * total, v)
    fired = ready & (cells.v > neuron.peak)
    cells.v[fired] = neuron.reset
    cells.w[fired] += neuron.jump
    return np.asarray(fired)


def rates(v: Array, shift: float) -> tuple[tuple[Array, Array], ...]:
    """(α, β) of m, h, n [1/ms], as in Brette and others (2007), benchmark 3; not for v where they are 0/0."""
    x = v - shift
    return (
        (0.32 * (13 - x) / (np.exp((13 - x) / 4) - 1), 0.28 * (x - 40) / (np.exp((x - 40) / 5) - 1)),
        (0.128 * np.exp((17 - x) / 18), 4 / (1 + np.exp((40 - x) / 5))),
        (0.032 * (15 - x) / (np.exp((15 - x) / 5) - 1), 0.5 * np.exp((10 - x) / 40)),
    )


def _hodgkin_huxley(cells: Cells, neuron: HodgkinHuxley, ready: Array, current: float) -> Array:
    """Gates exact for the voltage of the step's beginning, then the voltage exact for these gates."""
    dt, before = cells.dt, cells.v
    for name, (opens, closes) in zip("mhn", rates(before, neuron.shift), strict=True):
        infinity = opens / (opens + closes)
        value = getattr(cells, name)
        setattr(cells, name, infinity + (value - infinity) * np.exp(-dt * (opens + closes)))
    sodium, potassium = neuron.sodium * cells.m**3 * cells.h, neuron.potassium * cells.n**4
    total = neuron.leak + sodium + potassium
    driven = neuron.leak * neuron.resting_voltage + sodium * neuron.sodium_reversal
    driven = driven + potassium * neuron.potassium_reversal + current
    if neuron.synapses == "conductance":
        total = total + cells.g_e + cells.g_i
        driven = driven + cells.g_e * neuron.excitatory_reversal + cells.g_i * neuron.inhibitory_reversal
    else:
        driven = driven + cells.g_e - cells.g_i
    infinity = driven / total
    cells.v = infinity + (before - infinity) * np.exp(-dt * total / neuron.capacitance)
    return np.asarray(ready & (before <= neuron.threshold) & (cells.v > neuron.threshold))


STEPS: dict[type, Callable[..., Array]] = {
    Lif: _lif,
    ConductanceLif: _conductance,
    Izhikevich: _izhikevich,
    AdaptiveExponential: _adaptive,
    HodgkinHuxley: _hodgkin_huxley,
}


def spikes(plan: Plan, wiring: Wiring, first: First, steps: int) -> tuple[Array, Array]:
    """(step, neuron) of all spikes of the first steps of a network without random input, ordered."""
    n, bounds = plan.neurons, plan.bounds
    spans = [slice(int(a), int(b)) for a, b in pairwise(bounds)]
    cells = [
        Cells(population.neuron, plan.dt, first.voltage[own], first.excitation[own], first.inhibition[own])
        for population, own in zip(plan.populations, spans, strict=True)
    ]
    coming = np.zeros((steps + int(wiring.longest) + 1, 2, n))
    times, ids = [], []
    for step in range(steps):
        fired = np.zeros(n, bool)
        for population, own, group in zip(plan.populations, spans, cells, strict=True):
            fired[own] = group.step(coming[step, 0, own], coming[step, 1, own], population.external.current)
        for neuron in np.flatnonzero(fired):
            row = slice(wiring.starts[neuron], wiring.starts[neuron + 1])
            weight = wiring.weights[row]
            np.add.at(
                coming, (step + 1 + wiring.delays[row], (weight < 0).astype(int), wiring.targets[row]), np.abs(weight)
            )
        times.append(np.full(int(fired.sum()), step))
        ids.append(np.flatnonzero(fired))
    return np.concatenate(times), np.concatenate(ids)
