"""How far a step puts the intervals of neurons off that are not stepped exactly.

That is measured: on one neuron that a constant current lets fire, by the scheme of the kernels in float64 beside Runge
and Kutta's method of order 4 at short steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley

Measured = AdaptiveExponential | HodgkinHuxley
State = tuple[float, ...]
SPAN, SHORTEST = 200.0, 0.01
"""How long the neuron is followed, and the shortest step that is measured [ms]."""
TIGHT = {AdaptiveExponential: 0.02, HodgkinHuxley: 0.04}
"""The longest step of the reference [ms]."""
DRIVES = (20.0, 30.0, 45.0, 70.0, 100.0)
"""Currents over the leak, one after the other until the neuron fires [mV]."""
STEEPEST = 12.0
"""Of AdEx, slopes above the soft threshold from which the voltage runs no faster: the rest of a spike takes 1e-4 ms."""


@dataclass(frozen=True)
class Intervals:
    """The mean interval with a step and without its error [ms], of neurons that a current [pA] drives."""

    stepped: float
    exact: float
    current: float

    @property
    def error(self) -> float:
        return self.stepped / self.exact - 1.0


def intervals(neuron: Measured, dt: float, current: float) -> Intervals | None:
    """With this current, or if the neuron is silent the least of a few that let it fire; None if none does, with
    steps that are too short to matter, and where voltages run away."""
    return None if dt < SHORTEST else _measured(type(neuron), neuron.model_dump_json(), dt, current)


@lru_cache(maxsize=64)
def _measured(kind: type[Measured], settings: str, dt: float, current: float) -> Intervals | None:
    neuron = kind.model_validate_json(settings)
    for drive in (current, *(neuron.leak * volts for volts in DRIVES)):
        try:
            stepped = _spikes(neuron, drive, dt, _scheme(neuron, drive, dt))
        except OverflowError:  # beyond all voltages: the run itself says so
            return None
        if len(stepped) < 3:
            continue
        short = min(TIGHT[type(neuron)], dt / 2)
        try:
            exact = _spikes(neuron, drive, short, _runge_kutta(neuron, drive, short))
        except OverflowError:  # channels that are too fast for the reference: nothing is known
            return None
        count = min(len(stepped), len(exact))
        if count >= 3:
            mean, right = ((spikes[count - 1] - spikes[0]) / (count - 1) for spikes in (stepped, exact))
            return Intervals(mean, right, drive)
    return None


def _spikes(neuron: Measured, current: float, dt: float, step: Callable[[State], State]) -> list[float]:
    """Times of spikes [ms]; of Hodgkin and Huxley's within the step in which the voltage rose through the threshold."""
    state, found, ready = _start(neuron), [], 0.0
    adaptive = isinstance(neuron, AdaptiveExponential)
    threshold = neuron.peak if isinstance(neuron, AdaptiveExponential) else neuron.threshold
    for k in range(round(SPAN / dt)):
        now, before = (k + 1) * dt, state[0]
        state = step(state)
        if isinstance(neuron, AdaptiveExponential) and now <= ready:
            state = (before, *state[1:])
        if state[0] > threshold and now > ready and (adaptive or before <= threshold):
            found.append(now if adaptive else now - dt * (state[0] - threshold) / (state[0] - before))
            ready = now + neuron.refractory_time - 0.5 * dt
            if isinstance(neuron, AdaptiveExponential):
                state = neuron.reset, state[1] + neuron.jump
    return found


def _start(neuron: Measured) -> State:
    v = neuron.resting_voltage
    if isinstance(neuron, AdaptiveExponential):
        return v, 0.0
    return v, *(opens / (opens + closes) for opens, closes in _rates(neuron, v))


def _linear(y: float) -> float:
    """y/(e^y − 1)"""
    return 1.0 - y / 2 if abs(y) < 1e-6 else y / math.expm1(y)


def _rates(neuron: HodgkinHuxley, v: float) -> tuple[tuple[float, float], ...]:
    """(α, β) of m, h, n [1/ms] (Brette and others 2007, benchmark 3)."""
    x = v - neuron.shift
    return (
        (1.28 * _linear((13 - x) / 4), 1.4 * _linear((x - 40) / 5)),
        (0.128 * math.exp((17 - x) / 18), 4 / (1 + math.exp((40 - x) / 5))),
        (0.16 * _linear((15 - x) / 5), 0.5 * math.exp((10 - x) / 40)),
    )


def _conductances(neuron: HodgkinHuxley, state: State, current: float) -> tuple[float, float]:
    """The sum of conductances [nS] and of the currents that they drive from 0 mV [pA]."""
    _, m, h, n = state
    sodium, potassium = neuron.sodium * m**3 * h, neuron.potassium * n**4
    driven = neuron.leak * neuron.resting_voltage + sodium * neuron.sodium_reversal
    return neuron.leak + sodium + potassium, driven + potassium * neuron.potassium_reversal + current


def _slopes(neuron: Measured, state: State, current: float) -> State:
    """Of all that moves [1/ms]."""
    v = state[0]
    if isinstance(neuron, AdaptiveExponential):
        bend = neuron.leak * neuron.slope * math.exp(min((v - neuron.soft_threshold) / neuron.slope, STEEPEST))
        total = neuron.leak * (neuron.resting_voltage - v) + bend - state[1] + current
        follows = neuron.adaptation * (min(v, neuron.peak) - neuron.resting_voltage) - state[1]
        return total / neuron.capacitance, follows / neuron.adaptation_time
    total, driven = _conductances(neuron, state, current)
    gates = zip(state[1:], _rates(neuron, v), strict=True)
    return (driven - total * v) / neuron.capacitance, *(a * (1 - value) - b * value for value, (a, b) in gates)


def _scheme(neuron: Measured, current: float, dt: float) -> Callable[[State], State]:
    """A step as kernels take it: Euler's; or gates exact at the voltage before it, then the voltage with these."""
    if isinstance(neuron, AdaptiveExponential):
        return lambda state: tuple(x + dt * s for x, s in zip(state, _slopes(neuron, state, current), strict=True))

    def step(state: State) -> State:
        gates = []
        for value, (opens, closes) in zip(state[1:], _rates(neuron, state[0]), strict=True):
            both = opens + closes
            gates.append(value - (opens / both - value) * math.expm1(-dt * both))
        total, driven = _conductances(neuron, (state[0], *gates), current)
        return state[0] - (driven / total - state[0]) * math.expm1(-dt * total / neuron.capacitance), *gates

    return step


def _runge_kutta(neuron: Measured, current: float, dt: float) -> Callable[[State], State]:
    def moved(state: State, slopes: State, time: float) -> State:
        return tuple(x + time * s for x, s in zip(state, slopes, strict=True))

    def step(state: State) -> State:
        first = _slopes(neuron, state, current)
        second = _slopes(neuron, moved(state, first, dt / 2), current)
        third = _slopes(neuron, moved(state, second, dt / 2), current)
        fourth = _slopes(neuron, moved(state, third, dt), current)
        mean = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth, strict=True))
        return moved(state, mean, dt)

    return step
