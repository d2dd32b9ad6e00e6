"""The parameters of a spiking network: populations, connections, what acts live, numerics."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from engines.api.parameters import ParameterGroup, quantity
from engines.spiking.parameters.connections import Connection, ConstantWeight
from engines.spiking.parameters.neurons import IN_PICOAMPERES, OTHERS
from engines.spiking.parameters.old import is_old, renewed, with_current_injected
from engines.spiking.parameters.populations import Population
from engines.spiking.parameters.recording import Recording

__all__ = ["Numerics", "SpikingParameters", "SynapseSettings"]


class SynapseSettings(ParameterGroup):
    """Factors on what arrives, that act while it runs."""

    excitation: float = quantity(1.0, "1", "Factor on what excitatory spikes give", live=True, ge=0, le=3)
    inhibition: float = quantity(1.0, "1", "Factor on what inhibitory spikes give", live=True, ge=0, le=3)
    external: float = quantity(
        1.0, "1", "Factor on the rate of spikes from outside, and of sources", live=True, ge=0, le=5,
        unless={"populations.external.rate": (0.0,), "populations.neuron.kind": (*OTHERS, *IN_PICOAMPERES)},
    )  # fmt: skip
    noise: float = quantity(
        1.0, "1", "Factor on the noise of currents", live=True, ge=0, le=5,
        unless={"populations.external.noise": (0.0,)},
    )  # fmt: skip


class Numerics(ParameterGroup):
    """Time step and random numbers."""

    step: float = quantity(
        0.1, "ms", "Time step: exact for leaky neurons; spikes are on its grid", finer="smaller", gt=0, le=10
    )
    seed: int = quantity(1, "1", "Seed of connections, first values and noise", ge=0, le=2**31 - 1)


POPULATIONS = [Population(), Population(name="Inhibitory", number=800)]
CONNECTIONS = [Connection(), Connection(source="Inhibitory", weight=ConstantWeight(weight=-9.0))]


class SpikingParameters(ParameterGroup):
    """All that a run of a network depends on."""

    synapses: SynapseSettings = quantity(SynapseSettings(), "", "Factors that act while it runs")
    drive: float = quantity(
        0.0, "1", "Constant current into all leaky neurons (mV) and all of Izhikevich's (the paper's unit)",
        live=True, ge=-20, le=20, when={"populations.neuron.kind": OTHERS},
    )  # fmt: skip
    injected: float = quantity(
        0.0, "pA", "Constant current into all adaptive exponential, Hodgkin-Huxley and typed neurons (I_ext)",
        title="Injected current", live=True, ge=-1000, le=1000, when={"populations.neuron.kind": IN_PICOAMPERES},
    )  # fmt: skip
    populations: list[Population] = quantity(POPULATIONS, "", "Neurons of each kind", min_length=1, max_length=64)
    sheets: Literal["upwards", "downwards"] = quantity(
        "upwards", "", "How sheets follow the first: each above the one before, or below it, as layers of cortex do",
        when={"populations.place.kind": ("sheet",)},
    )  # fmt: skip
    connections: list[Connection] = quantity(CONNECTIONS, "", "Who is joined to whom", folded=True, max_length=1024)
    numerics: Numerics = quantity(Numerics(), "", "Time step and random numbers")
    recording: Recording = quantity(
        Recording(), "", "What is written of each neuron into a folder of results", folded=True
    )

    @model_validator(mode="before")
    @classmethod
    def _renewed(cls, given: Any) -> Any:
        return with_current_injected(renewed(given) if is_old(given) else given)
