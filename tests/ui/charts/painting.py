"""A painter that notes what it is asked to draw, and with which colours."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True)
class Drawn:
    """One call: its name without ``draw``, what was given, the colours it had and the width of its pen."""

    what: str
    given: tuple[Any, ...]
    pen: QColor
    brush: QColor
    at: QTransform
    width: float

    @property
    def points(self) -> list[tuple[float, float]]:
        """Of a polygon or a line."""
        points = list(self.given[0]) if isinstance(self.given[0], QPolygonF) else self.given
        return [(point.x(), point.y()) for point in points]


class NotingPainter(QPainter):
    """Draws as well: what it notes has passed Qt's own checks."""

    def __init__(self, device: QPaintDevice) -> None:
        super().__init__(device)
        self.calls: list[Drawn] = []

    def _note(self, what: str, given: tuple[Any, ...]) -> None:
        given = tuple(QPolygonF(each) if isinstance(each, QPolygonF) else each for each in given)
        self.calls.append(
            Drawn(what, given, self.pen().color(), self.brush().color(), self.transform(), self.pen().widthF())
        )

    def drawLine(self, *given: Any) -> None:
        self._note("line", given)
        super().drawLine(*given)

    def drawPolyline(self, *given: Any) -> None:
        self._note("polyline", given)
        super().drawPolyline(*given)

    def drawPolygon(self, *given: Any) -> None:
        self._note("polygon", given)
        super().drawPolygon(*given)

    def drawConvexPolygon(self, *given: Any) -> None:
        self._note("polygon", given)
        super().drawConvexPolygon(*given)

    def drawPath(self, *given: Any) -> None:
        self._note("path", given)
        super().drawPath(*given)

    def drawRoundedRect(self, *given: Any) -> None:
        self._note("box", tuple(QRectF(each) if isinstance(each, QRectF) else each for each in given))
        super().drawRoundedRect(*given)

    def drawEllipse(self, *given: Any) -> None:
        self._note("ellipse", tuple(QPointF(each) if isinstance(each, QPointF) else each for each in given))
        super().drawEllipse(*given)

    def drawRect(self, *given: Any) -> None:
        self._note("rect", given)
        super().drawRect(*given)

    def fillRect(self, *given: Any) -> None:
        self._note("fill", given)
        super().fillRect(*given)

    def drawText(self, *given: Any) -> None:
        self._note("text", given)
        super().drawText(*given)


def drawn(plot: QWidget, what: str = "") -> list[Drawn]:
    """What a painted plot draws at its size, in its order; ``what``: of this kind alone."""
    image = QImage(plot.size(), QImage.Format.Format_ARGB32)
    painter = NotingPainter(image)
    painter.setFont(plot.font())
    plot.draw(painter)  # type: ignore[attr-defined]
    painter.end()
    return [each for each in painter.calls if not what or each.what == what]


def texts(plot: QWidget) -> dict[str, tuple[float, float]]:
    """Each text that a plot draws in a box, with the middle of that on the plot."""
    found = {}
    for each in drawn(plot, "text"):
        middle = each.at.map(QPointF(each.given[0].center()))
        found[each.given[-1]] = (middle.x(), middle.y())
    return found


def drawn_by(widget: QWidget, what: str, monkeypatch: pytest.MonkeyPatch) -> list[Drawn]:
    """What a widget draws that makes its own painter: the ``what`` of it, in its order."""
    made: list[NotingPainter] = []

    def painter(device: QPaintDevice) -> NotingPainter:
        made.append(NotingPainter(device))
        return made[-1]

    painter.RenderHint = QPainter.RenderHint  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[type(widget).__module__], "QPainter", painter)
        widget.grab()
    return [each for one in made for each in one.calls if each.what == what]
