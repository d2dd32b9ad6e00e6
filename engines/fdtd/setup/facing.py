"""Beams and modes that are sent away from all that they could meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.api import Finding, Remedy
from engines.fdtd.media.solids.shapes import Filling
from engines.fdtd.parameters import BeamSource, FdtdParameters, ModeSource, PlaneMonitor, TraceMonitor

ROUND = {"+": "-", "-": "+"}


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
