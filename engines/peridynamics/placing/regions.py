"""Regions along sides, and what acts on regions, as figures."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Fields, Figure, number, slider
from engines.api.placing import Position
from engines.geometry.lines import arrow, box_lines
from engines.peridynamics.body.regions import side_of
from engines.peridynamics.parameters import GroupRegion, LayerRegion, Side, SideRegion
from engines.peridynamics.placing.kinds import KINDS, Space, drawn, figure_of, within

VECTORS = ("stress", "force", "traction", "acceleration")
"""Fields of loads that are drawn as an arrow; others have x, y and z."""


@drawn(SideRegion)
def side_figure(region: SideRegion, space: Space) -> Figure:
    """The box of its rows; how many there are is dragged."""

    def rows(depth: float) -> Fields:
        count = max(1, round(depth / space.frame.spacing))
        return {"rows": count}, "1 row" if count == 1 else f"{count} rows"

    return _slab(space, region.side, region.rows * space.frame.spacing, "rows", rows)


@drawn(LayerRegion, fresh=lambda space: {"depth": number(3 * space.frame.spacing)})
def layer_figure(region: LayerRegion, space: Space) -> Figure:
    """The box that its depth reaches into from the outermost particles."""

    def deep(depth: float) -> Fields:
        if depth < 1e-6 * space.frame.spacing:
            raise ProblemError("A layer has a depth: keep the handle inside of the body.")
        return {"depth": number(depth)}, f"depth {space.length(depth)}"

    return _slab(space, region.side, region.depth, "depth", deep)


@drawn(GroupRegion)
def group_figure(region: GroupRegion, space: Space) -> Figure:
    """Only points from a file are in groups, and they are not placed."""
    return Figure((), detail=region.group)


def _slab(space: Space, side: Side, depth: float, name: str, changed: Any) -> Figure:
    axis, far = side_of(side, space.frame.dimensions)
    low, high = space.low.copy(), space.high.copy()
    if far:
        low[axis] = high[axis] - depth
    else:
        high[axis] = low[axis] + depth
    at = 0.5 * (low + high)
    at[axis] = low[axis] if far else high[axis]
    surface = space.high[axis] if far else space.low[axis]

    def changes(handle: str, position: Position) -> Fields:
        found: Fields = changed(float(surface - position[axis] if far else position[axis] - surface))
        return found

    return Figure(box_lines(low, high), (slider(name, at, axis, -1 if far else 1),), changes, side)


def acting_figure(item: BaseModel, space: Space) -> Figure:
    """What acts on a region or a side, as that, with an arrow along what it does."""
    if type(item) in KINDS:
        return figure_of(item, space)
    if "region" in type(item).model_fields:
        figure = within("region", item, space)
    elif "side" in type(item).model_fields:
        side = getattr(item, "side")  # noqa: B009  # not every model has one
        flat = figure_of(SideRegion(side=side), space)
        figure = Figure(flat.outline, detail=side)
    else:  # on all of the body, as gravity
        return Figure(_arrow(item, space.middle, space))
    if not figure.outline:
        return figure
    points = np.concatenate(figure.outline)
    shaft = _arrow(item, 0.5 * (points.min(axis=0) + points.max(axis=0)), space)
    return Figure((*figure.outline, *shaft), figure.handles, figure.changes, figure.detail)


def _arrow(item: BaseModel, middle: Array, space: Space) -> tuple[Array, ...]:
    """From the middle of a region along a stress, a velocity, a displacement: only its direction counts."""
    parts = [getattr(item, axis, None) for axis in "xyz"]
    given = next((getattr(item, name) for name in VECTORS if name in type(item).model_fields), parts)
    return arrow_along(np.array([value or 0.0 for value in given]), middle, space)


def arrow_along(vector: Array, middle: Array, space: Space) -> tuple[Array, ...]:
    """Of no length in particular; none of a vector without one."""
    vector = vector * ([1, 1, 0] if space.flat else [1, 1, 1])
    length = float(np.linalg.norm(vector))
    if not length:
        return ()
    direction = vector / length
    side = np.cross(direction, [0.0, 0.0, 1.0])
    if np.linalg.norm(side) < 1e-6:
        side = np.array([1.0, 0.0, 0.0])
    return arrow(middle, middle + 0.6 * space.size * direction, side / np.linalg.norm(side))
