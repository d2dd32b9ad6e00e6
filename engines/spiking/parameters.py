"""The parameters of a spiking network: populations, neurons, synapses, drive, numerics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.parameters import ParameterGroup, quantity


class Populations(ParameterGroup):
    """How many neurons there are of each kind."""

    excitatory: int = quantity(3200, "1", "Excitatory neurons", ge=1, le=4_000_000)
    inhibitory: int = quantity(800, "1", "Inhibitory neurons", ge=0, le=4_000_000)


class Neuron(ParameterGroup):
    """A leaky integrate-and-fire neuron."""

    membrane_time: float = quantity(20.0, "ms", "Time constant of the membrane", gt=0, le=1000)
    resting_voltage: float = quantity(-49.0, "mV", "Voltage that the leak pulls to", ge=-200, le=100)
    threshold: float = quantity(-50.0, "mV", "Voltage above which the neuron fires", ge=-200, le=100)
    reset: float = quantity(-60.0, "mV", "Voltage after a spike, below the threshold", ge=-200, le=100)
    refractory_time: float = quantity(5.0, "ms", "Time for which the voltage is held after a spike", ge=0, le=1000)


class Probability(ParameterGroup):
    """Each pair of neurons is joined with the same probability."""

    kind: Literal["probability"] = "probability"
    probability: float = quantity(0.02, "1", "Probability that one neuron sends to another", ge=0, le=1)


class Inputs(ParameterGroup):
    """Each neuron hears as many others on average, however large the network is."""

    kind: Literal["inputs"] = "inputs"
    inputs: float = quantity(80.0, "1", "Mean number of neurons that a neuron hears", ge=0, le=100_000)


Connections = Annotated[Probability | Inputs, Field(discriminator="kind")]


class SynapseSettings(ParameterGroup):
    """What a spike does to the neurons that hear it: a current that decays exponentially."""

    excitatory_weight: float = quantity(1.62, "mV", "What an excitatory spike adds to the current", ge=0, le=1000)
    inhibitory_weight: float = quantity(-9.0, "mV", "What an inhibitory spike adds to the current", ge=-1000, le=0)
    excitatory_time: float = quantity(5.0, "ms", "Decay of excitatory currents", gt=0, le=1000)
    inhibitory_time: float = quantity(10.0, "ms", "Decay of inhibitory currents", gt=0, le=1000)
    excitation: float = quantity(1.0, "1", "Factor on what excitatory spikes give", live=True, ge=0, le=3)
    inhibition: float = quantity(1.0, "1", "Factor on what inhibitory spikes give", live=True, ge=0, le=3)


class Numerics(ParameterGroup):
    """Time step and random numbers."""

    step: float = quantity(0.1, "ms", "Time step: exact for the voltages; spikes are on its grid", gt=0, le=10)
    seed: int = quantity(1, "1", "Seed of connections and first voltages", ge=0, le=2**31 - 1)


class SpikingParameters(ParameterGroup):
    """All that a run of a network depends on."""

    populations: Populations = quantity(Populations(), "", "How many neurons there are")
    neuron: Neuron = quantity(Neuron(), "", "A neuron by itself")
    connections: Connections = quantity(Probability(), "", "Who is joined to whom")
    synapses: SynapseSettings = quantity(SynapseSettings(), "", "What a spike does")
    drive: float = quantity(0.0, "mV", "Constant current into all neurons, as voltage", live=True, ge=-20, le=20)
    numerics: Numerics = quantity(Numerics(), "", "Time step and random numbers")
