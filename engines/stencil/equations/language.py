"""The language of typed equations: how fields change in time, and what other names stand for.

    du/dt = D*laplacian(u) + u - u**3            a field of first order in time
    d2w/dt2 = c**2*laplacian(w) - g*w_t          one of second order, whose rate of change is w_t
    mu = u**3 - u - eps*laplacian(u)             a name for use in other lines, above and below
    v = vector(-y, x)                            a name of a vector, as in -dot(v, grad(u)) and -div(upwind(v*u))
    du/dt = D*laplacian(u) + sigma*xi            white noise, where no parameter or line is called so (``noise``)

Formulas are read by :mod:`engines.formulas.parse`; nothing of them is ever run. A name of whose formula with
derivatives other derivatives are taken is stored, an array as fields are; all others are put in where they are used,
and vectors, which are not shown, before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engines.api.errors import ProblemError
from engines.formulas.graph import Node, const, make, ordered, rebuild, symbol
from engines.formulas.parse import FUNCTIONS, WORDS, FormulaError, Function, Language, number, parse_either, statements
from engines.stencil.equations import spatial
from engines.stencil.equations.noise import terms
from engines.stencil.equations.spatial import (
    SpatialError,
    added_upwind,
    combined,
    differentiated,
    is_vector,
    vectors_in,
)

PLACES = ("x", "y", "z")
TIME = "t"
SIZES = ("size_x", "size_y", "size_z")
GIVEN = (*PLACES, TIME, *SIZES)
"""x, y, z: the cell's middle [mm]; t [s]; size_x …: lengths of the grid [mm]."""
CONSTANTS = {"pi": 3.141592653589793}


def _chosen(x: Node, above: Node, else_: Node) -> Node:
    return make("select", make("lt", const(0.0), x), above, else_)


def _modulo(a: Node, b: Node) -> Node:
    """From 0 to below b, with its sign; where rounding leaves that, 0, which is as near."""
    left = make("sub", a, make("mul", b, make("floor", make("div", a, b))))
    zero = const(0.0)
    above = make("and", make("lt", zero, b), make("or", make("lt", left, zero), make("le", b, left)))
    below = make("and", make("lt", b, zero), make("or", make("lt", zero, left), make("le", left, b)))
    return make("select", make("or", above, below), zero, left)


NUMBERS: Mapping[str, Function] = {
    **FUNCTIONS,
    "floor": Function(1, lambda x: make("floor", x)),
    "ceil": Function(1, lambda x: make("neg", make("floor", make("neg", x)))),
    "mod": Function(2, _modulo),
    "sign": Function(1, lambda x: _chosen(x, const(1.0), _chosen(make("neg", x), const(-1.0), const(0.0)))),
    "heaviside": Function(1, lambda x: _chosen(x, const(1.0), const(0.0))),
}
"""Functions of numbers, in lines, starts and sides."""
KNOWN = {**NUMBERS, **spatial.FUNCTIONS}
MOST_FIELDS = 8
"""Fields, those of second order twice, and as many stored names: a kernel holds three rows of each in registers."""
MOST_LINES = 100
MOST_OPERATIONS = 2_000
"""Of all lines together, before derivatives become differences."""
_NAME = r"([^\W\d]\w*)"
_FIRST = re.compile(rf"\s*[d∂]\s*{_NAME}\s*/\s*[d∂]\s*t\s*=(?!=)")
_SECOND = re.compile(rf"\s*[d∂](?:2|²|\^2|\*\*2)\s*{_NAME}\s*/\s*[d∂]\s*t(?:2|²|\^2|\*\*2)\s*=(?!=)")
_DEFINITION = re.compile(rf"\s*{_NAME}\s*=(?!=)")
_STATEMENT = re.compile(r"\s*(if|for|while|def)\b")


@dataclass(frozen=True, eq=False)
class System:
    """``rates``: of each field, in the order of the lines, formulas with derivatives in space, without noise;
    ``noise``: of fields that have some, the factor of each noise (``noise.terms``), in the order of ``noises``. In them
    and in each other the ``stored`` names (in an order in which none needs a later one) are symbols, as fields,
    parameters and given names are. ``shown``: names that differ from cell to cell. ``second``: fields whose rate of
    change is a field. ``lines``: where fields and names are defined (from 0). ``typed``: what is defined, of what order
    in time, and the formula as it is typed, of names after those that they need, then of fields."""

    rates: Mapping[str, Node]
    stored: Mapping[str, Node]
    shown: Mapping[str, Node]
    second: tuple[str, ...]
    parameters: tuple[str, ...]
    lines: Mapping[str, int]
    typed: Sequence[tuple[str, int, Node]]
    noise: Mapping[str, Mapping[str, Node]]
    noises: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(self.rates)


@dataclass(frozen=True)
class _Line:
    """A statement: the name that it defines, of what order in time, and the formula with blanks before it."""

    place: int
    name: str
    order: int
    formula: str


def rate_of(field: str) -> str:
    """The name of the rate of change of a field of second order."""
    return f"{field}_t"


def heading(text: str) -> tuple[str, int, str] | None:
    """(name, of what order in time, the formula behind as many blanks) of a statement; None where it defines
    nothing."""
    for order, pattern in ((2, _SECOND), (1, _FIRST), (0, _DEFINITION)):
        match = pattern.match(text)
        if match is not None:
            return match[1], order, " " * match.end() + text[match.end() :]
    return None


ADD_IT = "add it under Parameters if it is to be a number"


def parse(lines: Sequence[str], parameters: Collection[str]) -> System:
    """``parameters``: names of numbers. Raises ProblemError whose ``place`` is the line (from 0)."""
    read = _defined(lines, parameters)
    names, second = _names(read, parameters)
    as_typed = _formulas(read, names)
    formulas = {line: rebuild([node], combined)[0] for line, node in as_typed.items()}
    own = {line.name: formulas[line] for line in read if line.order == 0}
    places = {line.name: line.place for line in read}
    order = _in_order(own, places)
    rank = {name: number for number, name in enumerate(order)}
    typed = [(line.name, line.order, as_typed[line])
             for line in sorted(read, key=lambda line: rank.get(line.name, len(rank)))]  # fmt: skip
    vectors = _vectors_put_in(own, order, places)
    for line in read:
        formulas[line] = own.get(line.name, formulas[line])
        if line.order:
            (formulas[line],) = rebuild([formulas[line]], combined, vectors)
        if symbol(line.name) not in vectors:
            with _of_line(line.place):
                vectors_in(formulas[line])
    rates: dict[str, Node] = {}
    for line in read:
        if line.order == 2:
            rates[line.name] = symbol(rate_of(line.name))
            places[rate_of(line.name)] = line.place
        if line.order:
            rates[rate_of(line.name) if line.order == 2 else line.name] = formulas[line]
    stored = _stored(rates, own, order)
    put_in: dict[Node, Node] = {}
    for name in order:
        (own[name],) = rebuild([own[name]], combined, put_in)
        if name not in stored:
            put_in[symbol(name)] = own[name]
    kept = {name: own[name] for name in order if name in stored}
    noise: dict[str, dict[str, Node]] = {}
    for name, rate in rates.items():
        with _of_line(places[name]):
            rates[name], noise[name] = terms.split(rebuild([rate], combined, put_in)[0])
    noises = tuple(dict.fromkeys(each for factors in noise.values() for each in factors))
    system = System(
        rates, kept, {name: own[name] for name in order if _differs(own[name], rates, kept)}, second,
        tuple(parameters), places, typed, {name: factors for name, factors in noise.items() if factors}, noises,
    )  # fmt: skip
    _check_size(system)
    return system


def check(lines: Sequence[str], parameters: Collection[str]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    try:
        parse(lines, parameters)
    except ProblemError as error:
        return int(error.place[-1]) if error.place else 0, str(error)
    return None


def expression(
    text: str, parameters: Collection[str], functions: Mapping[str, Function], given: Collection[str], where: str
) -> Node:
    """A formula by itself, of parameters and ``given`` names: an initial state, what holds at a side. Raises
    ProblemError, a sentence that begins with ``where``."""
    names = {name: symbol(name) for name in (*given, *parameters)} | _constants()
    (found,) = rebuild([number(parse_either(text, Language(names, {**NUMBERS, **functions}), where))], combined)
    return found


# --- lines -----------------------------------------------------------------------------------------------------------


def _defined(lines: Sequence[str], parameters: Collection[str]) -> list[_Line]:
    found: list[_Line] = []
    taken: dict[str, int] = {}
    for place, text in statements(lines):
        if len(found) == MOST_LINES:
            raise _refusal(place, f": there are more than {MOST_LINES} lines: put short ones into others")
        head = heading(text)
        if head is None:
            if _STATEMENT.match(text):
                raise _refusal(place, ": write a choice as 'a if u < 1 else b', or where(u < 1, a, b)")
            raise _refusal(place, f": '{_short(text)}' does not begin as 'du/dt =', 'd2u/dt2 =' or 'name ='")
        line = _Line(place, *head)
        for name in (line.name, rate_of(line.name)) if line.order == 2 else (line.name,):
            if name in GIVEN or name in KNOWN or name in WORDS or name in CONSTANTS:
                raise _refusal(place, f": '{name}' has a meaning here: choose another name")
            if name in parameters:
                raise _refusal(place, f": '{name}' is the name of a parameter: rename one of them")
            if name in taken:
                raise _refusal(place, f": '{name}' is defined in line {taken[name] + 1} already")
            taken[name] = place
        found.append(line)
    if not any(line.order for line in found):
        raise _refusal(max(len(lines) - 1, 0), ": nothing changes in time: a line begins with 'du/dt ='")
    count = sum(line.order for line in found)
    if count > MOST_FIELDS:
        last = [line for line in found if line.order][-1]
        raise _refusal(
            last.place,
            f": {count} fields change in time (those of second order count twice), and a kernel holds {MOST_FIELDS}: "
            "leave some out",
        )
    return found


def _names(read: Sequence[_Line], parameters: Collection[str]) -> tuple[dict[str, Node], tuple[str, ...]]:
    """Everything that a formula may name, and the fields of second order."""
    second = tuple(line.name for line in read if line.order == 2)
    own = [*(line.name for line in read if line.order), *(rate_of(name) for name in second)]
    own += [line.name for line in read if not line.order]
    return {name: symbol(name) for name in (*own, *parameters, *GIVEN)} | _constants(), second


def _constants() -> dict[str, Node]:
    return {name: const(value) for name, value in CONSTANTS.items()}


def _formulas(read: Sequence[_Line], names: Mapping[str, Node]) -> dict[_Line, Node]:
    formulas, count = {}, 0
    for line in read:
        try:
            known = {**terms.named(line.formula, line.name), **names}
            formulas[line] = number(parse_either(line.formula, Language(known, KNOWN, listed=tuple(names)), where=""))
        except FormulaError as error:
            place = line.place + line.formula.count("\n", 0, error.at)
            advice = f"; {ADD_IT}" if error.unknown else ""
            reason = f"Line {place + 1}{str(error).removesuffix('.')}{advice}."
            raise FormulaError(reason, error.at, (place,), error.unknown) from None
        count += sum(bool(node.args) for node in ordered([formulas[line]]))
        if count > MOST_OPERATIONS:
            raise _refusal(line.place, f": the lines have more than {MOST_OPERATIONS:,} operations: shorten them")
    return formulas


def _in_order(own: Mapping[str, Node], places: Mapping[str, int]) -> list[str]:
    """The names, each after those that it needs. Raises ProblemError for a loop."""
    needs = {name: [other for other in _symbols(node) if other in own] for name, node in own.items()}
    order: list[str] = []
    for first in own:
        path: list[tuple[str, int]] = [(first, 0)]
        while path:
            name, at = path.pop()
            if name in order:
                continue
            if at == len(needs[name]):
                order.append(name)
                continue
            path.append((name, at + 1))
            other = needs[name][at]
            on_the_way = [each for each, _ in path]
            if other in on_the_way:
                loop = " → ".join([*on_the_way[on_the_way.index(other) :], other])
                raise _refusal(
                    places[other], f": '{other}' is needed for itself ({loop}): say how one of them changes in time"
                )
            path.append((other, 0))
    return order


@contextmanager
def _of_line(place: int) -> Iterator[None]:
    try:
        yield
    except SpatialError as error:
        raise _refusal(place, f" {error}") from None


def _vectors_put_in(own: dict[str, Node], order: list[str], places: Mapping[str, int]) -> dict[Node, Node]:
    """Names that stand for vectors are taken out of ``own`` and ``order``, and put in for their symbols there; returns
    what is put in. Raises ProblemError."""
    vectors: dict[Node, Node] = {}
    for name in list(order):
        (own[name],) = rebuild([own[name]], combined, vectors)
        with _of_line(places[name]):
            if is_vector(own[name]):
                vectors[symbol(name)] = own.pop(name)
                order.remove(name)
    return vectors


def _stored(rates: Mapping[str, Node], own: Mapping[str, Node], order: Sequence[str]) -> set[str]:
    """Names with derivatives in them, of which derivatives are taken."""
    spatial_names: set[str] = set()
    for name in order:
        inside = any(node.op in spatial.OPS for node in ordered([own[name]]))
        if inside or any(other in spatial_names for other in _symbols(own[name])):
            spatial_names.add(name)
    stored: set[str] = set()
    for node in (*rates.values(), *own.values()):
        ahead = [other for _, arg in differentiated(node) for other in _symbols(arg) if other in own]
        while ahead:
            name = ahead.pop()
            if name in spatial_names and name not in stored:
                if any(node.op in spatial.OPS for node in ordered([own[name]])):
                    stored.add(name)
                else:
                    ahead += [other for other in _symbols(own[name]) if other in own]
    return stored


def _differs(node: Node, rates: Mapping[str, Node], stored: Mapping[str, Node]) -> bool:
    """From cell to cell, and has no noise, which is of a step and not of a moment."""
    return not terms.noises_in(node) and any(
        name in rates or name in stored or name in PLACES for name in _symbols(node)
    )


def _check_size(system: System) -> None:
    """Raises ProblemError for derivatives of derivatives that have no name, and for too many stored names."""
    for name, root in (*system.rates.items(), *system.shown.items(), *system.stored.items()):
        place = system.lines[name]
        if terms.noises_in(root):
            raise _refusal(
                place, f": derivatives are taken of '{name}', and white noise has none: add it to the line of a field"
            )
        if name in system.rates and added_upwind(root):
            raise _refusal(
                place, " adds 'div(upwind(…))': a velocity v carries u by -div(upwind(v*u)), and turned round by "
                "-div(upwind(-v*u))"
            )  # fmt: skip
        for op, arg in differentiated(root):
            inner = next((node.op for node in ordered([arg]) if node.op in spatial.OPS), None)
            if inner is not None:
                inner = "div" if inner == spatial.DIVERGENCE else inner
                raise _refusal(
                    place,
                    f" takes '{op}' of what has '{inner}' in it: give that a line of its own, as 'q = {inner}(…)', "
                    f"and take '{op}' of q",
                )
    if len(system.noises) > terms.MOST:
        listed = ", ".join(terms.called(each) for each in system.noises)
        raise _refusal(
            max(system.lines[name] for name in system.noise),
            f": there are {len(system.noises)} noises ({listed}), and there may be {terms.MOST}: share some",
        )
    if len(system.stored) > MOST_FIELDS:
        raise _refusal(
            system.lines[list(system.stored)[-1]],
            f": derivatives are taken of {len(system.stored)} names with derivatives in them, and there may be "
            f"{MOST_FIELDS}: each is an array that a step writes and reads",
        )


def _symbols(root: Node) -> list[str]:
    return [str(node.value) for node in ordered([root]) if node.op == "symbol"]


def _refusal(line: int, reason: str) -> ProblemError:
    return ProblemError(f"Line {line + 1}{reason}.", (line,))


def _short(text: str) -> str:
    first = text.strip().splitlines()[0].strip()
    return first if len(first) <= 60 else f"{first[:57]}…"
