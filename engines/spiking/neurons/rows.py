"""What the kernels know of a population: a row of WIDTH float32 numbers, each with a name.

A row begins with those of all models (:class:`Common`), goes on with the model's own, and has at RISING whether
synapses are alpha functions. The names are declared here for both twins: kernels on the CPU take rows as records of
:func:`record`, those on a GPU as the structs of ``rows.cuh``, which ``python -m engines.spiking.neurons.rows`` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engines.api import Array
from engines.backend.compile.headers import header as names

HEADER = Path(__file__).with_name("rows.cuh")
WIDTH = 24
RISING = 20
FADED = 1e-20
"""Below this voltages and currents are nothing: a GPU has no numbers below 1e-38, and a CPU is slow with them."""
TABLE = 64
"""Spikes from outside that a neuron may get in a step, at most."""


class Kind(IntEnum):
    """Models of a neuron."""

    LIF = 0
    CONDUCTANCE = 1
    IZHIKEVICH = 2
    ADAPTIVE = 3
    HODGKIN_HUXLEY = 4
    POISSON = 5
    TYPED = 6
    """Those that a person types, of which a network has any number of models: this one and all above."""


class Common(NamedTuple):
    """Of all models."""

    scale_e: float
    """What a unit of the integer excitatory input gives, or rises by."""
    scale_i: float
    """The same of the inhibitory input."""
    loss_e: float
    """e^(−dt/τ_e) − 1"""
    loss_i: float
    """e^(−dt/τ_i) − 1"""
    threshold: float
    reset: float
    current: float
    """Into each neuron; of leaky ones what it moves the voltage by, or to."""
    noise: float
    """Standard deviation of what noise adds to ``current``; 0: none."""


class LifRow(NamedTuple):
    """Leaky neurons with currents; voltages above rest [mV]."""

    loss: float
    """e^(−dt/τ_m) − 1"""
    gain_e: float
    """What excitatory synapses that give 1 at a step's beginning add to v by its end."""
    gain_i: float
    rise_gain_e: float
    """The same of excitatory alpha functions that rise by 1."""
    rise_gain_i: float


class ConductanceRow(NamedTuple):
    """Leaky neurons with conductances, over that of the leak."""

    rate: float
    """−dt/τ_m"""
    reversal_e: float
    reversal_i: float


class IzhikevichRow(NamedTuple):
    """Izhikevich's neurons."""

    half: float
    """dt/2"""
    recovery_rate: float
    """dt a"""
    follows: float
    """b"""
    jump: float
    """d"""


class AdaptiveRow(NamedTuple):
    """Adaptive exponential neurons; their ``current`` has that of the leak at 0 mV, g_L E_L."""

    rate: float
    """−dt/2C"""
    leak: float
    rest: float
    soft_threshold: float
    per_slope: float
    """1/Δ_T"""
    at_peak: float
    """e^((V_T − V_peak)/Δ_T)"""
    recovery_loss: float
    """e^(−dt/τ_w) − 1"""
    adaptation: float
    jump: float
    reversal_e: float
    """Synapses give g_e (reversal_e − conducts v) + g_i (reversal_i − conducts v): of currents reversals are 1."""
    reversal_i: float
    conducts: float
    """1 for conductances, 0 for currents"""


class ChannelRow(NamedTuple):
    """Hodgkin and Huxley's neurons with Traub and Miles' channels; ``current`` has that of the leak at 0 mV."""

    rate: float
    """−h/2C, h: a sub-step"""
    leak: float
    substeps: float
    """How many in a step."""
    sodium: float
    sodium_reversal: float
    potassium: float
    potassium_reversal: float
    shift: float
    """V_T"""
    gate_rate: float
    """−h"""
    reversal_e: float
    """As in :class:`AdaptiveRow`."""
    reversal_i: float
    conducts: float


Own = LifRow | ConductanceRow | IzhikevichRow | AdaptiveRow | ChannelRow
OWN = len(Common._fields)
"""The place of a model's own numbers."""
MODELS: tuple[type[Own], ...] = (LifRow, ConductanceRow, IzhikevichRow, AdaptiveRow, ChannelRow)


def row(common: Common, own: Own | tuple[()]) -> Array:
    """(WIDTH,) float64"""
    numbers = np.zeros(WIDTH)
    numbers[:OWN] = common
    numbers[OWN : OWN + len(own)] = own
    return numbers


def record(model: type[Own] | None = None) -> np.dtype[np.void]:
    """Of a row of float32: the numbers of all models, and a model's own."""
    names = (*Common._fields, *(model._fields if model else ()), "rising")
    places = (*range(len(names) - 1), RISING)
    return np.dtype(
        {
            "names": list(names),
            "formats": [np.float32] * len(names),
            "offsets": [4 * place for place in places],
            "itemsize": 4 * WIDTH,
        },
        align=True,
    )


def _lines(names: Sequence[str], width: int = 8) -> str:
    """Members, so many in a line."""
    return "".join(f"    float {', '.join(names[k : k + width])};\n" for k in range(0, len(names), width))


def header() -> str:
    """The text of ``rows.cuh``."""
    own = RISING - OWN
    structs = [
        "struct Row {\n"
        f"{_lines(Common._fields)}"
        f"    float own[{own}];\n"
        "    float rising;\n"
        f"    float spare[{WIDTH - RISING - 1}];\n"
        "};\n"
    ]
    structs += [
        f"struct {model.__name__} {{\n    float common[{OWN}];\n{_lines(model._fields)}}};\n" for model in MODELS
    ]
    numbers: dict[str, float | str] = {"FADED": f"{FADED!r}f", "TABLE": TABLE}
    first = names("rows.py", "engines.spiking.neurons.rows", numbers, Kind, real="float")
    return f"{first}\n// A population's row of constants; each model's own numbers follow those of all.\n" + "\n".join(
        structs
    )


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
