"""A diagram as it is drawn: populations and what joins them, legible with two of them and with eight."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from engines.api.charts import Diagram, DiagramEdge
from ui.charts.diagram.paths import path, places
from ui.widgets.fonts import STRONG
from ui.widgets.icons import dress
from ui.widgets.theme import theme

THINNEST, THICKEST, MANY = 1.2, 8.0, 4.5
"""Pixels of edges; MANY is the thickest where there are more than MOST_LABELS."""
MOST_LABELS = 8
"""So many edges are labelled where they are; of more, those of the node that is pointed at or chosen are listed."""
NAME_PIXELS = 54
"""Of a name in the list."""
MOST_LISTED = 0.48
"""The part of the width that the list may take."""
FAINT = 45
"""Of 255: edges that others are looked at beside."""
POINTED = 9.0
"""Pixels from an edge at which the mouse still means it, or another that is nearer."""
HALO, AROUND = 150, 3.0
"""Of the edge that was clicked: how opaque, of 255, and how many pixels on either side."""


class DiagramView(QWidget):
    """``place_asked`` with the place of a node or an edge that was clicked; ``left``: it was closed."""

    place_asked = Signal(tuple)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.diagram: Diagram | None = None
        self.chosen: int | None = None
        """The node that was clicked."""
        self.chosen_edge: tuple[str | int, ...] | None = None
        """The place of the edge that was clicked."""
        self.pointed: int | None = None
        self.setMouseTracking(True)
        self.setAccessibleName("Network diagram")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button = QToolButton(self)
        self.close_button.setToolTip("Back to the 3D view (Esc)")
        dress(self.close_button, "close")
        self.close_button.clicked.connect(self.left)
        theme().changed.connect(self.update)

    def show_diagram(self, diagram: Diagram) -> None:
        if self.diagram is None or [n.title for n in diagram.nodes] != [n.title for n in self.diagram.nodes]:
            self.chosen = self.chosen_edge = self.pointed = None
        self.diagram = diagram
        self.update()

    # Where things are.

    @property
    def lists(self) -> bool:
        """Whether there are too many edges to label them all."""
        return self.diagram is not None and len(self.diagram.edges) > MOST_LABELS

    def room(self) -> QRectF:
        return QRectF(self.rect()).adjusted(4, 28, -self._listed() if self.lists else -4, -28)

    def _listed(self) -> float:
        """Pixels of width of the list."""
        assert self.diagram is not None
        metrics = QFontMetricsF(self.font())
        widest = max(metrics.horizontalAdvance(edge.label) for edge in self.diagram.edges)
        return min(MOST_LISTED * self.width(), widest + NAME_PIXELS + 24)

    def nodes(self) -> list[QRectF]:
        return self._laid_out()[1]

    def _laid_out(self) -> tuple[list[tuple[str, ...]], list[QRectF]]:
        """What is said of each node, as much as leaves them apart; and where they stand."""
        assert self.diagram is not None
        text, bold = QFontMetricsF(self.font()), QFontMetricsF(self._bold())
        for most in (1, 0) if self.lists else (9, 1, 0):
            said = [node.lines[:most] for node in self.diagram.nodes]
            widths = [bold.horizontalAdvance(node.title) for node in self.diagram.nodes]
            widths += [text.horizontalAdvance(line) for lines in said for line in lines]
            height = bold.height() + text.height() * max(len(lines) for lines in said)
            boxes = places(len(said), self.room(), QSizeF(max(widths) + 24, height + 14))
            if not any(first.intersects(second) for first, second in combinations(boxes, 2)):
                break
        return said, boxes

    def edges(self) -> list[tuple[DiagramEdge, QPainterPath]]:
        assert self.diagram is not None
        nodes, room = self.nodes(), self.room()
        return [(edge, path(nodes[edge.source], nodes[edge.target], room)) for edge in self.diagram.edges]

    def at(self, point: QPointF) -> tuple[str | int, ...] | None:
        """The place of the parameters of what lies there."""
        if self.diagram is None:
            return None
        if (node := self._node_at(point)) is not None:
            return self.diagram.nodes[node].place
        away = [(_distance(line, point), edge.place) for edge, line in self.edges()]
        nearest, place = min(away, key=lambda pair: pair[0], default=(math.inf, ()))
        return place if nearest <= POINTED else None

    def _node_at(self, point: QPointF) -> int | None:
        return next((k for k, node in enumerate(self.nodes()) if node.contains(point)), None)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(STRONG)
        return font

    # What a person does.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.diagram is None:
            return
        pointed = self._node_at(event.position())
        over = self.at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        if pointed != self.pointed:
            self.pointed = pointed
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.diagram is None or event.button() != Qt.MouseButton.LeftButton:
            return
        place = self.at(event.position())
        self.chosen = self._node_at(event.position())
        self.chosen_edge = place if self.chosen is None else None
        self.update()
        if place is not None:
            self.place_asked.emit(place)

    # Painting.

    def resizeEvent(self, event: object) -> None:
        self.close_button.move(self.width() - self.close_button.sizeHint().width(), 0)

    def paintEvent(self, event: object) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.diagram is not None:
                self._paint_edges(painter)
                self._paint_nodes(painter)
                self._paint_legend(painter)
                if self.lists:
                    self._paint_list(painter)

    def _looked_at(self) -> int | None:
        return self.pointed if self.pointed is not None else self.chosen

    def _color(self, negative: bool) -> QColor:
        return theme().palette.trace(1 if negative else 0)

    def _paint_edges(self, painter: QPainter) -> None:
        assert self.diagram is not None
        looked_at, thickest = self._looked_at(), MANY if self.lists else THICKEST
        most = max((edge.weight for edge in self.diagram.edges), default=0.0) or 1.0
        edges = self.edges()
        for edge, line in edges:
            beside = looked_at is not None and looked_at not in (edge.source, edge.target)
            marked = edge.place == self.chosen_edge
            if looked_at is None and self.chosen_edge is not None:
                beside = not marked
            color = self._color(edge.negative)
            color.setAlpha(FAINT if beside else 255 if looked_at is not None else 200)
            width = THINNEST + (thickest - THINNEST) * math.sqrt(edge.weight / most)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            strokes = [(theme().palette.color("accent", HALO), width + 2 * AROUND)] if marked else []
            for stroke, wide in (*strokes, (color, width)):
                pen = QPen(stroke, wide)
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                painter.setPen(pen)
                painter.drawPath(line)
            self._paint_end(painter, edge.negative, line, color, width)
        for edge, line in edges:
            said = not self.lists and looked_at in (None, edge.source, edge.target)
            if said or edge.place == self.chosen_edge:
                self._paint_label(painter, edge, line)

    def _paint_end(self, painter: QPainter, negative: bool, line: QPainterPath, color: QColor, width: float) -> None:
        """An arrow where it excites, a disc where it inhibits."""
        tip, size = line.pointAtPercent(1.0), 6.0 + width
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        back = tip - line.pointAtPercent(max(0.0, 1 - size / max(line.length(), 1e-9)))
        unit = back / max(math.hypot(back.x(), back.y()), 1e-9)
        if negative:
            painter.drawEllipse(tip - unit * size / 2, size / 2, size / 2)
            return
        side = QPointF(-unit.y(), unit.x()) * size * 0.55
        painter.drawPolygon([tip, tip - unit * size + side, tip - unit * size - side])

    def _paint_label(self, painter: QPainter, edge: DiagramEdge, line: QPainterPath) -> None:
        metrics = QFontMetricsF(self.font())
        lines = _in_two(edge.label)
        width = max(metrics.horizontalAdvance(text) for text in lines)
        high = metrics.height() * len(lines)
        box = QRectF(0, 0, width + 10, high + 4)
        box.moveCenter(line.pointAtPercent(0.5))
        if edge.source == edge.target:  # beyond the loop, which it would hide
            box.translate(0, (box.height() / 2 + 3) * (1 if box.center().y() > line.pointAtPercent(0.0).y() else -1))
        inside = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        box.translate(max(0.0, inside.left() - box.left()) - max(0.0, box.right() - inside.right()),
                      max(0.0, inside.top() - box.top()) - max(0.0, box.bottom() - inside.bottom()))  # fmt: skip
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().palette.color("plot", 225))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(theme().palette.color("text"))
        painter.setFont(self.font())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))

    def _paint_nodes(self, painter: QPainter) -> None:
        assert self.diagram is not None
        colors = theme().palette
        for k, (node, lines, box) in enumerate(zip(self.diagram.nodes, *self._laid_out(), strict=True)):
            chosen = k in (self.chosen, self.pointed)
            painter.setPen(QPen(colors.color("accent" if chosen else "strong"), 2 if chosen else 1.2))
            painter.setBrush(colors.color("raised"))
            painter.drawRoundedRect(box, 8, 8)
            inner = box.adjusted(6, 6, -6, -6)
            painter.setFont(self._bold())
            painter.setPen(colors.color("text"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, node.title)
            painter.setFont(self.font())
            painter.setPen(colors.color("muted"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, "\n".join(lines))

    def _paint_legend(self, painter: QPainter) -> None:
        assert self.diagram is not None
        colors, metrics = theme().palette, QFontMetricsF(self.font())
        painter.setFont(self.font())
        painter.setPen(colors.color("text"))
        painter.drawText(QPointF(8, 4 + metrics.ascent()), self.diagram.title)
        x, y = 8.0, self.height() - 8.0
        for negative, text in ((False, self.diagram.positive), (True, self.diagram.negative)):
            line = QPainterPath(QPointF(x, y - 4))
            line.lineTo(x + 30, y - 4)
            painter.setPen(QPen(self._color(negative), 2.5))
            painter.drawPath(line)
            self._paint_end(painter, negative, line, self._color(negative), 2.5)
            painter.setPen(colors.color("muted"))
            painter.drawText(QPointF(x + 38, y), text)
            x += 58 + metrics.horizontalAdvance(text)
        painter.drawText(QPointF(x, y), self.diagram.width)

    def _paint_list(self, painter: QPainter) -> None:
        """What the node that is looked at sends, a line each."""
        assert self.diagram is not None
        colors, high, looked_at = theme().palette, QFontMetricsF(self.font()).height() + 3, self._looked_at()
        box = QRectF(self.width() - self._listed() + 12, 34, self._listed() - 16, self.height())
        painter.setPen(colors.color("text"))
        sent = [edge for edge in self.diagram.edges if edge.source == looked_at]
        heading = "Point at a population, or click it:\nwhat it sends stands here."
        if looked_at is not None:
            heading = f"{self.diagram.nodes[looked_at].title} sends {'to' if sent else 'nothing'}"
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, heading)
        for row, edge in enumerate(sent, 1):
            for line, text in enumerate((self.diagram.nodes[edge.target].title, edge.label)):
                left = box.left() + line * NAME_PIXELS
                painter.setPen(self._color(edge.negative) if line == 0 else colors.color("muted"))
                painter.drawText(QRectF(left, box.top() + row * high, box.right() - left, high), 0, text)


def _in_two(label: str) -> list[str]:
    """Two lines of a long label, parted at the comma that is nearest to its middle."""
    commas = [place for place, sign in enumerate(label) if sign == ","]
    if len(label) < 24 or not commas:
        return [label]
    part = min(commas, key=lambda place: abs(place - len(label) / 2))
    return [label[: part + 1], label[part + 2 :]]


def _distance(line: QPainterPath, point: QPointF) -> float:
    """Pixels from a point to a line."""
    pieces = (piece for polygon in line.toSubpathPolygons() for piece in pairwise(polygon.toList()))
    return min((_apart(first, last, point) for first, last in pieces), default=math.inf)


def _apart(first: QPointF, last: QPointF, point: QPointF) -> float:
    """Pixels from a point to a straight piece."""
    along, towards = last - first, point - first
    length = QPointF.dotProduct(along, along)
    part = min(max(QPointF.dotProduct(towards, along) / length, 0.0), 1.0) if length else 0.0
    rest = towards - along * part
    return math.hypot(rest.x(), rest.y())
