"""The fields of a simulation that viewers show."""

from __future__ import annotations

from engines.api import FieldInfo, VectorInfo
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import TIME_UNITS, VACUUM_IMPEDANCE
from engines.fdtd.media.materials import Medium
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.objects import VACUUM
from engines.fdtd.setup.sources import expected_field, leading_axis, waveform_of
from engines.fdtd.watch.permittivity import fields_of_media

HIGHEST = 1e12


def fields_of(parameters: FdtdParameters, parts: Parts, media: tuple[Medium, ...]) -> tuple[FieldInfo, ...]:
    """The component that the first source drives comes first. media: vacuum and the materials"""
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
        FieldInfo("material", "Material", "", "cell", (0.0, float(max(1, len(media) - 1))), names=_names(parameters)),
        *fields_of_media(media, frequency_of(parameters)),
    )


def vectors_of(parts: Parts) -> tuple[VectorInfo, ...]:
    """E and H where they have a direction, and the flow of power E × H."""
    electric, magnetic = (
        tuple(f"{field}{axis}" if there else "" for axis, there in zip("xyz", along, strict=True))
        for field, along in (("E", parts.electric), ("H", parts.magnetic))
    )
    return (
        VectorInfo("E", "Electric field E", "V/m", electric),
        VectorInfo("H", "Magnetic field H", "A/m", magnetic),
        VectorInfo("S", "Flow of power E × H", "W/m²", electric, magnetic),
    )


def frequency_of(parameters: FdtdParameters) -> float:
    """[1/time], at which what depends on the frequency is shown: in the middle of what the first source drives; without
    a source far above all poles."""
    if not parameters.sources:
        return HIGHEST
    course = waveform_of(parameters.sources[0].signal, TIME_UNITS[parameters.grid.length_unit])
    return 0.5 * (course.lowest_frequency + course.highest_frequency)


def _names(parameters: FdtdParameters) -> tuple[str, ...]:
    return (VACUUM, *(material.name for material in parameters.materials))
