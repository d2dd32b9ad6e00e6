"""Populations: how many neurons of which model, how they begin, where they stand, what drives them from outside."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.spiking.parameters.neurons import NAMES, Lif, Neuron, unit_of_currents, unit_of_weights

SIDE = "Side or diameter; 0: from the number of neurons, as those of the largest population"


class UniformStart(ParameterGroup):
    """Voltages evenly spread between two."""

    kind: Literal["uniform"] = "uniform"
    lowest: float = quantity(-60.0, "mV", "Lowest first voltage", ge=-200, le=100)
    highest: float = quantity(-50.0, "mV", "Highest first voltage", ge=-200, le=100)


class NormalStart(ParameterGroup):
    """Voltages and synapses of a normal distribution."""

    kind: Literal["normal"] = "normal"
    voltage: float = quantity(-60.0, "mV", "Mean first voltage", ge=-200, le=100)
    voltage_spread: float = quantity(0.0, "mV", "Standard deviation of first voltages", ge=0, le=100)
    excitation: float = quantity(0.0, "1", "Mean of what excitatory synapses give at first", ge=0, le=1e4)
    excitation_spread: float = quantity(0.0, "1", "Its standard deviation; below 0 is cut off", ge=0, le=1e4)
    inhibition: float = quantity(0.0, "1", "Mean size of what inhibitory synapses give at first", ge=0, le=1e4)
    inhibition_spread: float = quantity(0.0, "1", "Its standard deviation; below 0 is cut off", ge=0, le=1e4)


class Sheet(ParameterGroup):
    """A plane of its own, above that of the population before."""

    kind: Literal["sheet"] = "sheet"
    side: float = quantity(0.0, "µm", SIDE, ge=0, le=1e6)


class Slab(ParameterGroup):
    """A sheet with a thickness, around that of the first population; distances are in space."""

    kind: Literal["slab"] = "slab"
    side: float = quantity(0.0, "µm", SIDE, ge=0, le=1e6)
    thickness: float = quantity(120.0, "µm", "Across the sheet", gt=0, le=1e6)


class Ball(ParameterGroup):
    """Anywhere in a ball around the middle."""

    kind: Literal["ball"] = "ball"
    side: float = quantity(0.0, "µm", SIDE, ge=0, le=1e6)


class Cube(ParameterGroup):
    """On a grid in a cube."""

    kind: Literal["grid"] = "grid"
    side: float = quantity(0.0, "µm", SIDE, ge=0, le=1e6)


class External(ParameterGroup):
    """What comes from outside, in the units of the model's weights and currents."""

    rate: float = quantity(0.0, "Hz", "Random spikes that each neuron hears per second", ge=0, le=1e6)
    weight: float = quantity(0.0, unit_of_weights("neuron"), "Weight of these, inhibitory if negative", ge=-1e6, le=1e6)
    current: float = quantity(
        0.0, unit_of_currents("neuron"), "Constant current: mV (leaky), pA, or the paper's unit", ge=-1e6, le=1e6
    )
    noise: float = quantity(
        0.0, unit_of_currents("neuron"), "Standard deviation of a normal current, drawn anew each step", ge=0, le=1e6
    )


class Population(ParameterGroup):
    """Neurons of one kind."""

    name: str = quantity("Excitatory", "", "What connections call it", min_length=1, max_length=40)
    number: int = quantity(3200, "1", "How many neurons", ge=0, le=4_000_000)
    neuron: Neuron = quantity(Lif(), "", "A neuron by itself", labels=NAMES)
    start: Annotated[UniformStart | NormalStart, Field(discriminator="kind")] = quantity(
        UniformStart(), "", "How they begin"
    )
    external: External = quantity(External(), "", "What drives them from outside", folded=True)
    place: Annotated[Sheet | Slab | Ball | Cube, Field(discriminator="kind")] = quantity(
        Sheet(), "", "Where they stand", folded=True
    )
