"""Planes and boxes that lie on a face of a source, beyond which its wave is not, or on the wrong side of it.

On a face stand E of one side and H of both: what is summed there is neither the power of the whole field nor that of
what is scattered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.api import Finding, Remedy
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.plans import FluxPlan, MonitorPlans
from engines.fdtd.monitors.sums.blocks import Rectangle, inner_nodes
from engines.fdtd.parameters import BoxMonitor, PlaneMonitor
from engines.fdtd.sources.currents import total_field_box
from engines.fdtd.sources.driven import Driven
from engines.fdtd.sources.incident import Range
from engines.fdtd.sources.sheets import open_range, sheet_node, window_of


@dataclass(frozen=True)
class _Face:
    """Across ``axis`` at ``node``, between nodes ``box`` along x, y, z; inside: the step to the side with the wave."""

    what: str
    axis: int
    node: int
    inside: int
    box: Sequence[Range]

    def holds(self, rectangle: Rectangle) -> bool:
        """Whether a part of it lies on this."""
        same = rectangle.axis == self.axis and rectangle.node == self.node
        ends = zip(rectangle.across, rectangle.low, rectangle.high, strict=True)
        return same and all(max(low, self.box[d][0]) < min(high, self.box[d][1]) for d, low, high in ends)


def face_findings(plans: MonitorPlans, yee: Yee, axes: Sequence[Axis], driven: Driven) -> Iterator[Finding]:
    """Of each monitor one. A plane of reflection may lie there, for the incident fields are subtracted, where another
    plane tells the incident power."""
    faces = list(_faces(yee, axes, driven))
    told = any(isinstance(each, FluxPlan) and each.measures == "transmission" for each in plans.plans)
    for number, flux in enumerate(plans.plans):
        if not isinstance(flux, FluxPlan) or (flux.measures == "reflection" and told):
            continue
        if isinstance(flux.monitor, BoxMonitor) and flux.monitor.measures != "power":
            continue  # see side_findings
        face = next((face for face in faces if any(face.holds(each) for each in flux.rectangles)), None)
        if face is None:
            continue
        name, nodes, place, remedy = "xyz"[face.axis], yee.nodes(face.axis), ("monitors", number), None
        if isinstance(flux.monitor, PlaneMonitor):
            at, beside = (*place, "position"), float(f"{nodes[face.node + face.inside]:.6g}")
            remedy = Remedy(f"Place it at {name} = {beside:g}", {at: beside})
        yield Finding(
            f"Monitor '{flux.plan.name}' lies on a face of {face.what}, {name} = {nodes[face.node]:g}, where E is that "
            "of one side and H of both: its spectra are wrong. Place it a cell or more inside, where the wave is, or "
            "outside.",
            place=place,
            remedy=remedy,
            distorts=True,
        )


def side_findings(plans: MonitorPlans, yee: Yee, axes: Sequence[Axis], driven: Driven) -> Iterator[Finding]:
    """Of boxes of cross-sections: those of scattering stand around the plane wave's box, those of absorption in it. Of
    others: they do not stand in a part of it, whose wave they have on some sides alone."""
    box, mirrors = next(_boxes(yee, axes, driven), (None, ((), ())))
    for number, flux in enumerate(plans.plans):
        if not isinstance(flux, FluxPlan) or not isinstance(flux.monitor, BoxMonitor) or box is None:
            continue
        monitor = flux.monitor
        around, power = monitor.measures == "scattering", monitor.measures == "power"
        own = inner_nodes(yee, axes, monitor.name, monitor.low, monitor.high)
        beyond = {
            (d, end): (-1, 1)[end] * (own[d, end] - box[d][end])
            for d in _open(yee, axes) for end in (0, 1) if d not in mirrors[end]
        }  # fmt: skip
        apart = any(own[d, 0] >= box[d][1] or own[d, 1] <= box[d][0] for d in _open(yee, axes))
        if power and (apart or min(beyond.values()) >= 0 or max(beyond.values()) <= 0):
            continue
        corners = [list(monitor.low), list(monitor.high)]
        for (d, end), far in beyond.items():
            if far > 0 if around else far < 0:
                continue
            out = (-1, 1)[end]
            gap = abs(axes[d].clear[end] - box[d][end])  # up to the absorbing layer
            node = box[d][end] + out * (max(1, gap // 2) if around else -1)
            corners[end][d] = float(f"{yee.nodes(d)[node]:.6g}")
        if corners == [list(monitor.low), list(monitor.high)]:
            continue
        place, where = ("monitors", number), "around" if around else "within"
        faces = (f"{'xyz'[d]} {yee.nodes(d)[box[d][0]]:g} to {yee.nodes(d)[box[d][1]]:g}" for d in _open(yee, axes))
        wave_box = f"the plane wave's box ({', '.join(faces)})"
        wrong = f"measures {monitor.measures}, and does not stand {where} {wave_box}: what it tells is none."
        if power:
            wrong = (
                f"does not stand within {wave_box}, but in a part of it: on some sides alone it has the wave itself."
            )
        yield Finding(
            f"Monitor '{monitor.name}' {wrong}",
            place=place,
            remedy=Remedy(f"Let it stand {where} that", {(*place, "low"): corners[0], (*place, "high"): corners[1]}),
            distorts=True,
        )


def _open(yee: Yee, axes: Sequence[Axis]) -> list[int]:
    """Along which the boxes of plane waves have faces."""
    return [d for d, axis in enumerate(axes) if not axis.wraps and not yee.flat[d]]


def _boxes(yee: Yee, axes: Sequence[Axis], driven: Driven) -> Iterator[tuple[list[Range], Sequence[Sequence[int]]]]:
    """Of plane waves, and the axes at whose low and high ends they are mirrors."""
    for wave in driven.waves:
        yield total_field_box(yee, axes, wave.margin, wave.axis, wave.mirrors), wave.mirrors
    for slanted in driven.oblique:
        yield total_field_box(yee, axes, slanted.margin), ((), ())


def _faces(yee: Yee, axes: Sequence[Axis], driven: Driven) -> Iterator[_Face]:
    for box, mirrors in _boxes(yee, axes, driven):
        for d in _open(yee, axes):
            for end, inside in enumerate((1, -1)):
                if d not in mirrors[end]:
                    yield _Face("the plane wave's box", d, box[d][end], inside, box)
    for beam in driven.beams:
        node = sheet_node(yee, axes, beam.axis, beam.sheet, "Beam")
        yield _Face("the beam", beam.axis, node, 1 if beam.forward else -1, [open_range(axis) for axis in axes])
    for mode in driven.launches:
        node = sheet_node(yee, axes, mode.axis, mode.place[mode.axis], "Mode source")
        window = window_of(yee, axes, mode, "Mode source")
        yield _Face("the mode source", mode.axis, node, 1 if mode.forward else -1, window)
