"""The block-shape heat map: which launch shape reads memory best on this device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QWidget

from ui.lab.axes import NamedAxis
from ui.lab.chart import Chart
from ui.lab.roofline import tip
from ui.theme import Palette
from workbench.bench.records import VariantRecord

Cell = tuple[int, int]
DARK_BELOW = 0.45
"""Colours of less luminance carry white text."""


def cells(records: Sequence[VariantRecord]) -> dict[Cell, VariantRecord]:
    """(threads in x, threads in y) to the best record of this block; a refused one where there is no other."""
    found: dict[Cell, VariantRecord] = {}
    for record in records:
        if not record.shape:
            continue
        cell = (record.shape[0], record.shape[1] if len(record.shape) > 1 else 1)
        known = found.get(cell)
        if known is None or known.refused or (not record.refused and record.seconds < known.seconds):
            found[cell] = record
    return found


@dataclass(frozen=True)
class _Box:
    column: int
    row: int
    color: QColor
    tip: str
    best: bool = False


class BlockMap(Chart):
    """Colour and number of a cell: % of the ceiling at this block shape. The best has a frame."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(NamedAxis("bottom"), NamedAxis("left"), colors, parent)
        self.set_titles("Threads in x", "Threads in y")
        self.setMouseEnabled(False, False)
        self._records: Sequence[VariantRecord] = ()

    def set_data(self, records: Sequence[VariantRecord]) -> None:
        """Records of one variant at one size."""
        self._records = records
        self.redraw()

    def draw(self) -> None:
        found = cells(self._records)
        if not found:
            self.say("This variant was not measured with block shapes at this size.")
            return
        columns, rows = sorted({x for x, _ in found}), sorted({y for _, y in found})
        self.set_titles(f"Threads in x, at {self._records[0].case}", "Threads in y")
        self.getAxis("bottom").set_names([str(x) for x in columns])
        self.getAxis("left").set_names([str(y) for y in rows])
        values = {cell: record.fraction for cell, record in found.items() if not record.refused}
        low, high = (min(values.values()), max(values.values())) if values else (0.0, 1.0)
        colormap = pg.colormap.get("viridis")
        self.showGrid(x=False, y=False)
        boxes = []
        for (x, y), record in found.items():
            column, row = columns.index(x), rows.index(y)
            if record.refused:
                boxes.append(_Box(column, row, self.colors.color("border"), record.refused))
                self._write(column, row, "refused", self.colors.muted, False)
                continue
            color = colormap.map((record.fraction - low) / (high - low) if high > low else 1.0, mode="qcolor")
            text = f"{record.fraction:.0%}" if high - low > 0.05 else f"{record.fraction:.1%}"
            best = bool(record.fraction == high)  # a NumPy truth value ends the process in setBold
            boxes.append(_Box(column, row, color, _tip(record), best))
            self._write(column, row, text, _text_color(color), best)
        self.addItem(_Boxes(boxes, self.colors.color("text")))
        self.fit(-0.6, len(columns) - 0.4, -0.6, len(rows) - 0.4)

    def _write(self, column: int, row: int, text: str, ink: str, bold: bool) -> None:
        label = pg.TextItem(text, color=ink, anchor=(0.5, 0.5))
        font = self.font()
        font.setBold(bold)
        label.setFont(font)
        label.setZValue(2)
        self.addItem(label, ignoreBounds=True)
        label.setPos(column, row)


class _Boxes(pg.GraphicsObject):
    """All cells as one item; the figures of the cell under the mouse are its tool tip."""

    def __init__(self, boxes: Sequence[_Box], frame: QColor) -> None:
        super().__init__()
        self._boxes = {(box.column, box.row): box for box in boxes}
        self._frame = frame
        columns, rows = (max(place[axis] for place in self._boxes) for axis in (0, 1))
        self._area = QRectF(-0.5, -0.5, columns + 1.0, rows + 1.0)
        self.setAcceptHoverEvents(True)

    def boundingRect(self) -> QRectF:
        return self._area

    def paint(self, painter: QPainter, *_: object) -> None:
        for (column, row), box in self._boxes.items():
            painter.fillRect(QRectF(column - 0.48, row - 0.48, 0.96, 0.96), box.color)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pg.mkPen(self._frame, width=3))
        for (column, row), box in self._boxes.items():
            if box.best:
                painter.drawRect(QRectF(column - 0.48, row - 0.48, 0.96, 0.96))

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        box = self._boxes.get((round(event.pos().x()), round(event.pos().y())))
        self.setToolTip("" if box is None else box.tip)


def _text_color(color: QColor) -> str:
    luminance = 0.299 * color.redF() + 0.587 * color.greenF() + 0.114 * color.blueF()
    return "#ffffff" if luminance < DARK_BELOW else "#101418"


def _tip(record: VariantRecord) -> str:
    occupancy = "" if record.occupancy is None else f"\noccupancy {record.occupancy:.0%}"
    registers = "" if record.registers is None else f", {record.registers} registers"
    return f"{tip(record)}{occupancy}{registers if occupancy else ''}"
