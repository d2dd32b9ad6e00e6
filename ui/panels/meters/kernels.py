"""The kernels of the run: time per step, bandwidth, fraction of the measured ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ui.widgets.formatting import duration_text, rate_text
from workbench.run.frames import KernelRate
from workbench.words.units import percent

HEADERS = ("Kernel", "per step", "bandwidth", "ceiling")
ROW_HEIGHT = 24
Index = QModelIndex | QPersistentModelIndex


class KernelModel(QAbstractTableModel):
    """The newest rates; a new sample of the same kernels repaints without a reset."""

    def __init__(self) -> None:
        super().__init__()
        self.rates: tuple[KernelRate, ...] = ()

    def set_rates(self, rates: Sequence[KernelRate]) -> None:
        if [rate.kernel for rate in rates] != [rate.kernel for rate in self.rates]:
            self.beginResetModel()
            self.rates = tuple(rates)
            self.endResetModel()
        else:
            self.rates = tuple(rates)
            if rates:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rates) - 1, len(HEADERS) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.rates)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return len(HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        rate = self.rates[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                rate.kernel.replace("_", " "),
                duration_text(rate.seconds_per_step),
                rate_text(rate.bytes_per_second),
                percent(rate.fraction_of_ceiling),
            )[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return HEADERS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
                return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class KernelTable(QTableView):
    """A table as tall as its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kernels = KernelModel()
        self.setModel(self.kernels)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 72), (2, 80), (3, 54)):
            header.resizeSection(column, width)
        self.kernels.modelReset.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(28 + ROW_HEIGHT * max(1, self.kernels.rowCount()))
