"""Populations of typed neurons: their models, and the numbers that their parameters are now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.api.values import Remedy
from engines.formulas.parse import FormulaError
from engines.formulas.typed.units import UNITS, Dimension, unit
from engines.spiking.parameters.equations import (
    LONGEST_NAME,
    Guess,
    NamedNumber,
    OwnNeuron,
    dimensions,
    offered_by,
)
from engines.spiking.typed.language import guessed
from engines.spiking.typed.names import CONSTANTS, GIVEN, KNOWN, WEIGHT
from engines.spiking.typed.plan import Typed, planned

TAKEN = {*CONSTANTS, *GIVEN, *KNOWN, *UNITS, WEIGHT}


class Formulas(Protocol):
    """Of neurons or synapses, with numbers that parameters decide."""

    def values(self, given: Mapping[str, float]) -> Array:
        """(numbers,) float64 of parameters and what else is given."""

    def fixed(self, name: str) -> bool:
        """Whether a parameter cannot change while a run goes on."""


Kind = TypeVar("Kind", bound=Formulas)


@dataclass(eq=False)
class WithNumbers(Generic[Kind]):
    """given: parameters by name, in the kept units, dt [ms], N and the number of the first neuron; units: how many of
    the kept ones that of a parameter is, in the order of the form"""

    typed: Kind
    given: dict[str, float]
    units: Mapping[str, float]

    def change(self, numbers: Mapping[str, float]) -> None:
        """Other values of parameters, in the units of the form. Raises ProblemError, and changes nothing, for what
        cannot be while a run goes on."""
        given = {**self.given, **{name: value * self.units[name] for name, value in numbers.items()}}
        for name in numbers:
            if self.given[name] != given[name] and self.typed.fixed(name):
                raise ProblemError(f"The refractory time hangs on {name}: reset, change it, and run again.")
        check_numbers(self.typed, given)
        self.given = given


TypedPopulation = WithNumbers[Typed]


def populations_of(neurons: Sequence[tuple[object, int]], dt: float, seed: int = 0) -> dict[int, TypedPopulation]:
    """Of those of (neuron, how many) whose neurons are typed. Raises ProblemError with its place."""
    found, first = {}, 0
    for k, (neuron, number) in enumerate(neurons):
        if isinstance(neuron, OwnNeuron):
            place = ("populations", k, "neuron")
            with placed_at(*place):
                ours = {"dt": dt, "N": float(number), "@first": float(first), "@seed": float(seed)}
                given = {**numbers_of(neuron.parameters), **ours}
                typed = typed_of(neuron, place)
                typed.refractory(given)
                check_numbers(typed, given)
                found[k] = TypedPopulation(typed, given, {each.name: unit(each.unit)[1] for each in neuron.parameters})
        first += number
    return found


def typed_of(neuron: OwnNeuron, place: tuple[str | int, ...] = ()) -> Typed:
    """Raises ProblemError, which offers to add a parameter that a formula names."""

    def read(known: Mapping[str, Dimension]) -> Typed:
        return planned(neuron.text, tuple(known.items()), neuron.method)

    with adding(neuron.parameters, place, read, partial(guessed, neuron.text)):
        return read(dimensions(neuron.parameters))


def _can_name(name: str) -> bool:
    return name.isidentifier() and len(name) <= LONGEST_NAME and name not in TAKEN


@contextmanager
def adding(
    parameters: Sequence[NamedNumber],
    place: tuple[str | int, ...],
    read: Callable[[Mapping[str, Dimension]], object],
    guess: Guess,
) -> Iterator[None]:
    """Formulas that name what is not known offer to add it to the parameters of what stands at ``place``; ``read``
    reads them, given the dimensions of parameters."""
    try:
        yield
    except FormulaError as error:
        found = offered_by(parameters, read, guess, _can_name)
        if found is not None:
            error.remedy = Remedy(found[0], {(*place, "parameters"): found[1]["parameters"]})
        raise


def numbers_of(parameters: Sequence[NamedNumber]) -> dict[str, float]:
    """They in the kept units. Raises ProblemError for names and units that are none."""
    found: dict[str, float] = {}
    for number, each in enumerate(parameters):
        place = ("parameters", number)
        if not each.name.isidentifier() or each.name in TAKEN:
            raise ProblemError(
                f"'{each.name}' cannot name a parameter: use letters, digits and _, and no name that is known.",
                (*place, "name"),
            )
        if each.name in found:
            raise ProblemError(f"Two parameters are called '{each.name}': rename one of them.", (*place, "name"))
        with placed_at(*place, "unit"):
            found[each.name] = each.value * unit(each.unit)[1]
    return found


def check_numbers(typed: Formulas, given: Mapping[str, float]) -> None:
    """Raises ProblemError where a parameter makes a number of the step none."""
    if not np.isfinite(typed.values(given)).all():
        zero = [name for name, value in given.items() if value == 0 and not name.startswith("@")]
        told = f", perhaps by {', '.join(zero)}, which is 0" if zero else ""
        raise ProblemError(
            f"The equations have no finite factors with these parameters{told}: change them.", ("parameters",)
        )


def numbers(populations: Mapping[int, TypedPopulation], count: int) -> Array:
    """(count, numbers) float32 of all populations; rows of those that are not typed are 0."""
    rows = {k: each.typed.values(each.given) for k, each in populations.items()}
    found = np.zeros((count, max((len(row) for row in rows.values()), default=0)), np.float32)
    for k, row in rows.items():
        found[k, : len(row)] = row
    return found
