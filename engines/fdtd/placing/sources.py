"""Point sources and plane waves as figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.errors import ProblemError
from engines.fdtd.parameters import PointSource, WaveSource
from engines.fdtd.placing.kinds import Figure, Space, drawn, in_open, mover, slider, triple
from engines.fdtd.placing.lines import arrow, box_lines, circle, unit
from engines.placing import Handle, Position

Fields = tuple[Mapping[str, Any], str]


def _fresh_dipole(space: Space) -> dict[str, Any]:
    return {"place": space.on_nodes(space.middle)}


@drawn(PointSource, _fresh_dipole)
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


@drawn(WaveSource, _fresh_wave)
def wave_figure(wave: WaveSource, space: Space) -> Figure:
    """The total-field box, an arrow where the wave enters, and its electric field as a line with two ends.

    Its faces move together: they all stand ``margin`` cells off the absorbing layers.
    """
    axis, across = "xyz".index(wave.direction[1]), "xyz".index(wave.polarization)
    wraps = [pair[0] == "periodic" for pair in space.parameters.faces.pairs()]
    low, high = space.inner_low.copy(), space.inner_high.copy()
    handles: list[Handle] = []
    for d in range(3):
        if not wraps[d]:
            nodes = space.yee.nodes(d)
            first, last = space.yee.node_at(d, low[d]), space.yee.node_at(d, high[d])
            low[d] = nodes[min(first + wave.margin, len(nodes) - 1)]
            high[d] = nodes[max(last - wave.margin, 0)]
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
        margin = sign * (space.yee.node_at(d, position[d]) - space.yee.node_at(d, edge))
        if margin < 1:
            raise ProblemError("The box of a plane wave stays a cell or more off the absorbing layers.")
        for e in (e for e in space.free() if not wraps[e]):
            room = space.yee.node_at(e, space.inner_high[e]) - space.yee.node_at(e, space.inner_low[e])
            if room - 2 * margin < 2:
                raise ProblemError(f"The box of the plane wave would have no room along {'xyz'[e]}: drag it less far.")
        return {"margin": margin}, f"margin {margin} cells"

    forward = 1.0 if wave.direction[0] == "+" else -1.0
    entry = middle.copy()
    entry[axis] = low[axis] if forward > 0 else high[axis]
    in_plane = across != axis and not space.thin[across]
    side = unit(across if in_plane else _across(space, axis))
    shaft = arrow(entry, entry + 2 * forward * space.reach * unit(axis), side)
    field = np.stack([entry - 0.6 * space.reach * side, entry + 0.6 * space.reach * side])
    if not in_plane:  # it comes out of the plane
        field = circle(triple(entry), 0.25 * space.reach, across)
    return Figure((*box_lines(low, high), *shaft, field), tuple(handles), changes, wave.direction)
