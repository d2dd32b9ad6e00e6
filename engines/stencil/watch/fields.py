"""The fields of each equation with their colours, and the brush that goes with them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api import Array, FieldInfo, PaintInfo
from engines.geometry.grid import Grid
from engines.stencil.parameters import Diffusion
from engines.stencil.watch.colours import colours, field_range

Fields = tuple[FieldInfo, ...]

BRUSH = 0.03
"""First radius of the brush as a fraction of the longest side."""
STROKE = 0.2
"""What a dab of heat brings in the time that heat takes through the brush, as a part of what the colours span: sources
add up, and a stroke across a third of a plate with cold rims then ends at about the highest colour."""

SUBSTANCES = (
    FieldInfo("v", "Substance V", "", "cell", (0.0, 0.4), "viridis"),
    FieldInfo("u", "Substance U", "", "cell", (0.0, 1.0), "viridis"),
)
SUBSTANCE_BRUSH = PaintInfo("v", "Substance V", "", 0.25, BRUSH)


def heat_fields(equation: Diffusion, start: Array, held: Sequence[float], grid: Grid) -> tuple[Fields, PaintInfo]:
    """Temperature and source. start: (grid.shape); held: the values of sides that fix one."""
    shown = field_range(start, held)
    ends = {float(start.min()), float(start.max()), *held}
    guessed = len(ends) == 1 and ends != {0.0}
    radius = BRUSH * max(grid.lengths)
    amount = rounded((shown[1] - shown[0]) * equation.diffusivity / radius**2 * STROKE, 2)
    return (
        FieldInfo("u", "Temperature", "", "cell", shown, colours(shown, "inferno"), guessed=guessed),
        _source_info(amount, equation.source, "1/s"),
    ), PaintInfo("source", "Heat source", "1/s", amount, BRUSH)


def potential_fields(source: Array, held: Sequence[float], grid: Grid) -> tuple[Fields, PaintInfo]:
    """Potential and source. source: (grid.shape) before anything is painted; held: the values of sides that fix one."""
    shown = field_range(_lifts(source, grid, bool(held)), held)
    amount = rounded((shown[1] - shown[0]) / (BRUSH * max(grid.lengths)) ** 2, 2)
    return (
        FieldInfo("u", "Potential", "", "cell", shown, colours(shown, "viridis")),
        _source_info(amount, float(source.max()), "1/mm²"),
    ), PaintInfo("source", "Source", "1/mm²", amount, BRUSH)


def _lifts(source: Array, grid: Grid, held: bool) -> Array:
    """(lowest, highest) that a source (grid.shape) brings the solution to, about, between earthed sides.

    Its positive and its negative part are taken as spread over balls: as large as the source itself, and at least so
    large that the surroundings of a point charge are shown rather than its peak. The factor of the first is that of a
    uniform source in a cube (largest value 0.056 s L²). In two dimensions that hardly matters.
    """
    lifts = []
    for part in (np.minimum(source, 0), np.maximum(source, 0)):
        total = float(part.sum(dtype=np.float64)) * math.prod(grid.spacing)
        spread = total**2 / max(float((part**2).sum(dtype=np.float64)) * math.prod(grid.spacing), 1e-300)
        reach = max(max(grid.lengths) / 6, 1.42 * spread ** (1 / 3))
        lifts.append(total / (4 * math.pi) / (1.0 if grid.dimensions == 2 else reach))
    if not any(lifts) and not held:
        lifts[1] = 1.0
    return np.array(lifts)


def _source_info(amount: float, given: float, unit: str) -> FieldInfo:
    largest = max(abs(amount), abs(given))
    return FieldInfo("source", "Source", unit, "cell", (-largest, largest), "diverging")


def rounded(value: float, digits: int) -> float:
    """To so many significant digits."""
    return float(f"{value:.{digits}g}")
