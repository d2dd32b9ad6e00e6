"""How far a step puts the intervals of neurons off that are not stepped exactly.

That is measured: on one neuron that a constant current lets fire, by the scheme of the kernels in float64 beside Runge
and Kutta's method of order 4 at short steps. Times of spikes are those within steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engines.spiking.neurons.constants import refractory_steps, substeps
from engines.spiking.parameters.neurons import AdaptiveExponential, HodgkinHuxley, Lif

Measured = AdaptiveExponential | HodgkinHuxley
State = tuple[float, ...]
SPAN, SHORTEST = 200.0, 0.01
"""How long the neuron is followed at most, and the shortest step that is measured [ms]."""
TIGHT = {AdaptiveExponential: 0.02, HodgkinHuxley: 0.04}
"""The longest step of the reference [ms]."""
DRIVES = (20.0, 30.0, 45.0, 70.0, 100.0)
"""Currents over the leak, one after the other until the neuron fires [mV]."""
SPIKES = 8
"""So many are enough."""
RULES = 5.0
"""Of AdEx, slopes above the soft threshold from which the exponential rules."""
STEEPEST = 12.0
"""Of AdEx, slopes above the soft threshold from which the voltage runs no faster: the rest of a spike takes 1e-4 ms."""


@dataclass(frozen=True)
class Intervals:
    """The mean interval with a step and without its error [ms], of neurons that a current [pA; leaky: mV] drives."""

    stepped: float
    exact: float
    current: float

    @property
    def error(self) -> float:
        return self.stepped / self.exact - 1.0


def on_grid(neuron: Lif, dt: float, current: float) -> Intervals | None:
    """Of a leaky neuron by this constant current [mV] alone; None if it is silent. On the grid a spike belongs to the
    step that passes the threshold, from whose end the refractory time counts that step too."""
    driven = neuron.resting_voltage + current
    if driven <= neuron.threshold:
        return None
    rise = neuron.membrane_time * math.log((driven - neuron.reset) / (driven - neuron.threshold))
    steps = math.floor(rise / dt * (1 + 1e-12)) + refractory_steps(neuron, dt)
    return Intervals(steps * dt, rise + neuron.refractory_time, current)


def intervals(neuron: Measured, dt: float, current: float) -> Intervals | None:
    """With this current, or if the neuron is silent the least of a few that let it fire; None if none does, with
    steps that are too short to matter, and where voltages run away."""
    return None if dt < SHORTEST else _measured(type(neuron), neuron.model_dump_json(), dt, current)


@lru_cache(maxsize=64)
def _measured(kind: type[Measured], settings: str, dt: float, current: float) -> Intervals | None:
    neuron = kind.model_validate_json(settings)
    for drive in (current, *(neuron.leak * volts for volts in DRIVES)):
        try:
            stepped = _stepped(neuron, drive, dt)
            exact = _exact(neuron, drive, min(TIGHT[type(neuron)], dt / 2)) if len(stepped) >= 3 else []
        except OverflowError:  # beyond all voltages, or channels that are too fast for the reference
            return None
        count = min(len(stepped), len(exact))
        if count >= 3:
            mean, right = ((spikes[count - 1] - spikes[0]) / (count - 1) for spikes in (stepped, exact))
            return Intervals(mean, right, drive)
    return None


def _stepped(neuron: Measured, current: float, dt: float) -> list[float]:
    """Times of spikes [ms] with steps as kernels take them."""
    if isinstance(neuron, AdaptiveExponential):
        return _adaptive_steps(neuron, current, dt)
    return _crossings(neuron, dt, _channel_steps(neuron, current, dt))


def _exact(neuron: Measured, current: float, short: float) -> list[float]:
    """The same by Runge and Kutta's method."""
    move = _runge_kutta(neuron, current, short)
    return (
        _upstrokes(neuron, current, short, move)
        if isinstance(neuron, AdaptiveExponential)
        else _crossings(neuron, short, move)
    )


def _crossings(neuron: HodgkinHuxley, dt: float, step: Callable[[State], State]) -> list[float]:
    """When the voltage rises through the threshold, within its step."""
    state, ready = _start(neuron), 0.0
    found: list[float] = []
    for k in range(round(SPAN / dt)):
        if len(found) == SPIKES:
            break
        now, before = (k + 1) * dt, state[0]
        state = step(state)
        if state[0] > neuron.threshold >= before and now > ready:
            found.append(now - dt * (state[0] - neuron.threshold) / (state[0] - before))
            ready = now + neuron.refractory_time - 0.5 * dt
    return found


def _upstrokes(neuron: AdaptiveExponential, current: float, dt: float, step: Callable[[State], State]) -> list[float]:
    """When the voltage passes the peak; from where the exponential rules, that is known."""
    (v, w), now = _start(neuron), 0.0
    found: list[float] = []
    rules = min(neuron.peak, neuron.soft_threshold + RULES * neuron.slope)
    while now < SPAN and len(found) < SPIKES:
        moved, follows = step((v, w))
        if moved <= rules:
            v, w, now = moved, follows, now + dt
            continue
        rest = neuron.leak * (neuron.resting_voltage - v) - w + current
        time, mean = _to_peak(neuron, v, rest / neuron.capacitance)
        w += time / neuron.adaptation_time * (neuron.adaptation * (mean - neuron.resting_voltage) - w)
        found.append(now + time)
        held = neuron.adaptation * (neuron.reset - neuron.resting_voltage)
        w = held + (w + neuron.jump - held) * math.exp(-neuron.refractory_time / neuron.adaptation_time)
        v, now = neuron.reset, now + time + neuron.refractory_time
    return found


def _to_peak(neuron: AdaptiveExponential, v: float, slope: float) -> tuple[float, float]:
    """Time to the peak [ms] if all but the exponential goes on with this slope [mV/ms]: e^(−v/Δ) is u, and
    du/dt = −slope u/Δ − 1/τ. And the mean voltage until then by the exponential alone."""
    tau, width = neuron.capacitance / neuron.leak, neuron.slope
    u, end = (math.exp(min((neuron.soft_threshold - each) / width, 40.0)) for each in (v, neuron.peak))
    over = 1 + end * slope * tau / width
    z = (u - end) * slope * tau / width / over
    if over <= 0 or z <= -1:  # never
        return math.inf, v
    ratio = end / u
    mean = width + (v - ratio * neuron.peak) / (1 - ratio) if ratio < 0.99 else (v + neuron.peak) / 2
    return max(0.0, (u - end) * tau / over * (math.log1p(z) / z if z else 1.0)), mean


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


def _adaptive_steps(neuron: AdaptiveExponential, current: float, dt: float) -> list[float]:
    """Times of spikes with steps of the kernels: half of the linear part, the exponential, the other half."""
    (v, w), release = _start(neuron), 0
    found: list[float] = []
    leak, rest, wide, tau = neuron.leak, neuron.resting_voltage, neuron.slope, neuron.capacitance / neuron.leak
    loss, w_loss, peak = math.expm1(-dt / 2 / tau), math.expm1(-dt / neuron.adaptation_time), neuron.peak

    def half(v: float, w: float) -> float:
        return v - (rest + (current - w) / leak - v) * loss

    def adapted(v: float) -> float:
        return w - (neuron.adaptation * (v - rest) - w) * w_loss

    def power(v: float) -> float:
        return math.exp(min((v - neuron.soft_threshold) / wide, 40.0))

    for k in range(round(SPAN / dt)):
        if len(found) == SPIKES:
            break
        if k < release:
            w = adapted(v)
            continue
        begun = half(v, w)
        left = 1 - dt / tau * power(begun)
        risen = begun - wide * math.log(left) if left > power(begun - peak + neuron.soft_threshold) else math.inf
        follows = adapted((begun + risen) / 2) if risen < math.inf else w
        moved = half(risen, follows) if risen < math.inf else math.inf
        if moved <= peak:
            v, w = moved, follows
            continue
        time, mean = _to_peak(neuron, v, 2 * (begun - v) / dt)
        share = min(time / dt, 1.0)
        found.append((k + share) * dt)
        w = adapted(share * mean + (1 - share) * neuron.reset) + neuron.jump * (1 + w_loss * (1 - share))
        bend = leak * wide * power(neuron.reset)
        v = neuron.reset
        v += (1 - share) * dt / neuron.capacitance * (leak * (rest - v) + current - w + bend)
        release = k + refractory_steps(neuron, dt)
    return found


def _channel_steps(neuron: HodgkinHuxley, current: float, dt: float) -> Callable[[State], State]:
    """A step in sub-steps: half of the voltage's, the gates', the other half."""
    number = substeps(dt)
    short = dt / number

    def voltage(state: State) -> State:
        total, driven = _conductances(neuron, state, current)
        return state[0] - (driven / total - state[0]) * math.expm1(-short / 2 * total / neuron.capacitance), *state[1:]

    def step(state: State) -> State:
        for _ in range(number):
            state = voltage(state)
            gates = []
            for value, (opens, closes) in zip(state[1:], _rates(neuron, state[0]), strict=True):
                both = opens + closes
                gates.append(value - (opens / both - value) * math.expm1(-short * both))
            state = voltage((state[0], *gates))
        return state

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
