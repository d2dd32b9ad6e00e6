"""Boxes whose faces cut an object: what they measure, or let in, is then not what a person means by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engines.api import Array, Finding
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.solids.shapes import Filling
from engines.fdtd.parameters import BoxMonitor, FdtdParameters, ObliqueWaveSource, WaveSource
from engines.fdtd.sources.currents import total_field_box
from engines.fdtd.sources.driven import Driven
from engines.geometry.solids.solid import Solid

POINTS = 16
"""Points along each side of a face that are looked at."""


def box_findings(
    parameters: FdtdParameters, yee: Yee, axes: Sequence[Axis], fillings: Sequence[Filling], driven: Driven
) -> tuple[Finding, ...]:
    """One sentence for each box, of a plane wave or of a power monitor, that objects reach through."""
    found = []
    places = [n for n, source in enumerate(parameters.sources) if isinstance(source, WaveSource)]
    slanted = [n for n, source in enumerate(parameters.sources) if isinstance(source, ObliqueWaveSource)]
    boxes = [
        *((n, total_field_box(yee, axes, wave.margin, wave.axis, wave.mirrors))
          for n, wave in zip(places, driven.waves, strict=True)),
        *((n, total_field_box(yee, axes, wave.margin)) for n, wave in zip(slanted, driven.oblique, strict=True)),
    ]  # fmt: skip
    for number, ranges in boxes:
        ends = np.array([[yee.nodes(d)[node] for node in pair] for d, pair in enumerate(ranges)])
        if cut := _cut(ends.T, yee, axes, fillings):
            found.append(
                Finding(
                    f"The box of source {number + 1}, a plane wave, cuts object {cut}: the wave comes in as it is in "
                    "vacuum, so the cut scatters falsely. Let the object end inside of the box, or repeat it "
                    "between periodic faces.",
                    place=("sources", number),
                )
            )
    for number, monitor in enumerate(parameters.monitors):
        if not isinstance(monitor, BoxMonitor) or monitor.far_field.on:  # of those, far/walls.py tells
            continue
        if cut := _cut(np.array([monitor.low, monitor.high]), yee, axes, fillings):
            found.append(
                Finding(
                    f"Monitor '{monitor.name}' cuts object {cut}: its power is then not what the object radiates, "
                    "scatters or absorbs, as a part of that flows through the faces inside of the object. Let the "
                    "box hold the whole object.",
                    place=("monitors", number),
                )
            )
    return tuple(found)


def _cut(ends: Array, yee: Yee, axes: Sequence[Axis], fillings: Sequence[Filling]) -> str:
    """The numbers of the objects that a box (its two corners) cuts, as a list; empty where there are none."""
    grid = np.array([yee.nodes(d)[[0, -1]] for d in range(3)]).T
    low, high = np.maximum(ends[0], grid[0]), np.minimum(ends[1], grid[1])
    faces = [
        (d, at)
        for d, axis in enumerate(axes)
        if not axis.wraps
        for at, edge in zip((low[d], high[d]), grid[:, d], strict=True)
        if abs(at - edge) > 0.5 * yee.smallest
    ]
    cut = {place for place, number, solid in fillings if number and _reaches(solid, faces, low, high, yee.smallest)}
    return ", ".join(str(place) for place in sorted(cut)[:5])


def _reaches(solid: Solid, faces: Iterable[tuple[int, float]], low: Array, high: Array, cell: float) -> bool:
    """Whether a solid reaches half a cell beyond one of the faces, and stands on it."""
    first, last = solid.bounds()
    for d, at in faces:
        if not (first[d] < at - 0.5 * cell and last[d] > at + 0.5 * cell):
            continue
        begin, end = np.maximum(first, low), np.minimum(last, high)
        sides = [
            np.array([at]) if each == d else np.linspace(begin[each], end[each], POINTS + 2)[1:-1] for each in range(3)
        ]
        if all(begin[each] < end[each] for each in range(3) if each != d) and solid.on_grid(*sides).any():
            return True
    return False
