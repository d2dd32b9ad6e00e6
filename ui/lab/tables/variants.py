"""The variants table: bars in the cells, refused rows with their reason, the best of each size marked."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ui.lab.findings import Key, key
from ui.lab.tables.variants_model import BEST, FRACTION, REASON, TIME, VariantModel
from ui.widgets.parts import show_whole_rows
from ui.widgets.theme import theme
from workbench.bench.records import VariantRecord

EMPTY = "This record has nothing of this study: choose another study or record, or press Run."
ROW_HEIGHT = 26
BAR_HEIGHT = 8
TEXT_WIDTH = 40
NARROWEST, LEGIBLE, WIDEST = 106, 200, 240
"""Pixels of the column of names."""


class FigureDelegate(QStyledItemDelegate):
    """Paints a fraction as a bar with its figure; cells of a refused row behind its name stay empty."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        place = index.column()
        if index.data(BEST) and not index.data(REASON):
            painter.fillRect(option.rect, theme().palette.color("accent_soft", 110))
        fraction = index.data(FRACTION)
        if fraction is None and not (index.data(REASON) and place >= TIME):
            super().paint(painter, option, index)
            return
        blank = QStyleOptionViewItem(option)
        self.initStyleOption(blank, index)
        blank.text = ""
        widget = option.widget
        widget.style().drawControl(widget.style().ControlElement.CE_ItemViewItem, blank, painter, widget)
        if fraction is not None:
            self._bar(painter, option.rect, fraction, index.data())

    def _bar(self, painter: QPainter, rect: QRect, fraction: float, text: str) -> None:
        colors = theme().palette
        area = QRectF(rect).adjusted(6, 0, -4, 0)
        groove = QRectF(area.left(), area.center().y() - BAR_HEIGHT / 2, area.width() - TEXT_WIDTH, BAR_HEIGHT)
        bar = QRectF(groove)
        bar.setWidth(groove.width() * min(max(fraction, 0.0), 1.0))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.color("border"))
        painter.drawRoundedRect(groove, 3, 3)
        painter.setBrush(colors.color("good" if fraction >= 0.8 else "accent" if fraction >= 0.5 else "warn"))
        painter.drawRoundedRect(bar, 3, 3)
        painter.setPen(colors.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class VariantTable(QTableView):
    """Emits ``chosen`` with the record of the current row."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.variants = VariantModel()
        self._chosen: Key | None = None
        self._filling = False
        self.setModel(self.variants)
        self.setItemDelegate(FigureDelegate(self))
        self.setSortingEnabled(True)
        show_whole_rows(self, "Variants", ROW_HEIGHT)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        self.variants.modelReset.connect(self._restore)
        self._set_widths()

    def fill(self, *arguments: object) -> None:
        """See :meth:`VariantModel.set_data`; the chosen row stays chosen and what is seen stays in sight."""
        bar = self.verticalScrollBar().value()
        count = self.variants.columnCount()
        self.variants.set_data(*arguments)  # type: ignore[arg-type]  # passed through
        empty = self.variants.empty_columns()
        for place in range(self.variants.columnCount()):
            self.setColumnHidden(place, place in empty)
        if self.variants.columnCount() != count:
            self._set_widths()
            header = self.horizontalHeader()
            header.blockSignals(True)
            header.setSortIndicator(self.variants.sorted_column, self.variants.sort_order)
            header.blockSignals(False)
        self._fit_names()
        self.verticalScrollBar().setValue(bar)

    def choose(self, record: VariantRecord) -> None:
        row = self.variants.row_of(key(record))
        if row >= 0:
            self.selectRow(row)

    def _row_changed(self, current: QModelIndex) -> None:
        if current.isValid() and not self._filling:
            record = self.variants.records[current.row()]
            self._chosen = key(record)
            self.chosen.emit(record)

    def _restore(self) -> None:
        row = self.variants.row_of(self._chosen)
        if row >= 0:
            self._filling = True
            self.selectRow(row)
            self._filling = False

    def _set_widths(self) -> None:
        for place, column in enumerate(self.variants.columns):
            self.setColumnWidth(place, column.width)

    def _fit_names(self) -> None:
        """The names take the room that the figures leave: all of these are seen in a narrow window, too. Where they
        are more, so that one scrolls to them in any case, names can be read."""
        room = self.viewport().width() - sum(self.columnWidth(each) for each in range(1, self.variants.columnCount()))
        self.setColumnWidth(0, LEGIBLE if room < NARROWEST else min(room, WIDEST))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    def paintEvent(self, event: QPaintEvent) -> None:
        """After the cells: the reason of each refused row that is in sight, across the cells that it leaves empty."""
        super().paintEvent(event)
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            self._paint_empty()
            return
        last = self.variants.rowCount() - 1 if last < 0 else last
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.font())
            for row in range(first, last + 1):
                reason = self.variants.records[row].refused
                if reason:
                    start = self.visualRect(self.variants.index(row, TIME))
                    seen = (p for p in reversed(range(len(self.variants.columns))) if not self.isColumnHidden(p))
                    end = self.visualRect(self.variants.index(row, next(seen)))
                    area = start.united(end).adjusted(8, 0, -4, 0)
                    selected = self.selectionModel().isRowSelected(row, QModelIndex())
                    painter.setPen(theme().palette.color("accent_text" if selected else "warn"))
                    text = painter.fontMetrics().elidedText(reason, Qt.TextElideMode.ElideRight, area.width())
                    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_empty(self) -> None:
        """A record that has nothing of the chosen study says so."""
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.font())
            painter.setPen(theme().palette.color("muted"))
            area = self.viewport().rect().adjusted(24, 24, -24, -24)
            painter.drawText(area, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, EMPTY)
