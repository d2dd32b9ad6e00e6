"""Connections between populations: who to whom, how strong, how late, and how strengths change."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.spiking.parameters.neurons import WEIGHT_UNIT
from engines.spiking.parameters.plasticity import PLASTICITY, NoPlasticity, Plasticity

ALL = "all"
"""In place of a population's name: all of them."""


class Probability(ParameterGroup):
    """Each pair of neurons is joined with the same probability."""

    kind: Literal["probability"] = "probability"
    probability: float = quantity(0.02, "1", "Probability that one neuron sends to another", ge=0, le=1)


class Inputs(ParameterGroup):
    """Each neuron hears as many others on average, however large the network is."""

    kind: Literal["inputs"] = "inputs"
    inputs: float = quantity(80.0, "1", "Mean number of neurons of the network that a neuron hears", ge=0, le=100_000)


class FixedInputs(ParameterGroup):
    """Each neuron of the target hears exactly so many of the source, each drawn anew: one may come twice."""

    kind: Literal["fixed inputs"] = "fixed inputs"
    number: int = quantity(100, "1", "How many synapses each neuron of the target has", ge=0, le=1_000_000)


class FixedOutputs(ParameterGroup):
    """Each neuron of the source sends to exactly so many of the target, each drawn anew: one may come twice."""

    kind: Literal["fixed outputs"] = "fixed outputs"
    number: int = quantity(100, "1", "How many synapses each neuron of the source has", ge=0, le=1_000_000)


class FixedTotal(ParameterGroup):
    """Exactly so many synapses, both ends of each drawn anew: some neurons have more, a pair may be joined twice."""

    kind: Literal["fixed total"] = "fixed total"
    number: int = quantity(10_000, "1", "How many synapses the connection has", ge=0, le=2**40)


class OneToOne(ParameterGroup):
    """The first to the first, the second to the second and so on."""

    kind: Literal["one to one"] = "one to one"


class AllToAll(ParameterGroup):
    """Every neuron to every neuron."""

    kind: Literal["all to all"] = "all to all"


class Distance(ParameterGroup):
    """Neurons that are near are joined more often; in sheets distance is along them, else in space."""

    kind: Literal["distance"] = "distance"
    kernel: Literal["gaussian", "exponential"] = quantity(
        "gaussian", "", "Probability falls as exp(−d²/2σ²) or as exp(−d/σ)"
    )
    probability: float = quantity(0.5, "1", "Probability at distance 0", ge=0, le=1)
    width: float = quantity(100.0, "µm", "Width σ of the kernel", gt=0, le=1e6)
    periodic: bool = quantity(False, "", "Opposite sides are joined: there is no border")


class FromFile(ParameterGroup):
    """From a table with the columns pre, post and, if there are, weight and delay; neurons count from 0."""

    kind: Literal["file"] = "file"
    path: str = quantity("", "", "CSV file, or npz file with these arrays", file="connection table")


Rule = Annotated[
    Probability | Inputs | FixedInputs | FixedOutputs | FixedTotal | OneToOne | AllToAll | Distance | FromFile,
    Field(discriminator="kind"),
]


RULES = {
    "probability": "Pairwise probability",
    "inputs": "Mean number of inputs",
    "fixed inputs": "Fixed in-degree",
    "fixed outputs": "Fixed out-degree",
    "fixed total": "Fixed total number",
    "one to one": "One to one",
    "all to all": "All to all",
    "distance": "Distance-dependent probability",
    "file": "From a file",
}
"""What people call the rules."""


class ConstantWeight(ParameterGroup):
    """All the same."""

    kind: Literal["constant"] = "constant"
    weight: float = quantity(
        1.62, WEIGHT_UNIT, "In the unit of the target's model; inhibitory if negative", ge=-1e6, le=1e6
    )


class NormalWeight(ParameterGroup):
    """Of a normal distribution; what has the other sign becomes 0."""

    kind: Literal["normal"] = "normal"
    weight: float = quantity(1.0, WEIGHT_UNIT, "Mean; inhibitory if negative", ge=-1e6, le=1e6)
    spread: float = quantity(0.1, "1", "Standard deviation, of the mean", ge=0, le=10)


class LognormalWeight(ParameterGroup):
    """Of a lognormal distribution."""

    kind: Literal["lognormal"] = "lognormal"
    weight: float = quantity(1.0, WEIGHT_UNIT, "Mean; inhibitory if negative", ge=-1e6, le=1e6)
    spread: float = quantity(1.0, "1", "Standard deviation, of the mean", ge=0, le=10)


Weight = Annotated[ConstantWeight | NormalWeight | LognormalWeight, Field(discriminator="kind")]


class NoDelay(ParameterGroup):
    """A spike arrives in the step in which it is fired and acts from the next."""

    kind: Literal["none"] = "none"


class ConstantDelay(ParameterGroup):
    """All the same."""

    kind: Literal["constant"] = "constant"
    delay: float = quantity(1.5, "ms", "From a spike to its arrival, rounded to steps", gt=0, le=1000)


class NormalDelay(ParameterGroup):
    """Of a normal distribution, at least a step."""

    kind: Literal["normal"] = "normal"
    delay: float = quantity(1.5, "ms", "Mean from a spike to its arrival", gt=0, le=1000)
    spread: float = quantity(0.5, "1", "Standard deviation, of the mean", ge=0, le=10)


class DistanceDelay(ParameterGroup):
    """As long as a signal takes for the distance, at least a step."""

    kind: Literal["distance"] = "distance"
    velocity: float = quantity(0.3, "mm/ms", "Speed of a signal", gt=0, le=1000)


class UniformDelay(ParameterGroup):
    """Anywhere between two, each as likely."""

    kind: Literal["uniform"] = "uniform"
    shortest: float = quantity(0.5, "ms", "Shortest, rounded to steps; below half a step there is none", ge=0, le=1000)
    longest: float = quantity(2.5, "ms", "Longest, rounded to steps", ge=0, le=1000)


class FormulaDelay(ParameterGroup):
    """As you type it, of each synapse; as in Brian2, what is below half a step is none."""

    kind: Literal["formula"] = "formula"
    formula: str = quantity(
        "clip(1.5*ms + 0.5*ms*randn(), 0.5*ms, 3*ms)", "",
        "A time, as 1*ms + 2*ms*rand() or distance/(0.3*mm/ms); randn() is normal, i and j are the sender's and the "
        "hearer's number, of N_pre and N_post",
        max_length=2000,
    )  # fmt: skip


Delay = Annotated[
    NoDelay | ConstantDelay | NormalDelay | UniformDelay | DistanceDelay | FormulaDelay, Field(discriminator="kind")
]


class Connection(ParameterGroup):
    """Synapses from one population to another."""

    source: Annotated[str, Among("populations.name")] = quantity(
        "Excitatory", "", "Name of the population that sends", min_length=1
    )
    target: Annotated[str, Among("populations.name", words={ALL: "all populations"})] = quantity(
        ALL, "", "Name of the population that hears, or all", min_length=1
    )
    rule: Rule = quantity(Probability(), "", "Who is joined to whom", labels=RULES)
    weight: Weight = quantity(ConstantWeight(), "", "What a spike adds: how weights are distributed", title="Weights")
    delay: Delay = quantity(NoDelay(), "", "How late it arrives: how delays are distributed", title="Delays")
    plasticity: Plasticity = quantity(NoPlasticity(), "", "How weights change", labels=PLASTICITY)
