"""Lines of typed neurons and synapses, as Brian2 has them: variables, names for use in other lines, parameters.

dv/dt = (g_L*(E_L - v) + I)/C : volt (unless refractory)    a variable
I = g_e*(E_e - v) + I_ext : amp                             a name for use in other lines, above and below
g_L : siemens (constant)                                    a name without a formula

Units of parameters that nobody has given yet follow from them (:func:`units_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from engines.api.errors import ProblemError
from engines.formulas.graph import CONDITIONS, Node, const, depends_on, make, ordered, rebuild, symbol
from engines.formulas.parse import WORDS, FormulaError, Language, number, parse_either, statements
from engines.formulas.typed.inferring import Formula, inferred
from engines.formulas.typed.units import (
    NONE,
    SYMBOLS,
    UNITS,
    Dimension,
    UnitError,
    dimension_of,
    has,
    in_kept,
    named,
    unit,
)
from engines.spiking.typed.names import CONSTANTS, GIVEN, KNOWN, WEIGHT, Names, parts_of, short, statement_of

MOST_LINES = 60
MOST_VARIABLES = 8
MOST_OPERATIONS = 1_000
_NAME = r"([^\W\d]\w*)"
_RATE = re.compile(rf"\s*d\s*{_NAME}\s*/\s*d\s*t\s*=(?!=)")
_DEFINITION = re.compile(rf"\s*{_NAME}\s*=(?!=)")
_PARAMETER = re.compile(rf"\s*{_NAME}\s*$")
_UNIT = re.compile(r":(?P<unit>[^:()]*(?:\([^:()a-z]*\)[^:()]*)*)(?:\((?P<flags>[^()]*)\))?\s*(?:#.*)?$", re.DOTALL)


class Line(NamedTuple):
    """``kind``: of a variable, of a name, or of a parameter; formula: with blanks before it."""

    place: int
    kind: str
    name: str
    formula: str
    dimension: Dimension
    flags: tuple[str, ...]


def heading(text: str) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    """(kind, name, the formula behind as many blanks, unit, flags) of a statement; None where it says nothing. The unit
    of numbers and units alone, ``E_L = -65*mV``, is theirs, said or not."""
    tail = _UNIT.search(text)
    before = text[: tail.start()] if tail else text
    said = tail["unit"].strip() if tail else ""
    flags = tuple(each.strip() for each in (tail["flags"] or "").split(",") if each.strip()) if tail else ()
    for kind, pattern in (("variable", _RATE), ("name", _DEFINITION)):
        match = pattern.match(before)
        if match is not None:
            formula = before[match.end() :]
            if kind == "name" and tail is None:
                formula = formula.split("#")[0].rstrip()
                said = _unit_of(formula)
            return kind, match[1], " " * match.end() + formula, said, flags
    match = _PARAMETER.match(before)
    return ("parameter", match[1], "", said, flags) if match is not None and tail else None


def _unit_of(formula: str) -> str:
    """Of numbers and units alone; else empty."""
    constants = {name: const(value) for name, value in CONSTANTS.items()}
    try:
        return named(dimension_of(number(parse_either(formula, Language({**SYMBOLS, **constants}, KNOWN))), {}))
    except ProblemError:
        return ""


def defined(lines: Sequence[str], flags: Sequence[str]) -> list[Line]:
    """With these flags. Raises ProblemError for the first line that is none."""
    found: list[Line] = []
    taken: dict[str, int] = {}
    for place, text in statements(lines):
        if len(found) == MOST_LINES:
            raise refusal(place, f": there are more than {MOST_LINES} lines: put short ones into others")
        head = heading(text)
        if head is None:
            raise refusal(place, f": '{short(text)}' does not begin as 'dv/dt =' or 'name ='")
        kind, name, formula, said, own = head
        if name in GIVEN or name in KNOWN or name in WORDS or name in CONSTANTS or name in UNITS or name == WEIGHT:
            raise refusal(place, f": '{name}' has a meaning here: choose another name")
        if name in taken:
            raise refusal(place, f": '{name}' is defined in line {taken[name] + 1} already")
        if not said:
            raise refusal(place, f" says no unit of {name}: end it with ': volt', or with ': 1' for a plain number")
        wrong = next((flag for flag in own if flag not in flags), None)
        if wrong is not None:
            raise refusal(place, f" has the flag '{short(wrong)}', which is not known: there are {', '.join(flags)}")
        try:
            dimension = unit(said)[0]
        except ProblemError as error:
            raise refusal(place, f": {str(error).removesuffix('.')}") from None
        taken[name] = place
        found.append(Line(place, kind, name, formula, dimension, own))
    return found


def check_number(variables: Sequence[Line], whose: str) -> None:
    """Raises ProblemError for more than fit."""
    if len(variables) > MOST_VARIABLES:
        raise refusal(
            variables[-1].place,
            f": {len(variables)} variables change in time, and {whose} has {MOST_VARIABLES} at most: leave some out",
        )


def formulas_of(own: Sequence[Line], names: Names) -> tuple[dict[str, Node], Callable[[Node], Node]]:
    """The formula of each line by name, and what makes another one whole: names' formulas put in, in the kept units.
    Raises ProblemError."""
    formulas: dict[str, Node] = {}
    for line in own:
        with in_line(line):
            formulas[line.name] = names.formula(line.formula, "", *expected_of(line))
    count = sum(bool(node.args) for node in ordered(formulas.values()))
    if count > MOST_OPERATIONS:
        raise ProblemError(
            f"The lines have {count:,} operations, and there may be {MOST_OPERATIONS:,}: shorten them.", ("lines",)
        )
    places = {line.name: line.place for line in own}
    instead = put_in({line.name: formulas[line.name] for line in own if line.kind == "name"}, places)
    return formulas, lambda node: rebuild([in_kept(node)], make, instead)[0]


def timed_of(
    own: Sequence[Line], formulas: Mapping[str, Node], whole: Callable[[Node], Node]
) -> tuple[tuple[str, Node], ...]:
    """The names whose own line says t, and their formulas as a whole."""
    named = (line.name for line in own if line.kind == "name" and depends_on([formulas[line.name]], "t"))
    return tuple((name, whole(formulas[name])) for name in named)


def read_names(own: Sequence[Line], names: Names) -> None:
    """All names before any unit: what nothing is known by has none yet. Raises FormulaError."""
    for line in own:
        with in_line(line):
            names.read(line.formula, "")


def put_in(own: Mapping[str, Node], places: Mapping[str, int]) -> dict[Node, Node]:
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
            raise refusal(
                places[name], f": '{name}' is needed for itself: say how one of {', '.join(left)} changes in time"
            )
        for name in ready:
            (done[symbol(name)],) = rebuild([in_kept(own[name])], make, done)
            left.remove(name)
    return done


def expected_of(line: Line) -> tuple[Dimension, str]:
    """The dimension of what a line says, and why it is that."""
    why = f"{line.name} {has(line.dimension)}"
    if line.kind != "variable":
        return line.dimension, why
    rate = tuple(a - b for a, b in zip(line.dimension, UNITS["second"][0], strict=True))
    return rate, f"{why}, and d{line.name}/dt is that over a time"


@contextmanager
def in_line(line: Line) -> Iterator[None]:
    try:
        yield
    except FormulaError as error:
        place = line.place + line.formula.count("\n", 0, error.at)
        advice = "; add it under Parameters if it is to be a number" if error.unknown else ""
        reason = f"Line {place + 1}{str(error).removesuffix('.')}{advice}."
        raise FormulaError(reason, error.at, ("lines", place), error.unknown) from None
    except UnitError as error:
        raise UnitError(f"Line {line.place + 1}{error}", ("lines", line.place)) from None


def refusal(line: int, reason: str) -> ProblemError:
    return ProblemError(f"Line {line + 1}{reason}.", ("lines", line))


def units_of(
    names: Sequence[str],
    known: Mapping[str, Dimension],
    lines: Sequence[str],
    flags: Sequence[str],
    statements: Sequence[str] = (),
    values: Sequence[tuple[str, Dimension]] = (),
) -> dict[str, str]:
    """``mV`` by name, 1 where nothing is told. statements: ``v = V_r; w += b``; values: conditions, and formulas of a
    dimension."""
    try:
        own = defined(lines, flags)
    except ProblemError:
        return dict.fromkeys(names, "1")
    dimensions = {**GIVEN, **known, **{line.name: line.dimension for line in own}}
    reader = Names({**dict.fromkeys((*names, WEIGHT), NONE), **dimensions})
    formulas = list(_formulas(reader, own, statements, values))
    drawn = {name: NONE for name in reader.dimensions if name.startswith("@")}
    told = inferred(formulas, {**dimensions, **drawn}) | {line.name: line.dimension for line in own}
    return {name: named(told.get(name, NONE), small=True) for name in names}


def _formulas(
    names: Names, own: Sequence[Line], statements: Sequence[str], values: Sequence[tuple[str, Dimension]]
) -> Iterator[Formula]:  # fmt: skip
    texts = [(line.formula, expected_of(line)[0]) for line in own if line.formula]
    for part in (part for text in statements for part in parts_of(text)):
        match = statement_of(part)
        if match is not None and match[1] in names.dimensions:
            texts.append((match["formula"], names.dimensions[match[1]] if match["op"] in ("", "+", "-") else NONE))
    with names.drawing():
        for text, dimension in (*texts, *values):
            try:
                node = names.read(text, "")
            except ProblemError:  # of which another sentence tells
                continue
            yield node, None if node.op in CONDITIONS else dimension
