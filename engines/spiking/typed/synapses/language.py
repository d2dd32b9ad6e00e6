"""The language of typed synapses, as Brian2 has it: variables of each synapse, and what a spike of either end does.

    w : 1                                               a variable that events alone change
    dApre/dt = -Apre/taupre : 1 (event-driven)          one that decays between events, linear in itself
    dg/dt = -g/tau + a*x*(1 - g) : 1 (clock-driven)     one that moves in each step, by any equation
    I_syn_post = g*w*(E - v_post) : amp (summed)        what all synapses of a neuron give it in each step
    on_pre:   g_e_post += w; Apre += dApre; w = clip(w + Apost, 0, gmax)
    on_post:  Apost += dApost; w = clip(w + Apre, 0, gmax)

Statements act one after the other on each synapse of the neuron that fires; ``g_e_post += …`` gives to the neuron that
hears, and ``v_post`` is what that has in the step in which they act, after its reset if it fired in it.
Lines are those of :mod:`engines.spiking.typed.lines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from engines.api.errors import ProblemError
from engines.formulas.graph import Node, depends_on, make, ordered, symbol
from engines.formulas.linear import linear_in
from engines.formulas.parse import FormulaError, number
from engines.formulas.typed.units import NONE, UNITS, Dimension, UnitError, dimension_of, has, named
from engines.spiking.typed.language import SUMMED
from engines.spiking.typed.lines import (
    MOST_VARIABLES,
    Line,
    defined,
    expected_of,
    formulas_of,
    in_line,
    read_names,
    refusal,
    timed_of,
    units_of,
)
from engines.spiking.typed.names import OPERATORS, WEIGHT, Changes, Names, changes_of, in_field, parts_of, short

GIVEN: Mapping[str, Dimension] = {
    "t": UNITS["second"][0], "dt": UNITS["second"][0], "i": NONE, "j": NONE, "N_pre": NONE, "N_post": NONE,
}  # fmt: skip
"""i, j: of the sender and of the hearer in their populations, from 0; N_pre, N_post: how many there are."""
EVENT, CLOCK = "event-driven", "clock-driven"
FLAGS = (EVENT, CLOCK, SUMMED, "constant", "shared")
PATHS = ("on_pre", "on_post")
BEHIND = "_post"
"""What the name of a variable of the neuron that hears ends with."""
BEFORE = "_pre"
"""The same of the sender."""
_FAR = re.compile(rf"\b[^\W\d]\w*(?:{BEHIND}|{BEFORE})\b")
VOLT = UNITS["volt"][0]


class Text(NamedTuple):
    """What a person types of a synapse, as the fields of ``parameters/synapses.py``."""

    lines: tuple[str, ...]
    on_pre: tuple[str, ...]
    on_post: tuple[str, ...]
    starts: str


@dataclass(frozen=True, eq=False)
class Model:
    """Formulas of variables, parameters and GIVEN names, in the kept units.

    variables: all that a synapse has; rates: of those that change between events; clocked: of those that move in each
    step; sums: what is summed up in variables of the neuron that hears, by their names there; paths: statements of a
    sender's and of a hearer's spike, one after the other: what a variable becomes, or under ``g_e_post`` what is added
    to that; starts: where variables begin; dimensions: of variables; weight: that of what the connection draws; lines:
    where names, variables and sums are defined, from 0; timed: of names whose own line says t
    """

    variables: tuple[str, ...]
    rates: Mapping[str, Node]
    clocked: Mapping[str, Node]
    sums: Mapping[str, Node]
    paths: tuple[Changes, Changes]
    starts: Changes
    dimensions: Mapping[str, Dimension]
    weight: Dimension
    lines: tuple[tuple[str, int], ...]
    timed: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Ends:
    """What of both neurons synapses know. heard: what spikes may add to in the neuron that hears, by its name there
    with BEHIND; read: variables that steps and statements may read, with BEFORE and BEHIND; summed: those that synapses
    sum up; reset: of those that are read, what a spike of that neuron resets"""

    heard: Mapping[str, Dimension]
    read: Mapping[str, Dimension]
    summed: Mapping[str, Dimension]
    reset: frozenset[str]


def parse(text: Text, parameters: Mapping[str, Dimension], ends: Ends | None) -> Model:
    """``ends`` None: anything of any unit. Raises ProblemError whose ``place`` is the field of ``Text``, and of its
    lines which."""
    read = _lines(text.lines, parameters)
    dimensions = {line.name: line.dimension for line in read if line.kind not in ("name", SUMMED)}
    own_names = {line.name: line.dimension for line in read if line.kind != SUMMED}
    far = dict.fromkeys(_read_far(text), VOLT) if ends is None else ends.read
    names = Names({**GIVEN, **parameters, **far, **own_names}, parameters)
    stepped = [line for line in read if CLOCK in line.flags or line.kind == SUMMED]
    others = [line for line in read if line.kind != "parameter" and line not in stepped]
    with _telling(far):
        read_names(others, names)
        formulas, whole = formulas_of(others, names)
    rates = {line.name: whole(formulas[line.name]) for line in others if line.kind == "variable"}
    events = [line.name for line in others if line.kind == "variable"]
    for line in others:
        if line.kind == "variable":
            _check_rate(line, rates, [*(each.name for each in stepped), *far])
    with _telling(far):
        clocked, sums = _stepped(stepped, names, whole, ends, events)
    heard = None if ends is None else ends.heard
    reader = _Statements(names, dimensions, heard, far)
    paths = [tuple(reader.path(getattr(text, field), field, whole)) for field in PATHS]
    with in_field("starts"), names.drawing():
        read_starts = list(reader.starts(text.starts))
    starts = tuple((name, whole(node)) for name, node, _ in read_starts)
    _check_near(paths, starts, far, frozenset() if ends is None else ends.reset)
    weight = next((each for _, node, each in read_starts if uses([node], WEIGHT)), NONE)
    return Model(
        tuple(dimensions), rates, clocked, sums, (paths[0], paths[1]), starts, dimensions, weight,
        tuple((line.name, line.place) for line in read), timed_of(others, formulas, whole),
    )  # fmt: skip


def guessed(text: Text, names: Sequence[str], known: Mapping[str, Dimension]) -> dict[str, str]:
    """Units of parameters that are not there yet, as far as they follow from the rest."""
    far = dict.fromkeys(_read_far(text), VOLT)
    return units_of(names, {**GIVEN, **far, **known}, text.lines, FLAGS, (*text.on_pre, *text.on_post, text.starts))


def check(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    return _checked(Text(tuple(lines), (), (), ""), parameters, "lines")


def check_path(
    statements: Sequence[str], lines: Sequence[str], parameters: Mapping[str, Dimension]
) -> tuple[int, str] | None:
    """The same of statements; what is wrong in the lines is told there."""
    return _checked(Text(tuple(lines), tuple(statements), (), ""), parameters, "on_pre")


def _checked(text: Text, parameters: Mapping[str, Dimension], field: str) -> tuple[int, str] | None:
    try:
        parse(text, parameters, None)
    except UnitError as error:
        if _read_far(text):  # whose units the neurons have
            return None
        if error.place[:1] == (field,):
            return int(error.place[1]) if len(error.place) > 1 else 0, str(error)
    except ProblemError as error:
        if error.place[:1] == (field,):
            return int(error.place[1]) if len(error.place) > 1 else 0, str(error)
    return None


@contextmanager
def _telling(far: Collection[str]) -> Iterator[None]:
    """A variable that a neuron has not is no parameter that could be added."""
    try:
        yield
    except FormulaError as error:
        if not error.unknown.endswith((BEHIND, BEFORE)):
            raise
        line = int(error.place[-1]) + 1
        raise ProblemError(_not_there(f"Line {line}", error.unknown, far), error.place) from None


def _not_there(where: str, name: str, far: Collection[str]) -> str:
    side = BEHIND if name.endswith(BEHIND) else BEFORE
    own = ", ".join(each.removesuffix(side) for each in far if each.endswith(side))
    whose = "that hear" if side == BEHIND else "that send"
    has = f"have {own}" if own else "are not typed, and so have none that can be read"
    return f"{where} reads '{short(name)}', and the neurons {whose} {has}."


def _read_far(text: Text) -> list[str]:
    """Variables of neurons that lines and statements read, beside those that statements add to."""
    statements = (part for line in (*text.on_pre, *text.on_post) for part in parts_of(line))
    formulas = [part.partition("=")[2] for part in statements]
    return _FAR.findall("\n".join((*text.lines, *formulas)))


def _stepped(
    lines: Sequence[Line], names: Names, whole: Callable[[Node], Node], ends: Ends | None, events: Sequence[str]
) -> tuple[dict[str, Node], dict[str, Node]]:
    """Rates of what moves in each step, and what is summed up, which may name variables of both neurons."""
    clocked: dict[str, Node] = {}
    sums: dict[str, Node] = {}
    for line in lines:
        if ends is None:  # whose units the neurons have
            with in_line(line):
                names.read(line.formula, "")
            continue
        expected, why = expected_of(line)
        if line.kind != "variable" and ends.summed.get(target := line.name.removesuffix(BEHIND)) != line.dimension:
            raise refusal(
                line.place,
                f" sums up {line.name}: write '{target} : {named(line.dimension)} (summed)' among the equations of the "
                "neurons that hear",
            )
        with in_line(line):
            node = names.formula(line.formula, "", expected, why)
        late = next((name for name in events if depends_on([whole(node)], name)), None)
        if late is not None:
            raise refusal(
                line.place,
                f": {line.name} hangs on {late}, which is worked out at events alone: make that ({CLOCK}) as well",
            )
        if line.kind == "variable":
            clocked[line.name] = whole(node)
        else:
            sums[target] = whole(node)
    return clocked, sums


def _check_near(paths: Sequence[Changes], starts: Changes, far: Collection[str], reset: Collection[str]) -> None:
    """Raises ProblemError where a start hangs on a variable of a neuron, and a statement on what it adds to, or on what
    the spike has reset."""
    for _, node in starts:
        name = next((name for name in far if uses([node], name)), None)
        if name is not None:
            raise ProblemError(
                f"A start reads '{short(name)}': neurons have begun nowhere yet, so take a value.", ("starts",)
            )
    for field, side, changes in zip(PATHS, (BEFORE, BEHIND), paths, strict=True):
        changed = {name for name, _ in changes}
        for name in (name for name in far if any(uses([node], name) for _, node in changes)):
            if name in changed:
                raise ProblemError(
                    f"A statement of {field} reads '{short(name)}', which that adds to: what is added arrives in the "
                    "next step, so leave one of them out.", (field,),
                )  # fmt: skip
            if name in reset and name.endswith(side):
                raise ProblemError(
                    f"A statement of {field} reads '{short(name)}', which the spike that it acts at has reset: read a "
                    "variable that the reset leaves as it is, such as one that follows it.", (field,),
                )  # fmt: skip


def _lines(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> list[Line]:
    """Variables without a flag move in each step, as Brian2 has it."""
    found = []
    for line in defined(lines, FLAGS):
        if SUMMED in line.flags:
            line = line._replace(kind=SUMMED)
        elif line.kind == "variable" and EVENT not in line.flags:
            line = line._replace(flags=(CLOCK, *line.flags))
        found.append(line)
    for line in found:
        if line.name in parameters or line.name in GIVEN:
            what = "the name of a parameter" if line.name in parameters else "given here"
            raise refusal(line.place, f": '{line.name}' is {what}: rename one of them")
        if line.kind == SUMMED:
            if not line.name.endswith(BEHIND) or not line.formula:
                raise refusal(
                    line.place,
                    f": what is summed up is a formula of a variable of the neuron that hears: write I{BEHIND} = … : "
                    "amp (summed)",
                )
        elif line.name.endswith((BEHIND, BEFORE)):
            raise refusal(line.place, f": '{line.name}' would be a variable of a neuron: choose another name")
    stored = [line for line in found if line.kind not in ("name", SUMMED)]
    if len(stored) > MOST_VARIABLES:
        raise refusal(stored[-1].place, f": a synapse has {MOST_VARIABLES} variables at most: leave some out")
    return found


def _check_rate(line: Line, rates: Mapping[str, Node], stepped: Sequence[str]) -> None:
    """Raises ProblemError for what has no exact step over any time."""
    rate = rates[line.name]
    others = [name for name in (*rates, *stepped, "t") if name != line.name and depends_on([rate], name)]
    if others:
        raise refusal(
            line.place,
            f": {line.name} hangs on {others[0]}, which changes between events as well: each is linear in itself alone",
        )
    if linear_in(rate, line.name) is None:
        raise refusal(line.place, f": {line.name} is not linear in itself, so it has no exact step from event to event")


class _Statements:
    """``heard``, ``far``: as of :func:`parse`."""

    def __init__(
        self, names: Names, units: Mapping[str, Dimension], heard: Mapping[str, Dimension] | None, far: Collection[str]
    ) -> None:
        self._names, self._units, self._heard, self._far = names, units, heard, far

    def path(
        self, lines: Sequence[str], field: str, whole: Callable[[Node], Node]
    ) -> Iterator[tuple[str, Node]]:  # fmt: skip
        for place, line in enumerate(lines):
            try:
                for name, node in self._line(line, f"Line {place + 1} of {field}"):
                    yield name, whole(node)
            except ProblemError as error:
                error.place = (field, place)
                raise

    def _line(self, line: str, where: str) -> Iterator[tuple[str, Node]]:
        heard = dict(self._heard or {})
        if self._heard is None:
            heard = {name: NONE for name in _changed(line) if name.endswith(BEHIND)}
        for name in _changed(line):
            if name.endswith(BEFORE) or (name.endswith(BEHIND) and name not in heard):
                raise ProblemError(self._out_of_reach(name, where))
            if name not in self._units and name + BEHIND in heard:
                raise ProblemError(
                    f"{where} changes '{name}', which is of the neuron that hears: write {name}{BEHIND}."
                )
        for name, op, formula in changes_of(line, where, {**self._units, **heard}):
            if name not in heard:
                yield from self._change(name, op, formula, where)
            elif op not in ("+", "-"):
                raise ProblemError(f"{where} sets {name}: what a spike does to a neuron is added, as {name} += w.")
            else:
                value = self._given(name, formula, where, heard[name])
                yield name, make("neg", value) if op == "-" else value

    def _out_of_reach(self, name: str, where: str) -> str:
        if name.endswith(BEFORE):
            return f"{where} changes '{short(name)}': synapses change themselves and the neuron that hears alone."
        to = f": there are {', '.join(self._heard)}" if self._heard else ""
        return (
            f"{where} adds to '{short(name)}', and spikes add to what the hearers' excitatory or inhibitory spikes "
            f"add a weight to{to}."
        )

    def _change(self, name: str, op: str, formula: str, where: str) -> Iterator[tuple[str, Node]]:
        expected = self._units[name] if op in ("", "+", "-") else NONE
        value = self._read(formula, where, expected, f"{name} {has(self._units[name])}")
        yield name, make(OPERATORS[op], symbol(name), value) if op else value

    def _given(self, name: str, formula: str, where: str, expected: Dimension) -> Node:
        if self._heard is not None:
            return self._read(formula, where, expected, f"{name} {has(expected)}")
        node = number(self._names.read(formula, where))
        try:
            dimension_of(node, self._names.dimensions)
        except UnitError as error:
            raise UnitError(f"{where}{error}") from None
        return node

    def _read(self, formula: str, where: str, expected: Dimension, why: str) -> Node:
        try:
            return self._names.formula(formula, where, expected, why)
        except FormulaError as error:
            if error.unknown.endswith((BEHIND, BEFORE)):
                error.args = (_not_there(where, error.unknown, self._far),)
            raise

    def starts(self, text: str) -> Iterator[tuple[str, Node, Dimension]]:
        """Where ``weight``, what the connection draws, has the unit of what it is given to, or none."""
        where = "The start"
        for name, op, formula in changes_of(text, where, self._units):
            if op:
                raise ProblemError(f"{where} of {name} is a value: write {name} = {WEIGHT}.")
            expected, why = self._units[name], f"{name} {has(self._units[name])}"
            try:
                yield (
                    name,
                    self._names.formula(formula, f"{where} of {name}", expected, why, {WEIGHT: expected}),
                    expected,
                )
            except UnitError:
                yield name, self._names.formula(formula, f"{where} of {name}", expected, why, {WEIGHT: NONE}), NONE


def _changed(line: str) -> list[str]:
    """The names that statements begin with."""
    parts = (part.strip().split("=")[0].rstrip(" +-*/") for part in parts_of(line))
    return [part for part in parts if part.isidentifier()]


def uses(roots: Sequence[Node], name: str) -> bool:
    return any(node.op == "symbol" and node.value == name for node in ordered(roots))
