"""What synapses do in each step as graphs, which either backend is written from: variables that move, and what neurons
get in sum. Both may read variables of the neurons at either end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engines.api.errors import ProblemError
from engines.formulas.graph import Node, const, make, rebuild, symbol
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplified
from engines.formulas.typed.units import Dimension
from engines.spiking.neurons.rows import FADED
from engines.spiking.typed.integration import READY, Linear, Method, able, chosen, integrated
from engines.spiking.typed.plan import NOW
from engines.spiking.typed.synapses.language import BEFORE, BEHIND, Ends, Model, uses

SINCE, SENDER, HEARER = symbol("@since"), symbol("@sender"), symbol("@hearer")
"""Steps since the last event; the numbers of both neurons in the network."""
LANES = 32
"""Sums of a hearer's synapses that go side by side, the threads of a warp."""
RUNNING = (SINCE, SENDER, HEARER, NOW)


class Heard(NamedTuple):
    """What synapses add to in a neuron. row: of the ring, 0 for excitatory and 1 for inhibitory inputs; sign: of the
    quanta there that raise it"""

    row: int
    sign: float
    dimension: Dimension


class Variable(NamedTuple):
    """Of a typed neuron. place: the row that it is kept in (``typed.plan.Typed.places``)"""

    name: str
    dimension: Dimension
    place: str | int


class Reach(NamedTuple):
    """What of both neurons synapses know. heard: by the names of variables of the one that hears; read: variables of
    the sender and of the hearer; summed: those of the hearer that synapses sum up; reset: names of variables of either
    that its spike resets"""

    heard: tuple[tuple[str, Heard], ...]
    read: tuple[tuple[Variable, ...], tuple[Variable, ...]]
    summed: tuple[Variable, ...]
    reset: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def ends(self) -> Ends:
        return Ends(
            {name + BEHIND: each.dimension for name, each in self.heard},
            {each.name + side: each.dimension for side, rows in zip((BEFORE, BEHIND), self.read, strict=True)
             for each in rows},
            {each.name: each.dimension for each in self.summed},
            frozenset(name + side for side, names in zip((BEFORE, BEHIND), self.reset, strict=True) for name in names),
        )  # fmt: skip

    @property
    def rows(self) -> tuple[Row, ...]:
        """All that may be read."""
        return tuple(Row(each.name + name, side, each.place)
                     for side, (name, rows) in enumerate(zip((BEFORE, BEHIND), self.read, strict=True))
                     for each in rows)  # fmt: skip


@dataclass(frozen=True)
class Moving:
    """Variables that move in each step, as ``typed.integration`` takes equations."""

    rates: Mapping[str, Node]
    moving: frozenset[str]
    held: frozenset[str] = frozenset()

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.rates)


class Row(NamedTuple):
    """Where a variable of neurons is kept that steps or statements read. side: of the sender (0) or the hearer (1)"""

    name: str
    side: int
    place: str | int


@dataclass(frozen=True, eq=False)
class Step:
    """after: what variables are after a step, by name; method: how they move; sums: what a synapse adds to a row of the
    hearer; rows: of neurons, whose names are symbols in these"""

    after: Mapping[str, Node]
    method: Method | None
    sums: tuple[tuple[str | int, Node], ...]
    rows: tuple[Row, ...]

    def of(self, roots: Sequence[Node]) -> tuple[Row, ...]:
        """The rows that these roots read."""
        return of_rows(self.rows, roots)


def stepped(
    model: Model, reach: Reach, method: Method | Literal["auto"]
) -> tuple[Step, tuple[Linear, ...]]:  # fmt: skip
    read = reach.rows
    given = ends_and_time()
    faded = const(FADED)
    after: dict[str, Node] = {}
    linear: tuple[Linear, ...] = ()
    taken: Method | None = None
    if model.clocked:
        rates = dict(zip(model.clocked, remove_singularities(list(model.clocked.values())), strict=True))
        moving = Moving(rates, frozenset({*model.variables, "t", "i", "j", *(row.name for row in read)}))
        if method != "auto" and not able(moving, method):
            raise ProblemError("These lines have no such step: choose another way to integrate them.", ("method",))
        taken = chosen(moving, method)
        moved = integrated(moving, taken, READY)
        linear = moved.linear
        nodes = rebuild(list(moved.after.values()), simplified, given)
        after = {name: make("select", make("lt", make("abs", node), faded), const(0.0), node)
                 for name, node in zip(moved.after, nodes, strict=True)}  # fmt: skip
    places = {each.name: each.place for each in reach.summed}
    sums = tuple((places[name], rebuild([node], simplified, given)[0]) for name, node in model.sums.items())
    used = [*after.values(), *(node for _, node in sums)]
    return Step(after, taken, sums, of_rows(read, used)), linear


def of_rows(rows: Sequence[Row], roots: Sequence[Node]) -> tuple[Row, ...]:
    return tuple(row for row in rows if uses(roots, row.name))


def ends_and_time() -> dict[Node, Node]:
    return {
        symbol("t"): make("mul", NOW, symbol("dt")),
        symbol("i"): make("sub", SENDER, symbol("@first_pre")),
        symbol("j"): make("sub", HEARER, symbol("@first_post")),
    }
