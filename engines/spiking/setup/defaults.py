"""The network that a new problem begins with."""

from __future__ import annotations

from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, ConstantWeight, Probability
from engines.spiking.parameters.populations import Population

EXCITATORY, INHIBITORY = 80, 20
RULE = Probability(probability=0.2)


def default_parameters() -> SpikingParameters:
    """A hundred leaky neurons, few enough to see each, that fire some 10 times a second and irregularly: their rest is
    above the threshold, and inhibition holds them back."""
    return SpikingParameters(
        populations=[Population(number=EXCITATORY), Population(name="Inhibitory", number=INHIBITORY)],
        connections=[
            Connection(rule=RULE),
            Connection(source="Inhibitory", rule=RULE, weight=ConstantWeight(weight=-9.0)),
        ],
    )
