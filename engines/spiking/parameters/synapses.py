"""The parameters of synapses whose equations a person types: variables, what spikes of both ends do, named numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.spiking.parameters.equations import LONGEST, METHODS, MOST_PARAMETERS, NamedNumber, dimensions, offered_by
from engines.spiking.parameters.synapse_library import LIBRARY, STDP
from engines.spiking.typed.rendered import lines_html
from engines.spiking.typed.synapses import language


def _check(lines: Sequence[str], parameters: Sequence[Any] = ()) -> tuple[int, str] | None:
    return language.check(lines, dimensions(parameters))


def _offered(lines: Sequence[str], parameters: Sequence[Any] = ()) -> tuple[str, dict[str, Any]] | None:
    return _offered_of_path((), lines, parameters)


def _offered_of_path(
    statements: Sequence[str], lines: Sequence[str] = (), parameters: Sequence[Any] = ()
) -> tuple[str, dict[str, Any]] | None:
    text = language.Text(tuple(lines), tuple(statements), (), "")
    return offered_by(parameters, lambda known: language.parse(text, known, None), partial(language.guessed, text))


def _check_path(
    statements: Sequence[str], lines: Sequence[str] = (), parameters: Sequence[Any] = ()
) -> tuple[int, str] | None:  # fmt: skip
    return language.check_path(statements, lines, dimensions(parameters))


STEPS = ("w : 1", "dApre/dt = -Apre/taupre : 1 (event-driven)", "dx/dt = (1 - x)/tau_d : 1 (event-driven)",
         "dg/dt = -g/tau_s : 1 (clock-driven)", "I_syn_post = w*(v_pre - v_post) : amp (summed)")  # fmt: skip
CHANGES = ("g_e_post += w", "Apre += dApre", "w = clip(w + Apost, 0, gmax)")
Line = Annotated[str, Field(max_length=LONGEST)]


PATH = Lines(_check_path, CHANGES, (), ("lines", "parameters"), offered=_offered_of_path)


class OwnSynapse(ParameterGroup):
    """Any synapse, by equations as you type them: variables, what a spike of either end does, what neurons get in each
    step. As in Brian2 a sender's spike acts when it has arrived."""

    kind: Literal["own equations"] = "own equations"
    lines: Annotated[list[Line], Lines(_check, STEPS, (), ("parameters",), lines_html, LIBRARY, _offered)] = quantity(
        STDP["lines"],
        "",
        "What each synapse has: w : 1, or dx/dt = (1 - x)/tau : 1 (event-driven), or (clock-driven) for each step; "
        "what other names stand for; I_post = … : amp (summed), which neurons get in each step",
        title="Variables",
        max_length=60,
    )
    on_pre: Annotated[
        list[Line], Lines(_check_path, CHANGES, (), ("lines", "parameters"), offered=_offered_of_path)
    ] = quantity(
        STDP["on_pre"],
        "",
        "What a spike of the sender does, one after the other; g_e_post is g_e of the neuron that hears",
        title="At a spike that arrives",
        max_length=60,
    )
    on_post: Annotated[
        list[Line], Lines(_check_path, CHANGES, (), ("lines", "parameters"), offered=_offered_of_path)
    ] = quantity(
        STDP["on_post"],
        "",
        "What a spike of the neuron that hears does, after those that arrive in the same step",
        title="At a spike of the hearer",
        max_length=60,
    )
    post_delay: float = quantity(
        0.0, "ms", "From a spike of the neuron that hears to what it does to synapses, rounded to steps; that of the "
        "sender's spikes is the connection's delay",
        ge=0, le=1000, title="Delay of the hearer's spikes",
    )  # fmt: skip
    starts: str = quantity(
        "w = weight", "", "Where variables begin, in this order; weight is what the connection draws; others: at 0",
        title="Begin at", max_length=LONGEST,
    )  # fmt: skip
    largest: float = quantity(
        0.0, "1", "What a spike adds at most, in the unit of what it is added to; 0: sixteen times the largest first "
        "weight",
        ge=0, le=1e6,
    )  # fmt: skip
    method: Literal["auto", "exact", "exponential euler", "euler", "rk4"] = quantity(
        "auto", "", "Of variables that move in each step (clock-driven)", title="Integration", labels=METHODS,
    )  # fmt: skip
    parameters: list[NamedNumber] = quantity(
        [NamedNumber(**each) for each in STDP["parameters"]],
        "",
        "Numbers that the equations name",
        live=True,
        max_length=MOST_PARAMETERS,
    )

    @property
    def gives(self) -> bool:
        """Whether spikes add anything to neurons."""
        return any(re.search(r"_post\s*[-+]=", line.split("#")[0]) for line in (*self.on_pre, *self.on_post))

    @property
    def text(self) -> language.Text:
        return language.Text(tuple(self.lines), tuple(self.on_pre), tuple(self.on_post), self.starts)
