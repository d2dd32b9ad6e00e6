"""Single numbers of a parameter set that a person changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.battery.parameter_sets.model import SCALARS, ParameterSet
from engines.battery.parameter_sets.ranges import RANGES

if TYPE_CHECKING:
    ScalarName = str
else:
    ScalarName = Literal[tuple(SCALARS)]


def _label(name: str, unit: str) -> str:
    text = name.replace("_", " ").capitalize()
    return text if unit == "1" else f"{text} [{unit}]"


KEYS = {name: _label(name, unit) for name, unit in SCALARS.items()}
"""The numbers of a set as files call them."""
LABELS = {name: key.replace("Sei ", "SEI ").replace(" ec ", " EC ") for name, key in KEYS.items()}
"""The numbers of a set as a person chooses them."""


class Change(ParameterGroup):
    """Another value for one number of the parameter set. A new one changes nothing yet: all sets have this one."""

    parameter: ScalarName = quantity("ambient_temperature", "", "Which number of the set", labels=LABELS)
    value: float = quantity(298.15, "", "Its new value, in the unit that stands beside the name")


def apply_changes(parameters: ParameterSet, changes: Sequence[Change]) -> ParameterSet:
    """The set with these numbers. Raises ProblemError for one that makes no sense or is there twice."""
    values: dict[str, float] = {}
    for change in changes:
        name = change.parameter
        if name in values:
            raise ProblemError(f"'{LABELS[name]}' is changed twice: keep one.")
        RANGES[name].check(change.value, f"The change of '{LABELS[name]}'")
        values[name] = change.value
    return parameters.changed(values, "changed by hand") if values else parameters
