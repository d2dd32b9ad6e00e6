"""Sources as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Changes, Figure, mover, number, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.fdtd.parameters import BeamSource, ModeSource, ObliqueWaveSource, PointSource, WaveSource
from engines.fdtd.placing.kinds import Space, drawn, in_open
from engines.geometry.lines import arrow, box_lines, circle, unit

Fields = tuple[Mapping[str, Any], str]


@drawn(PointSource, lambda space: {"place": space.on_nodes(space.middle)})
def dipole_figure(dipole: PointSource, space: Space) -> Figure:
    """An arrow along the current and a ring around its middle; where it comes out of the plane, two rings."""
    place, axis = np.array(dipole.place), "xyz".index(dipole.axis)
    step = 0.7 * space.reach * unit(axis)
    ring = circle(dipole.place, 0.25 * space.reach, axis)
    if space.thin[axis]:
        outline: tuple[Array, ...] = (ring, circle(dipole.place, 0.05 * space.reach, axis))
    else:
        outline = (*arrow(place - step, place + step, unit(_across(space, axis))), ring)

    def changes(handle: str, position: Position) -> Fields:
        in_open(space, position)
        return {"place": triple(position)}, space.place(position)

    return Figure(outline, (mover(place),), changes, f"along {dipole.axis}")


def _across(space: Space, axis: int) -> int:
    """An axis across this one, in the plane where there is one."""
    return next((d for d in space.free() if d != axis), (axis + 1) % 3)


def _fresh_wave(space: Space) -> dict[str, Any]:
    return {}


def _field_box(space: Space, margin: int) -> tuple[Array, Array, tuple[Handle, ...], Changes]:
    """Corners of the total-field box, handles on its faces, and what they do.

    Its faces move together: they all stand ``margin`` cells off the absorbing layers.
    """
    wraps = [pair[0] in ("periodic", "Bloch") for pair in space.parameters.faces.pairs()]
    low, high = space.inner_low.copy(), space.inner_high.copy()
    handles: list[Handle] = []
    for d in range(3):
        if not wraps[d]:
            nodes = space.yee.nodes(d)
            first, last = space.yee.node_at(d, low[d]), space.yee.node_at(d, high[d])
            low[d] = nodes[min(first + margin, len(nodes) - 1)]
            high[d] = nodes[max(last - margin, 0)]
    low, high = np.minimum(low, high), np.maximum(low, high)
    middle = 0.5 * (low + high)
    for d in (d for d in space.free() if not wraps[d]):
        for name, corner, sign in (("low", low, -1), ("high", high, 1)):
            at = middle.copy()
            at[d] = corner[d]
            handles.append(slider(f"{'xyz'[d]} {name}", at, d, sign))

    def changes(handle: str, position: Position) -> Fields:
        d = "xyz".index(handle[0])
        edge = space.inner_low[d] if handle.endswith("low") else space.inner_high[d]
        sign = 1 if handle.endswith("low") else -1
        cells = sign * (space.yee.node_at(d, position[d]) - space.yee.node_at(d, edge))
        if cells < 1:
            raise ProblemError("The box of a plane wave stays a cell or more off the absorbing layers.")
        for e in (e for e in space.free() if not wraps[e]):
            room = space.yee.node_at(e, space.inner_high[e]) - space.yee.node_at(e, space.inner_low[e])
            if room - 2 * cells < 2:
                raise ProblemError(f"The box of the plane wave would have no room along {'xyz'[e]}: drag it less far.")
        return {"margin": cells}, f"margin {cells} cells"

    return low, high, tuple(handles), changes


def _entry(space: Space, at: Array, direction: str, polarization: int) -> tuple[Array, ...]:
    """An arrow where a wave enters, and its electric field as a line, or as a ring where it leaves the plane."""
    axis, forward = "xyz".index(direction[1]), 1.0 if direction[0] == "+" else -1.0
    in_plane = polarization != axis and not space.thin[polarization]
    side = unit(polarization if in_plane else _across(space, axis))
    shaft = arrow(at, at + 2 * forward * space.reach * unit(axis), side)
    field = np.stack([at - 0.6 * space.reach * side, at + 0.6 * space.reach * side])
    return (*shaft, field if in_plane else circle(triple(at), 0.25 * space.reach, polarization))


@drawn(WaveSource, _fresh_wave)
def wave_figure(wave: WaveSource, space: Space) -> Figure:
    """The total-field box, and an arrow where the wave enters."""
    low, high, handles, changes = _field_box(space, wave.margin)
    axis = "xyz".index(wave.direction[1])
    entry = 0.5 * (low + high)
    entry[axis] = low[axis] if wave.direction[0] == "+" else high[axis]
    enters = _entry(space, entry, wave.direction, "xyz".index(wave.polarization))
    return Figure((*box_lines(low, high), *enters), handles, changes, wave.direction)


@drawn(ObliqueWaveSource, _fresh_wave)
def oblique_figure(wave: ObliqueWaveSource, space: Space) -> Figure:
    """The total-field box, and in its middle an arrow to where the wave goes."""
    low, high, handles, changes = _field_box(space, wave.margin)
    theta, phi = np.radians([wave.theta, wave.phi])
    way = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    side = np.cross(way, unit(int(np.abs(way).argmin())))
    middle = 0.5 * (low + high)
    shaft = arrow(middle - 1.5 * space.reach * way, middle + 1.5 * space.reach * way, side / np.linalg.norm(side))
    return Figure((*box_lines(low, high), *shaft), handles, changes, f"θ {wave.theta:g}°, φ {wave.phi:g}°")


def _fresh_beam(space: Space) -> dict[str, Any]:
    axis = next(iter(space.free()), 0)
    quarter = space.inner_low + 0.15 * (space.inner_high - space.inner_low)
    across = [d for d in space.free() if d != axis]
    width = min((space.inner_high - space.inner_low)[across], default=space.reach)
    return {
        "direction": f"+{'xyz'[axis]}", "sheet": space.on_nodes(quarter)[axis], "focus": space.on_nodes(space.middle),
        "waist": number(0.15 * float(width)), "polarization": "xyz"[(set(range(3)) - {axis}).pop()],
    }  # fmt: skip


@drawn(BeamSource, _fresh_beam)
def beam_figure(beam: BeamSource, space: Space) -> Figure:
    """A line across at the sheet, rings of the waist's radius there and at the focus, and an arrow."""
    axis = "xyz".index(beam.direction[1])
    focus = np.array(beam.focus)
    start = focus.copy()
    start[axis] = beam.sheet
    side = _across(space, axis)
    ends = [start + sign * 2 * beam.waist * unit(side) for sign in (-1, 1)]
    waist = focus + beam.waist * unit(side)

    def changes(handle: str, position: Position) -> Fields:
        if handle == "sheet":
            at = triple(np.where(np.arange(3) == axis, position, focus))
            in_open(space, at)
            return {"sheet": number(position[axis])}, f"sheet at {'xyz'[axis]} {space.length(position[axis])}"
        if handle == "waist":
            radius = abs(position[side] - focus[side])
            if radius < 1e-6 * space.reach:
                raise ProblemError("The waist of a beam has a radius: drag it out from the middle.")
            return {"waist": number(radius)}, f"waist {space.length(radius)}"
        in_open(space, position)
        return {"focus": triple(position)}, space.place(position)

    rings = () if any(space.thin) else (circle(triple(start), beam.waist, axis), circle(beam.focus, beam.waist, axis))
    across = np.stack([focus - beam.waist * unit(side), waist])
    enters = _entry(space, start, beam.direction, "xyz".index(beam.polarization))
    handles = (mover(focus), slider("sheet", start, axis), slider("waist", waist, side))
    return Figure((np.stack(ends), across, *rings, *enters), handles, changes, beam.direction)


def _fresh_mode(space: Space) -> dict[str, Any]:
    axis = next(iter(space.free()), 0)
    at = space.middle.copy()
    at[axis] = (space.inner_low + 0.15 * (space.inner_high - space.inner_low))[axis]
    size = np.where(np.arange(3) == axis, 0.0, 0.7 * (space.inner_high - space.inner_low))
    return {"direction": f"+{'xyz'[axis]}", "place": space.on_nodes(at), "size": triple(size)}


@drawn(ModeSource, _fresh_mode)
def mode_figure(mode: ModeSource, space: Space) -> Figure:
    """Its window, and an arrow to where the mode goes."""
    axis = "xyz".index(mode.direction[1])
    place, half = np.array(mode.place), 0.5 * np.array(mode.size)
    half[axis] = 0.0
    low, high = (np.clip(place + sign * half, space.inner_low, space.inner_high) for sign in (-1, 1))
    low[axis] = high[axis] = place[axis]
    free = [d for d in space.free() if d != axis]
    handles = [mover(place)]
    for d in free:
        at = place.copy()
        at[d] = high[d]
        handles.append(slider(f"{'xyz'[d]} size", at, d))

    def changes(handle: str, position: Position) -> Fields:
        if handle == MOVE:
            in_open(space, position)
            return {"place": triple(position)}, space.place(position)
        d = "xyz".index(handle[0])
        length = 2 * abs(position[d] - place[d])
        if length < 1e-6 * space.reach:
            raise ProblemError(f"The window of a mode has a width along {handle[0]}: drag it out from the middle.")
        size = list(mode.size)
        size[d] = length
        return {"size": triple(np.array(size))}, f"{handle[0]} {space.length(length)}"

    forward = 1.0 if mode.direction[0] == "+" else -1.0
    shaft = arrow(place, place + 2 * forward * space.reach * unit(axis), unit(_across(space, axis)))
    return Figure((*box_lines(low, high), *shaft), tuple(handles), changes, f"{mode.direction}, mode {mode.number}")
