"""What stands between two corners: boxes of material, pictures drawn out, monitors of boxes and volumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api.errors import ProblemError
from engines.api.figures import Figure, mover, slider, triple
from engines.api.placing import MOVE, Handle, Position
from engines.fdtd.parameters.monitors import FAR
from engines.fdtd.placing.kinds import Space, touching
from engines.geometry.lines import box_lines

Corners = Callable[[Position, Position], Mapping[str, Any]]
"""The fields of two corners."""


def slab_figure(
    low: Position, high: Position, space: Space, what: str, fields: Corners, detail: str = "", thick: bool = True
) -> Figure:
    """Of what reaches beyond the grid, the part inside; its handles stand there too.

    what: its name in sentences; thick: its corners have to stand apart. Coordinates of ``FAR`` stay where they are.
    """
    first, last = space.low, space.high
    low_seen, high_seen = np.clip(low, first, last), np.clip(high, first, last)
    middle = 0.5 * (low_seen + high_seen)
    handles: list[Handle] = [mover(middle, np.where(np.abs(low) < FAR, low, low_seen))]
    for axis in space.free():
        for name, corner, sign in (("low", low_seen, -1), ("high", high_seen, 1)):
            at = middle.copy()
            at[axis] = corner[axis]
            handles.append(slider(f"{'xyz'[axis]} {name}", at, axis, sign))

    def changes(handle: str, position: Position) -> tuple[Mapping[str, Any], str]:
        new_low, new_high = np.array(low), np.array(high)
        if handle == MOVE:
            step = np.array(position) - middle
            new_low, new_high = (np.where(np.abs(each) < FAR, each + step, each) for each in (new_low, new_high))
            touching(space, new_low, new_high)
            said = space.place(0.5 * (new_low + new_high).clip(2 * first, 2 * last))
        else:
            axis = "xyz".index(handle[0])
            seen, moved = (low_seen, new_low) if handle.endswith("low") else (high_seen, new_high)
            if position[axis] != seen[axis]:  # a face beyond the grid stays there until its handle is moved
                moved[axis] = position[axis]
            thickness = new_high[axis] - new_low[axis]
            if thickness < (1e-9 * space.reach if thick else 0.0):
                raise ProblemError(f"{what} has a thickness along {handle[0]}: leave its two faces apart.")
            touching(space, new_low, new_high)
            ends = (max(new_low[axis], first[axis]), min(new_high[axis], last[axis]))
            said = f"{handle[0]} {ends[0]:.4g} … {ends[1]:.4g} {space.unit}"
        return fields(triple(new_low), triple(new_high)), said

    return Figure(box_lines(low_seen, high_seen), tuple(handles), changes, detail)
