"""The language of typed neurons, as Brian2 has it: how variables change, when a neuron fires, what a spike does.

    dv/dt = (g_L*(E_L - v) + I)/C : volt (unless refractory)    a variable; it is held after a spike if it says so
    I = g_e*(E_e - v) + I_ext : amp                             a name for use in other lines, above and below
    g_L : siemens (constant)                                    a parameter, whose value stands below Parameters

Formulas are read by :mod:`engines.formulas.parse`; nothing of them is ever run. Units are checked as they are read, and
are numbers then (:mod:`engines.formulas.typed.units`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from engines.api.errors import ProblemError, nearest_told
from engines.formulas.graph import CONDITIONS, Node, const, depends_on, make, ordered, rebuild, symbol
from engines.formulas.linear import linear_in
from engines.formulas.parse import FUNCTIONS, WORDS, FormulaError, Function, Language, number, parse_either, statements
from engines.formulas.rules import simplified
from engines.formulas.typed.printed import Anything
from engines.formulas.typed.units import (
    NONE,
    SYMBOLS,
    UNITS,
    USUAL,
    Dimension,
    UnitError,
    dimension_of,
    in_kept,
    named,
    unit,
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
    "int": Function(1, lambda x: x),
}
"""exprel(x): (e^x − 1)/x, 1 at 0; int(a > b): 1 or 0."""
MOST_VARIABLES = 8
MOST_LINES = 60
MOST_OPERATIONS = 1_000
FLAGS = ("unless refractory", "constant")
_NAME = r"([^\W\d]\w*)"
_RATE = re.compile(rf"\s*d\s*{_NAME}\s*/\s*d\s*t\s*=(?!=)")
_DEFINITION = re.compile(rf"\s*{_NAME}\s*=(?!=)")
_PARAMETER = re.compile(rf"\s*{_NAME}\s*$")
_UNIT = re.compile(r":(?P<unit>[^:()]*(?:\([^:()a-z]*\)[^:()]*)*)(?:\((?P<flags>[^()]*)\))?\s*(?:#.*)?$", re.DOTALL)
_CHANGE = re.compile(rf"\s*{_NAME}\s*(?P<op>[-+*/]?)=(?!=)(?P<formula>.*)", re.DOTALL)
_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


class Text(NamedTuple):
    """What a person types of a model, as the fields of ``parameters/equations.py``."""

    lines: tuple[str, ...]
    threshold: str
    reset: str
    refractory: str
    excitatory: str
    inhibitory: str
    starts: str


Changes = tuple[tuple[str, Node], ...]


@dataclass(frozen=True, eq=False)
class Model:
    """Formulas of variables, parameters and GIVEN names, in the kept units.

    rates: of each variable, in the order of the lines; held: those that rest while the neuron is refractory; changes of
    a reset, one after the other; refractory: how long, or a condition for as long as it holds; arriving: what a weight
    of 1 adds to variables, of excitatory and of inhibitory spikes; starts: where variables begin, one after the other;
    dimensions: of variables; weights: dimension of those of excitatory and of inhibitory spikes
    """

    rates: Mapping[str, Node]
    held: frozenset[str]
    threshold: Node
    reset: Changes
    refractory: Node
    arriving: tuple[Changes, Changes]
    starts: Changes
    dimensions: Mapping[str, Dimension]
    weights: tuple[Dimension, Dimension]

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.rates)

    @property
    def rests_on_condition(self) -> bool:
        return self.refractory.op in CONDITIONS


class _Line(NamedTuple):
    """``kind``: of a variable, of a name, or of a parameter; formula: with blanks before it."""

    place: int
    kind: str
    name: str
    formula: str
    dimension: Dimension
    flags: tuple[str, ...]


def heading(text: str) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    """(kind, name, the formula behind as many blanks, unit, flags) of a statement; None where it says nothing."""
    tail = _UNIT.search(text)
    before = text[: tail.start()] if tail else text
    said = tail["unit"].strip() if tail else ""
    flags = tuple(each.strip() for each in (tail["flags"] or "").split(",") if each.strip()) if tail else ()
    for kind, pattern in (("variable", _RATE), ("name", _DEFINITION)):
        match = pattern.match(before)
        if match is not None:
            return kind, match[1], " " * match.end() + before[match.end() :], said, flags
    match = _PARAMETER.match(before)
    return ("parameter", match[1], "", said, flags) if match is not None and tail else None


def parse(text: Text, parameters: Mapping[str, Dimension]) -> Model:
    """Raises ProblemError whose ``place`` is the field of ``Text``, and of its lines which."""
    read = _defined(text.lines, parameters)
    own = [line for line in read if line.kind != "parameter"]
    dimensions = {line.name: line.dimension for line in own}
    names = _Names({**GIVEN, **parameters, **dimensions})
    formulas: dict[str, Node] = {}
    for line in own:
        expected = line.dimension
        if line.kind == "variable":
            expected = tuple(a - b for a, b in zip(expected, UNITS["second"][0], strict=True))
        with _in_line(line):
            formulas[line.name] = names.formula(
                line.formula, "", expected, f"{line.name} is in {named(line.dimension)}"
            )
    count = sum(bool(node.args) for node in ordered(formulas.values()))
    if count > MOST_OPERATIONS:
        raise ProblemError(
            f"The lines have {count:,} operations, and there may be {MOST_OPERATIONS:,}: shorten them.", ("lines",)
        )
    places = {line.name: line.place for line in own}
    put_in = _put_in({line.name: formulas[line.name] for line in own if line.kind == "name"}, places)
    variables = {line.name: line for line in own if line.kind == "variable"}

    def whole(node: Node) -> Node:
        return rebuild([in_kept(node)], make, put_in)[0]

    units = {name: line.dimension for name, line in variables.items()}
    with _in_field("threshold"):
        threshold = whole(names.condition(text.threshold, "The threshold"))
    with _in_field("reset"):
        reset = tuple((name, whole(node)) for name, node in names.changes(text.reset, "The reset", units))
    with _in_field("refractory"):
        refractory = whole(names.refractory(text.refractory))
    arriving, weights = [], []
    for field, what in (("excitatory", "An excitatory spike"), ("inhibitory", "An inhibitory spike")):
        with _in_field(field):
            read_changes = list(names.arriving(getattr(text, field), what, units))
            weights.append(read_changes[0][2] if read_changes else NONE)
            if any(dimension != weights[-1] for _, _, dimension in read_changes):
                raise ProblemError(f"{what} has weights of two units: multiply one of them by a unit.")
            arriving.append(tuple((name, whole(node)) for name, node, _ in read_changes))
    with _in_field("starts"):
        starts = tuple((name, whole(node)) for name, node in names.changes(text.starts, "The start", units))
    return Model(
        {name: whole(formulas[name]) for name in variables},
        frozenset(name for name, line in variables.items() if "unless refractory" in line.flags),
        threshold, reset, refractory, (arriving[0], arriving[1]), starts, units, (weights[0], weights[1]),
    )  # fmt: skip


def check(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    try:
        parse(Text(tuple(lines), "v > v", "", "", "", "", ""), parameters)
    except ProblemError as error:
        return int(error.place[-1]) if len(error.place) > 1 else 0, str(error)
    return None


def read_loosely(lines: Sequence[str]) -> Model:
    """Lines by themselves, where any other name may be a parameter and no unit is looked at. Raises ProblemError."""
    heads = [head for _, text in statements(lines) if (head := heading(text)) is not None]
    read = [
        (kind, name, number(parse_either(formula, Language(Anything(), KNOWN))))
        for kind, name, formula, *_ in heads
        if formula
    ]
    own = {name: node for kind, name, node in read if kind == "name"}
    put_in = _put_in(own, dict.fromkeys(own, 0))
    rates = {name: rebuild([in_kept(node)], make, put_in)[0] for kind, name, node in read if kind == "variable"}
    if not rates:
        raise ProblemError("Nothing changes in time.")
    return Model(rates, frozenset(), make("lt", const(0.0), const(0.0)), (), const(0.0), ((), ()), (), {}, (NONE, NONE))


class _Names:
    """What formulas may name, and of which dimension it is."""

    def __init__(self, dimensions: Mapping[str, Dimension]) -> None:
        self.dimensions = dict(dimensions)

    def _read(self, text: str, where: str, more: Mapping[str, Dimension] = {}) -> Node:  # read alone
        names = {name: symbol(name) for name in (*self.dimensions, *more)}
        constants = {name: const(value) for name, value in CONSTANTS.items()}
        listed = (*names, *constants, *USUAL[:2], "…")
        return parse_either(text, Language({**names, **SYMBOLS, **constants}, KNOWN, listed=listed), where)

    def formula(
        self, text: str, where: str, expected: Dimension, why: str, more: Mapping[str, Dimension] = {},
    ) -> Node:  # fmt: skip
        """Of that dimension. Raises UnitError where it has another: a sentence that goes on after ``where``."""
        node = number(self._read(text, where, more))
        try:
            found = dimension_of(node, {**self.dimensions, **more})
        except UnitError as error:
            raise UnitError(f"{where}{error}") from None
        if found != expected:
            raise UnitError(f"{where} is in {named(found)} and not in {named(expected)}: {why}.")
        return node

    def condition(self, text: str, where: str) -> Node:
        node = self._read(text, where)
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
        if self._read(text, where).op in CONDITIONS:
            return self.condition(text, where)
        found = self.formula(text, where, UNITS["second"][0], "write it as 5*ms")
        for node in ordered([found]):
            if str(node.value) in (*GIVEN, VOLTAGE) and node.op == "symbol" and node.value != "dt":
                raise ProblemError(
                    f"{where} hangs on {node.value}: write it of numbers and parameters, or as a condition."
                )
        return found

    def changes(self, text: str, where: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, Node]]:
        """``v = V_r; w += b``: the variable and what it becomes."""
        for name, op, formula in _changes(text, where, units):
            expected = units[name] if op in ("", "+", "-") else NONE
            value = self.formula(formula, f"{where} of {name}", expected, f"{name} is in {named(units[name])}")
            yield name, make(_OPS[op], symbol(name), value) if op else value

    def arriving(self, text: str, what: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, Node, Dimension]]:
        """``g_e += weight``: the variable, what a weight of 1 adds, and the dimension of weights."""
        for name, op, formula in _changes(text, what, units):
            where, why = f"What {what[0].lower()}{what[1:]} adds to {name}", f"{name} is in {named(units[name])}"
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


def _changes(text: str, where: str, units: Mapping[str, Dimension]) -> Iterator[tuple[str, str, str]]:
    """(variable, operator before ``=``, formula) of each statement."""
    for part in re.split(r"[;\n]", text):
        if not part.split("#")[0].strip():
            continue
        match = _CHANGE.match(part)
        if match is None:
            raise ProblemError(
                f"{where} has '{_short(part)}', which changes nothing: write it as v = -60*mV or w += b."
            )
        if match[1] not in units:
            raise ProblemError(
                f"{where} changes '{_short(match[1])}', which is no variable{nearest_told(match[1], units)}: "
                f"there are {', '.join(units)}."
            )
        yield match[1], match["op"], match["formula"]


def _defined(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> list[_Line]:
    found: list[_Line] = []
    taken: dict[str, int] = {}
    for place, text in statements(lines):
        if len(found) == MOST_LINES:
            raise _refusal(place, f": there are more than {MOST_LINES} lines: put short ones into others")
        head = heading(text)
        if head is None:
            raise _refusal(place, f": '{_short(text)}' does not begin as 'dv/dt =' or 'name ='")
        kind, name, formula, said, flags = head
        if name in GIVEN or name in KNOWN or name in WORDS or name in CONSTANTS or name in UNITS or name == WEIGHT:
            raise _refusal(place, f": '{name}' has a meaning here: choose another name")
        if kind != "parameter" and name in parameters:
            raise _refusal(place, f": '{name}' is the name of a parameter: rename one of them")
        if name in taken:
            raise _refusal(place, f": '{name}' is defined in line {taken[name] + 1} already")
        if not said:
            raise _refusal(place, f" says no unit of {name}: end it with ': volt', or with ': 1' for a plain number")
        wrong = next((flag for flag in flags if flag not in FLAGS), None)
        if wrong is not None:
            raise _refusal(place, f" has the flag '{_short(wrong)}', which is not known: there are {', '.join(FLAGS)}")
        try:
            dimension = unit(said)[0]
        except ProblemError as error:
            raise _refusal(place, f": {str(error).removesuffix('.')}") from None
        if kind == "parameter":
            _check_parameter(place, name, dimension, parameters)
        taken[name] = place
        found.append(_Line(place, kind, name, formula, dimension, flags))
    variables = [line for line in found if line.kind == "variable"]
    if VOLTAGE not in [line.name for line in variables]:
        raise _refusal(
            max(len(lines) - 1, 0), ": nothing says how v changes, which is shown as the voltage: write dv/dt = …"
        )
    if len(variables) > MOST_VARIABLES:
        raise _refusal(
            variables[-1].place,
            f": {len(variables)} variables change in time, and a neuron has {MOST_VARIABLES} at most: leave some out",
        )
    return found


def _check_parameter(place: int, name: str, dimension: Dimension, parameters: Mapping[str, Dimension]) -> None:
    if name not in parameters:
        near = nearest_told(name, parameters)
        raise FormulaError(
            f"Line {place + 1}: there is no parameter '{name}'{near}: add it under Parameters.",
            0,
            ("lines", place),
            name,
        )
    if parameters[name] != dimension:
        raise _refusal(
            place,
            f": {name} is in {named(dimension)} here and in {named(parameters[name])} below Parameters: change one",
        )


def _put_in(own: Mapping[str, Node], places: Mapping[str, int]) -> dict[Node, Node]:
    """What to put in for names, which may need each other. Raises ProblemError for a loop."""
    needs = {
        name: [str(n.value) for n in ordered([node]) if n.op == "symbol" and n.value in own]
        for name, node in own.items()
    }
    done: dict[Node, Node] = {}
    left = list(own)
    while left:
        ready = [name for name in left if all(symbol(other) in done for other in needs[name])]
        if not ready:
            name = left[0]
            raise _refusal(
                places[name], f": '{name}' is needed for itself: say how one of {', '.join(left)} changes in time"
            )
        for name in ready:
            (done[symbol(name)],) = rebuild([in_kept(own[name])], make, done)
            left.remove(name)
    return done


@contextmanager
def _in_line(line: _Line) -> Iterator[None]:
    try:
        yield
    except FormulaError as error:
        place = line.place + line.formula.count("\n", 0, error.at)
        advice = "; add it under Parameters if it is to be a number" if error.unknown else ""
        reason = f"Line {place + 1}{str(error).removesuffix('.')}{advice}."
        raise FormulaError(reason, error.at, ("lines", place), error.unknown) from None
    except UnitError as error:
        raise UnitError(f"Line {line.place + 1}{error}", ("lines", line.place)) from None


@contextmanager
def _in_field(place: str) -> Iterator[None]:
    try:
        yield
    except ProblemError as error:
        error.place = (place,)
        raise


def _refusal(line: int, reason: str) -> ProblemError:
    return ProblemError(f"Line {line + 1}{reason}.", ("lines", line))


def _short(text: str) -> str:
    first = text.strip().splitlines()[0].strip() if text.strip() else ""
    return first if len(first) <= 60 else f"{first[:57]}…"
