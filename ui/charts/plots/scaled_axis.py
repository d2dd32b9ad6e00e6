"""The axis of a quantity of any size: large and small values share a power of ten, which stands before the unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg

from workbench.words.units import unit_text

MOST, LEAST = 1e4, 1e-2
"""Ends of what is written without a power of ten."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of(largest: float) -> int:
    """The power of a thousand that values up to ``largest`` are told in; 0 for those that are legible as they are."""
    if not math.isfinite(largest) or largest == 0 or LEAST <= largest < MOST:
        return 0
    return 3 * math.floor(math.log10(largest) / 3)


class ScaledAxis(pg.AxisItem):
    """``10⁶ V/m``; 0, 2, 4 instead of 0, 2e+06, 4e+06."""

    def __init__(self, orientation: str, **arguments: Any) -> None:
        self._power, self._unit = 0, ""
        super().__init__(orientation, **arguments)
        self.enableAutoSIPrefix(False)  # else a power of ten hides behind the unit

    def set_unit(self, unit: str, color: str) -> None:
        self._unit = unit_text(unit)
        self.labelStyle["color"] = color
        self._write()

    def setRange(self, mn: float, mx: float) -> None:
        super().setRange(mn, mx)
        power = power_of(max(abs(mn), abs(mx)))
        if power != self._power:
            self._power = power
            self._write()

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        factor = 10.0**-self._power
        texts = super().tickStrings([factor * value for value in values], scale, factor * spacing)
        return [text.replace("-", "−") for text in texts]

    def _write(self) -> None:
        power = f"10{str(self._power).translate(RAISED)}" if self._power else ""
        self.setLabel(" ".join(part for part in (power, self._unit) if part) or None, **self.labelStyle)
