"""What groups of parameters share."""

from __future__ import annotations

from typing import Literal

Place = tuple[float, float, float]
Axis = Literal["x", "y", "z"]
LengthUnit = Literal["um", "mm", "m"]
