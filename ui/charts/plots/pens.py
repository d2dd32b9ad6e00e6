"""Pens of lines in plots: as thick on a fine screen as on another."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QGuiApplication, QPen


def fineness() -> float:
    """Dots of the (finest) screen to a pixel of the layout."""
    application = QGuiApplication.instance()
    return application.devicePixelRatio() if isinstance(application, QGuiApplication) else 1.0


def line_pen(color: Any, width: float = 1.0, **more: Any) -> QPen:
    """``width`` in pixels of the layout; pyqtgraph's own pens are so many dots wide, hairlines on a fine screen."""
    pen: QPen = pg.mkPen(color, width=width * fineness(), **more)
    return pen
