"""Sources and monitors that miss each other, or stand in the same place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.api import Finding, Remedy
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.solids.shapes import Filling
from engines.fdtd.parameters import (
    BeamSource,
    BoxMonitor,
    FdtdParameters,
    ModeSource,
    ObliqueWaveSource,
    PlaneMonitor,
    PointSource,
    TraceMonitor,
    WaveSource,
)
from engines.fdtd.parameters.common import Place

ROUND = {"+": "-", "-": "+"}
OF_TRACE = "the field within a cell of it hangs on the size of the cells. Move it away."
OF_BOX = "half of what it radiates counts. Let the box hold it, or end before it."
OF_PLANE = "what leaves it to one side counts against what leaves it to the other. Move it to one side."


def facing_findings(parameters: FdtdParameters, fillings: Sequence[Filling]) -> tuple[Finding, ...]:
    """A warning for each source that has objects or monitors behind it and none before it, and the edit that turns it
    round."""
    found = []
    for number, source in enumerate(parameters.sources):
        if not isinstance(source, BeamSource | ModeSource):
            continue
        axis, way = "xyz".index(source.direction[1]), source.direction[0]
        at = source.sheet if isinstance(source, BeamSource) else source.place[axis]
        spans = list(_spans(parameters, fillings, axis))
        ahead = [high > at if way == "+" else low < at for low, high in spans]
        if spans and not any(ahead):
            other = f"{ROUND[way]}{'xyz'[axis]}"
            found.append(
                Finding(
                    f"Source {number + 1}, a {source.kind}, goes along {source.direction}, away from all objects and "
                    "monitors: they see none of it.",
                    place=("sources", number, "direction"),
                    remedy=Remedy(f"Send it along {other}", {("sources", number, "direction"): other}),
                )
            )
    return tuple(found)


def balance_findings(parameters: FdtdParameters, fillings: Sequence[Filling]) -> Iterator[Finding]:
    """Of R and T: of waves from several sides, and of planes on the wrong side of all objects."""
    ways: set[str] = {
        each.direction for each in parameters.sources if isinstance(each, WaveSource | BeamSource | ModeSource)
    }
    ways |= {f"θ {s.theta:g}° φ {s.phi:g}°" for s in parameters.sources if isinstance(s, ObliqueWaveSource)}
    planes = [
        (n, each)
        for n, each in enumerate(parameters.monitors)
        if isinstance(each, PlaneMonitor) and each.measures != "power"
    ]
    if planes and len(ways) > 1:
        yield Finding(
            f"Waves go along {' and '.join(sorted(ways))}: what is reflected and transmitted of one cannot be told "
            "from the others. Keep one direction, or measure power.",
            place=("sources",),
            distorts=True,
        )
    for number, plane in planes if len(ways) == 1 else ():
        (way,) = ways
        if way[1:] != plane.axis:
            continue
        sign, axis = (1 if way[0] == "+" else -1), "xyz".index(plane.axis)
        spans = [solid.bounds() for _, filling, solid in fillings if filling]
        ends = [sorted((sign * float(low[axis]), sign * float(high[axis]))) for low, high in spans]
        reflection, at = plane.measures == "reflection", sign * plane.position
        if ends and all(end <= at if reflection else begin >= at for begin, end in ends):
            where, there = ("behind", "before") if reflection else ("before", "behind")
            yield Finding(
                f"Monitor '{plane.name}' measures {plane.measures} {where} all objects, as the wave goes along {way}: "
                f"what it tells is none. Place it {there} them.",
                place=("monitors", number, "position"),
                distorts=True,
            )


def coincident_findings(parameters: FdtdParameters, yee: Yee) -> tuple[Finding, ...]:
    """Of traces within a cell of a dipole, and of planes and faces of boxes through one."""
    found = []
    for place, monitor in enumerate(parameters.monitors):
        for number, source in enumerate(parameters.sources, 1):
            if isinstance(source, PointSource) and isinstance(monitor, TraceMonitor | PlaneMonitor):
                offsets = [
                    abs(at - source.place[d]) / yee.sizes(d)[yee.cell_at(d, source.place[d])]
                    for d, at in _fixed(monitor, source.place)
                ]
                trace = isinstance(monitor, TraceMonitor)
                if all(offset < (1.0 if trace else 0.5) for offset in offsets):
                    where, told = ("place", OF_TRACE) if trace else ("position", OF_PLANE)
                    words = f"Monitor '{monitor.name}' stands at source {number}, a dipole: {told}"
                    found.append(Finding(words, "info", ("monitors", place, where)))
            if isinstance(source, PointSource) and isinstance(monitor, BoxMonitor) and _on_face(monitor, source, yee):
                words = f"Source {number}, a dipole, stands on a face of monitor '{monitor.name}': {OF_BOX}"
                found.append(Finding(words, place=("monitors", place), distorts=True))
    return tuple(found)


def _on_face(box: BoxMonitor, source: PointSource, yee: Yee) -> bool:
    """Within half a cell, and the grid has cells on both sides of it."""
    cells = [yee.sizes(d)[yee.cell_at(d, at)] for d, at in enumerate(source.place)]
    axes = [d for d in range(3) if not yee.flat[d]]
    if any(not box.low[d] - 0.5 * cells[d] < source.place[d] < box.high[d] + 0.5 * cells[d] for d in axes):
        return False
    return any(
        abs(end[d] - source.place[d]) < 0.5 * cells[d] and 0 < yee.node_at(d, end[d]) < yee.counts[d]
        for end in (box.low, box.high)
        for d in axes
    )


def _fixed(monitor: TraceMonitor | PlaneMonitor, place: Place) -> Iterator[tuple[int, float]]:
    """Axes and coordinates in which a monitor may differ from a place: of a plane its own, and beyond its edges."""
    for d in range(3):
        if isinstance(monitor, TraceMonitor):
            yield d, monitor.place[d]
        elif d == "xyz".index(monitor.axis):
            yield d, monitor.position
        else:
            yield d, min(max(place[d], monitor.low[d]), monitor.high[d])


def _spans(parameters: FdtdParameters, fillings: Sequence[Filling], axis: int) -> Iterator[tuple[float, float]]:
    """Lowest and highest coordinate of each object and monitor along an axis."""
    for _, number, solid in fillings:
        if number:
            low, high = solid.bounds()
            yield float(low[axis]), float(high[axis])
    for monitor in parameters.monitors:
        if isinstance(monitor, TraceMonitor):
            yield monitor.place[axis], monitor.place[axis]
        elif isinstance(monitor, PlaneMonitor) and "xyz".index(monitor.axis) == axis:
            yield monitor.position, monitor.position
        else:
            yield monitor.low[axis], monitor.high[axis]
