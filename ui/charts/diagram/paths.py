"""Where nodes stand and how edges run between them."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainterPath

BEND = 0.13
"""How far an edge bends to its left, of its length: the two between a pair are apart."""
LOOP = 0.13
"""How far an edge from a node to itself reaches out, of the room's height; at most LONGEST pixels."""
LONGEST = 40.0


def places(count: int, room: QRectF, node: QSizeF) -> list[QRectF]:
    """Nodes on an ellipse, the first at the left, so that no edge runs through a third one."""
    across = max(0.0, (room.width() - node.width()) / 2 - 8)
    up = max(0.0, (room.height() - node.height()) / 2 - reach(room)) if count > 2 else 0.0
    found = []
    for k in range(count):
        turn = math.pi + 2 * math.pi * k / count
        middle = room.center() + QPointF(across * math.cos(turn), up * math.sin(turn)) * (count > 1)
        found.append(QRectF(middle - QPointF(node.width() / 2, node.height() / 2), node))
    return found


def reach(room: QRectF) -> float:
    """Pixels that an edge from a node to itself reaches out."""
    return min(LONGEST, LOOP * room.height())


def path(source: QRectF, target: QRectF, room: QRectF) -> QPainterPath:
    """From border to border; an edge from a node to itself lies on its far side from the middle of the room."""
    if source == target:
        return _loop(source, room)
    a, b = source.center(), target.center()
    along = b - a
    control = (a + b) / 2 + QPointF(along.y(), -along.x()) * BEND
    drawn = QPainterPath(border(source, control))
    drawn.quadTo(control, border(target, control))
    return drawn


def border(node: QRectF, towards: QPointF) -> QPointF:
    """Where the line from a node's middle leaves it."""
    way = towards - node.center()
    part = min(
        node.width() / 2 / abs(way.x()) if way.x() else math.inf,
        node.height() / 2 / abs(way.y()) if way.y() else math.inf,
    )
    return node.center() + way * (part if math.isfinite(part) else 0.0)


def _loop(node: QRectF, room: QRectF) -> QPainterPath:
    side = 1.0 if node.center().y() > room.center().y() + 1 else -1.0
    y = node.center().y() + side * node.height() / 2
    x, half = node.center().x(), node.width() / 5
    drawn = QPainterPath(QPointF(x - half, y))
    far = y + side * reach(room) * 4 / 3  # of a cubic's handles, whose middle is at three quarters
    drawn.cubicTo(QPointF(x - 1.6 * half, far), QPointF(x + 1.6 * half, far), QPointF(x + half, y))
    return drawn
