"""Axes of quantities of any size: values share a power of ten before the unit; times are told in what is legible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsSceneResizeEvent

from engines.api import Array
from workbench.words.numbers import figure, power, printed, tick_texts, zeroed
from workbench.words.units import SECONDS, legible, unit_text

MOST, LEAST = 1e4, 1e-2
"""Ends of what is written without a power of ten."""
FINEST = 2e-5
"""The least of a quantity that is seen from top to bottom, in parts of its largest value."""
MOST_OF_TIME = 1e7
"""Iterations are told in full up to here."""
LABEL_MARGIN = 8
"""Pixels that a label has around it."""
GROWS_BY = 8
"""Pixels by which an axis becomes wider, so that it seldom does."""


def power_of(largest: float) -> int:
    """The power of a thousand that values up to ``largest`` are told in; 0 for those that are legible as they are."""
    if not math.isfinite(largest) or largest == 0 or LEAST <= largest < MOST:
        return 0
    return 3 * math.floor(math.log10(largest) / 3)


def keep_legible(plot: pg.PlotWidget, values: Iterable[Array], *, log: bool = False) -> None:
    """No closer than the digits that values (n,) have: a line that is flat but for fp32's last digit looks flat, and no
    twelve digits stand at its ticks."""
    box = plot.getPlotItem().getViewBox()
    largest = max((float(np.max(np.abs(each), where=np.isfinite(each), initial=0.0)) for each in values), default=0.0)
    least, now = 0.0 if log else FINEST * largest, box.state["limits"]["yRange"][0] or 0.0
    if not now <= least <= 2 * now:  # not with each sample
        box.setLimits(minYRange=least or None)


def keep_figures(plot: pg.PlotWidget, some: bool) -> None:
    """Figures stand at the ticks only where the plot shows something: those of an empty one would be of nothing."""
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        if axis.blank == some:
            axis.blank = not some
            axis.setStyle()  # draws it anew


def powers(values: Sequence[float]) -> list[str]:
    """What stands at powers of ten, ``10⁻³``; in full where it is short. Between them stand 2 and 5 times one, and
    nothing where there are several: 7, 8 and 9 of them lie over each other."""
    whole = any(value == round(value) for value in values)

    def text(value: float) -> str:
        mantissa = round(10.0 ** (value - math.floor(value)), 6)
        if mantissa not in told:
            return ""
        if mantissa == 1 and not -3 < value < 4:
            return power(round(value))
        return figure(10.0**value, 6) if -3 < value < 4 or not whole else ""

    decades = max(values, default=0.0) - min(values, default=0.0)
    told = (1.0,) if decades > 1.5 else (1.0, 2.0, 5.0) if decades > 0.5 else range(1, 10)
    return [text(value) for value in values]


class ScaledAxis(pg.AxisItem):
    """``[10⁶ V/m]``; 0, 2, 4 instead of 0, 2e+06, 4e+06. With a title, where it is long enough: ``Field [10⁶ V/m]``."""

    blank = False
    """No figures stand at its ticks."""

    def __init__(self, orientation: str, **arguments: Any) -> None:
        self._power, self._unit, self._title = 0, "", ""
        self._least = 0
        super().__init__(orientation, **arguments)
        self.enableAutoSIPrefix(False)  # else a power of ten hides behind the unit

    def set_unit(self, unit: str, color: str, title: str = "") -> None:
        self._unit, self._title = unit_text(unit), title
        self.labelStyle["color"] = color
        self._write()

    def set_least_width(self, pixels: int) -> None:
        """So wide it is, and wider where its figures would lie over its label."""
        self._least = pixels
        self.setWidth(pixels)

    def _updateMaxTextSize(self, x: int) -> None:
        super()._updateMaxTextSize(x)
        if self._least:
            label = 0.8 * self.label.boundingRect().height() if self.label.isVisible() else 0.0  # its letters are lower
            more = x + self.style["tickTextOffset"][0] + label - self._least
            width = self._least + GROWS_BY * max(0, math.ceil(more / GROWS_BY))
            if width != self.fixedWidth:
                self.setWidth(width)

    def setRange(self, mn: float, mx: float) -> None:
        super().setRange(mn, mx)
        told_in = 0 if self.logMode else power_of(max(abs(mn), abs(mx)))
        if told_in != self._power:
            self._power = told_in
            self._write()

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.blank:
            return [""] * len(values)
        if self.logMode:
            return super().tickStrings(values, scale, spacing)
        factor = 10.0**-self._power
        texts = super().tickStrings([factor * value for value in zeroed(values, spacing)], scale, factor * spacing)
        return [printed(text) for text in texts]

    def logTickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return powers(values)

    def _write(self) -> None:
        scale = power(self._power) if self._power else ""
        unit = " ".join(part for part in (scale, self._unit) if part)
        unit = f"[{unit}]" if unit else ""  # a V alone on its side reads as >
        text = f"{self._title} {unit}".strip()
        fits = QFontMetricsF(self.label.font()).horizontalAdvance(text) < self.size().height() - LABEL_MARGIN
        self.setLabel(plain(text if fits else unit), **self.labelStyle)
        super().resizeEvent(None)  # in the middle of the axis again

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        if self._title and event is not None:
            self._write()
        super().resizeEvent(event)


def plain(title: str) -> str | None:
    """As a label of pyqtgraph's, which takes it as HTML: names in it are a project's, and are no markup."""
    return escape(title, quote=False) or None


HANDIER = {"s": (("d", 86400.0, 20.0), ("h", 3600.0, 2.0), ("min", 60.0, 10.0)), "ms": (("s", 1e3, 20.0),)}
"""For a unit of time those that are handier beyond so many of them: their names, their sizes."""


def handy_unit(span: float, unit: str) -> tuple[str, float]:
    """(unit, size) in which times up to ``span`` [``unit``] are told: 53480 s in hours, 2.3e-5 s in µs."""
    for name, size, least in HANDIER.get(unit, ()):
        if span >= least * size:
            return name, size
    number, smaller = legible(span, unit)
    return (smaller, SECONDS[smaller] / SECONDS[unit]) if number > span else (unit, 1.0)


Label = tuple[QRectF, Any, str]
"""Where a figure stands, how it is aligned, its text."""


def once(labels: Sequence[Label]) -> list[Label]:
    """Those with a text, each once: between powers of ten some come twice."""
    return list({(label[0].left(), label[2]): label for label in labels if label[2]}.values())


def in_order(labels: Sequence[Label]) -> list[Label]:
    """From left to right."""
    return sorted(labels, key=lambda label: label[0].left())


def apart(labels: Sequence[Label], gap: float) -> bool:
    """Whether labels leave ``gap`` between them [pixels]."""
    return all(after.left() - before.right() >= gap for (before, *_), (after, *_) in pairwise(in_order(labels)))


class TimeAxis(pg.AxisItem):
    """The abscissa. Of simulated time (``times``) it changes its unit with what is seen; its label is ``titled``."""

    blank = False
    """No figures stand at its ticks."""

    unit_changed = Signal()

    def __init__(self, orientation: str, **arguments: Any) -> None:
        self._title, self._unit, self._times, self._shown = "", "", False, ("", 1.0)
        super().__init__(orientation, **arguments)
        self.enableAutoSIPrefix(False)

    def titled(self, title: str, unit: str, color: str, *, times: bool) -> None:
        self._title, self._unit, self._times = title, unit, times
        self.labelStyle["color"] = color
        self._shown = self._wanted()
        self._write()

    def setRange(self, mn: float, mx: float) -> None:
        super().setRange(mn, mx)
        if self._shown != self._wanted():
            self._shown = self._wanted()
            self._write()
            self.unit_changed.emit()

    @property
    def shown(self) -> tuple[str, float]:
        """(unit, size) that its ticks are told in."""
        return self._shown

    def _wanted(self) -> tuple[str, float]:
        if not self._times or self.logMode:
            return self._unit, 1.0
        return handy_unit(max(abs(end) for end in self.range), self._unit)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.blank:
            return [""] * len(values)
        if self.logMode:
            return super().tickStrings(values, scale, spacing)
        return tick_texts([scale * each for each in values], MOST_OF_TIME, abs(scale * spacing))

    def logTickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return powers(values)

    def generateDrawSpecs(self, p: QPainter) -> tuple[Any, Any, list[Label]] | None:
        """What is drawn with ``p``: figures at the finest ticks that leave a digit's width between them."""
        specs = super().generateDrawSpecs(p)
        if specs is None:
            return None
        digit = QFontMetricsF(p.font()).horizontalAdvance("0")
        texts = once(specs[2])
        if not apart(texts, digit):
            finest, self.style["maxTextLevel"] = self.style["maxTextLevel"], 0
            coarse = in_order(once(super().generateDrawSpecs(p)[2]))
            self.style["maxTextLevel"] = finest
            texts = next((coarse[::k] for k in range(1, len(coarse)) if apart(coarse[::k], digit)), coarse[:1])
        return specs[0], specs[1], texts

    def _write(self) -> None:
        unit, size = self._shown
        self.setScale(1.0 / size)
        unit = unit_text(unit)
        self.setLabel(plain(f"{self._title} [{unit}]".strip() if unit else self._title), **self.labelStyle)
