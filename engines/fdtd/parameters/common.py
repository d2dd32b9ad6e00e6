"""What groups of parameters share."""

from typing import Literal

Place = tuple[float, float, float]
Axis = Literal["x", "y", "z"]
LengthUnit = Literal["um", "mm", "m"]
LENGTH = "{grid.length_unit}"
"""The unit of a length: that of the grid, wherever the field stands."""
