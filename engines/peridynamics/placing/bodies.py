"""The body itself as a figure: its sizes are dragged."""

from __future__ import annotations

import numpy as np

from engines.api.errors import ProblemError
from engines.api.figures import Fields, Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Position
from engines.geometry.lines import ball_lines, box_lines, cylinder_lines, unit
from engines.peridynamics.body.filling import extent_of
from engines.peridynamics.parameters import Ball, Block, Cylinder, Disc, FlatRing, Plate, SurfaceBody, Tube
from engines.peridynamics.placing.kinds import Space, drawn


@drawn(Plate, Block)
def rectangular_figure(body: Plate | Block, space: Space) -> Figure:
    sizes = [body.size_x, body.size_y, 0.0 if isinstance(body, Plate) else body.size_z]
    low = np.where(space.thin, space.middle, 0.0)
    high = low + sizes
    middle = 0.5 * (low + high)
    handles = [
        slider(f"{'xyz'[axis]} size", np.where(np.arange(3) == axis, high, middle), axis) for axis in space.free()
    ]

    def changes(handle: str, position: Position) -> Fields:
        axis = "xyz".index(handle[0])
        if position[axis] < 2 * space.frame.spacing:
            raise ProblemError("A body is two particles wide or more: leave its sides apart.")
        return {f"size_{handle[0]}": number(position[axis])}, f"{handle[0]} {space.length(position[axis])}"

    return Figure(box_lines(low, high), tuple(handles), changes, " × ".join(f"{size:.4g}" for size in sizes if size))


@drawn(Disc, FlatRing, Cylinder, Tube, Ball)
def round_figure(body: Disc | FlatRing | Cylinder | Tube | Ball, space: Space) -> Figure:
    center = space.at(body.center) if isinstance(body, Disc | FlatRing) else np.array(body.center)
    axis = "xyz".index(body.axis) if isinstance(body, Cylinder | Tube) else None
    radii = {"radius": body.radius}
    if isinstance(body, FlatRing | Tube):
        radii["inner_radius"] = body.inner_radius
    across = 1 if axis == 0 else 0
    handles = [mover(center), *(slider(name, center + r * unit(across), across) for name, r in radii.items())]
    if isinstance(body, Cylinder | Tube) and axis is not None:
        handles.append(slider("length", center + 0.5 * body.length * unit(axis), axis))
        outline = [
            line for r in radii.values() for line in cylinder_lines(triple(center), r, body.length, axis)
        ]  # fmt: skip
    else:
        outline = [line for r in radii.values() for line in ball_lines(triple(center), r, space.thin)]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            moved = triple(position)
            return {"center": moved[:2] if space.flat else moved}, space.place(position)
        if handle == "length":
            length = space.radius(2 * (position[axis or 0] - center[axis or 0]))
            return {"length": length}, f"length {space.length(length)}"
        radius = space.radius(position[across] - center[across])
        if {**radii, handle: radius}.get("inner_radius", 0.0) >= {**radii, handle: radius}["radius"]:
            raise ProblemError("The inner radius is below the outer one: leave them apart.")
        return {handle: radius}, f"{handle.replace('_', ' ')} {space.length(radius)}"

    return Figure(tuple(outline), tuple(handles), changes, f"radius {body.radius:.4g}")


@drawn(SurfaceBody)
def surface_figure(body: SurfaceBody, space: Space) -> Figure:
    """The box around it. Raises ProblemError for a file that cannot be read."""
    low, high = extent_of(body)
    middle = 0.5 * (low + high)

    def changes(handle: str, position: Position) -> Fields:
        return {"shift": triple(np.array(body.shift) + position - middle)}, space.place(position)

    return Figure(box_lines(low, high), (mover(middle, low),), changes)
