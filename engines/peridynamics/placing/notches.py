"""Notches as figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Fields, Figure, mover, number, triple
from engines.api.placing import MOVE, Handle, Position
from engines.geometry.lines import arrow, box_lines, unit
from engines.peridynamics.parameters import FlatNotch, HalfSpace, Notch, PennyNotch, PlaneNotch, ShapeNotch
from engines.peridynamics.placing.kinds import Space, drawn, within
from engines.peridynamics.placing.shapes import end_moved, fresh_circle


def _fresh_notch(space: Space) -> dict[str, Any]:
    start = np.array([space.low[0], space.middle[1], 0.0])
    return {"start": space.on_rows(start)[:2], "end": space.on_rows(start + 2 * space.size * unit(0))[:2]}


@drawn(Notch, fresh=_fresh_notch)
def notch_figure(notch: Notch, space: Space) -> Figure:
    """In three dimensions the rectangle between its two heights."""
    start, end = space.at(notch.start), space.at(notch.end)
    if space.flat:
        outline: tuple[Array, ...] = (np.stack([start, end]),)
    else:
        heights = np.clip([notch.low_z, notch.high_z], space.low[2], space.high[2])
        corners = [(start, 0), (end, 0), (end, 1), (start, 1), (start, 0)]
        outline = (np.array([[*at[:2], heights[which]] for at, which in corners]),)
        start[2] = end[2] = heights.mean()
    middle = 0.5 * (start + end)
    handles = (mover(middle, start), Handle("start", triple(start)), Handle("end", triple(end)))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            step[2] = 0.0
            space.touching(np.minimum(start, end) + step, np.maximum(start, end) + step)
            return {"start": triple(start + step)[:2], "end": triple(end + step)[:2]}, space.place(position)
        at = np.array([position[0], position[1], start[2]])
        fields, said = end_moved(space, handle, triple(at), end if handle == "start" else start)
        return {handle: fields[handle][:2]}, said

    return Figure(outline, handles, changes, f"{np.linalg.norm(end - start):.4g} mm")


def _fresh_parallelogram(space: Space) -> dict[str, Any]:
    corner = np.array([space.low[0], space.middle[1], space.low[2]])
    return {
        "corner": space.on_rows(corner), "first": (2 * space.size, 0.0, 0.0),
        "second": (0.0, 0.0, number(space.high[2] - space.low[2])),
    }  # fmt: skip


@drawn(FlatNotch, fresh=_fresh_parallelogram, solid=True)
def parallelogram_figure(notch: FlatNotch, space: Space) -> Figure:
    corner, first, second = (np.array(each) for each in (notch.corner, notch.first, notch.second))
    ring = corner + np.array([0 * first, first, first + second, second, 0 * first])
    middle = corner + 0.5 * (first + second)
    handles = (
        mover(middle, corner), Handle("first", triple(corner + first)), Handle("second", triple(corner + second)),
    )  # fmt: skip

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            space.touching(ring.min(axis=0) + step, ring.max(axis=0) + step)
            return {"corner": triple(corner + step)}, space.place(position)
        edge = np.array(position) - corner
        if np.linalg.norm(np.cross(edge, second if handle == "first" else first)) < 1e-6 * space.frame.spacing**2:
            raise ProblemError("The edges of a cut span an area: keep the handle off the line of the other edge.")
        return {handle: triple(edge)}, f"length {space.length(float(np.linalg.norm(edge)))}"

    return Figure((ring,), handles, changes)


def _fresh_penny(space: Space) -> dict[str, Any]:
    return {"center": space.on_rows(space.middle), "radius": space.size}


@drawn(PennyNotch, fresh=_fresh_penny, solid=True)
def penny_figure(notch: PennyNotch, space: Space) -> Figure:
    center, (first, second) = np.array(notch.center), _across(np.array(notch.normal))
    around = np.linspace(0, 2 * np.pi, 49)[:, None]
    ring = center + notch.radius * (np.cos(around) * first + np.sin(around) * second)
    handles = (mover(center), Handle("radius", triple(center + notch.radius * first), direction=triple(first)))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            space.touching(ring.min(axis=0) + position - center, ring.max(axis=0) + position - center)
            return {"center": triple(position)}, space.place(position)
        radius = space.radius(float((np.array(position) - center) @ first))
        return {"radius": radius}, f"radius {space.length(radius)}"

    return Figure((ring,), handles, changes, f"radius {notch.radius:.4g}")


def _across(normal: Array) -> tuple[Array, Array]:
    """Two directions across a normal and each other. Raises ProblemError for one without length."""
    length = float(np.linalg.norm(normal))
    if length == 0:
        raise ProblemError("The normal has no length: give it a direction.")
    first = np.cross(normal / length, np.eye(3)[int(np.abs(normal).argmin())])
    first /= np.linalg.norm(first)
    return first, np.cross(normal / length, first)


def _fresh_plane(space: Space) -> dict[str, Any]:
    return {"point": space.on_rows(space.middle)}


@drawn(PlaneNotch, fresh=_fresh_plane)
def plane_figure(notch: PlaneNotch, space: Space) -> Figure:
    return _plane(space, notch.point, notch.normal)


@drawn(HalfSpace, fresh=_fresh_plane)
def half_space_figure(region: HalfSpace, space: Space) -> Figure:
    """An arrow points to where it is."""
    figure = _plane(space, region.point, region.direction)
    direction = np.array(region.direction) * ([1, 1, 0] if space.flat else [1, 1, 1])
    direction = direction / np.linalg.norm(direction)
    foot = np.array(figure.handles[0].position)
    side = _across(direction)[1 if space.flat else 0]
    shaft = arrow(foot, foot + 0.5 * space.size * direction, side)
    return Figure((*figure.outline, *shaft), figure.handles, figure.changes)


def _plane(space: Space, point: Position, direction: Position) -> Figure:
    """The part of it that is in the box around the body. Raises ProblemError for a direction without length."""
    normal = np.array(direction) * ([1, 1, 0] if space.flat else [1, 1, 1])
    first, second = _across(normal)
    normal = normal / np.linalg.norm(normal)
    start = space.seen(point)
    # beside the middle of the body, where its handle is well seen
    foot = space.middle + float((start - space.middle) @ normal) * normal

    def changes(handle: str, position: Position) -> Fields:
        step = np.array(position) - foot
        space.touching(np.array(position), np.array(position))
        return {"point": triple(np.array(point) + step)}, space.place(np.array(point) + step)

    meetings = []
    for line in box_lines(space.low, space.high):
        heights = (line - start) @ normal
        for a, b, p, q in zip(heights, heights[1:], line, line[1:], strict=False):
            if (a >= 0) != (b >= 0):
                meetings.append(p + a / (a - b) * (q - p))
    if len(meetings) < 2:
        return Figure((), (mover(foot),), changes)
    found = np.array(meetings)
    around = np.arctan2((found - found.mean(axis=0)) @ second, (found - found.mean(axis=0)) @ first)
    ring = found[np.argsort(around)]
    return Figure((np.concatenate([ring, ring[:1]]),), (mover(foot),), changes)


@drawn(ShapeNotch, fresh=lambda space: {"shape": {"kind": "circle", **fresh_circle(space)}})
def shape_figure(notch: ShapeNotch, space: Space) -> Figure:
    return within("shape", notch, space)
