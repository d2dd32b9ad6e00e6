"""Boxes, balls and cylinders as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.errors import ProblemError
from engines.fdtd.parameters import Box, Cylinder, Sphere
from engines.fdtd.placing.kinds import Figure, Space, drawn, mover, number, slider, touching, triple
from engines.fdtd.placing.lines import ball_lines, box_lines, cylinder_lines, unit
from engines.placing import MOVE, Handle, Position

Fields = tuple[Mapping[str, Any], str]


def _material(space: Space) -> dict[str, Any]:
    materials = space.parameters.materials
    return {"material": materials[0].name} if materials else {}


def _size(space: Space) -> float:
    """A quarter of the shortest side that things move along."""
    sides = (space.inner_high - space.inner_low)[space.free()]
    return float(f"{0.25 * float(sides.min() if len(sides) else 1.0):.3g}")


def _fresh_box(space: Space) -> dict[str, Any]:
    half = np.where(space.thin, 0.5 * (space.high - space.low), 0.5 * _size(space))
    return {**_material(space), "low": space.on_nodes(space.middle - half), "high": space.on_nodes(space.middle + half)}


@drawn(Box, _fresh_box)
def box_figure(box: Box, space: Space) -> Figure:
    """Of a box that reaches beyond the grid, the part inside; its handles stand there too."""
    low, high = (np.clip(corner, space.low, space.high) for corner in (box.low, box.high))
    middle = 0.5 * (low + high)
    handles: list[Handle] = [mover(middle, box.low)]
    for axis in space.free():
        for name, corner, sign in (("low", low, -1), ("high", high, 1)):
            at = middle.copy()
            at[axis] = corner[axis]
            handles.append(slider(f"{'xyz'[axis]} {name}", at, axis, sign))

    def changes(handle: str, position: Position) -> Fields:
        new_low, new_high = np.array(box.low), np.array(box.high)
        if handle == MOVE:
            step = np.array(position) - middle
            new_low, new_high = new_low + step, new_high + step
            touching(space, new_low, new_high)
            said = space.place(0.5 * (new_low + new_high))
        else:
            axis = "xyz".index(handle[0])
            drawn, moved = (low, new_low) if handle.endswith("low") else (high, new_high)
            if position[axis] != drawn[axis]:  # a face beyond the grid stays there until its handle is moved
                moved[axis] = position[axis]
            if new_high[axis] - new_low[axis] < 1e-9 * space.reach:
                raise ProblemError(f"A box has a thickness along {handle[0]}: leave its two faces apart.")
            touching(space, new_low, new_high)
            said = f"{handle[0]} {new_low[axis]:.4g} … {new_high[axis]:.4g} {space.unit}"
        return {"low": triple(new_low), "high": triple(new_high)}, said

    return Figure(box_lines(low, high), tuple(handles), changes, box.material)


def _fresh_sphere(space: Space) -> dict[str, Any]:
    return {**_material(space), "center": space.on_nodes(space.middle), "radius": number(0.5 * _size(space))}


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
        return _radius(space, position[axis] - center[axis])

    return Figure(
        ball_lines(sphere.center, sphere.radius, space.thin), tuple(handles), changes, sphere.material
    )  # fmt: skip


def _radius(space: Space, radius: float) -> Fields:
    if radius < 1e-9 * space.reach:
        raise ProblemError("A radius is above zero: keep the handle off the middle.")
    return {"radius": number(radius)}, f"radius {space.length(radius)}"


def _fresh_cylinder(space: Space) -> dict[str, Any]:
    size = _size(space)
    axis = next((axis for axis in (2, 1, 0) if space.thin[axis]), 2)
    length = float((space.high - space.low)[axis]) if space.thin[axis] else 2 * size
    return {
        **_material(space), "center": space.on_nodes(space.middle), "axis": "xyz"[axis], "radius": 0.5 * size,
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
            return _radius(space, position[across] - center[across])
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
