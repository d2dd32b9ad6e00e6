"""How weights change with the spikes of both ends."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.spiking.parameters.neurons import WEIGHT_UNIT
from engines.spiking.parameters.synapses import OwnSynapse


class NoPlasticity(ParameterGroup):
    """Weights stay."""

    kind: Literal["none"] = "none"


class Stdp(ParameterGroup):
    """Pairs of spikes change a weight (Song, Miller and Abbott 2000): up if the sender fired first, down if the target
    did, less the longer ago. Times are those of the spikes themselves; the delay is of the arrival alone."""

    kind: Literal["stdp"] = "stdp"
    rule: Literal["additive", "multiplicative"] = quantity(
        "additive", "", "Steps are of the highest weight, or of what is left to the bound"
    )
    potentiation: float = quantity(0.005, "1", "Largest step up, of the highest weight", ge=0, le=1)
    depression: float = quantity(0.00525, "1", "Largest step down, of the highest weight", ge=0, le=1)
    potentiation_time: float = quantity(20.0, "ms", "In which the step up falls to 1/e", gt=0, le=1e4)
    depression_time: float = quantity(20.0, "ms", "In which the step down falls to 1/e", gt=0, le=1e4)
    lowest: float = quantity(0.0, WEIGHT_UNIT, "Lowest weight", ge=0, le=1e6)
    highest: float = quantity(1.0, WEIGHT_UNIT, "Highest weight", gt=0, le=1e6)


Plasticity = Annotated[NoPlasticity | Stdp | OwnSynapse, Field(discriminator="kind")]
PLASTICITY = {"none": "None", "stdp": "Spike-timing-dependent (STDP)", "own equations": "Your own equations"}
"""What people call these."""
