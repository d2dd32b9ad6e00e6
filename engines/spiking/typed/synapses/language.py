"""The language of typed synapses, as Brian2 has it: variables of each synapse, and what a spike of either end does.

    w : 1                                               a variable that events alone change
    dApre/dt = -Apre/taupre : 1 (event-driven)          one that decays between events, linear in itself
    on_pre:   g_e_post += w; Apre += dApre; w = clip(w + Apost, 0, gmax)
    on_post:  Apost += dApost; w = clip(w + Apre, 0, gmax)

Statements act one after the other on each synapse of the neuron that fires; ``g_e_post += …`` gives to the neuron that
hears. Lines are those of :mod:`engines.spiking.typed.lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engines.api.errors import ProblemError
from engines.formulas.graph import Node, depends_on, make, ordered, symbol
from engines.formulas.linear import linear_in
from engines.formulas.parse import FormulaError, number
from engines.formulas.typed.units import NONE, UNITS, Dimension, UnitError, dimension_of, named
from engines.spiking.typed.lines import MOST_VARIABLES, Line, defined, formulas_of, refusal
from engines.spiking.typed.names import OPERATORS, WEIGHT, Changes, Names, changes_of, in_field, parts_of, short

GIVEN: Mapping[str, Dimension] = {
    "t": UNITS["second"][0], "dt": UNITS["second"][0], "i": NONE, "j": NONE, "N_pre": NONE, "N_post": NONE,
}  # fmt: skip
"""i, j: of the sender and of the hearer in their populations, from 0; N_pre, N_post: how many there are."""
EVENT = "event-driven"
FLAGS = (EVENT, "constant", "clock-driven", "summed", "shared")
PATHS = ("on_pre", "on_post")
BEHIND = "_post"
"""What the name of a variable of the neuron that hears ends with."""


class Text(NamedTuple):
    """What a person types of a synapse, as the fields of ``parameters/synapses.py``."""

    lines: tuple[str, ...]
    on_pre: tuple[str, ...]
    on_post: tuple[str, ...]
    starts: str


@dataclass(frozen=True, eq=False)
class Model:
    """Formulas of variables, parameters and GIVEN names, in the kept units.

    variables: all that a synapse has; rates: of those that change between events; paths: statements of a sender's and
    of a hearer's spike, one after the other: what a variable becomes, or under ``g_e_post`` what is added to that;
    starts: where variables begin; dimensions: of variables; weight: the dimension of what the connection draws
    """

    variables: tuple[str, ...]
    rates: Mapping[str, Node]
    paths: tuple[Changes, Changes]
    starts: Changes
    dimensions: Mapping[str, Dimension]
    weight: Dimension


def parse(text: Text, parameters: Mapping[str, Dimension], heard: Mapping[str, Dimension] | None) -> Model:
    """``heard``: what spikes may add to in the neuron that hears, by its name there; None: anything of any unit. Raises
    ProblemError whose ``place`` is the field of ``Text``, and of its lines which."""
    read = _lines(text.lines, parameters)
    own = [line for line in read if line.kind != "parameter"]
    dimensions = {line.name: line.dimension for line in read if line.kind != "name"}
    names = Names({**GIVEN, **parameters, **{line.name: line.dimension for line in read}})
    formulas, whole = formulas_of(own, names)
    rates = {line.name: whole(formulas[line.name]) for line in own if line.kind == "variable"}
    for line in own:
        if line.kind == "variable":
            _check_rate(line, rates)
    reader = _Statements(names, dimensions, heard)
    paths = [tuple(reader.path(getattr(text, field), field, whole)) for field in PATHS]
    with in_field("starts"), names.drawing():
        read_starts = list(reader.starts(text.starts))
    starts = tuple((name, whole(node)) for name, node, _ in read_starts)
    weight = next((each for _, node, each in read_starts if uses([node], WEIGHT)), NONE)
    return Model(tuple(dimensions), rates, (paths[0], paths[1]), starts, dimensions, weight)


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
    except ProblemError as error:
        if error.place[:1] == (field,):
            return int(error.place[1]) if len(error.place) > 1 else 0, str(error)
    return None


def _lines(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> list[Line]:
    found = defined(lines, FLAGS)
    for line in found:
        if line.name in parameters or line.name in GIVEN:
            what = "the name of a parameter" if line.name in parameters else "given here"
            raise refusal(line.place, f": '{line.name}' is {what}: rename one of them")
        if "summed" in line.flags or "clock-driven" in line.flags or (line.kind == "variable" and not line.flags):
            raise refusal(
                line.place,
                f": {line.name} would be worked out in each step, and synapses change with events alone: end it with "
                f"({EVENT})",
            )
        if line.name.endswith((BEHIND, "_pre")):
            raise refusal(line.place, f": '{line.name}' would be a variable of a neuron: choose another name")
    stored = [line for line in found if line.kind != "name"]
    if len(stored) > MOST_VARIABLES:
        raise refusal(stored[-1].place, f": a synapse has {MOST_VARIABLES} variables at most: leave some out")
    return found


def _check_rate(line: Line, rates: Mapping[str, Node]) -> None:
    """Raises ProblemError for what has no exact step over any time."""
    rate = rates[line.name]
    others = [name for name in (*rates, "t") if name != line.name and depends_on([rate], name)]
    if others:
        raise refusal(
            line.place,
            f": {line.name} hangs on {others[0]}, which changes between events as well: each is linear in itself alone",
        )
    if linear_in(rate, line.name) is None:
        raise refusal(line.place, f": {line.name} is not linear in itself, so it has no exact step from event to event")


class _Statements:
    """``heard``: as of :func:`parse`."""

    def __init__(
        self, names: Names, units: Mapping[str, Dimension], heard: Mapping[str, Dimension] | None
    ) -> None:  # fmt: skip
        self._names, self._units, self._heard = names, units, heard

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
            if name.endswith("_pre") or (name.endswith(BEHIND) and name not in heard):
                raise ProblemError(self._out_of_reach(name, where))
        for name, op, formula in changes_of(line, where, {**self._units, **heard}):
            if name not in heard:
                yield from self._change(name, op, formula, where)
            elif op not in ("+", "-"):
                raise ProblemError(f"{where} sets {name}: what a spike does to a neuron is added, as {name} += w.")
            else:
                value = self._given(name, formula, where, heard[name])
                yield name, make("neg", value) if op == "-" else value

    def _out_of_reach(self, name: str, where: str) -> str:
        if name.endswith("_pre"):
            return f"{where} changes '{short(name)}': synapses change themselves and the neuron that hears alone."
        to = f": there are {', '.join(self._heard)}" if self._heard else ""
        return (
            f"{where} adds to '{short(name)}', and spikes add to what the hearers' excitatory or inhibitory spikes "
            f"add a weight to{to}."
        )

    def _change(self, name: str, op: str, formula: str, where: str) -> Iterator[tuple[str, Node]]:
        expected = self._units[name] if op in ("", "+", "-") else NONE
        value = self._read(formula, where, expected, f"{name} is in {named(self._units[name])}")
        yield name, make(OPERATORS[op], symbol(name), value) if op else value

    def _given(self, name: str, formula: str, where: str, expected: Dimension) -> Node:
        if self._heard is not None:
            return self._read(formula, where, expected, f"{name} is in {named(expected)}")
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
            if error.unknown.endswith((BEHIND, "_pre")):
                error.args = (f"{where} reads '{short(error.unknown)}': synapses know their own variables alone.",)
            raise

    def starts(self, text: str) -> Iterator[tuple[str, Node, Dimension]]:
        """Where ``weight``, what the connection draws, has the unit of what it is given to, or none."""
        where = "The start"
        for name, op, formula in changes_of(text, where, self._units):
            if op:
                raise ProblemError(f"{where} of {name} is a value: write {name} = {WEIGHT}.")
            expected, why = self._units[name], f"{name} is in {named(self._units[name])}"
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
