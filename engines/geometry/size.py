"""Whether a mesh has the size of what it looks like: else the file's unit of length is probably another."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding, Remedy

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


def size_findings(points: Array, volume: float, n_cells: int, length_unit: str) -> list[Finding]:
    """A warning where the size suggests another unit of length. points: [mm], scaled with ``length_unit``; volume
    [mm³]."""
    extent = np.ptp(points, axis=0)
    size = " × ".join(f"{x:.3g}" for x in extent)
    if n_cells >= HEART_CELLS and 0 < volume < HEART_FILL * _box(points):
        return _heart_findings(float(extent.max()), size, length_unit)
    diagonal = float(np.linalg.norm(extent))
    if USUAL_SIZE[0] <= diagonal <= USUAL_SIZE[1]:
        return []
    message = f"The mesh measures {size} mm, which is unusual for tissue"
    likely = _unit_for(diagonal, length_unit, [LIKELY_SIZE])
    if likely is None:
        return [Finding(f"{message}; check the length unit.")]
    text = f"{message}: its coordinates are probably in {likely}; choose that length unit."
    return [Finding(text, remedy=_read_in(likely))]


def _heart_findings(length: float, size: str, length_unit: str) -> list[Finding]:
    if HEARTS[-1][0] <= length <= LARGEST_HEART:
        return []
    compared = "larger than a horse's" if length > LARGEST_HEART else next(x for end, x in HEARTS if length < end)
    others = [unit for unit in ("um", "mm", "cm", "m") if UNITS[unit] != UNITS[length_unit]]
    means = [f"in {unit} a heart of {_told(length * UNITS[unit] / UNITS[length_unit])} mm" for unit in others]
    text = (
        f"Its coordinates read in {length_unit}, the mesh is a heart of {size} mm, {compared}; it would be "
        f"{', '.join(means[:-1])}, and {means[-1]}."
    )
    likely = _unit_for(length, length_unit, [HUMAN, RABBIT])
    return [Finding(text, remedy=None if likely is None else _read_in(likely))]


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
    return float(min(np.prod(np.ptp(points, axis=0)), np.prod(np.ptp(middle @ directions, axis=0))))


def _told(length: float) -> str:
    return f"{length:,.0f}" if length >= 100 else f"{length:.2g}"
