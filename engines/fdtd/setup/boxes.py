"""Boxes whose faces cut an object: what they measure, or let in, is then not what a person means by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.solids.shapes import Filling
from engines.fdtd.parameters import BoxMonitor, FdtdParameters, ObliqueWaveSource, WaveSource
from engines.fdtd.sources.currents import total_field_box
from engines.fdtd.sources.driven import Driven
from engines.geometry.solids.solid import Solid

Changes = dict[tuple[str | int, ...], Any]
OR_REPEATED = ", or repeat it between periodic faces"
ROOM = 2
"""Cells between a monitor's box and what it is to hold."""
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
        if cut := _cut(_ends(yee, ranges), yee, axes, fillings):
            whole = " (of an oblique wave no face repeats it)" if number in slanted else OR_REPEATED
            found.append(
                Finding(
                    f"The box of source {number + 1}, a plane wave, cuts object {_listed(cut)}: the wave comes in as "
                    f"it is in vacuum, so the cut scatters falsely. Let the object end inside of the box{whole}.",
                    place=("sources", number),
                    remedy=_smaller_margin(parameters, number, yee, axes, fillings, ranges),
                )
            )
        if beside := _beside(_ends(yee, ranges), axes, fillings):
            found.append(
                Finding(
                    f"Object {_listed(beside)} lies beside the box of source {number + 1}, a plane wave, and is "
                    "not lit by it. Move it into the box, or give that a smaller margin.",
                    place=("sources", number),
                    distorts=True,
                )
            )
    for number, monitor in enumerate(parameters.monitors):
        if not isinstance(monitor, BoxMonitor) or monitor.far_field.on:  # of those, far/walls.py tells
            continue
        if cut := _cut(np.array([monitor.low, monitor.high]), yee, axes, fillings):
            found.append(
                Finding(
                    f"Monitor '{monitor.name}' cuts object {_listed(cut)}: its power is then not what the object "
                    "radiates, scatters or absorbs, as a part of that flows through the faces inside of the object. "
                    "Let the box hold the whole object.",
                    place=("monitors", number),
                    remedy=_larger_box(number, monitor, yee, axes, fillings, cut),
                )
            )
    return tuple(found)


def _ends(yee: Yee, ranges: Sequence[tuple[int, int]]) -> Array:
    """(2, 3) corners of a box of nodes."""
    return np.array([[yee.nodes(d)[node] for node in pair] for d, pair in enumerate(ranges)]).T


def _smaller_margin(
    parameters: FdtdParameters, number: int, yee: Yee, axes: Sequence[Axis], fillings: Sequence[Filling],
    ranges: Sequence[tuple[int, int]],
) -> Remedy | None:  # fmt: skip
    """The largest margin with which the wave's box holds what it cuts, else periodic faces beside its way, between
    which it goes on for ever; None where neither helps."""
    source = parameters.sources[number]
    assert isinstance(source, WaveSource | ObliqueWaveSource)
    for margin in range(source.margin - 1, 0, -1):
        wider = source.margin - margin
        grown = [
            (low - wider if low > 0 else low, high + wider if high < axis.n else high)
            for (low, high), axis in zip(ranges, axes, strict=True)
        ]
        if not _cut(_ends(yee, grown), yee, axes, fillings):
            text = f"Let the box begin {margin} cell{'s' if margin > 1 else ''} beside the absorbing layers"
            return Remedy(text, {("sources", number, "margin"): margin})
    if isinstance(source, ObliqueWaveSource):
        return None
    beside = [d for d, axis in enumerate(axes) if d != "xyz".index(source.direction[1]) and not axis.wraps]
    whole = [(0, axes[d].n) if d in beside else pair for d, pair in enumerate(ranges)]
    if _cut(_ends(yee, whole), yee, axes, fillings):
        return None
    faces: Changes = {("faces", f"{'xyz'[d]}_{end}"): "periodic" for d in beside for end in ("low", "high")}
    return Remedy(f"Make the faces of {' and '.join('xyz'[d] for d in beside)} periodic", faces)


def _larger_box(
    number: int, monitor: BoxMonitor, yee: Yee, axes: Sequence[Axis], fillings: Sequence[Filling], cut: Sequence[int]
) -> Remedy | None:
    """The box that holds what it cuts, two cells around it; None where that does not fit between the absorbing
    layers."""
    bounds = [solid.bounds() for place, _, solid in fillings if place in cut]
    low = np.minimum(np.min([first for first, _ in bounds], axis=0) - ROOM * yee.smallest, monitor.low)
    high = np.maximum(np.max([last for _, last in bounds], axis=0) + ROOM * yee.smallest, monitor.high)
    for d, axis in enumerate(axes):
        first, last = yee.nodes(d)[list(axis.clear)]
        if not yee.flat[d] and (low[d] < first or high[d] > last):
            return None
    if _cut(np.array([low, high]), yee, axes, fillings):
        return None
    changes: Changes = {("monitors", number, "low"): _rounded(low), ("monitors", number, "high"): _rounded(high)}
    return Remedy(f"Let '{monitor.name}' hold the whole object", changes)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _rounded(place: Array) -> list[float]:
    return [float(f"{value:.6g}") for value in place]


def _beside(ends: Array, axes: Sequence[Axis], fillings: Sequence[Filling]) -> list[int]:
    """The numbers of the objects that lie outside of a box (its two corners); the first five."""
    found = set()
    for place, number, solid in fillings:
        first, last = solid.bounds()
        if number and any(
            last[d] <= ends[0][d] or first[d] >= ends[1][d] for d, axis in enumerate(axes) if not axis.wraps
        ):
            found.add(place)
    return sorted(found)[:5]


def _cut(ends: Array, yee: Yee, axes: Sequence[Axis], fillings: Sequence[Filling]) -> list[int]:
    """The numbers of the objects that a box (its two corners) cuts; the first five."""
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
    return sorted(cut)[:5]


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
