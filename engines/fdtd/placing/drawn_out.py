"""Polygons, pictures, surfaces of files and painted spots as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.fdtd.parameters import Painted, PictureObject, Polygon, SurfaceObject
from engines.fdtd.placing.kinds import Space, drawn, touching
from engines.fdtd.placing.objects import material_of, size_of
from engines.fdtd.placing.slabs import slab_figure
from engines.geometry.lines import ball_lines, box_lines
from engines.geometry.solids.extruded import ACROSS
from engines.geometry.solids.surface import SurfaceSolid

Fields = tuple[Mapping[str, Any], str]
MOST_GRIPPED = 40
"""Corners of a polygon that have handles; more would hide it."""
MOST_SPOTS = 100
"""Painted balls that are drawn one by one; of more there is the box around them."""


def _thin_axis(space: Space) -> int:
    return next((axis for axis in (2, 1, 0) if space.thin[axis]), 2)


def _span(space: Space, axis: int) -> tuple[float, float]:
    """Where something new that is drawn out begins and ends: through a grid of one cell."""
    if space.thin[axis]:
        return number(space.low[axis]), number(space.high[axis])
    half = 0.5 * size_of(space)
    low, high = (space.on_nodes(space.middle + way * half)[axis] for way in (-1, 1))
    return low, high


def _fresh_polygon(space: Space) -> dict[str, Any]:
    axis = _thin_axis(space)
    low, high = _span(space, axis)
    u, v = (space.middle[d] for d in ACROSS[axis])
    size = size_of(space)
    points = [(u - size / 2, v - size / 2), (u + size / 2, v - size / 2), (u, v + size / 2)]
    rounded = [(number(a), number(b)) for a, b in points]
    return {**material_of(space), "axis": "xyz"[axis], "low": low, "high": high, "points": rounded}


@drawn(Polygon, _fresh_polygon)
def polygon_figure(polygon: Polygon, space: Space) -> Figure:
    """Its outlines at both ends, with lines between; corners are dragged one by one where there are not many."""
    axis = "xyz".index(polygon.axis)
    u, v = ACROSS[axis]
    ends = [float(np.clip(end, space.low[axis], space.high[axis])) for end in (polygon.low, polygon.high)]
    points = np.array(polygon.points, float).reshape(-1, 2)
    if not len(points):
        return Figure((), detail=polygon.material)

    def in_space(flat: Array, at: float) -> Array:
        found = np.full((len(flat), 3), at)
        found[:, u], found[:, v] = flat[:, 0], flat[:, 1]
        return found

    outlines = [points, *(np.array(hole.points, float).reshape(-1, 2) for hole in polygon.holes if hole.points)]
    closed = [np.concatenate([each, each[:1]]) for each in outlines]
    lines = [in_space(each, end) for each in closed for end in (ends[:1] if space.thin[axis] else ends)]
    if not space.thin[axis] and len(points) <= MOST_GRIPPED:
        low, high = (in_space(points, end) for end in ends)
        lines += [np.stack(pair) for pair in zip(low, high, strict=True)]
    middle = in_space(0.5 * (points.min(axis=0) + points.max(axis=0))[None], 0.5 * (ends[0] + ends[1]))[0]
    handles: list[Handle] = [mover(middle, in_space(points[:1], ends[0])[0])]
    if not space.thin[axis]:
        for name, end, sign in (("low end", ends[0], -1), ("high end", ends[1], 1)):
            at = middle.copy()
            at[axis] = end
            handles.append(slider(name, at, axis, sign))
    if len(points) <= MOST_GRIPPED:
        corners = in_space(points, ends[1])
        handles += [Handle(f"corner {n}", triple(corner)) for n, corner in enumerate(corners, 1)]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            shifted = [[(number(a + step[u]), number(b + step[v])) for a, b in each] for each in outlines]
            fields: dict[str, Any] = {"points": shifted[0], "holes": [{"points": each} for each in shifted[1:]]}
            if not space.thin[axis]:
                fields |= {"low": number(polygon.low + step[axis]), "high": number(polygon.high + step[axis])}
            bounds = in_space(points, 0.0)
            low, high = bounds.min(axis=0) + step, bounds.max(axis=0) + step
            low[axis], high[axis] = polygon.low + step[axis], polygon.high + step[axis]
            touching(space, low, high)
            return fields, space.place(position)
        if handle.endswith("end"):
            both = [position[axis], polygon.high] if handle == "low end" else [polygon.low, position[axis]]
            if both[1] - both[0] < 1e-9 * space.reach:
                raise ProblemError("A polygon has a height: leave its two ends apart.")
            return {"low": number(both[0]), "high": number(both[1])}, f"height {space.length(both[1] - both[0])}"
        corner = [(float(a), float(b)) for a, b in points]
        corner[int(handle.split()[1]) - 1] = (number(position[u]), number(position[v]))
        return {"points": corner}, space.place(position)

    return Figure(tuple(lines), tuple(handles), changes, polygon.material)


def _fresh_picture(space: Space) -> dict[str, Any]:
    axis, size = _thin_axis(space), size_of(space)
    low, high = _span(space, axis)
    corner = tuple(number(space.middle[d] - size / 2) for d in ACROSS[axis])
    fields = {"axis": "xyz"[axis], "low": low, "high": high, "corner": corner, "size": (number(size), number(size))}
    return {**material_of(space), **fields}


@drawn(PictureObject, _fresh_picture)
def picture_figure(picture: PictureObject, space: Space) -> Figure:
    """The box that it is drawn out in."""
    axis = "xyz".index(picture.axis)
    across = ACROSS[axis]
    low, high = np.zeros(3), np.zeros(3)
    low[axis], high[axis] = picture.low, picture.high
    low[list(across)] = picture.corner
    high[list(across)] = np.array(picture.corner) + picture.size

    def fields(low: Position, high: Position) -> Mapping[str, Any]:
        size = tuple(number(high[d] - low[d]) for d in across)
        return {"low": low[axis], "high": high[axis], "corner": tuple(low[d] for d in across), "size": size}

    return slab_figure(triple(low), triple(high), space, "A picture", fields, picture.material)


@drawn(SurfaceObject, material_of)
def surface_figure(surface: SurfaceObject, space: Space) -> Figure:
    """The box around it as it stands before it is turned. Raises ProblemError for a file that cannot be read."""
    if not surface.file:
        return Figure((), detail=surface.material)
    low, high = SurfaceSolid(surface.file, surface.scale, surface.shift, None).bounds()
    middle = 0.5 * (low + high)

    def changes(handle: str, position: Position) -> Fields:
        step = np.array(position) - middle
        touching(space, low + step, high + step)
        return {"shift": triple(np.array(surface.shift) + step)}, space.place(position)

    return Figure(box_lines(low, high), (mover(middle, low),), changes, surface.material)


def _fresh_painted(space: Space) -> dict[str, Any]:
    spot = (*space.on_nodes(space.middle), number(0.25 * size_of(space)))
    return {**material_of(space), "spots": [spot]}


@drawn(Painted, _fresh_painted)
def painted_figure(painted: Painted, space: Space) -> Figure:
    spots = np.array(painted.spots, float).reshape(-1, 4)
    if not len(spots):
        return Figure((), detail=painted.material)
    low = (spots[:, :3] - spots[:, 3:]).min(axis=0)
    high = (spots[:, :3] + spots[:, 3:]).max(axis=0)
    middle = 0.5 * (low + high)

    def changes(handle: str, position: Position) -> Fields:
        step = np.array(position) - middle
        touching(space, low + step, high + step)
        moved: Sequence[Any] = [(*triple(spot[:3] + step), float(spot[3])) for spot in spots]
        return {"spots": moved}, space.place(position)

    if len(spots) > MOST_SPOTS:
        lines = box_lines(low, high)
    else:
        lines = tuple(line for spot in spots for line in ball_lines(triple(spot[:3]), spot[3], space.thin))
    return Figure(lines, (mover(middle),), changes, painted.material)
