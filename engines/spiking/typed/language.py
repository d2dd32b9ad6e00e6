"""The language of typed neurons, as Brian2 has it: how variables change, when a neuron fires, what a spike does.

Its lines are those of :mod:`engines.spiking.typed.lines`: a variable is held after a spike if it says (unless
refractory), a name without a formula is a parameter, whose value stands below Parameters, or what synapses sum up in
each step if it says (summed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engines.api.errors import ProblemError, nearest_told
from engines.formulas.graph import CONDITIONS, Node, const, make, ordered, rebuild, symbol
from engines.formulas.parse import FormulaError, Language, number, parse_either, statements
from engines.formulas.typed.printed import Anything
from engines.formulas.typed.units import NONE, UNITS, Dimension, has, in_kept
from engines.spiking.typed.lines import (
    Line,
    check_number,
    defined,
    formulas_of,
    heading,
    put_in,
    read_names,
    refusal,
    timed_of,
    units_of,
)
from engines.spiking.typed.names import GIVEN, KNOWN, VOLTAGE, Changes, Names, changes_of, in_field

SUMMED = "summed"
FLAGS = ("unless refractory", "constant", SUMMED)


class Text(NamedTuple):
    """What a person types of a model, as the fields of ``parameters/equations.py``."""

    lines: tuple[str, ...]
    threshold: str
    reset: str
    refractory: str
    excitatory: str
    inhibitory: str
    starts: str


@dataclass(frozen=True, eq=False)
class Model:
    """Formulas of variables, parameters and GIVEN names, in the kept units.

    rates: of each variable, in the order of the lines, 0 of those that are summed; held: those that rest while the
    neuron is refractory; changes of a reset, one after the other; refractory: how long, or a condition for as long as
    it holds; arriving: what a weight of 1 adds to variables, of excitatory and of inhibitory spikes; starts: where
    variables begin, one after the other;
    dimensions: of variables; weights: dimension of those of excitatory and of inhibitory spikes; differing: name,
    formula and dimension of lines that tell neurons apart by their number and rest in time; lines: where names and
    variables are defined, from 0; timed: of names whose own line says t
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
    summed: frozenset[str] = frozenset()
    differing: tuple[tuple[str, Node, Dimension], ...] = ()
    lines: tuple[tuple[str, int], ...] = ()
    timed: tuple[tuple[str, Node], ...] = ()

    @property
    def moving(self) -> frozenset[str]:
        return frozenset({*self.variables, *GIVEN} - {"dt", "N"})

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.rates)

    @property
    def rests_on_condition(self) -> bool:
        return self.refractory.op in CONDITIONS


def parse(text: Text, parameters: Mapping[str, Dimension]) -> Model:
    """Raises ProblemError whose ``place`` is the field of ``Text``, and of its lines which."""
    read = _lines(text.lines, parameters)
    own = [line for line in read if line.kind != "parameter"]
    summed = frozenset(line.name for line in own if line.kind == SUMMED)
    names = Names({**GIVEN, **parameters, **{line.name: line.dimension for line in own}}, parameters)
    variables = {line.name: line for line in own if line.kind != "name"}
    units = {name: line.dimension for name, line in variables.items()}
    said = [line for line in own if line.kind != SUMMED]
    read_names(said, names)
    _read_names(text, names, units)
    formulas, whole = formulas_of(said, names)
    formulas |= dict.fromkeys(summed, const(0.0))
    with in_field("threshold"):
        never = make("lt", symbol(VOLTAGE), symbol(VOLTAGE))
        threshold = whole(names.condition(text.threshold, "The threshold")) if text.threshold.strip() else never
    with in_field("reset"):
        reset = tuple((name, whole(node)) for name, node in names.changes(text.reset, "The reset", units))
    with in_field("refractory"):
        refractory = whole(names.refractory(text.refractory))
    arriving, weights = [], []
    for field, what in (("excitatory", "An excitatory spike"), ("inhibitory", "An inhibitory spike")):
        with in_field(field):
            read_changes = list(names.arriving(getattr(text, field), what, units))
            weights.append(read_changes[0][2] if read_changes else NONE)
            if any(dimension != weights[-1] for _, _, dimension in read_changes):
                raise ProblemError(f"{what} has weights of two units: multiply one of them by a unit.")
            arriving.append(tuple((name, whole(node)) for name, node, _ in read_changes))
    with in_field("starts"), names.drawing():
        starts = tuple((name, whole(node)) for name, node in names.changes(text.starts, "The start", units))
    moving = {*variables, *GIVEN} - {"dt", "N"}
    told = ((line.name, whole(symbol(line.name)), line.dimension) for line in said if line.kind == "name")
    differing = tuple(each for each in told if moving & _named_by(each[1]) == {"i"})
    return Model(
        {name: whole(formulas[name]) for name in variables},
        frozenset(name for name, line in variables.items() if "unless refractory" in line.flags),
        threshold, reset, refractory, (arriving[0], arriving[1]), starts, units, (weights[0], weights[1]), summed,
        differing, tuple((line.name, line.place) for line in own), timed_of(said, formulas, whole),
    )  # fmt: skip


def _named_by(node: Node) -> set[str]:
    return {str(each.value) for each in ordered([node]) if each.op == "symbol"}


def _read_names(text: Text, names: Names, units: Mapping[str, Dimension]) -> None:
    """As :func:`engines.spiking.typed.lines.read_names`, of when a neuron fires and what that does."""
    for field, formula in (("threshold", text.threshold), ("refractory", text.refractory)):
        if formula.strip():
            with in_field(field):
                names.read(formula, f"The {field}{' time' if field == 'refractory' else ''}")
    with in_field("reset"):
        for name, _, formula in changes_of(text.reset, "The reset", units):
            names.read(formula, f"The reset of {name}")


def of_lines(lines: Sequence[str]) -> Text:
    """Lines by themselves."""
    return Text(tuple(lines), "v > v", "", "", "", "", "")


def guessed(text: Text, names: Sequence[str], known: Mapping[str, Dimension]) -> dict[str, str]:
    """Units of parameters that are not there yet, as far as they follow from the rest."""
    statements = (text.reset, text.excitatory, text.inhibitory, text.starts)
    values = (text.threshold, NONE), (text.refractory, UNITS["second"][0])
    return units_of(names, known, text.lines, FLAGS, statements, values)


def check(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    try:
        parse(of_lines(lines), parameters)
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
    instead = put_in(own, dict.fromkeys(own, 0))
    rates = {name: rebuild([in_kept(node)], make, instead)[0] for kind, name, node in read if kind == "variable"}
    if not rates:
        raise ProblemError("Nothing changes in time.")
    return Model(rates, frozenset(), make("lt", const(0.0), const(0.0)), (), const(0.0), ((), ()), (), {}, (NONE, NONE))


def _lines(lines: Sequence[str], parameters: Mapping[str, Dimension]) -> list[Line]:
    found = [line._replace(kind=SUMMED) if SUMMED in line.flags else line for line in defined(lines, FLAGS)]
    variables = [line for line in found if line.kind in ("variable", SUMMED)]
    for line in found:
        if line.kind == SUMMED and line.formula:
            raise refusal(line.place, f": {line.name} is summed up by synapses, which have its formula: leave it out")
    for line in found:
        if line.kind == "parameter":
            _check_parameter(line.place, line.name, line.dimension, parameters)
        elif line.name in parameters:
            raise refusal(line.place, f": '{line.name}' is the name of a parameter: rename one of them")
    if VOLTAGE not in [line.name for line in variables if line.kind != SUMMED]:
        raise refusal(
            max(len(lines) - 1, 0), ": nothing says how v changes, which is shown as the voltage: write dv/dt = …"
        )
    check_number(variables, "a neuron")
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
        raise refusal(
            place, f": here {name} {has(dimension)}, and below Parameters it {has(parameters[name])}: change one"
        )
