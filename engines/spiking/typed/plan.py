"""A step of a typed neuron as one graph, which either backend is written from, and the numbers that parameters give it.

    1. what arrives is added to the variables that spikes change, but to those that rest while the neuron is refractory
    2. all variables move (``integration``); those that rest while the neuron is refractory stay
    3. it fires if it is not refractory and the threshold's condition holds, and is reset

What hangs on parameters alone is worked out in float64 whenever these change, and is a number in the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import CONDITIONS, Node, const, make, ordered, rebuild, symbol
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplified
from engines.formulas.typed.units import Dimension
from engines.spiking.neurons.rows import FADED
from engines.spiking.typed.integration import Linear, Method, able, chosen, integrated, matrices_of, numbers_of
from engines.spiking.typed.language import Model, Text, parse
from engines.spiking.typed.names import OUTSIDE, VOLTAGE, drawn

WAITS, SILENT, HELD = symbol("@waits"), symbol("@silent"), symbol("@held")
"""Conditions: the neuron has fired and waits for its release; no release will come; it waited in the step before."""
MORE_E, MORE_I = symbol("@more_e"), symbol("@more_i")
"""The weights of spikes that arrive, sizes."""
NOW, INDEX = symbol("@now"), symbol("@index")
"""The step, and the neuron's number in the network."""
ROWS = ("voltage", "g_e", "g_i", "recovery")
"""Arrays of all models that variables are kept in; those for which none is left have rows of their own."""
WAITING = 1 << 30
"""Steps to the release of a neuron whose condition says when that is."""
MOST_NODES = 4_000
"""Operations of a step."""


@dataclass(frozen=True, eq=False)
class Typed:
    """roots: variables after a step, whether it fires and, where ``released`` is True, whether a wait has ended; their
    symbols are variables, those above, I_ext and numbers @0, @1 …, which are ``numbers`` of parameters. places: of
    each variable, a row of ROWS or the number of one of its own."""

    model: Model
    method: Method
    roots: tuple[Node, ...]
    released: bool
    numbers: tuple[Node, ...]
    linear: tuple[Linear, ...]
    places: Mapping[str, str | int]

    @property
    def variables(self) -> tuple[str, ...]:
        return self.model.variables

    @property
    def more(self) -> int:
        """Rows of its own."""
        return sum(isinstance(place, int) for place in self.places.values())

    def values(self, given: Mapping[str, float]) -> Array:
        """(numbers,) float64 of parameters, dt, N and @first."""
        return np.array(numbers_of(self.numbers, {**given, **matrices_of(self.linear, given)}))

    def refractory(self, given: Mapping[str, float]) -> int:
        """Steps from a spike to the first in which the neuron may fire again, at least 1."""
        if self.model.rests_on_condition:
            return WAITING
        (held,) = numbers_of([self.model.refractory], given)
        if not 0 <= held / given["dt"] < WAITING:
            raise ProblemError(f"The refractory time is {held:g} ms: make it 0 or more.", ("refractory",))
        return max(1, round(held / given["dt"]))

    def fixed(self, name: str) -> bool:
        """Whether a parameter cannot change while a run goes on: the refractory time is of it."""
        return not self.model.rests_on_condition and _names(self.model.refractory, name)

    def hears_outside(self) -> bool:
        return any(_names(node, OUTSIDE) for node in self.model.rates.values())

    def starts(self, given: Mapping[str, float], begun: Mapping[str, Array]) -> dict[str, Array]:
        """(n,) float64 of each variable. begun: of rows of ROWS; variables begin there, or at 0, unless ``starts`` say
        otherwise"""
        n = len(begun["voltage"])
        stream = [round(given.get(name, 0.0)) for name in ("@seed", "@first")]
        known: dict[str, Any] = {**given, "i": np.arange(n), "t": 0.0, OUTSIDE: 0.0}
        known |= drawn([node for _, node in self.model.starts], n, [*stream, 3])
        known |= {name: begun.get(str(self.places[name]), np.zeros(n)).astype(float) for name in self.variables}
        for name, node in self.model.starts:
            known[name] = np.array(np.broadcast_to(Program([node])(known)[0], n), float)
        return {name: known[name] for name in self.variables}


def _names(root: Node, name: str) -> bool:
    return any(node.op == "symbol" and node.value == name for node in ordered([root]))


@lru_cache(maxsize=32)
def planned(text: Text, parameters: tuple[tuple[str, Dimension], ...], method: Method | Literal["auto"]) -> Typed:
    """Raises ProblemError with a place as :func:`engines.spiking.typed.language.parse`, or ``method``."""
    model = parse(text, dict(parameters))
    rates = remove_singularities(list(model.rates.values()))
    model = replace(model, rates=dict(zip(model.rates, rates, strict=True)))
    if method != "auto" and not able(model, method, asked=True):
        what = (
            "linear in all variables with constant factors" if method == "exact" else "each linear in its own variable"
        )
        raise ProblemError(f"These equations are not {what}: choose another way to integrate them.", ("method",))
    taken = chosen(model, method)
    roots, linear = _step(model, taken)
    if len(ordered(roots)) > MOST_NODES:
        raise ProblemError(
            f"A step takes {len(ordered(roots)):,} operations, and there may be {MOST_NODES:,}: shorten the equations, "
            "or choose Euler's method.",
            ("lines",),
        )
    free = {
        VOLTAGE,
        *model.variables,
        OUTSIDE,
        *(str(each.value) for each in (WAITS, SILENT, HELD, MORE_E, MORE_I, NOW, INDEX)),
    }
    roots, numbers = hoisted(roots, free)
    return Typed(model, taken, roots, model.rests_on_condition, numbers, linear, _places(model))


def _step(model: Model, method: Method) -> tuple[tuple[Node, ...], tuple[Linear, ...]]:
    given = {symbol("t"): make("mul", NOW, symbol("dt")), symbol("i"): make("sub", INDEX, symbol("@first"))}

    def within(nodes: Sequence[Node], state: Mapping[str, Node]) -> tuple[Node, ...]:
        return rebuild(nodes, simplified, given | {symbol(name): node for name, node in state.items()})

    begun = {name: symbol(name) for name in model.variables}
    arrived = dict(begun)
    for weight, changes in zip((MORE_E, MORE_I), model.arriving, strict=True):
        for name, factor in changes:
            (scale,) = within([factor], begun)
            raised = make("add", arrived[name], simplified("mul", scale, weight))
            arrived[name] = make("select", HELD, arrived[name], raised) if name in model.held else raised
    ready = make("not", WAITS)
    if model.rests_on_condition:
        (rests,) = within([model.refractory], arrived)
        ready = make("or", ready, make("and", make("not", SILENT), make("not", rests)))
    moved = integrated(model, method, symbol("@ready"))
    after = within(list(moved.after.values()), {**arrived, "@ready": ready})
    faded = const(FADED)
    state = {
        name: make("select", make("lt", make("abs", node), faded), const(0.0), node)
        for name, node in zip(model.variables, after, strict=True)
    }
    (passed,) = within([model.threshold], state)
    fires, reset = make("and", ready, passed), dict(state)
    for name, node in model.reset:
        (reset[name],) = within([node], reset)
    roots = [
        make("select", fires, reset[name], state[name]) if reset[name] is not state[name] else state[name]
        for name in model.variables
    ]
    released = [make("and", WAITS, ready)] if model.rests_on_condition else []
    return (*roots, fires, *released), moved.linear


def hoisted(roots: Sequence[Node], free: set[str]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The graphs with numbers for all that does not hang on ``free`` symbols, and what these are of."""
    hangs: dict[Node, bool] = {}
    found: dict[Node, Node] = {}
    numbers: list[Node] = []

    def numbered(node: Node) -> Node:
        if node.op == "const" or hangs[node]:
            return found.get(node, node)
        if node not in found:
            numbers.append(node)
            found[node] = symbol(f"@{len(numbers) - 1}")
        return found[node]

    for node in ordered(roots):
        hangs[node] = (node.op == "symbol" and node.value in free) or any(hangs[arg] for arg in node.args)
        if node.op in CONDITIONS:
            hangs[node] = True  # numbers are none
        if hangs[node] and node.args:
            first, *rest = node.args
            if node.op == "div" and rest[0].op != "const" and not hangs[rest[0]]:
                reciprocal = make("div", const(1.0), rest[0])
                hangs[reciprocal] = False
                found[node] = make("mul", numbered(reciprocal), numbered(first))
            else:
                found[node] = make(node.op, *map(numbered, node.args))
    return tuple(numbered(root) for root in roots), tuple(numbers)


def _places(model: Model) -> dict[str, str | int]:
    """v is the voltage; what excitatory and inhibitory spikes change is shown as that, where it is another variable."""
    found: dict[str, str | int] = {VOLTAGE: "voltage"}
    for row, changes in zip(("g_e", "g_i"), model.arriving, strict=True):
        name = next((name for name, _ in changes if name not in found), None)
        if name is not None:
            found[name] = row
    others = [name for name in model.variables if name not in found]
    return found | {name: "recovery" if k == 0 else k - 1 for k, name in enumerate(others)}
