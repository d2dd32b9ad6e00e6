"""Axes of plots whose coordinates are logarithms: ticks where a person expects them, with units."""

from __future__ import annotations

import math
from collections.abc import Callable

import pyqtgraph as pg

from ui.widgets.formatting import bytes_text, duration_text
from workbench.words.numbers import figure

LEAST_PIXELS = (62, 36)
"""Room that a tick and its text want along a horizontal axis, and along a vertical one."""
STEPS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))


class LogAxis(pg.AxisItem):
    """Shows 10**x for a plot drawn over x. ``text`` makes a tick's text; ``binary``: ticks at powers of two."""

    def __init__(self, side: str, text: Callable[[float], str], binary: bool = False) -> None:
        super().__init__(side)
        self._text = text
        self._binary = binary
        self.enableAutoSIPrefix(False)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if not (math.isfinite(low) and math.isfinite(high)) or high <= low or high - low > 60:
            return []
        most = max(2.0, size / LEAST_PIXELS[self.orientation in ("left", "right")])
        if self._binary:
            return [(1.0, _powers_of_two(low, high, most))]
        for steps in STEPS:
            ticks = _decades(low, high, steps)
            if len(ticks) <= most:
                break
        else:
            stride = math.ceil(len(ticks) / most)
            ticks = [tick for tick in ticks if round(tick) % stride == 0]
        if len(ticks) < 2 and high - low < 1.0:  # a range within one decade: round values instead
            ticks = _round_values(low, high, most)
        return [(1.0, ticks)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._text(10.0**value) for value in values]


class NamedAxis(pg.AxisItem):
    """Names at whole numbers: the rows and columns of a map."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)

    def set_names(self, names: list[str]) -> None:
        self.setTicks([list(enumerate(names))])


def _decades(low: float, high: float, steps: tuple[float, ...]) -> list[float]:
    values = (decade + math.log10(step) for decade in range(math.floor(low), math.floor(high) + 1) for step in steps)
    return [value for value in values if low <= value <= high]


def _powers_of_two(low: float, high: float, most: float) -> list[float]:
    first, last = math.ceil(low / math.log10(2) - 1e-9), math.floor(high / math.log10(2) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    return [power * math.log10(2) for power in range(first, last + 1) if power % stride == 0]


def _round_values(low: float, high: float, most: float) -> list[float]:
    a, b = 10.0**low, 10.0**high
    rough = (b - a) / min(most, 6)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [math.log10(step * count) for count in range(math.ceil(a / step), math.floor(b / step) + 1) if count > 0]


def binary_text(count: float) -> str:
    """``64 KB``, ``4 MB``: working sets, which are powers of two."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1023.5 or unit == "GB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if count >= 1 else f"{count:.2g} {unit}"


def rate_tick(value: float) -> str:
    """``200 GB/s`` without digits that say nothing."""
    return _trimmed(bytes_text(value)) + "/s"


def seconds_tick(value: float) -> str:
    return _trimmed(duration_text(value))


def count_tick(value: float) -> str:
    """``1.5 G``: a plain number with a decimal prefix."""
    return _trimmed(bytes_text(value))[:-1].rstrip()


def plain_tick(value: float) -> str:
    return figure(value, 3)


def _trimmed(text: str) -> str:
    number, _, unit = text.partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"
