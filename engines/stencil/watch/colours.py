"""The range of values that colours span, and the colour map for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.api import Array

ROUND = 1e-5
"""In units of the last digit: fp32 noise above a round number does not add one."""


def field_range(values: Array, extra: Sequence[float] = ()) -> tuple[float, float]:
    """A colour range for a field that starts as ``values`` and is held at ``extra`` on its sides, with round ends.

    A field of both signs gets the same room for each, so that zero is in the middle of a diverging map.
    """
    low = min(float(values.min()), *extra, math.inf)
    high = max(float(values.max()), *extra, -math.inf)
    if not high > low:
        return around(low) if low else (0.0, 1.0)  # the same everywhere; on zero, what is painted comes on top
    unit = 10.0 ** (math.floor(math.log10(high - low)) - 1)
    low, high = math.floor(low / unit + ROUND) * unit, math.ceil(high / unit - ROUND) * unit
    low, high = float(f"{low:.12g}"), float(f"{high:.12g}")
    return (min(low, -high), max(high, -low)) if low < 0 < high else (low, high)


def around(value: float) -> tuple[float, float]:
    """A colour range for a field that is ``value`` everywhere and may become less or more."""
    half = abs(value) / 2 or 1.0
    return value - half, value + half


def colours(shown: tuple[float, float], otherwise: str) -> str:
    """The colour map for a field of this range: where both signs occur, one that shows which."""
    return "diverging" if shown[0] < 0 < shown[1] else otherwise
