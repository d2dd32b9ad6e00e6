"""Penetrators and supports as figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.figures import Fields, Figure, kind_title, mover, number, slider, triple
from engines.api.placing import MOVE, Faces, Handle, NewItem, Position
from engines.geometry.lines import ball_lines
from engines.peridynamics.contact.shapes import solid_of
from engines.peridynamics.parameters import Penetrator
from engines.peridynamics.parameters.contact import Ball, Cuboid, Cylinder, Driven, Fixed, Form, Motion, Plane, Shifted
from engines.peridynamics.placing.kinds import Space, drawn, within
from engines.peridynamics.placing.regions import arrow_along
from engines.peridynamics.placing.shapes import cornered


@drawn(Penetrator)
def penetrator_figure(penetrator: Penetrator, space: Space) -> Figure:
    """Its form, with an arrow along its motion."""
    form, motion = penetrator.form, penetrator.motion
    figure = within("form", penetrator, space)
    if not figure.outline:
        return figure
    middle = np.array(figure.handles[0].position)
    shaft = arrow_along(_way(motion), middle, space)
    said = f"{form.kind}, {motion.kind}"
    faces = partial(_faces, form, space, middle)
    return replace(figure, outline=(*figure.outline, *shaft), detail=said, faces=faces)


def _faces(form: Form, space: Space, middle: Array) -> Faces:
    """Where its middle is drawn; in a plate as thick as the particles are."""
    solid = solid_of(form, space.frame.dimensions)
    return solid.moved(middle - solid.center).faces(_extent(space), space.frame.spacing)


def _extent(space: Space) -> float:
    """Half of the side of a plane, which is a little wider than the body."""
    return 0.55 * float((space.high - space.low).max())


def _way(motion: Motion) -> Array:
    if isinstance(motion, Fixed):
        return np.zeros(3)
    return np.array(motion.displacement if isinstance(motion, Shifted) else motion.velocity)


@drawn(Ball)
def ball_figure(ball: Ball, space: Space) -> Figure:
    center = space.seen(ball.center)
    sizes = [slider(f"{'xyz'[axis]} radius", center + ball.radius * np.eye(3)[axis], axis) for axis in space.free()]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            return {"center": _placed(space, position, ball.center)}, space.place(position)
        axis = "xyz".index(handle[0])
        radius = space.radius(position[axis] - center[axis])
        return {"radius": radius}, f"radius {space.length(radius)}"

    return Figure(ball_lines(triple(center), ball.radius, space.thin), (mover(center), *sizes), changes)


@drawn(Cylinder, solid=True)
def cylinder_figure(cylinder: Cylinder, space: Space) -> Figure:
    """Raises ProblemError for a direction without length."""
    solid = solid_of(cylinder, space.frame.dimensions)
    center, axis = solid.center, solid.axis
    across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    across /= np.linalg.norm(across)
    ends = {"length": (0.5 * cylinder.length, axis), "radius": (cylinder.radius, across)}
    handles = [Handle(name, triple(center + far * way), triple(way)) for name, (far, way) in ends.items()]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            return {"center": triple(position)}, space.place(position)
        size = space.radius(float((np.array(position) - center) @ ends[handle][1]))
        size = number(2 * size) if handle == "length" else size
        return {handle: size}, f"{handle} {space.length(size)}"

    return Figure(solid.outline(0.0), (mover(center), *handles), changes)


@drawn(Plane)
def plane_figure(plane: Plane, space: Space) -> Figure:
    """As wide as the body; raises ProblemError for a normal without length."""
    solid = solid_of(plane, space.frame.dimensions)
    point = space.seen(plane.point)
    outline = solid.moved(point - solid.center).outline(_extent(space))

    def changes(handle: str, position: Position) -> Fields:
        return {"point": _placed(space, position, plane.point)}, space.place(position)

    return Figure((*outline, *arrow_along(0.5 * solid.axis, point, space)), (mover(point),), changes)


@drawn(Cuboid)
def cuboid_figure(cuboid: Cuboid, space: Space) -> Figure:
    return cornered(cuboid, space, inside=False)


def _placed(space: Space, position: Position, before: Position) -> Position:
    """In a plate z stays as it was."""
    return (*position[:2], before[2]) if space.flat else position


def new_penetrators(space: Space) -> Iterator[NewItem]:
    """A ball and a bar that come down on the body, a plane and a block below it that hold it."""
    forms: list[tuple[type[BaseModel], type[BaseModel]]] = [(Ball, Driven), (Plane, Fixed), (Cuboid, Fixed)]
    if not space.flat:
        forms.insert(1, (Cylinder, Driven))
    for form, motion in forms:
        yield NewItem(kind_title(form), Penetrator, partial(_made, space, form, motion))


def _made(space: Space, form: type[BaseModel], motion: type[BaseModel]) -> BaseModel:
    """Touching the body from outside."""
    above, below, radius = space.middle.copy(), space.middle.copy(), number(0.35 * space.size)
    above[1], below[1] = space.high[1] + radius, space.low[1]
    if space.flat:
        above[2] = below[2] = 0.0
    fields: dict[type[BaseModel], dict[str, Any]] = {
        Ball: {"center": triple(above), "radius": radius},
        Cylinder: {"center": triple(above), "radius": radius, "length": number(space.high[2] - space.low[2])},
        Plane: {"point": triple(below)},
        Cuboid: {
            "low": triple(below - radius * np.array([1.0, 2.0, not space.flat])),
            "high": triple(below + radius * np.array([1.0, 0.0, not space.flat])),
        },
    }
    return Penetrator.model_validate({"form": form(**fields[form]), "motion": motion()})
