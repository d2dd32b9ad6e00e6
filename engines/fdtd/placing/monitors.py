"""Monitors and ports as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.fdtd.parameters import (
    BoxMonitor,
    LumpedPort,
    ObliqueWaveSource,
    PlaneMonitor,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.parameters.monitors import FAR
from engines.fdtd.placing.kinds import Space, drawn, in_open
from engines.fdtd.placing.slabs import slab_figure
from engines.geometry.lines import arrow, box_lines, circle, unit

Fields = tuple[Mapping[str, Any], str]


def _beside(space: Space) -> Position:
    """Half-way from the middle, where a new source stands, to the layers, along the first axis of more than a cell."""
    place = np.array(space.middle, float)
    axis = _first(space)
    place[axis] = 0.5 * (place[axis] + space.inner_high[axis])
    return space.on_nodes(place)


def _first(space: Space) -> int:
    return next(iter(space.free()), 0)


def _side(space: Space, axis: int) -> Array:
    """A direction across an axis, in the plane where there is one."""
    return unit(next((d for d in space.free() if d != axis), (axis + 1) % 3))


def _inner_box(space: Space) -> dict[str, Any]:
    """Corners of a new box: an eighth off what the absorbing layers leave, or around the boxes of plane waves; through
    a grid of one cell."""
    waves = [each.margin for each in space.parameters.sources if isinstance(each, WaveSource | ObliqueWaveSource)]
    low, high = space.inner_low.copy(), space.inner_high.copy()
    for d in space.free():
        nodes = space.yee.nodes(d)
        first, last = (space.yee.node_at(d, end[d]) for end in (low, high))
        off = min(waves) // 2 if waves else (last - first) // 8
        low[d], high[d] = nodes[first + off], nodes[last - off]
    return {"low": triple(low), "high": triple(high)}


@drawn(TraceMonitor, lambda space: {"place": _beside(space)})
def trace_figure(trace: TraceMonitor, space: Space) -> Figure:
    """A cross of three lines."""
    place, size = np.array(trace.place), 0.3 * space.reach
    lines = [np.stack([place - size * unit(axis), place + size * unit(axis)]) for axis in space.free() or [0]]

    def changes(handle: str, position: Position) -> Fields:
        in_open(space, position)
        return {"place": triple(position)}, space.place(position)

    return Figure(tuple(lines), (mover(place),), changes, " ".join(trace.components))


def _fresh_plane(space: Space) -> dict[str, Any]:
    axis = _first(space)
    return {"axis": "xyz"[axis], "position": _beside(space)[axis]}


@drawn(PlaneMonitor, _fresh_plane)
def plane_figure(plane: PlaneMonitor, space: Space) -> Figure:
    """Its rectangle as far as the absorbing layers, and an arrow to where power counts as positive."""
    axis = "xyz".index(plane.axis)
    low, high = (np.clip(corner, space.inner_low, space.inner_high) for corner in (plane.low, plane.high))
    low[axis] = high[axis] = plane.position
    middle = 0.5 * (low + high)
    free = [d for d in space.free() if d != axis]
    bounded = any(abs(corner[d]) < FAR for d in free for corner in (plane.low, plane.high))
    handles = [mover(middle) if bounded else Handle(MOVE, triple(middle), triple(unit(axis)))]
    for d in free:
        for name, corner, sign in (("low", low, -1), ("high", high, 1)):
            at = middle.copy()
            at[d] = corner[d]
            handles.append(slider(f"{'xyz'[d]} {name}", at, d, sign))

    def changes(handle: str, position: Position) -> Fields:
        new_low, new_high = np.array(plane.low), np.array(plane.high)
        if handle == MOVE:
            at = middle.copy()
            at[axis] = position[axis]
            in_open(space, triple(at))
            step = np.where(np.arange(3) == axis, 0.0, np.array(position) - middle)
            ends = [triple(np.where(np.abs(each) < FAR, each + step, each)) for each in (new_low, new_high)]
            said = f"{plane.axis} {space.length(position[axis])}"
            return {"position": number(position[axis]), "low": ends[0], "high": ends[1]}, said
        d = "xyz".index(handle[0])
        seen, moved = (low, new_low) if handle.endswith("low") else (high, new_high)
        if position[d] != seen[d]:
            moved[d] = position[d]
        if new_high[d] - new_low[d] < 1e-9 * space.reach:
            raise ProblemError(f"A plane has a width along {handle[0]}: leave its two edges apart.")
        return {"low": triple(new_low), "high": triple(new_high)}, f"{handle[0]} {space.length(position[d])}"

    shaft = arrow(middle, middle + space.reach * unit(axis), _side(space, axis))
    detail = "" if plane.measures == "power" else plane.measures
    return Figure((*_rectangle(low, high, axis), *shaft), tuple(handles), changes, detail)


def _rectangle(low: Array, high: Array, axis: int) -> tuple[Array, ...]:
    if axis == 2:
        return box_lines(low, high)
    p, q = (d for d in range(3) if d != axis)
    points = np.tile(low, (5, 1))
    points[[1, 2], p], points[[2, 3], q] = high[p], high[q]
    return (points,)


def _corners(low: Position, high: Position) -> Mapping[str, Any]:
    return {"low": low, "high": high}


@drawn(BoxMonitor, _inner_box)
def box_monitor_figure(box: BoxMonitor, space: Space) -> Figure:
    detail = "far field" if box.far_field.on else ""
    return slab_figure(box.low, box.high, space, "A box", _corners, detail)


@drawn(VolumeMonitor, lambda space: {})
def volume_figure(volume: VolumeMonitor, space: Space) -> Figure:
    detail = " ".join(volume.components)
    return slab_figure(volume.low, volume.high, space, "A volume", _corners, detail, thick=False)


def _fresh_port(space: Space) -> dict[str, Any]:
    axis = "xyz".index("z") if not space.thin[2] else next(iter(space.free()), 0)
    cell = float(np.diff(space.yee.nodes(axis)).min())
    return {"place": space.on_nodes(space.middle), "axis": "xyz"[axis], "length": number(cell)}


@drawn(LumpedPort, _fresh_port)
def port_figure(port: LumpedPort, space: Space) -> Figure:
    """An arrow over the gap, to the terminal that counts as positive, and a ring around its middle."""
    place, axis = np.array(port.place), "xyz".index(port.axis)
    tip = place + port.length * unit(axis)
    middle = 0.5 * (place + tip)
    ring = circle(triple(middle), max(0.2 * space.reach, 0.5 * port.length), axis)
    shaft = () if space.thin[axis] else arrow(place, tip, _side(space, axis))
    handles = [mover(middle, port.place)]
    if not space.thin[axis]:
        handles.append(slider("end", tip, axis))

    def changes(handle: str, position: Position) -> Fields:
        if handle == "end":
            length = position[axis] - place[axis]
            if length < 1e-9 * space.reach:
                raise ProblemError("A gap has a width: leave its two ends apart.")
            in_open(space, triple(place + length * unit(axis)))
            return {"length": number(length)}, f"gap {space.length(length)}"
        start = np.array(position) - (middle - place)
        in_open(space, triple(start))
        return {"place": triple(start)}, space.place(start)

    detail = f"{port.resistance:g} Ω" + ("" if port.amplitude > 0 else ", load")
    return Figure((*shaft, ring), tuple(handles), changes, detail)
