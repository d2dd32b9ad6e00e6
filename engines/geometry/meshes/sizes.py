"""How large a mesh is, and in which unit of length its file may have been written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.geometry.meshes.shapes import extent

UNITS = {"um": 1e-3, "µm": 1e-3, "mm": 1.0, "cm": 10.0, "m": 1000.0}
"""Length of each unit in mm."""
USUAL_SIZE = (0.5, 500.0)
"""Diagonal [mm] of what is usually simulated: from a strip of cells to a whale's ventricle."""
LIKELY_SIZE = (2.0, 400.0)
"""Of what a piece of tissue is taken for, if its unit is another."""
HEART_CELLS, HEART_FILL = 500, 0.6
"""A heart has at least so many cells and fills less of the smallest box around it: walls around cavities. (A ball fills
0.52, a cylinder 0.79, a slab 1.)"""
HEARTS = ((4.0, "smaller than a mouse's"), (10.0, "the size of a mouse's"), (20.0, "the size of a rat's"))
"""Below these lengths [mm] a heart is asked after; a rabbit's is 25 to 30 mm long, a human's 80 to 150."""
LARGEST_HEART = 250.0
"""A horse's."""
HUMAN, RABBIT = (40.0, LARGEST_HEART), (HEARTS[-1][0], 40.0)
"""Lengths [mm] that a file's unit is looked for with, in this order."""


UNITS_TOLD = ("um", "mm", "cm", "m")


@dataclass(frozen=True)
class UnitChoice:
    """What a file is if its coordinates are in a unit: ``means`` "a heart of 62 mm"; ``remark`` "smaller than a
    mouse's", empty for usual sizes; ``plausible``: whether there are such."""

    unit: str
    means: str
    remark: str = ""
    plausible: bool = True


def unit_choices(points: Array, volume: float, n_cells: int, length_unit: str) -> tuple[tuple[UnitChoice, ...], str]:
    """What a piece of tissue would be in each unit, and the unit that is likely. points: [mm], read in
    ``length_unit``; volume [mm³]."""
    size = _size(points)
    heart = _is_heart(points, volume, n_cells)
    length = float(size.max() if heart else np.linalg.norm(size))
    choices = []
    for unit in UNITS_TOLD:
        times = UNITS[unit] / UNITS[length_unit]
        if heart:
            means = f"a heart of {length_text(length * times)}"
            remark = _compared(length * times)
            plausible = HEARTS[0][0] <= length * times <= LARGEST_HEART
        else:
            means = f"a piece of tissue of {size_text(size * times)}"
            plausible = USUAL_SIZE[0] <= length * times <= USUAL_SIZE[1]
            remark = "" if plausible else "unusual for tissue"
        choices.append(UnitChoice(unit, means, remark, plausible))
    if _is_usual(length, heart):
        return tuple(choices), length_unit
    likely = _unit_for(length, length_unit, [HUMAN, RABBIT] if heart else [LIKELY_SIZE])
    return tuple(choices), likely or length_unit


def body_choices(extent: Array) -> tuple[UnitChoice, ...]:
    """What a body is in each unit; bodies are of any size. extent: (3,) in the file's unit."""
    return tuple(UnitChoice(unit, f"a body of {size_text(extent * UNITS[unit])}") for unit in UNITS_TOLD)


def length_text(millimetres: float) -> str:
    """``62 mm``, ``6.2 m``, ``62 µm``, ``62 nm``"""
    for unit, factor in (("m", 1e3), ("mm", 1.0), ("µm", 1e-3)):
        if millimetres >= 0.99995 * factor:
            return f"{_three_digits(millimetres / factor)} {unit}"
    return f"{_three_digits(millimetres * 1e6)} nm"


def size_text(extent: Array) -> str:
    """``62 × 48 × 30 mm``, in the unit that suits the longest; extent: (3,) [mm]."""
    largest = float(np.max(extent))
    unit, factor = next(
        ((unit, factor) for unit, factor in (("m", 1e3), ("mm", 1.0), ("µm", 1e-3)) if largest >= 0.99995 * factor),
        ("nm", 1e-6),
    )
    return f"{' × '.join(_three_digits(float(length) / factor) for length in extent)} {unit}"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _is_heart(points: Array, volume: float, n_cells: int) -> bool:
    return n_cells >= HEART_CELLS and 0 < volume < HEART_FILL * _box(points)


def _is_usual(length: float, heart: bool) -> bool:
    low, high = (HEARTS[-1][0], LARGEST_HEART) if heart else USUAL_SIZE
    return low <= length <= high


def _compared(length: float) -> str:
    """What a heart of this length [mm] is compared with; empty for what is usual."""
    if length > LARGEST_HEART:
        return "larger than a horse's"
    return next((words for end, words in HEARTS if length < end), "")


def size_findings(points: Array, volume: float, n_cells: int, length_unit: str) -> list[Finding]:
    """A warning where the size suggests another unit of length. points: [mm], scaled with ``length_unit``; volume
    [mm³]."""
    lengths = _size(points)
    size = " × ".join(f"{x:.3g}" for x in lengths)
    if _is_heart(points, volume, n_cells):
        return _heart_findings(float(lengths.max()), size, length_unit)
    diagonal = float(np.linalg.norm(lengths))
    if _is_usual(diagonal, heart=False):
        return []
    message = f"The mesh measures {size} mm, which is unusual for tissue"
    likely = _unit_for(diagonal, length_unit, [LIKELY_SIZE])
    if likely is None:
        return [Finding(f"{message}; check the length unit.")]
    text = f"{message}: its coordinates are probably in {_spelled(likely)}; choose that length unit."
    return [Finding(text, remedy=_read_in(likely))]


def _heart_findings(length: float, size: str, length_unit: str) -> list[Finding]:
    if _is_usual(length, heart=True):
        return []
    others = [unit for unit in UNITS_TOLD if UNITS[unit] != UNITS[length_unit]]
    means = [f"in {_spelled(unit)} a heart of {_told(length * UNITS[unit] / UNITS[length_unit])} mm" for unit in others]
    text = (
        f"Its coordinates read in {_spelled(length_unit)}, the mesh is a heart of {size} mm, {_compared(length)}; it "
        f"would be {', '.join(means[:-1])}, and {means[-1]}."
    )
    likely = _unit_for(length, length_unit, [HUMAN, RABBIT])
    return [Finding(text, remedy=None if likely is None else _read_in(likely), distorts=True)]


def _spelled(unit: str) -> str:
    return "µm" if unit == "um" else unit


def _unit_for(length: float, length_unit: str, ranges: list[tuple[float, float]]) -> str | None:
    """The unit in which a length [mm in ``length_unit``] falls into the first range that has one."""
    for low, high in ranges:
        for unit in ("mm", "um", "cm", "m"):
            if UNITS[unit] != UNITS[length_unit] and low <= length * UNITS[unit] / UNITS[length_unit] <= high:
                return unit
    return None


def _read_in(unit: str) -> Remedy:
    return Remedy(f"Read the file in {unit}", length_unit=unit)


def _box(points: Array) -> float:
    """Volume of the smaller of two boxes around the points: along the axes, and along their principal directions."""
    middle = points - points.mean(axis=0)
    _, directions = np.linalg.eigh(middle.T @ middle)
    return float(min(np.prod(_size(points)), np.prod(_size(middle @ directions))))


def _size(points: Array) -> Array:
    low, high = extent(points)
    return high - low


def _told(length: float) -> str:
    return f"{length:,.0f}" if length >= 100 else f"{length:.2g}"
