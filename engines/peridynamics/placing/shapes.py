"""Shapes of holes, cuts and regions as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Fields, Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.geometry.lines import ball_lines, box_lines, cylinder_lines, frustum_lines, unit
from engines.peridynamics.body.corners import corners_of
from engines.peridynamics.parameters import Box, BoxRegion, Circle, Ellipse, Polygon, PolygonPlate, Rod, Sphere
from engines.peridynamics.parameters.contact import Cuboid
from engines.peridynamics.placing.kinds import Space, drawn

MOST_GRIPPED = 40
"""Corners of a polygon that have handles; more would hide it."""


def fresh_circle(space: Space) -> dict[str, Any]:
    return {"center": space.on_rows(space.middle)[:2], "radius": space.size}


@drawn(Circle, fresh=fresh_circle)
def circle_figure(shape: Circle, space: Space) -> Figure:
    center = space.at(shape.center)
    if space.flat:
        outline = ball_lines(triple(center), shape.radius, space.thin)
    else:
        outline = cylinder_lines(triple(center), shape.radius, float(space.high[2] - space.low[2]), 2)
    handles = [mover(center), *_radii(center, shape.radius, (0, 1))]
    reach = np.array([shape.radius, shape.radius, np.inf])

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            space.touching(position - reach, position + reach)
            return {"center": triple(position)[:2]}, space.place(position)
        return _radius(space, handle, position, center)

    return Figure(outline, tuple(handles), changes, f"radius {shape.radius:.4g}")


def _radii(center: Array, radius: float, axes: tuple[int, ...]) -> list[Handle]:
    return [slider(f"{'xyz'[axis]} radius", center + radius * unit(axis), axis) for axis in axes]


def _radius(space: Space, handle: str, position: Position, center: Array) -> Fields:
    axis = "xyz".index(handle[0])
    radius = space.radius(position[axis] - center[axis])
    return {"radius": radius}, f"radius {space.length(radius)}"


def _fresh_ellipse(space: Space) -> dict[str, Any]:
    return {"center": space.on_rows(space.middle)[:2], "radii": (space.size, number(0.5 * space.size))}


@drawn(Ellipse, fresh=_fresh_ellipse)
def ellipse_figure(shape: Ellipse, space: Space) -> Figure:
    """Its length is dragged with its direction."""
    center, angle = space.at(shape.center), np.radians(shape.angle)
    along, across = (np.array([np.cos(turn), np.sin(turn), 0.0]) for turn in (angle, angle + np.pi / 2))
    around = np.linspace(0, 2 * np.pi, 49)[:, None]
    ring = center + shape.radii[0] * np.cos(around) * along + shape.radii[1] * np.sin(around) * across
    ends = {"length": center + shape.radii[0] * along, "width": center + shape.radii[1] * across}
    handles = (mover(center), *(Handle(name, triple(at)) for name, at in ends.items()))

    def changes(handle: str, position: Position) -> Fields:
        away = np.array(position) - center
        if handle == MOVE:
            reach = np.array([max(shape.radii), max(shape.radii), np.inf])
            space.touching(position - reach, position + reach)
            return {"center": triple(position)[:2]}, space.place(position)
        if position == triple(ends[handle]):
            return {}, f"{handle} {space.length(2 * shape.radii[handle == 'width'])}"
        if handle == "width":
            width = space.radius(abs(float(away @ across)))
            return {"radii": (shape.radii[0], width)}, f"width {space.length(2 * width)}"
        length = space.radius(float(np.hypot(away[0], away[1])))
        degrees = number(np.degrees(np.arctan2(away[1], away[0])))
        return {"radii": (length, shape.radii[1]), "angle": degrees}, f"length {2 * length:.4g} mm, {degrees:.3g}°"

    return Figure(_through(space, ring), handles, changes)


def _through(space: Space, ring: Array) -> tuple[Array, ...]:
    """An outline of the plane; in three dimensions at both ends of the body."""
    if space.flat:
        return (ring,)
    return tuple(np.column_stack([ring[:, :2], np.full(len(ring), end)]) for end in (space.low[2], space.high[2]))


def _fresh_polygon(space: Space) -> dict[str, Any]:
    size = 0.5 * space.size
    ways = ((-1, -1), (1, -1), (0, 1))
    corners = (space.on_rows(space.middle + size * np.array([*way, 0.0])) for way in ways)
    return {"points": [corner[:2] for corner in corners]}


@drawn(Polygon, PolygonPlate, fresh=_fresh_polygon)
def polygon_figure(shape: Polygon | PolygonPlate, space: Space) -> Figure:
    """Corners are dragged one by one where there are not many and no file gives them."""
    corners = np.array(shape.points, float).reshape(-1, 2)
    if shape.file:
        corners = corners_of(shape)
    if not len(corners):
        return Figure(())
    height = np.full((len(corners), 1), space.middle[2])
    ring = np.hstack([corners, height])
    closed = np.concatenate([ring, ring[:1]])
    if shape.file:
        return Figure(_through(space, closed), detail=f"{len(corners)} corners")
    middle = 0.5 * (ring.min(axis=0) + ring.max(axis=0))
    handles: list[Handle] = [mover(middle, ring[0])]
    if len(corners) <= MOST_GRIPPED:
        handles += [Handle(f"corner {n}", triple(corner)) for n, corner in enumerate(ring, 1)]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            if isinstance(shape, Polygon):
                space.touching(ring.min(axis=0) + step, ring.max(axis=0) + step)
            return {"points": [triple(corner + step)[:2] for corner in ring]}, space.place(position)
        points = list(shape.points)
        points[int(handle.split()[1]) - 1] = triple(position)[:2]
        return {"points": points}, space.place(position)

    return Figure(_through(space, closed), tuple(handles), changes, f"{len(corners)} corners")


def _fresh_box(space: Space) -> dict[str, Any]:
    half = 0.5 * np.array([space.size, space.size, 0.0 if space.flat else space.size])
    low, high = (space.on_rows(space.middle + way * half) for way in (-1, 1))
    return {"low": low, "high": high}


@drawn(Box, BoxRegion, fresh=_fresh_box)
def box_figure(shape: Box, space: Space) -> Figure:
    return cornered(shape, space, inside=True)


def cornered(shape: Box | Cuboid, space: Space, inside: bool) -> Figure:
    """Two corners, and a handle on each side; ``inside``: a part of it stays in the body."""
    low, high = space.seen(shape.low), space.seen(shape.high)
    middle = 0.5 * (low + high)
    handles: list[Handle] = [mover(middle, low)]
    for axis in space.free():
        for name, corner, sign in (("low", low, -1), ("high", high, 1)):
            at = np.where(np.arange(3) == axis, corner, middle)
            handles.append(slider(f"{'xyz'[axis]} {name}", at, axis, sign))
    handles += [Handle("low corner", triple(low)), Handle("high corner", triple(high))]

    def changes(handle: str, position: Position) -> Fields:
        corners = {"low": np.array(shape.low), "high": np.array(shape.high)}
        free = np.isin(np.arange(3), space.free())
        if handle == MOVE:
            step = np.where(free, np.array(position) - middle, 0.0)
            if inside:
                space.touching(low + step, high + step)
            return {name: triple(corner + step) for name, corner in corners.items()}, space.place(position)
        moved = free if handle.endswith("corner") else np.arange(3) == "xyz".index(handle[0])
        name = "low" if "low" in handle else "high"
        corners[name] = np.where(moved, position, corners[name])
        thickness = (corners["high"] - corners["low"])[space.free()]
        if (thickness <= 0).any():
            raise ProblemError("A box has a size along each axis: leave its two corners apart.")
        return {name: triple(corners[name])}, " × ".join(f"{each:.4g}" for each in thickness) + " mm"

    return Figure(box_lines(low, high), tuple(handles), changes)


def _fresh_sphere(space: Space) -> dict[str, Any]:
    return {"center": space.on_rows(space.middle), "radius": space.size}


@drawn(Sphere, fresh=_fresh_sphere, solid=True)
def sphere_figure(shape: Sphere, space: Space) -> Figure:
    center = np.array(shape.center)
    handles = (mover(center), *_radii(center, shape.radius, (0, 1, 2)))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            space.touching(np.array(position) - shape.radius, np.array(position) + shape.radius)
            return {"center": triple(position)}, space.place(position)
        return _radius(space, handle, position, center)

    return Figure(ball_lines(shape.center, shape.radius, space.thin), handles, changes, f"radius {shape.radius:.4g}")


def _fresh_rod(space: Space) -> dict[str, Any]:
    ends = np.array([space.low[0], space.high[0]])
    start, end = (space.on_rows(np.array([end, space.middle[1], space.middle[2]])) for end in ends)
    return {"start": start, "end": end, "radius": number(0.5 * space.size)}


@drawn(Rod, fresh=_fresh_rod, solid=True)
def rod_figure(shape: Rod, space: Space) -> Figure:
    """Its two ends move freely."""
    start, end = np.array(shape.start), np.array(shape.end)
    middle = 0.5 * (start + end)
    across = int(np.abs(end - start).argmin())
    grip = slider("radius", middle + shape.radius * unit(across), across)
    handles = (mover(middle, start), Handle("start", shape.start), Handle("end", shape.end), grip)

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            low, high = np.minimum(start, end) - shape.radius, np.maximum(start, end) + shape.radius
            space.touching(low + step, high + step)
            return {"start": triple(start + step), "end": triple(end + step)}, space.place(position)
        if handle == "radius":
            radius = space.radius(position[across] - middle[across])
            return {"radius": radius}, f"radius {space.length(radius)}"
        return end_moved(space, handle, position, end if handle == "start" else start)

    return Figure(frustum_lines(start, end, shape.radius, shape.radius), handles, changes)


def end_moved(space: Space, handle: str, position: Position, other: Array) -> Fields:
    """One of two ends. Raises ProblemError where it would stand on the other."""
    away = (np.array(position) - other)[space.free()]
    if np.linalg.norm(away) < 1e-6 * space.frame.spacing:
        raise ProblemError("It has a length: leave its two ends apart.")
    fields: Mapping[str, Any] = {handle: triple(position)}
    return fields, f"{space.place(position)}, length {space.length(float(np.linalg.norm(away)))}"
