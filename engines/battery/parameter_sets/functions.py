"""Functions of a parameter set that a person types: potentials, diffusivities and the electrolyte's, of one variable.

They are read as other formulas are (:mod:`engines.formulas.typed.definitions`), and hold at 298.15 K as those of a set
do: with the temperature they change by the set's activation energies and entropic changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.battery.parameter_sets.model import Function
from engines.battery.parameter_sets.ranges import HUGE
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node
from engines.formulas.typed.definitions import checked, function_of, html

NAME, GIVEN = "f", "x"
LABELS = {
    "negative_ocp": "Negative potential [V]",
    "positive_ocp": "Positive potential [V]",
    "negative_entropic": "Negative entropic change [V/K]",
    "positive_entropic": "Positive entropic change [V/K]",
    "negative_diffusivity": "Negative diffusivity [m²/s]",
    "positive_diffusivity": "Positive diffusivity [m²/s]",
    "electrolyte_diffusivity": "Electrolyte diffusivity [m²/s]",
    "electrolyte_conductivity": "Electrolyte conductivity [S/m]",
}
STEPS = ("f = 4.3 - 1.2*x", "f = 0.2 + 1.5*exp(-40*x) - 0.05*tanh((x - 0.5)/0.03)", "f = 3e-14*(1 - 0.8*x)**2",
         "c = x/1000")  # fmt: skip
WHOLE = (
    ("A potential: a plateau between two steps", ("f = 3.42 - 0.15*tanh((x - 0.97)/0.02) + 0.3*exp(-60*x)",)),
    ("A diffusivity that falls as a particle fills", ("f = 3e-14*(1 - 0.8*x)**2",)),
    ("A conductivity of the concentration", ("c = x/1000", "f = 0.1297*c**3 - 2.51*c**1.5 + 3.329*c")),
)
NODES = 1025
"""Points at which a function is looked at before it is used."""
SALT_RANGE = 4.0
"""The electrolyte's diffusivity is wanted up to this multiple of the initial concentration."""


def read(lines: Sequence[str]) -> Node:
    """Of x. Raises ProblemError whose ``place`` is the line."""
    return function_of(lines, NAME, (GIVEN,), "function")


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    return checked(read, lines)


class TypedFunction(ParameterGroup):
    """Another formula for one function of the parameter set."""

    function: Literal[
        "negative_ocp", "positive_ocp", "negative_entropic", "positive_entropic", "negative_diffusivity",
        "positive_diffusivity", "electrolyte_diffusivity", "electrolyte_conductivity",
    ] = quantity("negative_ocp", "", "Which function of the set, at 298.15 K", labels=LABELS)  # fmt: skip
    lines: Annotated[list[Annotated[str, Field(max_length=2_000)]], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(WHOLE[0][1]),
        "",
        "What f is, in the unit beside its name, at x: how full a particle is, from 0 to 1, or the concentration of "
        "the electrolyte [mol/m³]; other lines name parts of it",
        title="Formula",
        max_length=60,
    )


class Typed:
    """What is typed, as a function of arrays, or of whatever has arithmetic and NumPy's functions."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._program = Program([read(lines)])

    def __call__(self, x: Array) -> Array:
        (value,) = self._program({GIVEN: x})
        return np.full(np.shape(x), value) if isinstance(x, np.ndarray) and np.ndim(value) == 0 else value


def electrolyte_ranges(salt: float) -> dict[str, tuple[float, float, float]]:
    """From and to which concentration [mol/m³] a function is finite, and to which it is positive. salt: the initial."""
    return {"diffusivity": (0.0, SALT_RANGE * salt, 2 * salt), "conductivity": (0.5 * salt, 1.5 * salt, 1.5 * salt)}


def check_values(function: Function, what: str, low: float, high: float, positive_to: float | None = None) -> None:
    """Finite from ``low`` to ``high``, and positive to ``positive_to`` if that is given. Raises ProblemError."""
    for end, positive in ((high, False), *([(positive_to, True)] if positive_to is not None else [])):
        nodes = np.linspace(low, end, NODES)
        values = function(nodes)
        bad = ~(np.abs(values) < HUGE) | (values <= 0 if positive else False)
        if bad.any():
            at = int(np.argmax(bad))
            wanted = "positive" if positive else "a finite number"
            raise ProblemError(
                f"{what} is {values[at]:g} at x = {nodes[at]:g}: it must be {wanted} from {low:g} to {end:g}."
            )
