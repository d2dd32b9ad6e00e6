"""Neuron models in float64, stepped by the formulas of ``neurons/equations.py``, and a network of them step by step;
nothing is shared with the kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy

from engines.api import Array
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.network.plan import First, Plan
from engines.spiking.neurons.equations import MODELS, Model
from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley, Izhikevich, Neuron

SIDES = (("g_e", "rise_e", "excitatory_time"), ("g_i", "rise_i", "inhibitory_time"))


class Cells:
    """Neurons of one population: ``step`` takes what arrives and gives who fires."""

    def __init__(self, neuron: Neuron, dt: float, voltage: Array, excitation: Array, inhibition: Array) -> None:
        self.neuron, self.dt, self.model = neuron, dt, MODELS[neuron.kind]
        self.known: dict[str, Any] = {name: getattr(neuron, name) for name in self.model.parameters}
        self.known["conducts"] = float(getattr(neuron, "synapses", "current") == "conductance")
        self.state = dict.fromkeys(self.model.states, np.zeros(len(voltage)))
        self.state |= {"v": voltage.astype(float), "g_e": excitation.astype(float), "g_i": inhibition.astype(float)}
        self.since = np.full(len(voltage), 10**9)
        self.ready = np.ones(len(voltage), bool)
        if isinstance(neuron, Izhikevich):
            self.state["w"] = neuron.b * self.state["v"]
        if isinstance(neuron, HodgkinHuxley):
            self.state |= {
                gate: opens / (opens + closes)
                for gate, (opens, closes) in zip("mhn", rates(self.state["v"], neuron.shift), strict=True)
            }
        self._rate = {name: self.model.program(f"rate of {name}") for name in self.model.states}
        self._fires = self.model.program("fires")
        self._after = {name: self.model.program(f"{name} after") for name in self.model.after}
        self._matrices: dict[tuple[str, ...], Array] = {}

    def step(self, excitatory: Array, inhibitory: Array, current: float) -> Array:
        """Sizes of arriving weights and a constant current; returns (n,) bool."""
        neuron, state = self.neuron, self.state
        self.known["current"] = current
        self.since = self.since + 1
        held = getattr(neuron, "refractory_time", 0.0)
        goes_on = isinstance(neuron, AdaptiveExponential) and held > 0  # to the end of the step of its spike
        self.ready = ready = self.since >= max(1, round(held / self.dt)) + goes_on
        rises = getattr(neuron, "time_course", "exponential") == "alpha"
        for (g, rise, time), arriving in zip(SIDES, (excitatory, inhibitory), strict=True):
            if rises:  # slopes, such that an alpha function's highest value is the weight
                state[rise] = state[rise] + math.e * arriving / self.known[time]
            else:
                state[g] = state[g] + arriving
        before = dict(state)
        after = STEPS[neuron.kind](self)
        if self.model.rests:
            state["v"] = np.where(ready, state["v"], before["v"])
        fired: Array = ready & (self._fires({**self.known, **state, "before": before["v"]})[0] > 0)
        after = after or {name: program({**self.known, **state})[0] for name, program in self._after.items()}
        state |= {name: np.where(fired, value, state[name]) for name, value in after.items()}
        state |= {name: before[name] for names in SIDES for name in names[:2]}
        for g, rise, time in SIDES:
            if self.known[time] > 0:
                self.solve(g, rise)
            else:
                state[g] = np.zeros_like(state[g])
        self.since[fired] = 0
        return fired

    def rate(self, name: str, given: Mapping[str, Any] | None = None) -> Any:
        """Of a state [1/ms], or what it would be with other values of some."""
        return self._rate[name]({**self.known, **self.state, **(given or {})})[0]

    def euler(self, *names: str, dt: float | None = None) -> None:
        """These take their rates at the beginning."""
        dt = self.dt if dt is None else dt
        self.state |= {name: self.state[name] + dt * self.rate(name) for name in names}

    def relax(self, *names: str, dt: float | None = None) -> None:
        """Exact for rates f that are linear in their own x, all else held: x + f (1 − e^(−B dt))/B, B = −∂f/∂x."""
        moved, dt = {}, self.dt if dt is None else dt
        for name in names:
            slope = self.rate(name)
            decay = slope - self.rate(name, {name: self.state[name] + 1})
            moved[name] = self.state[name] - slope * np.expm1(-decay * dt) / decay
        self.state |= moved

    def solve(self, *names: str) -> None:
        """Exact for states whose rates are linear in all of them: by the exponential of their matrix."""
        if names not in self._matrices:
            self._matrices[names] = self._matrix(names)
        vector = np.stack([*(self.state[name] for name in names), np.ones_like(self.state["v"])])
        self.state |= dict(zip(names, self._matrices[names] @ vector, strict=False))

    def _matrix(self, names: Sequence[str]) -> Array:
        """Of a step, (k + 1, k + 1): the last column is that of the constant."""
        zero = dict.fromkeys(self.state, 0.0)
        constant = np.array([self.rate(name, zero) for name in names])
        matrix = np.zeros((len(names) + 1, len(names) + 1))
        for k, of in enumerate(names):
            matrix[:-1, k] = [self.rate(name, {**zero, of: 1.0}) for name in names] - constant
        matrix[:-1, -1] = constant
        exponential: Array = scipy.linalg.expm(self.dt * matrix)
        return exponential


def _lif(cells: Cells) -> None:
    """Exact: the membrane driven by exponentials, alpha functions or, of synapses that take no time, by jumps."""
    driving = []
    for sign, (g, rise, time) in zip((1, -1), SIDES, strict=True):
        if cells.known[time] > 0:
            driving += [g, rise]
        else:
            cells.state["v"] = cells.state["v"] + sign * cells.state[g]
            cells.state[g] = np.zeros_like(cells.state[g])
    cells.solve("v", *driving)


def _izhikevich(cells: Cells) -> None:
    """The published program: v in two half steps, then u."""
    for _ in range(2):
        cells.euler("v", dt=cells.dt / 2)
    cells.euler("w")


def _hodgkin_huxley(cells: Cells) -> None:
    """In sub-steps: half of the voltage's, exact for these gates, all of the gates', exact for that voltage, and the
    other half."""
    number = max(1, math.ceil(cells.dt / 0.025 - 1e-6))
    cells.relax("v", dt=cells.dt / number / 2)
    for left in reversed(range(number)):
        cells.relax("m", "h", "n", dt=cells.dt / number)
        cells.relax("v", dt=cells.dt / number / (1 if left else 2))  # two halves in one


def _adaptive_exponential(cells: Cells) -> Mapping[str, Array]:
    """Half a step without the exponential, a step of that alone (e^(−v/Δ) falls evenly), and the other half; w in
    between, at the mean voltage. Returns what those that fire are after it: from when they do, with the slope of all
    but the exponential held, they go on from the reset."""
    known, state, dt = cells.known, cells.state, cells.dt
    low, width, tau = -1000.0, known["slope"], known["capacitance"] / known["leak"]  # there is no exponential at `low`
    decay = cells.rate("v", {"v": low - 1}) - cells.rate("v", {"v": low})

    def half(v: Array) -> Array:
        target = low + cells.rate("v", {"v": low}) / decay
        return v - (target - v) * np.expm1(-decay * dt / 2)

    def u(v: Any) -> Any:
        return np.exp((known["soft_threshold"] - v) / width)

    def adapted(v: Any) -> Array:
        w: Array = state["w"]
        return w - (known["adaptation"] * (v - known["resting_voltage"]) - w) * np.expm1(-dt / known["adaptation_time"])

    first, old, peak, reset = state["v"], state["w"], known["peak"], known["reset"]
    begun = half(first)
    passes = u(begun) - dt / tau <= u(peak)
    risen = known["soft_threshold"] - width * np.log(np.where(passes, 1.0, u(begun) - dt / tau))
    # du/dt = −k u − 1/τ
    k, way = 2 * (begun - first) / dt / width, u(first) - u(peak)
    z = way * k * tau / (1 + u(peak) * k * tau)
    when = way * tau / (1 + u(peak) * k * tau) * np.where(z == 0, 1.0, np.log1p(np.maximum(z, -1 + 1e-12)) / z)
    when = np.where((z <= -1) | (u(peak) * k * tau <= -1), dt, np.clip(when, 0.0, dt)) / dt
    ratio = u(peak) / u(first)
    upward = np.where(ratio < 0.99, width + (first - ratio * peak) / (1 - ratio), (first + peak) / 2)
    follows = adapted(when * upward + (1 - when) * reset)
    jump = known["jump"] * (1 + (1 - when) * np.expm1(-dt / known["adaptation_time"]))
    state["w"] = follows + jump
    after = {"w": state["w"], "v": reset + (1 - when) * dt * cells.rate("v", {"v": np.full_like(first, reset)})}
    state["w"] = old
    state["w"] = np.where(cells.ready, adapted((begun + risen) / 2), adapted(first))
    state["v"] = np.where(passes, np.inf, half(risen))
    return after


def rates(v: Array, shift: float) -> tuple[tuple[Array, Array], ...]:
    """(α, β) of m, h, n [1/ms], as in Brette and others (2007), benchmark 3; not for v where they are 0/0."""
    found = _CHANNELS({"v": v, "shift": shift})
    return tuple(zip(found[::2], found[1::2], strict=True))


_HODGKIN_HUXLEY: Model = MODELS["hodgkin-huxley"]
_CHANNELS = _HODGKIN_HUXLEY.program(*(f"{way}_{gate}" for gate in "mhn" for way in ("opens", "closes")))
STEPS: dict[str, Callable[[Cells], Mapping[str, Array] | None]] = {
    "lif": _lif,
    "lif conductance": lambda cells: cells.relax("v"),  # exact for conductances that hold for a step
    "izhikevich": _izhikevich,
    "adaptive exponential": _adaptive_exponential,
    "hodgkin-huxley": _hodgkin_huxley,
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
