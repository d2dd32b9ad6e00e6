"""A step as passes over the grid: what each reads and writes, as formulas of cells and their neighbours.

Explicit Euler, u' = u + Δt f(u), is one pass. The classical method of Runge and Kutta of fourth order takes four, over

    a = u + Δt/2 f(u),   b = u + Δt/2 f(a),   c = u + Δt f(b),
    u' = u + ((a − u) + 2 (b − u) + (c − u))/3 + Δt/6 f(c)

which is the same as with sums of f, and reads and writes fewer arrays (13 of each field and step instead of 16). Adams
and Bashforth's method of second order takes one, which reads two arrays of each field and writes two,

    u' = u + Δt (f(u) + (f(u) − g)/2),   g' = f(u)

where g are the rates of the step before; the first step, which has none, is Euler's. Where diffusion is taken
implicitly, backward differences of second order (SBDF2; Ascher, Ruuth and Wetton 1995) take as many, f without it:

    e = u + Δt f(u),   (1 − 2/3 Δt D ∇²) u' = e + (e − g)/3,   g' = u + 2 Δt f(u)

and the first step is (1 − Δt D ∇²) u' = e. Names that are stored are worked
out before, in a pass for all that do not need each other.

White noise adds w = √(Δt/V) g N(0, 1) to u' (``noise.terms``): Euler and Maruyama's method; Adams and Bashforth's takes
no part of it into g'; backward differences take 3/2 w less 1/2 of that of the step before (Buckwar and Winkler 2006),
which is + w in the equation above, and in g'. Runge and Kutta's stages cannot have it.

What does not differ from cell to cell is worked out once for each pass, in float64, and becomes a number that kernels
take: a change of a parameter or of the grid compiles nothing anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from engines.api.errors import ProblemError
from engines.formulas import rules
from engines.formulas.counts import count
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import CONDITIONS, Node, const, make, ordered, rebuild, symbol
from engines.stencil.equations.implicit.terms import split
from engines.stencil.equations.language import System
from engines.stencil.equations.noise.terms import DRAWN, kick
from engines.stencil.equations.spatial import HERE, INDICES, Offset, SpatialError, Stencil, cell_of, neighbour

Method = Literal["Euler", "AB2", "IMEX", "RK4"]
DT = "@dt"
BANKS = ("base", "second", "third")
"""Arrays of fields that are read in the cell itself alone: u, a and b above; "second" is g, too."""
Weights = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Pass:
    """One sweep: ``roots`` go to the rows ``into`` of the fields' next arrays, or of the stored names'.

    ``names`` of fields and stored names are rows of what is read with neighbours: symbols ``u@1,0,0``. Those of
    :data:`BANKS` are ``base@u``. ``numbers`` are what kernels take as ``@0``, ``@1`` …: formulas of parameters, time,
    step and sizes."""

    name: str
    roots: tuple[Node, ...]
    into: tuple[int, ...]
    names: tuple[str, ...]
    numbers: tuple[Node, ...]
    stores: bool = False

    @cached_property
    def reads(self) -> Mapping[str, frozenset[Offset]]:
        """Of each field and stored name that is read, where: in the order of ``names``."""
        found: dict[str, set[Offset]] = {}
        for node in ordered(self.roots):
            cell = cell_of(str(node.value)) if node.op == "symbol" else None
            if cell is not None:
                found.setdefault(cell[0], set()).add(cell[1])
        return {name: frozenset(found[name]) for name in self.names if name in found}

    @cached_property
    def beside(self) -> tuple[tuple[str, str], ...]:
        """(bank, field) of what is read in the cell itself alone."""
        names = [str(node.value).partition("@") for node in ordered(self.roots) if node.op == "symbol"]
        return tuple((bank, field) for bank, _, field in names if bank in BANKS)

    @cached_property
    def draws(self) -> tuple[int, ...]:
        """Which noises it has."""
        names = [str(node.value) for node in ordered(self.roots) if node.op == "symbol"]
        return tuple(int(name.removeprefix(DRAWN)) for name in names if name.startswith(DRAWN))

    @cached_property
    def placed(self) -> bool:
        """Whether it hangs on where a cell is in the grid."""
        return bool(self.draws) or any(node.value in INDICES for node in ordered(self.roots) if node.op == "symbol")

    def reach(self, axis: int) -> int:
        """How many cells away it reads along an axis."""
        return max((abs(offset[axis]) for offsets in self.reads.values() for offset in offsets), default=0)

    def uses(self, name: str) -> bool:
        """Whether the numbers depend on a parameter, or on time."""
        return any(node.value == name for node in ordered(self.numbers))

    @property
    def arrays_read(self) -> int:
        return len(self.reads) + len(self.beside)

    @property
    def arrays_written(self) -> int:
        return len(self.roots)

    @cached_property
    def flops(self) -> int:
        """Of a cell; a multiplication with its addition counts two."""
        counted = count(self.roots)
        return counted.add + counted.mul + 2 * counted.fma

    @cached_property
    def _program(self) -> Program:
        return Program(self.numbers)

    def values(self, given: Mapping[str, float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(numbers,) float64, given parameters, time, step and sizes by name."""
        return np.array([float(value) for value in self._program({name: np.float64(v) for name, v in given.items()})])


@dataclass(frozen=True, eq=False)
class Plan:
    """``diffusivities``: of the fields whose diffusion is taken implicitly; ``explicit``: the equations without it.
    ``stages``: for each stage of a step the fraction of Δt at which it is, the passes that store names, and the pass
    that goes on. ``showing``: passes that store all names, then the one that works out those to be shown."""

    system: System
    method: Method
    stages: tuple[tuple[float, tuple[Pass, ...], Pass], ...]
    showing: tuple[Pass, ...]

    diffusivities: Mapping[str, Node]
    explicit: System

    def share(self, stage: int, first: bool) -> float:
        """Of a stage of a step, what its passes take as ``@share``: the part of Δt by which Runge and Kutta's goes on,
        or that of f − g or e − g above, of which there is none in the first step."""
        if self.method == "RK4":
            return (0.5, 0.5, 1.0, 1.0)[stage]
        return 0.0 if first else {"AB2": 1 / 2, "IMEX": 1 / 3}.get(self.method, 0.0)

    @cached_property
    def _diffusivities(self) -> Program:
        return Program(list(self.diffusivities.values()))

    def diffusivities_with(self, given: Mapping[str, Any]) -> dict[int, Any]:
        """By the rows of the fields [mm²/s], given parameters and x, y, z by name: arrays where they hang on these."""
        values = self._diffusivities({name: np.asarray(value, float)[()] for name, value in given.items()})
        return dict(zip((self.system.fields.index(name) for name in self.diffusivities), values, strict=True))

    @property
    def remembers(self) -> bool:
        """Whether a step needs g of the one before."""
        return self.method in ("AB2", "IMEX")

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Of a step, each as often as it is taken."""
        return tuple(one for _, storing, going in self.stages for one in (*storing, going))

    def reach(self, axis: int) -> int:
        """How many cells away along an axis what a step makes of a cell, or what is shown of it, hangs on."""
        return max(sum(one.reach(axis) for one in passes) for passes in (self.passes, self.showing))


def planned(
    system: System, method: Method, dimensions: int, equal: bool, wraps: Sequence[bool] = (False, False, False)
) -> Plan:
    """``equal``: cells are squares or cubes; ``wraps``: the axes that are periodic. Raises ProblemError, whose
    ``place`` is the line, for a derivative along an axis that there is not."""
    names = (*system.fields, *system.stored)
    stencil = Stencil(names, dimensions, equal, wraps)
    diffusivities, explicit = split(system) if method == "IMEX" else ({}, system)
    factors = [factor for each in system.noise.values() for factor in each.values()]
    needed = _needed(system, [*explicit.rates.values(), *factors])
    storing = _storing(system, stencil, names, needed)
    rates = lowered(system, stencil, explicit.rates)
    kicks = _kicks(system, stencil)
    here = [neighbour(name, HERE) for name in system.fields]
    into = tuple(range(len(rates)))

    def advancing(name: str, begin: Sequence[Node], share: Node) -> Pass:
        step = rules.multiply(share, symbol(DT))
        roots = [rules.add(start, rules.multiply(step, rate)) for start, rate in zip(begin, rates, strict=True)]
        if method == "Euler":
            roots = [rules.add(root, w) for root, w in zip(roots, kicks, strict=True)]
        return _pass(name, roots, into, names)

    if method == "Euler":
        stages = [(0.0, advancing("Euler", here, const(1.0)))]
    elif method in ("AB2", "IMEX"):
        before = [symbol(f"second@{name}") for name in system.fields]
        of = _adams_and_bashforth if method == "AB2" else _backward_differences
        pairs = [of(*four) for four in zip(here, rates, before, kicks, strict=True)]
        roots = [pair[which] for which in range(2) for pair in pairs]
        stages = [(0.0, _pass(method, roots, tuple(range(2 * len(rates))), names))]
    else:
        base, a, b = ([symbol(f"{bank}@{name}") for name in system.fields] for bank in BANKS)
        last = [_mean(*four) for four in zip(base, a, b, here, strict=True)]
        middle, half = advancing("middle", base, symbol("@share")), const(0.5)
        stages = [(0.0, advancing("first", here, half)), (0.5, middle), (0.5, middle)]
        stages.append((1.0, advancing("last", last, const(1 / 6))))
    shown = _pass("shown", lowered(system, stencil, system.shown), tuple(range(len(system.shown))), names)
    showing = (*_storing(system, stencil, names, set(system.stored)), *([shown] if system.shown else []))
    passes = tuple((at, storing, going) for at, going in stages)
    return Plan(system, method, passes, showing, diffusivities, explicit)


def lowered(
    system: System, stencil: Stencil, formulas: Mapping[str, Node], line: int | None = None
) -> list[Node]:  # fmt: skip
    """Formulas, by the names that lines define, as formulas of neighbours; all of one ``line`` if it is given. Raises
    ProblemError as :func:`planned`."""
    found = []
    for name, node in formulas.items():
        try:
            found.append(stencil.lowered(node))
        except SpatialError as error:
            place = system.lines[name] if line is None else line
            raise ProblemError(f"Line {place + 1} {error}.", (place,)) from None
    return found


def _kicks(system: System, stencil: Stencil) -> list[Node]:
    """w above, of each field."""
    found = []
    for name in system.fields:
        factors = system.noise.get(name, {})
        cells = lowered(system, stencil, factors, system.lines[name])
        found.append(kick(dict(zip(factors, cells, strict=True)), system.noises, symbol(DT), stencil.dimensions))
    return found


def _adams_and_bashforth(here: Node, rate: Node, before: Node, w: Node) -> tuple[Node, Node]:
    """(u', g') above."""
    change = rules.multiply(symbol("@share"), rules.subtract(rate, before))
    return rules.add(rules.add(here, rules.multiply(symbol(DT), rules.add(rate, change))), w), rate


def _backward_differences(here: Node, rate: Node, before: Node, w: Node) -> tuple[Node, Node]:
    """(what u' without its diffusion is, g') above."""
    step = rules.multiply(symbol(DT), rate)
    ahead = rules.add(here, step)
    change = rules.multiply(symbol("@share"), rules.subtract(ahead, before))
    return rules.add(rules.add(ahead, change), w), rules.add(rules.add(ahead, step), w)


def _mean(base: Node, a: Node, b: Node, c: Node) -> Node:
    """u + ((a − u) + 2 (b − u) + (c − u))/3: of differences, which are rounded less than what they are of."""
    outer = rules.add(rules.subtract(a, base), rules.subtract(c, base))
    whole = rules.add(outer, rules.multiply(const(2.0), rules.subtract(b, base)))
    return rules.add(base, rules.multiply(const(1 / 3), whole))


def _needed(system: System, roots: object) -> set[str]:
    """Stored names that these formulas need, and those that these need in turn."""
    found: set[str] = set()
    ahead = list(roots)  # type: ignore[call-overload]  # nodes
    while ahead:
        for node in ordered([ahead.pop()]):
            name = str(node.value)
            if node.op == "symbol" and name in system.stored and name not in found:
                found.add(name)
                ahead.append(system.stored[name])
    return found


def _storing(system: System, stencil: Stencil, names: tuple[str, ...], needed: set[str]) -> tuple[Pass, ...]:
    """Passes for these stored names; those of one pass do not need each other."""
    level: dict[str, int] = {}
    for name, node in system.stored.items():  # in an order in which none needs a later one
        below = [level[str(each.value)] for each in ordered([node]) if each.op == "symbol" and each.value in level]
        level[name] = 1 + max(below, default=-1)
    passes = []
    for number in range(max(level.values(), default=-1) + 1):
        these = [name for name in system.stored if level[name] == number and name in needed]
        if these:
            roots = lowered(system, stencil, {name: system.stored[name] for name in these})
            rows = tuple(list(system.stored).index(name) for name in these)
            passes.append(_pass(f"stored {number}", roots, rows, names, stores=True))
    return tuple(passes)


def _pass(
    name: str, roots: Sequence[Node], into: tuple[int, ...], names: tuple[str, ...], stores: bool = False
) -> Pass:
    found, numbers = hoisted(roots)
    return Pass(name, found, into, names, numbers, stores)


# --- what does not differ from cell to cell --------------------------------------------------------------------------


def hoisted(roots: Sequence[Node]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """(the roots with symbols ``@0``, ``@1`` … for all that is the same in all cells, what these are).

    In products and quotients such factors are brought together first."""
    uniform: dict[Node, bool] = {}

    def same(node: Node) -> bool:
        for each in ordered([node]):
            if each not in uniform:
                moving = each.op == "symbol" and not _is_uniform(str(each.value))
                uniform[each] = not moving and all(uniform[arg] for arg in each.args)
        return uniform[node]

    def parts(node: Node) -> tuple[Node | None, Node | None]:
        if same(node):
            return node, None
        if node.op == "mul" and same(node.args[0]):
            return node.args[0], node.args[1]
        return None, node

    def build(op: str, *args: Node) -> Node:
        if op not in ("mul", "div", "neg"):
            return make(op, *args)
        (a, x), (b, y) = parts(args[0]), parts(args[1]) if len(args) == 2 else (None, None)
        if op == "neg":
            return make("neg", args[0]) if a is None or x is None else make("mul", rules.negate(a), x)
        if x is None and y is None:
            return make(op, *args)
        return _joined(op, (a, x), (b, y))

    regrouped = rebuild(roots, build)
    numbers: dict[Node, Node] = {}
    seen: set[Node] = set()
    left = list(reversed(regrouped))
    while left:
        node = left.pop()
        if node in seen or node.op == "const":
            continue
        seen.add(node)
        if same(node) and node.op not in CONDITIONS:
            numbers[node] = symbol(f"@{len(numbers)}")
        else:
            left += reversed(node.args)
    return rebuild(regrouped, make, numbers), tuple(numbers)


def _joined(op: str, first: tuple[Node | None, Node | None], second: tuple[Node | None, Node | None]) -> Node:
    """A product or quotient of (what is the same in all cells, what is not) twice, in this order again."""
    (a, x), (b, y) = first, second
    if op == "mul":
        number = a if b is None else b if a is None else rules.multiply(a, b)
        rest = x if y is None else y if x is None else make("mul", x, y)
    else:
        one = const(1.0)
        number = a if b is None else make("div", a or one, b)
        rest = x if y is None else make("div", x or one, y)
    assert rest is not None
    return (
        rest if number is None else rules.multiply(number, rest) if number.op == "const" else make("mul", number, rest)
    )


def _is_uniform(name: str) -> bool:
    differs = name in INDICES or name.startswith(DRAWN) or cell_of(name) is not None
    return not differs and name.partition("@")[0] not in BANKS
