"""What the kernels know of a neuron model: a row of float32 numbers for each population, by place.

Places 0 to 7 and RISING are the same for all models; the rest are the model's own (``models.cuh``, ``cpu.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.spiking.lif.model import Lif as ExactLif
from engines.spiking.parameters.neurons import (
    AdaptiveExponential,
    ConductanceLif,
    HodgkinHuxley,
    Izhikevich,
    Lif,
    Neuron,
    PoissonSource,
)

LIF, CONDUCTANCE, IZHIKEVICH, ADAPTIVE, HODGKIN_HUXLEY, POISSON = range(6)
WIDTH = 24
"""Numbers of a row."""
RISING = 20
"""1 where synapses are alpha functions: what arrives goes to what they still rise by, and not to what they give."""


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


def model_of(neuron: Neuron) -> int:
    match neuron:
        case Lif():
            return LIF
        case ConductanceLif():
            return CONDUCTANCE
        case Izhikevich():
            return IZHIKEVICH
        case AdaptiveExponential():
            return ADAPTIVE
        case HodgkinHuxley():
            return HODGKIN_HUXLEY
    return POISSON


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
    """Steps from a spike to the first in which the neuron may fire again."""
    held = getattr(neuron, "refractory_time", 0.0)
    return max(1, round(held / dt))


def constants(neuron: Neuron, dt: float, current: float, noise: float, live: Live, quantum: float) -> Array:
    """(WIDTH,) float32: scale of excitatory and inhibitory inputs, losses of both, threshold, reset, current, noise;
    then those of the model."""
    row = np.zeros(WIDTH)
    if isinstance(neuron, PoissonSource):
        return row.astype(np.float32)
    current += live.injected if isinstance(neuron, (AdaptiveExponential, HodgkinHuxley)) else live.drive
    noise *= live.noise
    row[:4] = (
        quantum * live.excitation,
        quantum * live.inhibition,
        loss(dt, neuron.excitatory_time),
        loss(dt, neuron.inhibitory_time),
    )
    match neuron:
        case Lif():
            leak = -math.expm1(-dt / neuron.membrane_time)
            row[4:8] = (
                neuron.threshold - neuron.resting_voltage,
                neuron.reset - neuron.resting_voltage,
                (current * leak),
                noise * leak,
            )
            row[8] = -leak
            times = neuron.excitatory_time, neuron.inhibitory_time
            row[9:11] = [_gain(neuron, dt, time) for time in times]
            if is_rising(neuron):
                row[11:13] = [rise_gain(dt, neuron.membrane_time, time) for time in times]
        case ConductanceLif():
            row[1] = -row[1]
            row[4:8] = neuron.threshold, neuron.reset, current + neuron.resting_voltage, noise
            row[8] = -dt / neuron.membrane_time
            row[9:11] = neuron.excitatory_reversal, neuron.inhibitory_reversal
        case Izhikevich():
            row[4:8] = 30.0, neuron.c, current, noise
            row[8:12] = dt / 2, dt * neuron.a, neuron.b, neuron.d
        case AdaptiveExponential():
            row[4:8] = neuron.peak, neuron.reset, current, noise
            row[8:12] = dt / neuron.capacitance, neuron.leak, neuron.resting_voltage, neuron.soft_threshold
            row[12:14] = 1 / neuron.slope, neuron.leak * neuron.slope
            row[14:17] = dt / neuron.adaptation_time, neuron.adaptation, neuron.jump
            _synapses(row, neuron)
        case HodgkinHuxley():
            row[4:8] = neuron.threshold, 0.0, current, noise
            row[8:11] = -dt / neuron.capacitance, neuron.leak, neuron.leak * neuron.resting_voltage
            row[11:13] = neuron.sodium, neuron.sodium_reversal
            row[13:15] = neuron.potassium, neuron.potassium_reversal
            row[15:17] = neuron.shift, -dt
            _synapses(row, neuron)
    if is_rising(neuron):
        row[RISING] = 1.0
        row[:2] *= math.e * dt / neuron.excitatory_time, math.e * dt / neuron.inhibitory_time
    return row.astype(np.float32)


def rise_gain(dt: float, membrane: float, synapse: float) -> float:
    """What a rise of 1 at a step's beginning adds to v by its end. An alpha function w e t/τ e^(−t/τ) is stepped
    exactly (Rotter and Diesmann 1999) as g' = (g + h) e^(−dt/τ), h' = h e^(−dt/τ), where a spike adds w e dt/τ to h:
    within a step g is (g + h s/dt) e^(−s/τ), and of h comes e^(−dt/τ_m)/(τ_m dt) ∫ s e^(x s/dt) ds with
    x = dt/τ_m − dt/τ."""
    x = dt / membrane - dt / synapse
    # the series where the quotient would lose digits: its next term is below 1e-14 for x below 1e-3
    share = 0.5 + x / 3 + x**2 / 8 + x**3 / 30 + x**4 / 144 if abs(x) < 1e-3 else (math.exp(x) * (x - 1) + 1) / x**2
    return math.exp(-dt / membrane) * dt / membrane * share


def _gain(neuron: Lif, dt: float, time: float) -> float:
    """What a synaptic current of 1 at a step's beginning adds to v by its end; a jump of 1 that leaks for τ = 0."""
    if time == 0:
        return math.exp(-dt / neuron.membrane_time)
    return ExactLif(dt=dt, membrane=neuron.membrane_time, excitatory=time).propagators()["gain_e"]


def _synapses(row: Array, neuron: AdaptiveExponential | HodgkinHuxley) -> None:
    """Current g_e (E_e − c v) + g_i (E_i − c v) with c = 1 for conductances; c = 0 and E = 1 for currents."""
    if neuron.synapses == "conductance":
        row[1] = -row[1]
        row[17:20] = neuron.excitatory_reversal, neuron.inhibitory_reversal, 1.0
    else:
        row[17:20] = 1.0, 1.0, 0.0
