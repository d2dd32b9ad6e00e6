"""The neuron models as their papers write them, once and as formulas: rates of change, when a neuron fires, and what a
spike does. Kernels, which step them in their own ways, are tested against these.

Known are the numbers that may be set of a model (``parameters/neurons.py``) and its states; v [mV], times in ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, symbol
from engines.formulas.parse import Language, parse
from engines.spiking.parameters import neurons

GIVEN = ("current", "before", "drawn", "dt", "conducts")
"""current: into the neuron; before: v at a step's beginning; drawn: uniform in 0 … 1; conducts: 1 where synapses give
conductances, 0 for currents."""
SYNAPSES = {
    "g_e": "rise_e - g_e/excitatory_time",
    "g_i": "rise_i - g_i/inhibitory_time",
    "rise_e": "-rise_e/excitatory_time",
    "rise_i": "-rise_i/inhibitory_time",
}
"""Rates of what synapses give, as sizes. A spike of weight w adds w to g, or e w/τ to the rise of an alpha function."""
SYNAPTIC = "g_e*(excitatory_reversal - v) + g_i*(inhibitory_reversal - v) if conducts > 0 else g_e - g_i"
"""The current that they give [pA]."""


@dataclass(frozen=True, eq=False)
class Model:
    """``terms``: parts with names, each of those above it; ``rates``: of states [1/ms]. ``fires``: 1 after a step with
    a spike, which makes ``after`` of states. ``rests``: whether v is held while the neuron is refractory."""

    neuron: type[Any]
    fires: str
    rates: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    rests: bool = False

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(self.rates)

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(name for name, info in self.neuron.model_fields.items() if info.annotation is float)

    @cached_property
    def graphs(self) -> dict[str, Node]:
        """What each term, "rate of STATE", "fires" and "STATE after" is."""
        names = {name: symbol(name) for name in (*self.parameters, *self.states, *GIVEN)}
        for name, text in self.terms.items():
            names[name] = parse(text, Language(names), name)
        known = Language(names)
        found = {name: names[name] for name in self.terms}
        found |= {f"rate of {name}": parse(text, known, f"The rate of {name}") for name, text in self.rates.items()}
        found |= {f"{name} after": parse(text, known, f"{name} after a spike") for name, text in self.after.items()}
        return found | {"fires": parse(self.fires, known, "What fires")}

    def program(self, *names: str) -> Program:
        """Values of ``graphs`` of these names."""
        return Program([self.graphs[name] for name in names])


MODELS = {
    "lif": Model(
        neurons.Lif,
        rates={"v": "(resting_voltage + current + g_e - g_i - v)/membrane_time", **SYNAPSES},
        fires="v > threshold",
        after={"v": "reset"},
        rests=True,
    ),
    "lif conductance": Model(
        neurons.ConductanceLif,
        rates={
            "v": "(resting_voltage - v + current + g_e*(excitatory_reversal - v) + g_i*(inhibitory_reversal - v))"
            "/membrane_time",
            **SYNAPSES,
        },
        fires="v > threshold",
        after={"v": "reset"},
        rests=True,
    ),
    # Izhikevich (2003), equations 1 to 3
    "izhikevich": Model(
        neurons.Izhikevich,
        rates={"v": "0.04*v**2 + 5*v + 140 - w + current + g_e - g_i", "w": "a*(b*v - w)", **SYNAPSES},
        fires="v >= 30",
        after={"v": "c", "w": "w + d"},
    ),
    # Brette and Gerstner (2005), equations 1 to 3
    "adaptive exponential": Model(
        neurons.AdaptiveExponential,
        terms={
            "leaking": "leak*(resting_voltage - v)",
            "rising": "leak*slope*exp((v - soft_threshold)/slope)",
            "synaptic": SYNAPTIC,
        },
        rates={
            "v": "(leaking + rising - w + current + synaptic)/capacitance",
            "w": "(adaptation*(v - resting_voltage) - w)/adaptation_time",
            **SYNAPSES,
        },
        fires="v > peak",
        after={"v": "reset", "w": "w + jump"},
        rests=True,
    ),
    # Brette and others (2007), benchmark 3: channels of Traub and Miles (1991)
    "hodgkin-huxley": Model(
        neurons.HodgkinHuxley,
        terms={
            "x": "v - shift",
            "opens_m": "0.32*(13 - x)/(exp((13 - x)/4) - 1)",
            "closes_m": "0.28*(x - 40)/(exp((x - 40)/5) - 1)",
            "opens_h": "0.128*exp((17 - x)/18)",
            "closes_h": "4/(1 + exp((40 - x)/5))",
            "opens_n": "0.032*(15 - x)/(exp((15 - x)/5) - 1)",
            "closes_n": "0.5*exp((10 - x)/40)",
            "ionic": "sodium*m**3*h*(sodium_reversal - v) + potassium*n**4*(potassium_reversal - v)",
            "synaptic": SYNAPTIC,
        },
        rates={
            "v": "(leak*(resting_voltage - v) + ionic + current + synaptic)/capacitance",
            **{gate: f"opens_{gate}*(1 - {gate}) - closes_{gate}*{gate}" for gate in "mhn"},
            **SYNAPSES,
        },
        fires="before <= threshold and v > threshold",
    ),
    "poisson": Model(neurons.PoissonSource, fires="drawn < rate*dt/1000"),
}
"""By kind."""
