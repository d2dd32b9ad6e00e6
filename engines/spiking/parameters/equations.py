"""The parameters of a neuron whose equations a person types: lines, named numbers with units, what a spike does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from engines.api.errors import ProblemError
from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.formulas.typed.units import NONE, Dimension, unit
from engines.formulas.typed.unknown import offer, unknown_names
from engines.spiking.parameters import pynn_library
from engines.spiking.parameters.neuron_library import LEAKY, LIBRARY
from engines.spiking.typed import language, rendered

LONGEST = 2_000
"""Characters of a line or a formula."""
LONGEST_NAME = 40
MOST_PARAMETERS = 50


class NamedNumber(ParameterGroup):
    """A number that the lines name. With a lowest and a highest value it has a slider."""

    name: str = quantity("a", "", "What the lines call it: letters, digits and _", max_length=LONGEST_NAME)
    value: float = quantity(1.0, "", "Its value, in its unit; it may change while a run goes on", live=True)
    unit: str = quantity("1", "", "Unit of the value: mV, nS, pA, ms, Hz, mV/ms …; 1 for a plain number", max_length=60)
    low: float | None = quantity(None, "", "Lowest value of the slider", title="Slider from")
    high: float | None = quantity(None, "", "Highest value of the slider", title="Slider to")


def dimensions(parameters: Sequence[Any]) -> dict[str, Dimension]:
    """Of each by name; a unit that is none counts as a plain number, for its own field says so."""
    found = {}
    for each in parameters:
        name, text = (each["name"], each["unit"]) if isinstance(each, Mapping) else (each.name, each.unit)
        try:
            found[name] = unit(text)[0]
        except ProblemError:
            found[name] = NONE
    return found


def _check(lines: Sequence[str], parameters: Sequence[Any] = ()) -> tuple[int, str] | None:
    return language.check(lines, dimensions(parameters))


def offered(lines: Sequence[str], parameters: Sequence[Any] = ()) -> tuple[str, dict[str, Any]] | None:
    """To add to the parameters what the lines do not know."""
    text = language.of_lines(lines)
    return offered_by(parameters, lambda known: language.parse(text, known), partial(language.guessed, text))


Guess = Callable[[Sequence[str], Mapping[str, Dimension]], Mapping[str, str]]
"""Units of names, given the dimensions of those that are known."""


def offered_by(
    parameters: Sequence[Any],
    read: Callable[[Mapping[str, Dimension]], object],
    guess: Guess,
    usable: Callable[[str], bool] = lambda name: name.isidentifier() and len(name) <= LONGEST_NAME,
) -> tuple[str, dict[str, Any]] | None:
    """What ``read``, given the parameters' dimensions, does not know, with the units that follow from the rest."""
    known = dimensions(parameters)
    names = unknown_names(
        lambda more: read({**known, **dimensions(list(map(rows(guess(more, known)), more)))}),
        usable,
        MOST_PARAMETERS - len(known),
    )
    return offer(names, parameters, rows(guess(names, known))) if names else None


def rows(units: Mapping[str, str]) -> Callable[[str], NamedNumber]:
    """1 of its unit."""
    return lambda name: NamedNumber(name=name, unit=units[name])


STEPS = (
    "dv/dt = (E_L - v)/tau_m : volt (unless refractory)",
    "dv/dt = (g_L*(E_L - v) + I)/C : volt (unless refractory)",
    "dg_e/dt = -g_e/tau_e : siemens",
    "dw/dt = (a*(v - E_L) - w)/tau_w : amp",
    "I = g_e*(E_e - v) + I_ext : amp",
    "g_L : siemens (constant)",
    "I_gap : amp (summed)",
)
METHODS = {
    "auto": "As the equations allow", "exact": "Exact, of linear equations",
    "exponential euler": "Exponential Euler, first order", "euler": "Euler, first order",
    "rk4": "Runge-Kutta, fourth order",
}  # fmt: skip


class OwnNeuron(ParameterGroup):
    """Any neuron, by equations as you type them: variables, threshold, reset, what spikes add. Weights are in the unit
    of what they are added to."""

    kind: Literal["own equations"] = "own equations"
    lines: Annotated[
        list[Annotated[str, Field(max_length=LONGEST)]],
        Lines(_check, STEPS, (), ("parameters",), rendered.html, (*LIBRARY, *pynn_library.LIBRARY), offered),
    ] = quantity(
        LEAKY["lines"],
        "",
        "How variables change, dv/dt = … : volt, and what other names stand for; I_ext is the current from outside, "
        "I_gap : amp (summed) what synapses sum up",
        title="Equations",
        max_length=200,
    )
    threshold: str = quantity(
        "v > V_th", "", "The condition under which the neuron fires; empty: never", max_length=LONGEST
    )
    reset: str = quantity(
        "v = V_r", "", "What a spike does to the neuron that fires: v = V_r; w += b", max_length=LONGEST
    )
    refractory: str = quantity(
        "5*ms", "", "For how long it fires no more, and lines with (unless refractory) rest: a time, or a condition; "
        "empty: not at all",
        max_length=LONGEST,
    )  # fmt: skip
    excitatory: str = quantity(
        "g_e += weight", "", "What a spike of a positive weight adds, in the unit of what it is added to",
        title="Excitatory spikes", max_length=LONGEST,
    )  # fmt: skip
    inhibitory: str = quantity(
        "g_i += weight", "", "What a spike of a negative weight adds; weight is its size here",
        title="Inhibitory spikes", max_length=LONGEST,
    )  # fmt: skip
    starts: str = quantity(
        "", "",
        "Where variables begin, in this order: u = b*v; w = 2*pA*rand(). Others begin at 0, v as the population says",
        title="Begin at", max_length=LONGEST,
    )  # fmt: skip
    method: Literal["auto", "exact", "exponential euler", "euler", "rk4"] = quantity(
        "auto",
        "",
        "Exact where the equations are linear, else exponential Euler where each is linear in its own variable, else "
        "Euler; below the equations it is said which",
        title="Integration",
        labels=METHODS,
    )
    parameters: list[NamedNumber] = quantity(
        [NamedNumber(**each) for each in LEAKY["parameters"]],
        "", "Numbers that the equations name", live=True, max_length=MOST_PARAMETERS,
    )  # fmt: skip

    @property
    def text(self) -> language.Text:
        return language.Text(
            tuple(self.lines),
            self.threshold,
            self.reset,
            self.refractory,
            self.excitatory,
            self.inhibitory,
            self.starts,
        )
