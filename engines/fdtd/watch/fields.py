"""The fields of a simulation that viewers show."""

from __future__ import annotations

from engines.api import (
    FieldInfo,
)
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE
from engines.fdtd.parameters import (
    FdtdParameters,
)
from engines.fdtd.setup.sources import expected_field, leading_axis


def fields_of(parameters: FdtdParameters, parts: Parts, media: int) -> tuple[FieldInfo, ...]:
    """The component that the first source drives comes first. media: how many there are, with vacuum"""
    largest = expected_field(parameters)
    magnetic = float(f"{largest / VACUUM_IMPEDANCE:.2g}")
    there = parts.names()
    first = "z"
    if parameters.sources:
        first = leading_axis(parameters.sources[0])
    order = [axis for axis in (first, *(axis for axis in "xyz" if axis != first)) if f"E{axis}" in there]
    electric = [FieldInfo(f"E{a}", f"E{a}", "V/m", "cell", (-largest, largest), "diverging") for a in order]
    of_h = [axis for axis in "xyz" if f"H{axis}" in there]
    return (
        electric[0],
        FieldInfo("E", "|E|", "V/m", "cell", (0.0, largest), "inferno"),
        *electric[1:],
        *(FieldInfo(f"H{a}", f"H{a}", "A/m", "cell", (-magnetic, magnetic), "diverging") for a in of_h),
        FieldInfo("H", "|H|", "A/m", "cell", (0.0, magnetic), "inferno"),
        FieldInfo("material", "Material", "", "cell", (0.0, float(max(1, media - 1))), "viridis"),
    )
