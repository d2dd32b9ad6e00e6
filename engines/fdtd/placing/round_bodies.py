"""Ellipsoids, rods, cones, rings and tori as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.fdtd.parameters import Cone, Ellipsoid, Ring, Rod, Torus
from engines.fdtd.placing.kinds import Space, drawn, touching
from engines.fdtd.placing.objects import material_of, radius_as, size_of
from engines.geometry.lines import circle, ellipse, frustum_lines, unit

Fields = tuple[Mapping[str, Any], str]


def _axis(space: Space) -> int:
    """The axis that a new round body stands along: one of a single cell, where there is one."""
    return next((axis for axis in (2, 1, 0) if space.thin[axis]), 2)


def _extent(space: Space, axis: int) -> float:
    """The length of a new body along its axis: through a grid of one cell."""
    return number(float((space.high - space.low)[axis]) if space.thin[axis] else size_of(space))


def _across(space: Space, axis: int) -> list[int]:
    return [d for d in space.free() if d != axis]


def _placed(space: Space, position: Position, reach: Array) -> Fields:
    touching(space, np.array(position) - reach, np.array(position) + reach)
    return {"center": triple(position)}, space.place(position)


def _ends(space: Space, center: Array, axis: int, length: float, handle: str, position: Position) -> tuple[Any, float]:
    """Centre and length when one of the two ends is elsewhere. Raises ProblemError."""
    ends = [center[axis] - length / 2, center[axis] + length / 2]
    ends[handle == "high end"] = position[axis]
    if ends[1] - ends[0] < 1e-9 * space.reach:
        raise ProblemError("It has a length: leave its two ends apart.")
    middle = center.copy()
    middle[axis] = 0.5 * (ends[0] + ends[1])
    return triple(middle), number(ends[1] - ends[0])


def _end_handles(space: Space, center: Array, axis: int, length: float) -> list[Handle]:
    if space.thin[axis]:
        return []
    half = 0.5 * length * unit(axis)
    return [slider("low end", center - half, axis, -1), slider("high end", center + half, axis)]


def _fresh_ellipsoid(space: Space) -> dict[str, Any]:
    radii = [number(0.5 * size_of(space) * part) for part in (1.2, 0.8, 0.6)]
    return {**material_of(space), "center": space.on_nodes(space.middle), "radii": tuple(radii)}


@drawn(Ellipsoid, _fresh_ellipsoid)
def ellipsoid_figure(body: Ellipsoid, space: Space) -> Figure:
    center, radii = np.array(body.center), np.array(body.radii)
    handles = [mover(center)]
    handles += [slider(f"{'xyz'[axis]} radius", center + radii[axis] * unit(axis), axis) for axis in space.free()]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            return _placed(space, position, radii)
        axis = "xyz".index(handle[0])
        fields, said = radius_as(space, position[axis] - center[axis])
        new = radii.copy()
        new[axis] = fields["radius"]
        return {"radii": triple(new)}, said

    axes = [axis for axis in range(3) if space.thin[axis]] or range(3)
    return Figure(tuple(ellipse(center, radii, axis) for axis in axes), tuple(handles), changes, body.material)


def _fresh_rod(space: Space) -> dict[str, Any]:
    axis, size = next(iter(space.free()), 0), size_of(space)
    ends = [space.on_nodes(space.middle + way * size * unit(axis)) for way in (-1, 1)]
    return {**material_of(space), "start": ends[0], "end": ends[1], "radius": number(0.25 * size)}


@drawn(Rod, _fresh_rod)
def rod_figure(rod: Rod, space: Space) -> Figure:
    """Its two ends move freely."""
    start, end = np.array(rod.start), np.array(rod.end)
    middle, along = 0.5 * (start + end), end - start
    handles = [mover(middle, rod.start), Handle("start", triple(start)), Handle("end", triple(end))]
    across = min(space.free(), key=lambda axis: abs(along[axis]), default=None)
    if across is not None:
        handles.append(slider("radius", middle + rod.radius * unit(across), across))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            step = np.array(position) - middle
            low, high = np.minimum(start, end) - rod.radius, np.maximum(start, end) + rod.radius
            touching(space, low + step, high + step)
            return {"start": triple(start + step), "end": triple(end + step)}, space.place(position)
        if handle == "radius":
            assert across is not None
            return radius_as(space, position[across] - middle[across])
        other = end if handle == "start" else start
        if np.linalg.norm(np.array(position) - other) < 1e-9 * space.reach:
            raise ProblemError("A rod has a length: leave its two ends apart.")
        return {handle: triple(position)}, space.place(position)

    return Figure(frustum_lines(start, end, rod.radius, rod.radius), tuple(handles), changes, rod.material)


def _fresh_cone(space: Space) -> dict[str, Any]:
    axis = _axis(space)
    return {
        **material_of(space), "center": space.on_nodes(space.middle), "axis": "xyz"[axis],
        "radius_low": number(0.5 * size_of(space)), "length": _extent(space, axis),
    }  # fmt: skip


@drawn(Cone, _fresh_cone)
def cone_figure(cone: Cone, space: Space) -> Figure:
    center, axis = np.array(cone.center), "xyz".index(cone.axis)
    half = 0.5 * cone.length * unit(axis)
    radii = {
        "low radius": (cone.radius_low, "radius_low", -half),
        "high radius": (cone.radius_high, "radius_high", half),
    }
    handles = [mover(center), *_end_handles(space, center, axis, cone.length)]
    across = next(iter(_across(space, axis)), None)
    if across is not None:
        handles += [slider(name, center + at + r * unit(across), across) for name, (r, _, at) in radii.items()]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            widest = max(cone.radius_low, cone.radius_high)
            return _placed(space, position, widest * (1 - unit(axis)) + half)
        if handle in radii:
            assert across is not None
            radius = max(position[across] - center[across], 0.0)  # a tip has none
            others = [each for name, (each, _, _) in radii.items() if name != handle]
            if radius < 1e-9 * space.reach and not others[0]:
                raise ProblemError("A cone has a radius at one end at least: keep the handle off its axis.")
            return {radii[handle][1]: number(radius)}, f"radius {space.length(radius)}"
        middle, length = _ends(space, center, axis, cone.length, handle, position)
        return {"center": middle, "length": length}, f"length {space.length(length)}"

    lines = frustum_lines(center - half, center + half, cone.radius_low, cone.radius_high)
    return Figure(lines, tuple(handles), changes, cone.material)


def _fresh_ring(space: Space) -> dict[str, Any]:
    axis, size = _axis(space), size_of(space)
    return {
        **material_of(space), "center": space.on_nodes(space.middle), "axis": "xyz"[axis], "radius": size,
        "width": number(0.3 * size), "height": _extent(space, axis) * (1.0 if space.thin[axis] else 0.3),
    }  # fmt: skip


@drawn(Ring, _fresh_ring)
def ring_figure(ring: Ring, space: Space) -> Figure:
    center, axis = np.array(ring.center), "xyz".index(ring.axis)
    inner, outer = max(ring.radius - ring.width / 2, 0.0), ring.radius + ring.width / 2
    handles = [mover(center), *_end_handles(space, center, axis, ring.height)]
    across = next(iter(_across(space, axis)), None)
    if across is not None:
        handles += [slider(name, center + r * unit(across), across) for name, r in (("inner", inner), ("outer", outer))]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            return _placed(space, position, outer * (1 - unit(axis)) + 0.5 * ring.height * unit(axis))
        if handle in ("inner", "outer"):
            assert across is not None
            radius = position[across] - center[across]
            bounds = (radius, outer) if handle == "inner" else (inner, radius)
            if bounds[0] < 0 or bounds[1] - bounds[0] < 1e-9 * space.reach:
                raise ProblemError("A ring has a width: leave its inner edge within its outer one.")
            width, radius = number(bounds[1] - bounds[0]), number(0.5 * (bounds[0] + bounds[1]))
            return {"radius": radius, "width": width}, f"radius {space.length(radius)}, width {space.length(width)}"
        middle, height = _ends(space, center, axis, ring.height, handle, position)
        return {"center": middle, "height": height}, f"height {space.length(height)}"

    half = 0.5 * ring.height * unit(axis)
    lines = [line for r in (inner, outer) if r > 0 for line in frustum_lines(center - half, center + half, r, r)]
    return Figure(tuple(lines), tuple(handles), changes, ring.material)


def _fresh_torus(space: Space) -> dict[str, Any]:
    return {
        **material_of(space), "center": space.on_nodes(space.middle), "axis": "xyz"[_axis(space)],
        "radius": size_of(space), "tube_radius": number(0.2 * size_of(space)),
    }  # fmt: skip


@drawn(Torus, _fresh_torus)
def torus_figure(torus: Torus, space: Space) -> Figure:
    center, axis = np.array(torus.center), "xyz".index(torus.axis)
    radius, tube = torus.radius, torus.tube_radius
    handles, across = [mover(center)], _across(space, axis)
    if across:
        handles += [
            slider("radius", center + radius * unit(across[0]), across[0]),
            slider("tube", center + (radius + tube) * unit(across[-1]), across[-1]),
        ]

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            return _placed(space, position, (radius + tube) * (1 - unit(axis)) + tube * unit(axis))
        if handle == "radius":
            return radius_as(space, position[across[0]] - center[across[0]])
        fields, said = radius_as(space, position[across[-1]] - center[across[-1]] - radius)
        return {"tube_radius": fields["radius"]}, f"tube {said}"

    lines = [circle(triple(center), r, axis) for r in (radius - tube, radius + tube) if r > 0]
    if not space.thin[axis]:
        lines += [circle(triple(center + way * tube * unit(axis)), radius, axis) for way in (-1, 1)]
        for d in ((axis + 1) % 3, (axis + 2) % 3):
            other = 3 - axis - d
            lines += [circle(triple(center + way * radius * unit(d)), tube, other) for way in (-1, 1)]
    return Figure(tuple(lines), tuple(handles), changes, torus.material)
