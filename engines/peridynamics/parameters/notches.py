"""Cuts that are there from the start."""

from __future__ import annotations

from engines.parameters import ParameterGroup, quantity


class Notch(ParameterGroup):
    """A cut from one point to another; in a block it goes down along z between two heights."""

    start: tuple[float, float] = quantity((0.0, 20.0), "mm", "Where the cut begins (x, y)")
    end: tuple[float, float] = quantity((50.0, 20.0), "mm", "Where the cut ends (x, y)")
    low_z: float = quantity(-1e6, "mm", "Lowest z of the cut, in a block", advanced=True)
    high_z: float = quantity(1e6, "mm", "Highest z of the cut, in a block", advanced=True)
