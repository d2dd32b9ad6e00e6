"""What formulas of neurons and synapses may name, read with units; and statements that change variables.

Formulas are read by :mod:`engines.formulas.parse`; nothing of them is ever run. Units are checked as they are read, and
are numbers then (:mod:`engines.formulas.typed.units`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, nearest_told
from engines.formulas.graph import CONDITIONS, Node, const, depends_on, make, ordered, rebuild, symbol
from engines.formulas.linear import linear_in
from engines.formulas.parse import FUNCTIONS, Function, Language, number, parse_either
from engines.formulas.rules import simplified
from engines.formulas.typed.inferring import inferred
from engines.formulas.typed.units import (
    NONE,
    SYMBOLS,
    UNITS,
    USUAL,
    Dimension,
    UnitError,
    dimension_of,
    has,
    must_be,
    named,
)

VOLTAGE = "v"
"""The variable that is shown as the neuron's voltage."""
OUTSIDE, WEIGHT = "I_ext", "weight"
"""The current from outside with its noise, and what a spike's synapse has."""
GIVEN: Mapping[str, Dimension] = {
    "t": UNITS["second"][0], "dt": UNITS["second"][0], "i": NONE, "N": NONE, OUTSIDE: UNITS["amp"][0],
}  # fmt: skip
"""i: of the neuron in its population, from 0; N: how many there are."""
CONSTANTS = {"pi": 3.141592653589793}
KNOWN: Mapping[str, Function] = {
    **FUNCTIONS,
    "exprel": Function(1, lambda x: make("growth", x, make("exp", make("mul", const(0.5), x)))),
    "clip": Function(3, lambda x, low, high: make("min", make("max", x, low), high)),
    "int": Function(1, lambda x: _counted(x)),
}
"""exprel(x): (e^x − 1)/x, 1 at 0; int(a > b): 1 or 0."""
DRAWS = ("rand", "randn")
"""What a start may draw for each neuron or synapse: evenly from 0 to 1, or of a normal distribution."""
Changes = tuple[tuple[str, Node], ...]
_CHANGE = re.compile(r"\s*([^\W\d]\w*)\s*(?P<op>[-+*/]?)=(?!=)(?P<formula>.*)", re.DOTALL)
OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
"""Of ``name += formula``."""


def _counted(x: Node) -> Node:
    """What is true counts 1, what is not 0; there is no other way to whole numbers."""
    if x.op == "select" and x.args[1:] == (const(1.0), const(0.0)):
        return x
    raise ValueError("takes int of what is no condition: write it of one, as int(v > V_T)")


class Names:
    """What formulas may name, and of which dimension it is."""

    def __init__(self, dimensions: Mapping[str, Dimension], parameters: Collection[str] = ()) -> None:
        """``parameters``: those whose unit a person chooses."""
        self.dimensions, self._parameters = dict(dimensions), parameters
        self._draws: Mapping[str, Function] = {}

    def read(self, text: str, where: str, more: Mapping[str, Dimension] = {}) -> Node:  # read alone
        names = {name: symbol(name) for name in (*self.dimensions, *more)}
        constants = {name: const(value) for name, value in CONSTANTS.items()}
        listed = (*names, *constants, *USUAL[:2], "…")
        known = Language({**names, **SYMBOLS, **constants}, {**KNOWN, **self._draws}, listed=listed)
        return parse_either(text, known, where)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Formulas may call DRAWS within: each call is a symbol of its own, @rand.0, @randn.1 …"""
        count = itertools.count()

        def drawn(name: str) -> Node:
            found = f"@{name}.{next(count)}"
            self.dimensions[found] = NONE
            return symbol(found)

        self._draws = {name: Function(0, partial(drawn, name)) for name in DRAWS}
        try:
            yield
        finally:
            self._draws = {}

    def formula(
        self, text: str, where: str, expected: Dimension, why: str = "", more: Mapping[str, Dimension] = {},
    ) -> Node:  # fmt: skip
        """Of that dimension. Raises UnitError where it has another: a sentence that goes on after ``where``."""
        node, known = number(self.read(text, where, more)), {**self.dimensions, **more}
        try:
            found = dimension_of(node, known)
        except UnitError as error:
            raise UnitError(f"{where}{error}{self._needed(node, expected, known)}") from None
        if found != expected:
            raise UnitError(f"{where}{must_be(found, expected, why)}{self._needed(node, expected, known)}")
        return node

    def _needed(self, node: Node, expected: Dimension, known: Mapping[str, Dimension]) -> str:
        """The units that parameters must have for the formula to hold: one of them, or all that have none."""
        own = [name for name in self._parameters if depends_on([node], name) and name in known]
        for tried in (*([name] for name in own), [name for name in own if known[name] == NONE]):
            others = {name: dimension for name, dimension in known.items() if name not in tried}
            units = {name: each for name, each in inferred([(node, expected)], others).items() if name in tried}
            with suppress(UnitError, KeyError):
                if dimension_of(node, {**known, **units}) == expected:
                    told = " and ".join(f"{name} in {named(each, small=True)}" for name, each in units.items())
                    return f" Below Parameters {told} would do."
        return ""

    def condition(self, text: str, where: str) -> Node:
        node = self.read(text, where)
        if node.op not in CONDITIONS:
            raise ProblemError(f"{where} is no condition: write one, as v > -50*mV.")
        try:
            dimension_of(node, self.dimensions)
        except UnitError as error:
            raise UnitError(f"{where}{error}") from None
        return node

    def refractory(self, text: str) -> Node:
        """Of a time, or a condition; nothing is no time."""
        if not text.strip():
            return const(0.0)
        where = "The refractory time"
        if self.read(text, where).op in CONDITIONS:
            return self.condition(text, where)
        found = self.formula(text, where, UNITS["second"][0])
        for node in ordered([found]):
            if str(node.value) in (*GIVEN, VOLTAGE) and node.op == "symbol" and node.value != "dt":
                raise ProblemError(
                    f"{where} hangs on {node.value}: write it of numbers and parameters, or as a condition."
                )
        return found

    def changes(self, text: str, where: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, Node]]:
        """``v = V_r; w += b``: the variable and what it becomes."""
        for name, op, formula in changes_of(text, where, units):
            expected = units[name] if op in ("", "+", "-") else NONE
            value = self.formula(formula, f"{where} of {name}", expected, f"{name} {has(units[name])}")
            yield name, make(OPERATORS[op], symbol(name), value) if op else value

    def arriving(self, text: str, what: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, Node, Dimension]]:
        """``g_e += weight``: the variable, what a weight of 1 adds, and the dimension of weights."""
        for name, op, formula in changes_of(text, what, units):
            where, why = f"What {what[0].lower()}{what[1:]} adds to {name}", f"{name} {has(units[name])}"
            if op not in ("+", "-"):
                raise ProblemError(f"{what} adds to a variable: write {name} += {WEIGHT}.")
            weight = units[name]
            try:
                value = self.formula(formula, where, units[name], why, {WEIGHT: weight})
            except UnitError as first:
                weight = NONE  # it may be a plain number
                try:
                    value = self.formula(formula, where, units[name], why, {WEIGHT: weight})
                except UnitError:
                    raise first from None
            (value,) = rebuild([value], simplified)
            parts = linear_in(value, WEIGHT)
            if parts is None or not is_zero(parts[0]):
                raise ProblemError(f"{where} is not in proportion to the weight: write {name} += {WEIGHT}.")
            if depends_on([parts[1]], name):
                raise ProblemError(
                    f"{where} hangs on {name} itself, and spikes of one step are added together: leave {name} out."
                )
            yield name, simplified("neg", parts[1]) if op == "+" else parts[1], weight


def is_zero(node: Node) -> bool:
    """Whether a factor of it is 0: of 0 over something rewrites make nothing."""
    factors = [node]
    while factors:
        factor = factors.pop()
        if factor == const(0.0):
            return True
        factors += factor.args[:1] if factor.op in ("div", "neg") else factor.args if factor.op == "mul" else ()
    return False


def statement_of(part: str) -> re.Match[str] | None:
    """(variable, op, formula) of ``w += b``."""
    return _CHANGE.match(part)


def changes_of(text: str, where: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, str, str]]:
    """(variable, operator before ``=``, formula) of each statement."""
    for part in parts_of(text):
        match = _CHANGE.match(part)
        if match is None:
            raise ProblemError(f"{where} has '{short(part)}', which changes nothing: write it as v = -60*mV or w += b.")
        if match[1] not in units:
            raise ProblemError(
                f"{where} changes '{short(match[1])}', which is no variable{nearest_told(match[1], units)}: "
                f"there are {', '.join(units)}."
            )
        yield match[1], match["op"], match["formula"]


def drawn(nodes: Sequence[Node], number: int, stream: Sequence[int]) -> dict[str, Array]:
    """(number,) float64 of each draw that formulas name; the same ones of a ``stream`` each time."""
    names = {str(n.value) for n in ordered(nodes) if n.op == "symbol" and str(n.value).startswith("@rand")}
    found = {}
    for name in names:
        kind, _, place = name[1:].partition(".")
        random = np.random.default_rng([*stream, int(place)])
        found[name] = random.random(number) if kind == "rand" else random.standard_normal(number)
    return found


def parts_of(text: str) -> list[str]:
    """Statements, each between ``;`` or ends of lines; what is behind ``#`` is none of them."""
    return [part for line in text.split("\n") for part in line.split("#")[0].split(";") if part.strip()]


@contextmanager
def in_field(place: str) -> Iterator[None]:
    try:
        yield
    except ProblemError as error:
        error.place = (place,)
        raise


def short(text: str) -> str:
    first = text.strip().splitlines()[0].strip() if text.strip() else ""
    return first if len(first) <= 60 else f"{first[:57]}…"
