"""What can be drawn of a field, as it is of its kind, and which range its colours have."""

from __future__ import annotations

from engines.api import FieldInfo, SimulationInfo
from workbench.project.project import ViewSettings


def is_timed(field: FieldInfo, info: SimulationInfo | None) -> bool:
    """Whether a field is a time, in the simulation's unit, that is missing where it has not come."""
    whole = field.components == 1 and not field.cyclic
    return info is not None and whole and field.missing is not None and field.unit == info.time_unit


def has_levels(field: FieldInfo) -> bool:
    """Whether its values are numbers everywhere, and cross each one between a lower and a higher."""
    return field.components == 1 and field.missing is None and not field.cyclic and not field.names


def takes_logarithm(field: FieldInfo) -> bool:
    """Whether its values are of one sign, above zero."""
    return field.range[0] >= 0 and field.range[1] > 0 and not field.cyclic


def follows(field: FieldInfo, view: ViewSettings) -> bool:
    """Whether the range of its colours follows its values: where a person wants it, and where there is no other."""
    return view.follow or (field.guessed and own_range(field, view) is None)


def own_range(field: FieldInfo, view: ViewSettings) -> tuple[float, float] | None:
    """The range that a person gave this field: where another was meant that is not there now, there is none."""
    return view.range if view.field in (None, field.name) else None
