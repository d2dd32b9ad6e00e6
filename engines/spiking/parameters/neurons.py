"""Neuron models and what may be set of each. Weights have the unit of what a model's synapses give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.spiking.parameters.equations import OwnNeuron

TimeCourse = Literal["exponential", "alpha"]
TIME_COURSE = "What a spike gives has its weight at once, or after the decay time (an alpha function); then it decays"

HELD = (
    "Time for which the voltage is held after a spike, of which the step of the spike is the first, as in Brian2: one "
    "step less than in NEST"
)


def unit_of_weights(neuron: str) -> str:
    """What a synapse gives the model that stands at ``neuron``; one's own equations say it."""
    by_synapses = ("adaptive exponential", "hodgkin-huxley")
    return " | ".join(
        [
            f"mV if {neuron}.kind=lif",
            f"g_leak if {neuron}.kind=lif conductance",
            *(f"nS if {neuron}.kind={kind} and {neuron}.synapses=conductance" for kind in by_synapses),
            *(f"pA if {neuron}.kind={kind}" for kind in by_synapses),
        ]
    )


WEIGHT_UNIT = unit_of_weights("populations[name=target].neuron")
"""Of a connection."""


def unit_of_currents(neuron: str) -> str:
    """In which currents from outside are given to the model that stands at ``neuron``."""
    units = {"lif": "mV", "lif conductance": "mV", "adaptive exponential": "pA", "hodgkin-huxley": "pA"}
    return " | ".join(f"{unit} if {neuron}.kind={kind}" for kind, unit in units.items())


class Lif(ParameterGroup):
    """Leaky integrate-and-fire with synaptic currents, as voltages: weights are in mV. Solved exactly."""

    kind: Literal["lif"] = "lif"
    membrane_time: float = quantity(20.0, "ms", "Time constant of the membrane", ge=1e-3, le=1000)
    resting_voltage: float = quantity(-49.0, "mV", "Voltage that the leak pulls to", ge=-200, le=100)
    threshold: float = quantity(-50.0, "mV", "Voltage above which the neuron fires", ge=-200, le=100)
    reset: float = quantity(-60.0, "mV", "Voltage after a spike, below the threshold", ge=-200, le=100)
    refractory_time: float = quantity(5.0, "ms", HELD, ge=0, le=1000)
    time_course: TimeCourse = quantity("exponential", "", TIME_COURSE)
    excitatory_time: float = quantity(5.0, "ms", "Decay of excitatory currents; 0: the voltage jumps", ge=0, le=1000)
    inhibitory_time: float = quantity(10.0, "ms", "Decay of inhibitory currents; 0: the voltage jumps", ge=0, le=1000)


class ConductanceLif(ParameterGroup):
    """Leaky integrate-and-fire with synaptic conductances: weights are in leak conductances."""

    kind: Literal["lif conductance"] = "lif conductance"
    membrane_time: float = quantity(20.0, "ms", "Time constant of the membrane", ge=1e-3, le=1000)
    resting_voltage: float = quantity(-60.0, "mV", "Voltage that the leak pulls to", ge=-200, le=100)
    threshold: float = quantity(-50.0, "mV", "Voltage above which the neuron fires", ge=-200, le=100)
    reset: float = quantity(-60.0, "mV", "Voltage after a spike, below the threshold", ge=-200, le=100)
    refractory_time: float = quantity(5.0, "ms", HELD, ge=0, le=1000)
    time_course: TimeCourse = quantity("exponential", "", TIME_COURSE)
    excitatory_time: float = quantity(5.0, "ms", "Decay of excitatory conductances", gt=0, le=1000)
    inhibitory_time: float = quantity(10.0, "ms", "Decay of inhibitory conductances", gt=0, le=1000)
    excitatory_reversal: float = quantity(0.0, "mV", "Reversal of excitatory synapses", ge=-200, le=200)
    inhibitory_reversal: float = quantity(-80.0, "mV", "Reversal of inhibitory synapses", ge=-200, le=200)


class Izhikevich(ParameterGroup):
    """Izhikevich's quadratic neuron (2003), in two half steps as published; weights are in its unit of current."""

    kind: Literal["izhikevich"] = "izhikevich"
    a: float = quantity(0.02, "1/ms", "Rate of the recovery", ge=0, le=1)
    b: float = quantity(0.2, "1", "How much the recovery follows the voltage", ge=-10, le=10)
    c: float = quantity(-65.0, "mV", "Voltage after a spike", ge=-200, le=29)
    d: float = quantity(8.0, "mV/ms", "What a spike adds to the recovery", ge=-100, le=200)
    time_course: TimeCourse = quantity("exponential", "", TIME_COURSE)
    excitatory_time: float = quantity(0.0, "ms", "Decay of excitatory currents; 0: they last a step", ge=0, le=1000)
    inhibitory_time: float = quantity(0.0, "ms", "Decay of inhibitory currents; 0: they last a step", ge=0, le=1000)


SYNAPSES = "Conductances: weights in nS; currents: weights in pA"


class AdaptiveExponential(ParameterGroup):
    """Adaptive exponential integrate-and-fire (Brette and Gerstner 2005)."""

    kind: Literal["adaptive exponential"] = "adaptive exponential"
    capacitance: float = quantity(281.0, "pF", "Of the membrane", gt=0, le=1e5)
    leak: float = quantity(30.0, "nS", "Leak conductance", gt=0, le=1e4)
    resting_voltage: float = quantity(-70.6, "mV", "Voltage that the leak pulls to", ge=-200, le=100)
    soft_threshold: float = quantity(-50.4, "mV", "Where the exponential takes over", ge=-200, le=100)
    slope: float = quantity(2.0, "mV", "Width of the exponential", gt=0, le=50)
    peak: float = quantity(0.0, "mV", "Voltage above which a spike is counted", ge=-100, le=100)
    reset: float = quantity(-70.6, "mV", "Voltage after a spike", ge=-200, le=100)
    refractory_time: float = quantity(0.0, "ms", "Time for which the voltage is held after a spike", ge=0, le=1000)
    adaptation_time: float = quantity(144.0, "ms", "Time constant of the adaptation", gt=0, le=1e5)
    adaptation: float = quantity(4.0, "nS", "Adaptation below the threshold", ge=-1e3, le=1e4)
    jump: float = quantity(80.5, "pA", "What a spike adds to the adaptation", ge=-1e4, le=1e5)
    synapses: Literal["conductance", "current"] = quantity("conductance", "", SYNAPSES)
    time_course: TimeCourse = quantity("exponential", "", TIME_COURSE)
    excitatory_time: float = quantity(5.0, "ms", "Decay of excitatory synapses", gt=0, le=1000)
    inhibitory_time: float = quantity(10.0, "ms", "Decay of inhibitory synapses", gt=0, le=1000)
    excitatory_reversal: float = quantity(0.0, "mV", "Reversal of excitatory synapses", ge=-200, le=200)
    inhibitory_reversal: float = quantity(-80.0, "mV", "Reversal of inhibitory synapses", ge=-200, le=200)


class HodgkinHuxley(ParameterGroup):
    """Hodgkin-Huxley with Traub and Miles' channels, as in the benchmark of Brette and others (2007)."""

    kind: Literal["hodgkin-huxley"] = "hodgkin-huxley"
    capacitance: float = quantity(200.0, "pF", "Of the membrane", gt=0, le=1e5)
    leak: float = quantity(10.0, "nS", "Leak conductance", gt=0, le=1e4)
    resting_voltage: float = quantity(-60.0, "mV", "Reversal of the leak", ge=-200, le=100)
    sodium: float = quantity(20_000.0, "nS", "Largest sodium conductance", ge=0, le=1e7)
    sodium_reversal: float = quantity(50.0, "mV", "Reversal of sodium", ge=-200, le=200)
    potassium: float = quantity(6_000.0, "nS", "Largest potassium conductance", ge=0, le=1e7)
    potassium_reversal: float = quantity(-90.0, "mV", "Reversal of potassium", ge=-200, le=200)
    shift: float = quantity(-63.0, "mV", "Where the channels open (V_T)", ge=-200, le=100)
    threshold: float = quantity(-20.0, "mV", "A spike is where the voltage rises through it", ge=-100, le=100)
    refractory_time: float = quantity(3.0, "ms", "Time after a spike for which no other is counted", ge=0, le=1000)
    synapses: Literal["conductance", "current"] = quantity("conductance", "", SYNAPSES)
    time_course: TimeCourse = quantity("exponential", "", TIME_COURSE)
    excitatory_time: float = quantity(5.0, "ms", "Decay of excitatory synapses", gt=0, le=1000)
    inhibitory_time: float = quantity(10.0, "ms", "Decay of inhibitory synapses", gt=0, le=1000)
    excitatory_reversal: float = quantity(0.0, "mV", "Reversal of excitatory synapses", ge=-200, le=200)
    inhibitory_reversal: float = quantity(-80.0, "mV", "Reversal of inhibitory synapses", ge=-200, le=200)


class PoissonSource(ParameterGroup):
    """No neurons: spikes at random, in each step with the same chance."""

    kind: Literal["poisson"] = "poisson"
    rate: float = quantity(10.0, "Hz", "Spikes of each per second", ge=0, le=1e5)


class SpikeList(ParameterGroup):
    """No neurons: spikes at the times that a file lists, each in the step in which its time is."""

    kind: Literal["spike list"] = "spike list"
    path: str = quantity(
        "", "", "CSV file with the columns neuron (from 0) and time [ms], or npz file with these arrays",
        file="spike list",
    )  # fmt: skip


Source = PoissonSource | SpikeList
"""Those that hear nobody and have no voltage."""
Neuron = Annotated[
    Lif | ConductanceLif | Izhikevich | AdaptiveExponential | HodgkinHuxley | OwnNeuron | PoissonSource | SpikeList,
    Field(discriminator="kind"),
]
NAMES = {
    "lif": "Leaky integrate-and-fire",
    "lif conductance": "Conductance-based leaky integrate-and-fire",
    "izhikevich": "Izhikevich",
    "adaptive exponential": "Adaptive exponential integrate-and-fire",
    "hodgkin-huxley": "Hodgkin–Huxley",
    "own equations": "Your own equations",
    "poisson": "Poisson source",
    "spike list": "Spikes from a file",
}
"""What people call the kinds."""
IN_PICOAMPERES = ("adaptive exponential", "hodgkin-huxley", "own equations")
"""Kinds whose currents are in pA, for their membranes have a capacitance, and typed ones."""
OTHERS = ("lif", "lif conductance", "izhikevich")
"""The other kinds that have a membrane."""
