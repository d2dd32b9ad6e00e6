"""From a neuron's parameters to the constants of its row (``rows.py``), and what may change while it runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.spiking.lif.model import Lif as ExactLif
from engines.spiking.neurons.rows import (
    RISING,
    WIDTH,
    AdaptiveRow,
    ChannelRow,
    Common,
    ConductanceRow,
    IzhikevichRow,
    Kind,
    LifRow,
    Own,
    row,
)
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.neurons import (
    IN_PICOAMPERES,
    AdaptiveExponential,
    ConductanceLif,
    HodgkinHuxley,
    Izhikevich,
    Lif,
    Neuron,
    Source,
)

Spiking = Lif | ConductanceLif | Izhikevich | AdaptiveExponential | HodgkinHuxley
"""Those with a voltage."""
CHANNEL_STEP = 0.025
"""The longest sub-step of channels [ms]: default neurons at 1500 pA have intervals 0.11 % long, with 0.1 ms 1.5 %."""


@dataclass(frozen=True)
class Live:
    """What may change while it runs: a current into all neurons, and factors. injected: that of those with a
    capacitance [pA]; drive: that of all others"""

    drive: float = 0.0
    excitation: float = 1.0
    inhibition: float = 1.0
    external: float = 1.0
    noise: float = 1.0
    injected: float = 0.0


def model_of(neuron: Neuron) -> Kind:
    match neuron:
        case Lif():
            return Kind.LIF
        case ConductanceLif():
            return Kind.CONDUCTANCE
        case Izhikevich():
            return Kind.IZHIKEVICH
        case AdaptiveExponential():
            return Kind.ADAPTIVE
        case HodgkinHuxley():
            return Kind.HODGKIN_HUXLEY
        case OwnNeuron():
            return Kind.TYPED
    return Kind.POISSON


def rest_of(neuron: Neuron) -> float:
    """What is added to a stored voltage to get it in mV: leaky neurons with currents keep theirs above rest."""
    return neuron.resting_voltage if isinstance(neuron, Lif) else 0.0


def loss(dt: float, time: float) -> float:
    """e^(−dt/τ) − 1; −1 for τ = 0."""
    return math.expm1(-dt / time) if time > 0 else -1.0


def is_rising(neuron: Neuron) -> bool:
    """Whether its synapses are alpha functions."""
    return getattr(neuron, "time_course", "exponential") == "alpha"


def refractory_steps(neuron: Neuron, dt: float) -> int:
    """Steps from a spike to the first in which the neuron may fire again. Adaptive exponential ones move through what
    is left of the step of their spike, and are held after it."""
    held = getattr(neuron, "refractory_time", 0.0)
    steps = max(1, round(held / dt))
    return steps + 1 if held and isinstance(neuron, AdaptiveExponential) else steps


def substeps(dt: float) -> int:
    """Of channels in a step."""
    return max(1, math.ceil(dt / CHANNEL_STEP - 1e-6))


def constants(neuron: Neuron, dt: float, current: float, noise: float, live: Live, quantum: float) -> Array:
    """(WIDTH,) float32: the row of ``rows.py``; of sources, which have no voltage, zeros."""
    if isinstance(neuron, Source):
        return np.zeros(WIDTH, np.float32)
    current += live.injected if neuron.kind in IN_PICOAMPERES else live.drive
    if isinstance(neuron, OwnNeuron):  # weights that arrive are sizes, and all else is in the model's own numbers
        scales = quantum * live.excitation, -(quantum * live.inhibition)
        return row(Common(*scales, 0.0, 0.0, 0.0, 0.0, current, noise * live.noise), ()).astype(np.float32)
    common, own = _common(neuron, dt, current, noise * live.noise), _own(neuron, dt)
    conducts = isinstance(own, ConductanceRow) or (isinstance(own, (AdaptiveRow, ChannelRow)) and own.conducts > 0)
    inhibits = -1 if conducts else 1
    numbers = row(
        common._replace(scale_e=quantum * live.excitation, scale_i=inhibits * (quantum * live.inhibition)), own
    )
    if is_rising(neuron):
        numbers[RISING] = 1.0
        numbers[:2] *= math.e * dt / neuron.excitatory_time, math.e * dt / neuron.inhibitory_time
    return numbers.astype(np.float32)


def _common(neuron: Spiking, dt: float, current: float, noise: float) -> Common:
    """Inputs have no scale yet."""
    threshold, reset = 0.0, 0.0
    match neuron:
        case Lif():
            leak = -math.expm1(-dt / neuron.membrane_time)
            threshold, reset = neuron.threshold - neuron.resting_voltage, neuron.reset - neuron.resting_voltage
            current, noise = current * leak, noise * leak
        case ConductanceLif():
            threshold, reset, current = neuron.threshold, neuron.reset, current + neuron.resting_voltage
        case Izhikevich():
            threshold, reset = 30.0, neuron.c
        case AdaptiveExponential():
            threshold, reset, current = neuron.peak, neuron.reset, current + neuron.leak * neuron.resting_voltage
        case HodgkinHuxley():
            threshold, current = neuron.threshold, current + neuron.leak * neuron.resting_voltage
    losses = loss(dt, neuron.excitatory_time), loss(dt, neuron.inhibitory_time)
    return Common(1.0, 1.0, *losses, threshold, reset, current, noise)


def _own(neuron: Spiking, dt: float) -> Own:
    match neuron:
        case Lif():
            times = neuron.excitatory_time, neuron.inhibitory_time
            rises = [rise_gain(dt, neuron.membrane_time, time) for time in times] if is_rising(neuron) else (0.0, 0.0)
            return LifRow(math.expm1(-dt / neuron.membrane_time), *(_gain(neuron, dt, time) for time in times), *rises)
        case ConductanceLif():
            return ConductanceRow(-dt / neuron.membrane_time, neuron.excitatory_reversal, neuron.inhibitory_reversal)
        case Izhikevich():
            return IzhikevichRow(half=dt / 2, recovery_rate=dt * neuron.a, follows=neuron.b, jump=neuron.d)
        case AdaptiveExponential():
            reversal_e, reversal_i, conducts = _synapses(neuron)
            return AdaptiveRow(
                rate=-0.5 * dt / neuron.capacitance,
                leak=neuron.leak,
                rest=neuron.resting_voltage,
                soft_threshold=neuron.soft_threshold,
                per_slope=1 / neuron.slope,
                at_peak=_faded((neuron.soft_threshold - neuron.peak) / neuron.slope),
                recovery_loss=math.expm1(-dt / neuron.adaptation_time),
                adaptation=neuron.adaptation,
                jump=neuron.jump,
                reversal_e=reversal_e,
                reversal_i=reversal_i,
                conducts=conducts,
            )
    reversal_e, reversal_i, conducts = _synapses(neuron)
    return ChannelRow(
        rate=-0.5 * dt / substeps(dt) / neuron.capacitance,
        leak=neuron.leak,
        substeps=substeps(dt),
        sodium=neuron.sodium,
        sodium_reversal=neuron.sodium_reversal,
        potassium=neuron.potassium,
        potassium_reversal=neuron.potassium_reversal,
        shift=neuron.shift,
        gate_rate=-dt / substeps(dt),
        reversal_e=reversal_e,
        reversal_i=reversal_i,
        conducts=conducts,
    )


def rise_gain(dt: float, membrane: float, synapse: float) -> float:
    """What a rise of 1 at a step's beginning adds to v by its end. An alpha function w e t/τ e^(−t/τ) is stepped
    exactly (Rotter and Diesmann 1999) as g' = (g + h) e^(−dt/τ), h' = h e^(−dt/τ), where a spike adds w e dt/τ to h:
    within a step g is (g + h s/dt) e^(−s/τ), and of h comes e^(−dt/τ_m)/(τ_m dt) ∫ s e^(x s/dt) ds with
    x = dt/τ_m − dt/τ."""
    x = dt / membrane - dt / synapse
    # the series where the quotient would lose digits: its next term is below 1e-14 for x below 1e-3
    share = 0.5 + x / 3 + x**2 / 8 + x**3 / 30 + x**4 / 144 if abs(x) < 1e-3 else (math.exp(x) * (x - 1) + 1) / x**2
    return math.exp(-dt / membrane) * dt / membrane * share


def _faded(power: float) -> float:
    """e^power; 0 where that is next to nothing, and at most what float32 can be multiplied with."""
    return math.exp(min(power, 40.0)) if power > -70 else 0.0


def _gain(neuron: Lif, dt: float, time: float) -> float:
    """What a synaptic current of 1 at a step's beginning adds to v by its end; a jump of 1 that leaks for τ = 0."""
    if time == 0:
        return math.exp(-dt / neuron.membrane_time)
    return ExactLif(dt=dt, membrane=neuron.membrane_time, excitatory=time).propagators()["gain_e"]


def _synapses(neuron: AdaptiveExponential | HodgkinHuxley) -> tuple[float, float, float]:
    """Reversals, and 1 for conductances; 1, 1 and 0 for currents."""
    if neuron.synapses == "conductance":
        return neuron.excitatory_reversal, neuron.inhibitory_reversal, 1.0
    return 1.0, 1.0, 0.0
