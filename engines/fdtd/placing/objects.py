"""Boxes, balls and cylinders as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api.errors import ProblemError
from engines.api.figures import Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Position
from engines.fdtd.parameters import Box, Cylinder, Sphere
from engines.fdtd.placing.kinds import Space, drawn, touching
from engines.fdtd.placing.slabs import slab_figure
from engines.geometry.lines import ball_lines, cylinder_lines, unit

Fields = tuple[Mapping[str, Any], str]


def material_of(space: Space) -> dict[str, Any]:
    """Of a new object."""
    materials = space.parameters.materials
    return {"material": materials[0].name} if materials else {}


def size_of(space: Space) -> float:
    """A quarter of the shortest side that things move along."""
    sides = (space.inner_high - space.inner_low)[space.free()]
    return float(f"{0.25 * float(sides.min() if len(sides) else 1.0):.3g}")


def _fresh_box(space: Space) -> dict[str, Any]:
    half = np.where(space.thin, 0.5 * (space.high - space.low), 0.5 * size_of(space))
    return {
        **material_of(space),
        "low": space.on_nodes(space.middle - half),
        "high": space.on_nodes(space.middle + half),
    }


@drawn(Box, _fresh_box)
def box_figure(box: Box, space: Space) -> Figure:
    return slab_figure(box.low, box.high, space, "A box", lambda low, high: {"low": low, "high": high}, box.material)


def _fresh_sphere(space: Space) -> dict[str, Any]:
    return {**material_of(space), "center": space.on_nodes(space.middle), "radius": number(0.5 * size_of(space))}


@drawn(Sphere, _fresh_sphere)
def sphere_figure(sphere: Sphere, space: Space) -> Figure:
    center = np.array(sphere.center)
    handles = [mover(center)]
    handles += [slider(f"{'xyz'[axis]} radius", center + sphere.radius * unit(axis), axis) for axis in space.free()]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            touching(space, np.array(position) - sphere.radius, np.array(position) + sphere.radius)
            return {"center": triple(position)}, space.place(position)
        axis = "xyz".index(handle[0])
        return radius_as(space, position[axis] - center[axis])

    return Figure(
        ball_lines(sphere.center, sphere.radius, space.thin), tuple(handles), changes, sphere.material
    )  # fmt: skip


def radius_as(space: Space, radius: float) -> Fields:
    """Raises ProblemError for one that is none."""
    if radius < 1e-9 * space.reach:
        raise ProblemError("A radius is above zero: keep the handle off the middle.")
    return {"radius": number(radius)}, f"radius {space.length(radius)}"


def _fresh_cylinder(space: Space) -> dict[str, Any]:
    size = size_of(space)
    axis = next((axis for axis in (2, 1, 0) if space.thin[axis]), 2)
    length = float((space.high - space.low)[axis]) if space.thin[axis] else 2 * size
    return {
        **material_of(space), "center": space.on_nodes(space.middle), "axis": "xyz"[axis], "radius": 0.5 * size,
        "length": number(length),
    }  # fmt: skip


@drawn(Cylinder, _fresh_cylinder)
def cylinder_figure(cylinder: Cylinder, space: Space) -> Figure:
    center, axis = np.array(cylinder.center), "xyz".index(cylinder.axis)
    half = 0.5 * cylinder.length * unit(axis)
    handles = [mover(center)]
    for across in (d for d in space.free() if d != axis):
        handles.append(slider(f"{'xyz'[across]} radius", center + cylinder.radius * unit(across), across))
    if not space.thin[axis]:
        handles.append(slider("low end", center - half, axis, -1))
        handles.append(slider("high end", center + half, axis))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            reach = cylinder.radius * (1 - unit(axis)) + half
            touching(space, np.array(position) - reach, np.array(position) + reach)
            return {"center": triple(position)}, space.place(position)
        if handle.endswith("radius"):
            across = "xyz".index(handle[0])
            return radius_as(space, position[across] - center[across])
        ends = [center[axis] - cylinder.length / 2, center[axis] + cylinder.length / 2]
        ends[handle == "high end"] = position[axis]
        length = ends[1] - ends[0]
        if length < 1e-9 * space.reach:
            raise ProblemError("A cylinder has a length: leave its two ends apart.")
        middle = center.copy()
        middle[axis] = 0.5 * (ends[0] + ends[1])
        return {"center": triple(middle), "length": number(length)}, f"length {space.length(length)}"

    lines = cylinder_lines(cylinder.center, cylinder.radius, cylinder.length, axis)
    if space.thin[axis]:
        lines = ball_lines(cylinder.center, cylinder.radius, space.thin)
    return Figure(lines, tuple(handles), changes, cylinder.material)
