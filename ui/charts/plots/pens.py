"""Pens of lines in plots: as thick on a fine screen as on another."""

from __future__ import annotations

from typing import Any, cast

import pyqtgraph as pg
from PySide6.QtGui import QGuiApplication, QPen


def fineness() -> float:
    """Dots of the (finest) screen to a pixel of the layout."""
    ratio: float = cast(QGuiApplication, QGuiApplication.instance()).devicePixelRatio()
    return ratio


def line_pen(color: Any, width: float = 1.0, **more: Any) -> QPen:
    """``width`` in pixels of the layout; pyqtgraph's own pens are so many dots wide, hairlines on a fine screen."""
    pen: QPen = pg.mkPen(color, width=width * fineness(), **more)
    return pen
