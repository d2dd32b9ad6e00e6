"""A curve of many points that is quick to paint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from engines.api import Array

PIECE = 64
"""Points that are painted at once. Qt's rasteriser takes time with the square of how often a path crosses a row of
pixels: 4,000 points of a curve that goes up and down take 17 ms as one path, 2.7 in pieces of 50 to 100."""


class Line(pg.PlotDataItem):
    """``connect="finite"``, smoothed, thinned to what the screen shows of it."""

    def __init__(self) -> None:
        super().__init__(connect="finite", antialias=True)
        self.curve.setParentItem(None)
        self.curve: pg.PlotCurveItem = _Pieces()
        self.curve.setParentItem(self)
        self.curve.sigClicked.connect(self.sigClicked)
        self.setClipToView(True)
        self.setDownsampling(auto=True, method="peak")


class _Pieces(pg.PlotCurveItem):
    """Painted piece by piece where that looks the same: with a pen that is opaque and whole. Thinner than a pixel of
    the layout a path is quick, too."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[QPolygonF] = []
        self._of: Array | None = None

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None) -> None:
        pen = self.opts["pen"]
        if self.xData is None or self._exportOpts is not False or not _plain(pen):
            super().paint(painter, option, widget)
            return
        if self._of is not self.xData:
            self._of, self._pieces = self.xData, list(pieces(self.xData, self.yData))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        for piece in self._pieces:
            painter.drawPolyline(piece)


def pieces(x: Array, y: Array) -> Iterator[QPolygonF]:
    """Stretches of ``x, y: (n,)`` with the point in common at which they meet; none across what is no number."""
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        for first in range(0, len(run) - 1, PIECE):
            part = run[first : first + PIECE + 1]
            yield pg.functions.arrayToQPolygonF(x[part], y[part])


def _plain(pen: Any) -> bool:
    return (
        isinstance(pen, QPen)
        and pen.style() == Qt.PenStyle.SolidLine
        and pen.color().alpha() == 255
        and pen.widthF() > 1
    )
