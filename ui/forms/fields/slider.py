"""A slider for a number between two bounds; by factors where they lie more than a decade apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from ui.forms.schema import Bounds

POSITIONS = 600
DIGITS = 3
DECADE = 10.0


@dataclass(frozen=True)
class Scale:
    """Positions 0 to POSITIONS for numbers from ``low`` to ``high``, in equal differences or equal factors.

    On both sides of 0 factors go outwards from there: about 1 in differences, then in factors (``asinh``).
    """

    low: float
    high: float
    factors: bool

    def value(self, position: int) -> float:
        """To three digits, and within the bounds."""
        share = position / POSITIONS
        if self.factors and self.low < 0:
            first, last = math.asinh(self.low), math.asinh(self.high)
            value = math.sinh(first + (last - first) * share)
        elif self.factors:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        return min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)

    def position(self, value: float) -> int:
        value = min(max(value, self.low), self.high)
        if self.factors and self.low < 0:
            first, last = math.asinh(self.low), math.asinh(self.high)
            return round(POSITIONS * (math.asinh(value) - first) / (last - first))
        if self.factors:
            return round(POSITIONS * math.log(value / self.low) / math.log(self.high / self.low))
        return round(POSITIONS * (value - self.low) / (self.high - self.low))


def scale_of(bounds: Bounds) -> Scale | None:
    """The scale between ``bounds``; None where one is missing or both say the same.

    Above 0 exclusively is a matter of factors: from a hundredth (or a thousandth of the highest, if that is less).
    """
    low = bounds.ge if bounds.ge is not None else bounds.gt
    high = bounds.le if bounds.le is not None else bounds.lt
    if low is None or high is None or not low < high:
        return None
    if low == 0 and bounds.gt is not None:
        return Scale(min(high / 1000, 0.01), high, True)
    many = high / low > DECADE if low > 0 else low < 0 < high and max(-low, high) > DECADE
    return Scale(low, high, many)


class CalmSlider(QSlider):
    """Horizontal; the wheel scrolls what it stands in."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Slider(CalmSlider):
    """Of a number in a form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, POSITIONS)
        self.setPageStep(POSITIONS // 20)
        self.setMinimumWidth(80)
