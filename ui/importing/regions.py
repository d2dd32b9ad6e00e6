"""The regions of a mesh as rows: colour, name, cells, share of the volume, what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from engines.api import Array
from ui.widgets.freeing import empty
from workbench.importing.report import RegionRow
from workbench.words.numbers import grouped
from workbench.words.units import counted

MOST = 12
"""Of more the rest is counted."""


class RegionRows(QWidget):
    """Names are those of the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(4, 1)
        self.lines: list[list[str]] = []

    def show_regions(self, regions: Sequence[RegionRow], colours: Array) -> None:
        """colours: (regions, 3) uint8"""
        empty(self._grid)
        self.lines = []
        for place, region in enumerate(regions[:MOST]):
            self._grid.addWidget(_swatch(QColor(*map(int, colours[place])), self), place, 0)
            share = f"{100 * region.share:.1f} %" if region.share < 0.9995 else "all"
            line = [region.name, f"{grouped(region.cells)} cells", share, region.becomes]
            self.lines.append(line)
            for column, text in enumerate(line, 1):
                label = QLabel(text, self)
                label.setTextFormat(Qt.TextFormat.PlainText)
                if column in (2, 3):
                    label.setObjectName("muted")
                    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self._grid.addWidget(label, place, column)
        if len(regions) > MOST:
            more = QLabel(f"and {counted(len(regions) - MOST, 'more region')}", self)
            more.setObjectName("muted")
            self._grid.addWidget(more, MOST, 1, 1, 4)


def _swatch(colour: QColor, parent: QWidget) -> QLabel:
    picture = QPixmap(11, 11)
    picture.fill(colour)
    label = QLabel(parent)
    label.setPixmap(picture)
    return label
