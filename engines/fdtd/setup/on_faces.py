"""Planes and boxes that lie on a face of a source, beyond which its wave is not: they have E of one side and H of both.

What is summed there is neither the power of the whole field nor that of what is scattered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.api import Finding, Remedy
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.plans import FluxPlan, MonitorPlans
from engines.fdtd.monitors.sums.blocks import Rectangle
from engines.fdtd.parameters import PlaneMonitor
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


def _faces(yee: Yee, axes: Sequence[Axis], driven: Driven) -> Iterator[_Face]:
    boxes = [(total_field_box(yee, axes, each.margin, each.axis, each.mirrors), each.mirrors) for each in driven.waves]
    boxes += [(total_field_box(yee, axes, each.margin), ((), ())) for each in driven.oblique]
    for box, mirrors in boxes:
        for d in (d for d, axis in enumerate(axes) if not axis.wraps and not yee.flat[d]):
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
