"""One chart of the panel: its title, its legend with values, its plot, and the menu of what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo
from ui.charts.plots.legend import Entry, Legend, Mark
from ui.charts.plots.making import make_plot
from ui.charts.plots.pictures import picture, picture_bytes
from ui.charts.plots.reading import abscissa, figure, value_at
from ui.widgets.elided import ElidedLabel
from ui.widgets.icons import dress
from workbench.export.chart_tables import chart_table
from workbench.export.tables import rows_as_text
from workbench.project.measured import difference
from workbench.project.project import MeasuredData

COUNTED = 1e5
"""Numbers beyond this are written with a power of ten, counts or not."""
SAVED_AS = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)", ".csv": "Comma-separated values (*.csv)"}


class ChartCell(QWidget):
    """Shows one chart. What a person asks of it goes out as signals; :meth:`content` is what is saved."""

    save_asked = Signal(str)
    """The suffix of the file that the chart is to be saved as."""
    overlay_asked = Signal(str)
    """Measured data from the file at this path; empty: ask which."""
    removal_asked = Signal()
    hovered = Signal(object)

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self.chart = chart
        self._forecast = EMPTY
        self._measured: tuple[MeasuredData, ...] = ()
        self._hover: float | None = None
        self.plot = make_plot(chart, x_unit, self)
        self.title = ElidedLabel(chart.title, self)
        self.readout = QLabel(self)
        self.readout.setObjectName("muted")
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        self.legend = Legend(self)
        self.legend.hide()
        self.more = QToolButton(self)
        self.more.setObjectName("small")
        self.more.setToolTip("Save, copy, overlay measured data")
        self.more.setAccessibleName(f"Menu of {chart.title}")
        dress(self.more, "more", "muted")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.title, 1)
        top.addWidget(self.readout)
        top.addWidget(self.more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(1)
        layout.addLayout(top)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu().popup(self.mapToGlobal(at)))
        self.plot.hovered.connect(self.hovered)
        self.plot.dropped.connect(self.overlay_asked)

    # What to show.

    def show_data(self, data: ChartData) -> None:
        self.plot.show_data(data)
        self._tell()

    def show_forecast(self, data: ChartData) -> None:
        self._forecast = data
        self.plot.show_forecast(data)
        self._tell()

    def show_measured(self, measured: Sequence[MeasuredData]) -> None:
        self._measured = tuple(measured)
        self.plot.show_measured(measured)
        self._tell()

    def show_cursor(self, x: float | None) -> None:
        """Read all values at ``x``; None: the newest."""
        self._hover = x
        self.plot.show_cursor(x)
        self._tell()

    # What can be done with it.

    def menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all of it", self.plot.autoscale)
        menu.addSeparator()
        if self.chart.comparable:
            menu.addAction("Overlay measured data…", lambda: self.overlay_asked.emit(""))
            remove = menu.addAction("Remove measured data", self.removal_asked.emit)
            remove.setEnabled(bool(self._measured))
            menu.addSeparator()
        for suffix in SAVED_AS:
            menu.addAction(f"Save as {suffix[1:].upper()}…", partial(self.save_asked.emit, suffix))
        menu.addAction("Copy as picture", self.copy)
        return menu

    def copy(self) -> None:
        """The chart as a picture on the clipboard."""
        QGuiApplication.clipboard().setImage(picture(self))

    def content(self, suffix: str) -> bytes:
        """What a file with this suffix holds: .png, .svg, or .csv with the curves and the measured points."""
        if suffix != ".csv":
            return picture_bytes(self, suffix)
        header, rows = chart_table(self.chart, self.plot.data, "time", self.plot.x_unit)
        empty = [None] * (len(header) - 3)
        for each in self._measured:
            rows += [[each.title, x, y, *empty] for x, y in zip(each.x, each.y, strict=True)]
        return rows_as_text([header, *rows]).encode()

    # In words.

    def _tell(self) -> None:
        data, bars = self.plot.data, self.chart.kind == "bar"
        dots = self.chart.kind in ("raster", "matrix")  # one number says nothing of them
        values = [None if dots else value_at(curve, self._hover, bar=bars) for curve in data.curves]
        unit = self.chart.unit
        texts = [
            "" if value is None else f"{value:.0f}" if unit == "1" and _counts(curve.y) else figure(value, unit)
            for value, curve in zip(values, data.curves, strict=True)
        ]
        where = "" if self._hover is None else abscissa(self.chart, self._hover, self.plot.x_unit)
        single = len(texts) == 1
        self.readout.setText("   ".join(part for part in (where, texts[0] if single else "") if part))
        briefs = ["" if value is None else figure(value, "", 3) for value in values]
        self.legend.set_entries([*self._curve_entries(texts, briefs), *self._other_entries()])

    def _curve_entries(self, texts: Sequence[str], briefs: Sequence[str]) -> list[Entry]:
        if len(texts) < 2 or self.chart.kind == "matrix":
            return []
        mark: Mark = "line" if self.chart.kind in ("line", "polar") else "area"
        widest, shortest = figure(-8.888, self.chart.unit), figure(-8.88, "", 3)
        return [
            Entry(curve.title, place, "line" if curve.over else mark, text, text and widest, brief, brief and shortest)
            for place, (curve, text, brief) in enumerate(zip(self.plot.data.curves, texts, briefs, strict=True))
        ]

    def _other_entries(self) -> list[Entry]:
        data, entries = self.plot.data, []
        if any(curve.shade is not None for curve in data.curves):
            entries.append(Entry(data.shade_title, mark="scale"))
        if self._forecast.curves:
            one = len(self._forecast.curves) == 1
            entries.append(Entry(self._forecast.curves[0].title if one else "Forecast", 0 if one else None, "dashed"))
        for each in self._measured:
            found = None
            if data.curves:
                first = data.curves[0]
                found = difference(np.array(each.x), np.array(each.y), np.asarray(first.x), np.asarray(first.y))
            said = "" if found is None else found.text(self.chart.unit, self.plot.x_unit)
            entries.append(Entry(each.title, mark="point", value=said))
        return entries


def _counts(values: Array) -> bool:
    """Whether these are numbers of things."""
    known = values[np.isfinite(values)]
    return bool(len(known)) and bool((known == np.round(known)).all()) and float(np.abs(known).max()) < COUNTED
