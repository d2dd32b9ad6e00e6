"""What a spike does to a typed synapse as two graphs, which either backend is written from: a sender's and a hearer's.

    1. variables that change between events move exactly over the time since the last one, of either end
    2. the statements act, one after the other
    3. what is given to the neuron that hears becomes quanta, whose sums are the same in any order, cut off at a limit

What moves in each step, and what is summed up in each, are graphs of their own (``steps``).

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
from engines.formulas.graph import Node, const, make, ordered, rebuild, symbol
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplified
from engines.formulas.typed.units import Dimension
from engines.spiking.neurons.rows import FADED
from engines.spiking.typed.integration import Linear, Method, matrices_of, numbers_of, relaxed
from engines.spiking.typed.names import WEIGHT, drawn
from engines.spiking.typed.plan import MOST_NODES, hoisted
from engines.spiking.typed.synapses.language import BEHIND, PATHS, Model, Text, parse, uses
from engines.spiking.typed.synapses.steps import (
    RUNNING,
    SINCE,
    Heard,
    Reach,
    Row,
    Step,
    ends_and_time,
    of_rows,
    stepped,
)

QUANTA, LIMIT, LATE = "@quanta", "@limit", "@late"
"""Given as parameters are: quanta of what is 1 in the kept unit, how many a spike adds at most, and how many steps pass
from a spike of a hearer to what it does."""


@dataclass(frozen=True, eq=False)
class Path:
    """after: each variable after an event; quanta: what is added to either row of the ring, floats to be rounded, None
    where it is nothing; cut: whether that was more than the limit; rows: of neurons, symbols by their names"""

    after: tuple[Node, ...]
    quanta: tuple[Node | None, Node | None]
    cut: Node | None
    rows: tuple[Row, ...]

    @property
    def roots(self) -> list[Node]:
        """All of these that there are, in this order."""
        more = [*self.quanta, self.cut]
        return [*self.after, *(node for node in more if node is not None)]


@dataclass(frozen=True, eq=False)
class TypedSynapse:
    """paths: of a sender's spike and of a hearer's; their symbols and those of ``step`` are variables, RUNNING and
    numbers @0, @1 …, which are ``numbers`` of parameters"""

    model: Model
    paths: tuple[Path, Path]
    step: Step
    numbers: tuple[Node, ...]
    linear: tuple[Linear, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        return self.model.variables

    @property
    def weight(self) -> str:
        """The variable that begins at the connection's weight, which is shown as that; else the first."""
        begins = (name for name, node in self.model.starts if uses([node], WEIGHT))
        return next(begins, self.variables[0])

    def values(self, given: Mapping[str, float]) -> Array:
        """(numbers,) float64 of parameters, GIVEN numbers, QUANTA and LIMIT."""
        return np.array(numbers_of(self.numbers, {**given, **matrices_of(self.linear, given)}))

    def fixed(self, name: str) -> bool:
        """Whether a parameter cannot change while a run goes on: it says where variables begin."""
        return False

    def bytes_of(self, which: int) -> tuple[int, int]:
        """(read, written) at an event of a sender's spike (0) or a hearer's (1): the target, or which synapse it is,
        the last event, variables, and what is added."""
        path = self.paths[which]
        if not self.model.paths[which]:
            return 0, 0
        last, added = 4 * bool(self.model.rates), 4 * sum(node is not None for node in path.quanta)
        changed = sum(str(node.value) != name for name, node in zip(self.variables, path.after, strict=True))
        read = 4 + 4 * which + last + 4 * len(self.variables) + 4 * len(path.rows) + added
        return read, last + 4 * changed + added

    @property
    def bytes_of_step(self) -> tuple[int, int]:
        """(read, written) in each step, whoever fires: of sums the place in the hearer's list, of both the two neurons
        and what is read of these, variables that are used, and what changes."""
        read = written = 0
        sums, after = [node for _, node in self.step.sums], list(self.step.after.values())
        for roots, at in ((sums, 8), (after, 0)):
            if roots:
                used = sum(uses(roots, name) for name in self.variables)
                read += at + 8 + 4 * used + 4 * len(self.step.of(roots))
        return read, written + 4 * len(after)

    def later(self, given: Mapping[str, float], values: Mapping[str, Array], since: Array) -> dict[str, Array]:
        """Variables that go on between events, so many steps after the last one, in float64."""
        time = make("mul", SINCE, symbol("dt"))
        known = {**given, **values, str(SINCE.value): since}
        return {name: Program([node])(known)[0] for name, node in relaxed(self.model.rates, time).items()}

    def highest(self, given: Mapping[str, float]) -> float | None:
        """The bound of the weight where statements clip it to one that parameters decide."""
        place, numbers, found = self.variables.index(self.weight), self.values(given), []
        for path in self.paths:
            node = path.after[place]
            if node.op == "min":
                bound = node.args[1]
                if bound.op == "const":
                    found.append(bound.number)
                elif bound.op == "symbol" and str(bound.value)[:1] == "@" and str(bound.value)[1:].isdigit():
                    found.append(float(numbers[int(str(bound.value)[1:])]))
        return max(found, default=None)

    def starts(self, given: Mapping[str, float], weight: Array, sender: Array, hearer: Array) -> dict[str, Array]:
        """(synapses,) float64 of each variable: 0, unless ``starts`` say otherwise. weight: as drawn; sender, hearer:
        (synapses,) numbers in their populations"""
        stream = [round(given.get(name, 0.0)) for name in ("@seed", "@connection")]
        known: dict[str, Any] = {**given, WEIGHT: weight.astype(float), "i": sender, "j": hearer, "t": 0.0}
        known |= drawn([node for _, node in self.model.starts], len(weight), [*stream, 4])
        known |= {name: np.zeros(len(weight)) for name in self.variables}
        for name, node in self.model.starts:
            known[name] = np.array(np.broadcast_to(Program([node])(known)[0], len(weight)), float)
        return {name: known[name] for name in self.variables}


@lru_cache(maxsize=32)
def planned(
    text: Text, parameters: tuple[tuple[str, Dimension], ...], reach: Reach, method: Method | Literal["auto"] = "auto"
) -> TypedSynapse:
    """Raises ProblemError with a place as :func:`engines.spiking.typed.synapses.language.parse`, or ``method``."""
    model = parse(text, dict(parameters), reach.ends)
    heard = {name + BEHIND: each for name, each in reach.heard}
    paths = [_path(model, k, heard, reach.rows) for k in range(2)]
    step, linear = stepped(model, reach, method)
    for path, field in zip(paths, PATHS, strict=True):
        if len(ordered(path.roots)) > MOST_NODES:
            raise ProblemError(
                f"An event takes {len(ordered(path.roots)):,} operations, and there may be {MOST_NODES:,}: shorten the "
                "statements.",
                (field,),
            )
    steps = [*step.after.values(), *(node for _, node in step.sums)]
    if len(ordered(steps)) > MOST_NODES:
        raise ProblemError(
            f"A step of a synapse takes {len(ordered(steps)):,} operations, and there may be {MOST_NODES:,}: shorten "
            "the lines.",
            ("lines",),
        )
    roots = [*(root for path in paths for root in path.roots), *steps]
    free = {*model.variables, *(row.name for row in reach.rows), *(str(each.value) for each in RUNNING)}
    known, numbers = hoisted(roots, free)
    instead = dict(zip(roots, known, strict=True))
    whole = [
        Path(
            tuple(instead[node] for node in path.after),
            (_of(instead, path.quanta[0]), _of(instead, path.quanta[1])),
            _of(instead, path.cut),
            path.rows,
        )
        for path in paths
    ]
    step = replace(
        step,
        after={name: instead[node] for name, node in step.after.items()},
        sums=tuple((place, instead[node]) for place, node in step.sums),
    )
    return TypedSynapse(model, (whole[0], whole[1]), step, numbers, linear)


def _of(instead: Mapping[Node, Node], node: Node | None) -> Node | None:
    return None if node is None else instead[node]


def _path(model: Model, which: int, reach: Mapping[str, Heard], rows: Sequence[Row]) -> Path:
    step, given = symbol("dt"), ends_and_time()

    def within(nodes: Sequence[Node], state: Mapping[str, Node]) -> tuple[Node, ...]:
        return rebuild(nodes, simplified, given | {symbol(name): node for name, node in state.items()})

    rates = dict(zip(model.rates, remove_singularities(list(model.rates.values())), strict=True))
    moved = relaxed(rates, make("mul", SINCE, step))
    begun = {name: symbol(name) for name in model.variables}
    state = begun | dict(zip(moved, within(list(moved.values()), begun), strict=True))
    for name in moved:
        state[name] = make("select", make("lt", make("abs", state[name]), const(FADED)), const(0.0), state[name])
    sums: list[Node | None] = [None, None]
    for name, node in model.paths[which]:
        (value,) = within([node], state)
        if name in reach:
            row, sign, _ = reach[name]
            value = make("neg", value) if sign < 0 else value
            before = sums[row]
            sums[row] = value if before is None else make("add", before, value)
        else:
            state[name] = value
    quanta: list[Node | None] = []
    cut: Node | None = None
    for total in sums:
        if total is None:
            quanta.append(None)
            continue
        many = make("mul", total, symbol(QUANTA))
        within_limit = make("le", make("abs", many), symbol(LIMIT))
        low = make("lt", many, const(0.0))
        most = make("select", low, make("neg", symbol(LIMIT)), symbol(LIMIT))
        quanta.append(make("select", within_limit, many, most))
        beyond = make("not", within_limit)
        cut = beyond if cut is None else make("or", cut, beyond)
    path = Path(tuple(state[name] for name in model.variables), (quanta[0], quanta[1]), cut, ())
    return replace(path, rows=of_rows(rows, path.roots))
