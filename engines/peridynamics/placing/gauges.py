"""Gauges as figures: points that are dragged, with an arrow along the axis that counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.figures import Fields, Figure, mover, triple
from engines.api.placing import MOVE, Handle, Position
from engines.peridynamics.body.filling import filled
from engines.peridynamics.parameters.gauges import MeanGauge, Opening, PointGauge
from engines.peridynamics.placing.kinds import Space, drawn, nothing, within
from engines.peridynamics.placing.regions import arrow_along

APART = 2.0
"""Spacings of the points of a new gauge from the middle between them."""


def _cross(space: Space, at: Array) -> tuple[Array, ...]:
    arms = 0.12 * space.size * np.eye(3)[space.free()]
    return tuple(np.stack([at - arm, at + arm]) for arm in arms)


def _arrow(space: Space, axis: str, foot: Array) -> tuple[Array, ...]:
    return arrow_along(np.eye(3)["xyz".index(axis)], foot, space)


def _particle(space: Space, wanted: Array) -> Position:
    """The nearest one. Raises ProblemError for a body that is none."""
    centers = filled(space.parameters).centers
    found = centers[np.linalg.norm((centers - wanted)[:, space.free()], axis=1).argmin()]
    return triple(np.where(space.thin, 0.0, found))


def _fresh_opening(space: Space) -> dict[str, Any]:
    side = np.array([space.low[0], space.middle[1], space.middle[2]])
    step = APART * space.frame.spacing * np.eye(3)[1]
    return {"first": _particle(space, side - step), "second": _particle(space, side + step)}


@drawn(Opening, fresh=_fresh_opening)
def opening_figure(gauge: Opening, space: Space) -> Figure:
    """Two points with a line between them."""
    ends = {"first": space.seen(gauge.first), "second": space.seen(gauge.second)}
    middle = 0.5 * (ends["first"] + ends["second"])
    outline = (np.stack(list(ends.values())), *(line for end in ends.values() for line in _cross(space, end)))
    handles = (mover(middle, ends["first"]), *(Handle(name, triple(end)) for name, end in ends.items()))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            return {name: _kept(space, end + step, gauge, name) for name, end in ends.items()}, space.place(position)
        return {handle: _kept(space, np.array(position), gauge, handle)}, space.place(position)

    return Figure((*outline, *_arrow(space, gauge.axis, middle)), handles, changes, f"along {gauge.axis}")


def _kept(space: Space, position: Array, gauge: Opening | PointGauge, name: str) -> Position:
    """In the box around the body; in a plate z stays as it was. Raises ProblemError."""
    space.touching(position, position)
    before: Position = getattr(gauge, name)
    return (*triple(position)[:2], before[2]) if space.flat else triple(position)


@drawn(PointGauge, fresh=lambda space: {"point": _particle(space, space.middle)})
def point_figure(gauge: PointGauge, space: Space) -> Figure:
    at = space.seen(gauge.point)

    def changes(handle: str, position: Position) -> Fields:
        return {"point": _kept(space, np.array(position), gauge, "point")}, space.place(position)

    outline = (*_cross(space, at), *_arrow(space, gauge.axis, at))
    return Figure(outline, (mover(at),), changes, f"along {gauge.axis}")


@drawn(MeanGauge, fresh=nothing)
def mean_figure(gauge: MeanGauge, space: Space) -> Figure:
    """Its region. Raises ProblemError for one that cannot be drawn."""
    figure = within("region", gauge, space)
    if not figure.outline:
        return figure
    points = np.concatenate(figure.outline)
    arrow = _arrow(space, gauge.axis, 0.5 * (points.min(axis=0) + points.max(axis=0)))
    return Figure((*figure.outline, *arrow), figure.handles, figure.changes, f"along {gauge.axis}")
