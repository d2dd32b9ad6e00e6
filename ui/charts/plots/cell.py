"""One chart of the panel: its title, its legend with values, its plot, and the menu of what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from ui.charts.arithmetic import Look, looked_at
from ui.charts.figure import FigureSize, figure_bytes
from ui.charts.figure_dialog import FigureDialog
from ui.charts.plots.legend import SHARE, Entry, Legend, Mark
from ui.charts.plots.looks import ChartTitle, add_looks
from ui.charts.plots.making import make_plot
from ui.charts.plots.pictures import picture
from ui.charts.plots.plot import ChartPlot
from ui.charts.plots.reading import abscissa, figure, range_text, value_at
from ui.widgets.icons import dress
from workbench.export.chart_tables import chart_text
from workbench.project.measured import difference
from workbench.project.project import MeasuredData
from workbench.words.numbers import spaced

GAP, MARGIN = 6, 4
"""Pixels between what stands beside each other, and at the sides."""
COUNTED = 1e5
"""Numbers beyond this are written with a power of ten, counts or not."""
SAVED_AS = {
    ".png": "Picture (*.png)",
    ".svg": "Drawing (*.svg)",
    ".pdf": "PDF (*.pdf)",
    ".csv": "Comma-separated values (*.csv)",
}
_figure_size = [FigureSize()]
"""Of the next figure: that of the last one."""


class ChartCell(QWidget):
    """Shows one chart. What a person asks of it goes out as signals; :meth:`content` is what is saved."""

    save_asked = Signal(str)
    """The suffix of the file that the chart is to be saved as."""
    overlay_asked = Signal(str)
    """Measured data from the file at this path; empty: ask which."""
    removal_asked = Signal()
    hovered = Signal(object)
    size_asked = Signal()
    """The chart is to fill the room of the 3D view, or to come back from there."""
    abscissa_asked = Signal(str)
    """The series that the chart is to stand over; empty: time."""

    def __init__(self, chart: ChartInfo, x_unit: str, parent: QWidget | None = None, *, paper: bool = False) -> None:
        """``paper``: for print, without buttons and present values."""
        super().__init__(parent)
        self._paper = paper
        self._time_unit = x_unit
        self._raw, self._raw_forecast = EMPTY, EMPTY
        self._kept: dict[str, ChartData] = {}
        self.look = Look()
        self.abscissae: tuple[tuple[str, str], ...] = ()
        """Series that it may stand over: name and title."""
        self.abscissa: tuple[str, str, str] | None = None
        """The series that it stands over: name, title and unit."""
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.chart = chart
        self.setAccessibleName(chart.title)
        self._forecast = EMPTY
        self._measured: tuple[MeasuredData, ...] = ()
        self._hover: float | None = None
        self._moment: float | None = None
        self.plot = make_plot(chart, x_unit, self)
        self.title = ChartTitle(chart.title, self)
        self.title.double_clicked.connect(self.size_asked)
        self.readout = QLabel(self)
        self.below = QLabel(self)
        for label in (self.readout, self.below):
            label.setObjectName("muted")
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.below.hide()
        self.note = QLabel(self)
        self.note.setObjectName("warning")
        self.note.setWordWrap(True)
        self.note.hide()
        self.legend = Legend(self)
        self.legend.hide()
        self.enlarge = self._button("enlarge", "As large as the view (double-click on the title; Escape leads back)")
        self.enlarge.setAccessibleName(f"Enlarge {chart.title}")
        self.enlarge.clicked.connect(self.size_asked)
        self.more = self._button("more", "Axes, arithmetic, save, copy, overlay measured data")
        self.more.setAccessibleName(f"Menu of {chart.title}")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self.title, 1)
        top.addWidget(self.readout)
        for widget in (self.readout, self.enlarge, self.more):
            widget.setVisible(not paper)
        self.enlarge.setVisible(False)
        top.addWidget(self.enlarge)
        top.addWidget(self.more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 2, MARGIN, 2)
        layout.setSpacing(1)
        layout.addLayout(top)
        layout.addWidget(self.below)
        layout.addWidget(self.note)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu().popup(self.mapToGlobal(at)))
        self.plot.hovered.connect(self.hovered)
        self.plot.dropped.connect(self.overlay_asked)
        if isinstance(self.plot, ChartPlot):
            self.plot.unit_changed.connect(self._tell)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """As they came, before any arithmetic."""
        return self._raw.curves

    @property
    def kept(self) -> tuple[str, ...]:
        """The titles of the kept runs."""
        return tuple(self._kept)

    # What to show.

    def show_data(self, data: ChartData) -> None:
        self._raw = data
        self.plot.show_data(looked_at(data, self.look, self._kept))
        if self.look.over:
            self.plot.show_measured(self._measured_seen)  # what they are divided by is another
        self._tell()

    def show_forecast(self, data: ChartData) -> None:
        self._raw_forecast = data
        self._forecast = looked_at(data, self.look, self._kept) if self.abscissa is None else EMPTY
        self.plot.show_forecast(self._forecast)
        self._tell()

    def show_kept(self, runs: Mapping[str, ChartData]) -> None:
        """The curves of kept runs, by their titles."""
        if runs or self._kept:
            self._kept = dict(runs)
            self.set_look(self.look)

    def set_look(self, look: Look) -> None:
        """Axes and arithmetic from now on."""
        self.look = look
        self.title.setText(self.chart.title + look.note())
        self.plot.set_axes(look.unit(self.chart.unit), log_x=look.log_x, log_y=look.vertical == "log")
        self.plot.show_kept([looked_at(data, look, self._kept) for data in self._kept.values()])
        self.show_forecast(self._raw_forecast)
        self.show_data(self._raw)
        self.plot.show_measured(self._measured_seen)

    def set_large(self, large: bool) -> None:
        """With words at the axes."""
        self.plot.set_title(self._ordinate if large else "")

    @property
    def _ordinate(self) -> str:
        """What stands at the vertical axis."""
        return (self.chart.y_title or self.chart.title) + self.look.note()

    def set_abscissa(self, abscissa: tuple[str, str, str] | None) -> None:
        """Stand over this series (name, title, unit), or over time again."""
        if abscissa != self.abscissa:
            self.abscissa = abscissa
            _, title, unit = abscissa or ("", self.chart.x_title, self.chart.x_unit or self._time_unit)
            self.plot.set_abscissa(title, unit)
            self.show_measured(self._measured)

    def show_measured(self, measured: Sequence[MeasuredData]) -> None:
        self._measured = tuple(measured)
        self.plot.show_measured(self._measured_seen)
        self._tell()

    @property
    def _measured_seen(self) -> Sequence[MeasuredData]:
        """The measured points over what the chart stands over, divided and in decibels as the curves are, without those
        that have no such value."""
        over = self.abscissa[0] if self.abscissa else ""
        measured = [each for each in self._measured if each.over == over]
        if not measured or self.look.unit("") == "":
            return measured
        points = [Curve(each.title, np.array(each.x), np.array(each.y)) for each in measured]
        data = replace(self._raw, curves=(*self._raw.curves, *points))
        seen = looked_at(data, self.look, self._kept).curves[-len(points) :]
        known = [(each, one.x, one.y, np.isfinite(one.y)) for each, one in zip(measured, seen, strict=True)]
        return [each.model_copy(update={"x": list(x[kept]), "y": list(y[kept])}) for each, x, y, kept in known]

    def show_cursor(self, x: float | None) -> None:
        """Read all values at ``x``; None: the newest, where there is one."""
        self._hover = x
        self.plot.show_cursor(x)
        self._tell()

    def show_moment(self, x: float | None) -> None:
        """Read all values there while nobody points at another place; None: the newest."""
        if x != self._moment:
            self._moment = x
            self._tell()

    # What can be done with it.

    def menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all of it", self.plot.autoscale)
        if self.chart.kind == "line":
            add_looks(menu, self)
        menu.addSeparator()
        if self.chart.comparable:
            menu.addAction("Overlay measured data…", lambda: self.overlay_asked.emit(""))
            remove = menu.addAction("Remove measured data", self.removal_asked.emit)
            remove.setEnabled(bool(self._measured))
            menu.addSeparator()
        menu.addAction("Figure for print…", self.ask_for_figure)
        for suffix in SAVED_AS:
            menu.addAction(f"Save as {suffix[1:].upper()}…", partial(self.save_asked.emit, suffix))
        menu.addAction("Copy as picture", self.copy)
        return menu

    def copy(self) -> None:
        """The chart as a picture on the clipboard."""
        QGuiApplication.clipboard().setImage(picture(self))

    def ask_for_figure(self) -> FigureDialog:
        """Size and form of a figure on white."""
        dialog = FigureDialog(self.on_paper, _figure_size[0], self)
        dialog.chosen.connect(self._save_figure)
        dialog.open()
        return dialog

    def _save_figure(self, size: FigureSize, suffix: str) -> None:
        _figure_size[0] = size
        self.save_asked.emit(suffix)

    def on_paper(self) -> ChartCell:
        """The same chart without buttons and present values, where it is being looked at."""
        cell = ChartCell(self.chart, self._time_unit, paper=True)
        cell.set_abscissa(self.abscissa)
        cell._kept, cell._raw, cell._raw_forecast = self._kept, self._raw, self._raw_forecast
        cell._measured = self._measured
        cell.set_look(self.look)
        if self.chart.kind in ("line", "area", "bar"):
            cell.title.hide()  # it stands at the axis
            cell.plot.set_title(cell._ordinate)
        cell.plot.show_part(self.plot)
        return cell

    def content(self, suffix: str) -> bytes:
        """What a file with this suffix holds: .png, .svg and .pdf on white, or .csv with the curves, those of kept runs
        and the measured points."""
        if suffix != ".csv":
            return figure_bytes(self.on_paper, _figure_size[0], suffix)
        curves = list(self.plot.data.curves)
        for title, data in self._kept.items():
            seen = looked_at(data, self.look, self._kept)
            curves += [replace(curve, title=f"{curve.title}, {title}") for curve in seen.curves]
        data = replace(self.plot.data, curves=tuple(curves))
        info = replace(self.chart, title=self.title.text(), unit=self.look.unit(self.chart.unit))
        if self.abscissa is not None:
            info = replace(info, x_title=self.abscissa[1], x_unit=self.abscissa[2])
        points = [[each.title, x, y] for each in self._measured_seen for x, y in zip(each.x, each.y, strict=True)]
        return chart_text(info, data, "time", self.plot.x_unit, points).encode()

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("small")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        dress(button, icon, "muted")
        return button

    # In words.

    def _tell(self) -> None:
        data = self.plot.data
        at = self._moment if self._hover is None else self._hover
        values = [None if self._paper else value_at(self.chart, curve, at) for curve in data.curves]
        unit = self.look.unit(self.chart.unit)
        texts = [
            "" if value is None else f"{value:.0f}" if unit == "1" and _counts(curve.y) else figure(value, unit)
            for value, curve in zip(values, data.curves, strict=True)
        ]
        averaged = self.chart.binned and any(value is not None for value in values)
        where = self._where(at) if at is not None else "mean so far" if averaged else ""
        told = texts[0] if len(texts) == 1 else ""
        if at is None and values == [None] and self.chart.kind != "raster" and not self._paper:
            told = range_text(self.chart, data.curves[0].y, unit)
        self._say("   ".join(part for part in (where, told, spaced(data.part)) if part))
        self.note.setText(spaced(data.note))
        self.note.setVisible(bool(self.note.text()))
        self._share_height()
        briefs = ["" if value is None else figure(value, "", 3) for value in values]
        self.legend.set_entries([*self._curve_entries(texts, briefs), *self._other_entries()])

    def _say(self, text: str) -> None:
        """Beside the title where there is room for both, below it where there is not: neither is cut short."""
        widest = max(text, "8" * len(text), key=self.fontMetrics().horizontalAdvance)  # so that it stays in its place
        beside = not self._paper and self._room_beside_title >= self.fontMetrics().horizontalAdvance(widest)
        self.readout.setText(text if beside else "")
        self.below.setText("" if beside else text)
        self.below.setVisible(bool(text) and not beside)

    @property
    def _room_beside_title(self) -> int:
        """Pixels of the first line that title and buttons leave."""
        buttons = sum(button.sizeHint().width() + GAP for button in (self.enlarge, self.more) if not button.isHidden())
        return self.width() - 2 * MARGIN - self.title.full_width - buttons - GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()
        if event.oldSize().width() != self.width():
            self._tell()

    def _share_height(self) -> None:
        """What the note takes, the legend leaves: a warning must not squeeze the curve that it is about."""
        if not self._paper:
            noted = self.note.heightForWidth(self.width() - 2 * MARGIN) if self.note.text() else 0
            self.legend.stand_in(self.height() - SHARE * noted)

    def _where(self, x: float) -> str:
        if self.abscissa:
            return figure(x, self.plot.x_unit)
        unit, size = self.plot.told_in
        return abscissa(self.chart, x / size, unit, (self.plot.seen or abs(x)) / size)

    def _curve_entries(self, texts: Sequence[str], briefs: Sequence[str]) -> list[Entry]:
        others = bool(self._kept or self._forecast.curves or self._measured)
        single = self.chart.kind == "bar" and [len(curve.y) for curve in self.plot.data.curves] == [1]
        if len(texts) < (1 if single or (others and self._paper) else 2) or self.chart.kind == "matrix":
            return []
        mark: Mark = "line" if self.chart.kind in ("line", "polar") else "area"
        widest, shortest = figure(-8.888, self.look.unit(self.chart.unit)), figure(-8.88, "", 3)
        if self._paper or self.chart.kind == "raster":
            widest = shortest = ""  # else there is room for what the mouse will read
        return [
            Entry(curve.title, place, "line" if curve.over else mark, text, widest, brief, shortest)
            for place, (curve, text, brief) in enumerate(zip(self.plot.data.curves, texts, briefs, strict=True))
        ]

    def _other_entries(self) -> list[Entry]:
        data, entries = self.plot.data, []
        if any(curve.shade is not None for curve in data.curves):
            entries.append(Entry(data.shade_title, mark="scale"))
        if self._forecast.curves:
            one = len(self._forecast.curves) == 1
            entries.append(Entry(self._forecast.curves[0].title if one else "Forecast", 0 if one else None, "dashed"))
        kept = [(title, data) for title, data in self._kept.items() if data.curves]
        entries += [Entry(title, None, "dotted", run=run) for run, (title, _) in enumerate(kept)]
        for each in self._measured_seen:
            said = self._apart(each, data.curves) if self.abscissa is None else ""
            entries.append(Entry(each.title, mark="point", value=said))
        return entries

    def _apart(self, measured: MeasuredData, curves: Sequence[Curve]) -> str:
        """How far measured points are from the curve that is nearest to them, which is named where there are others."""
        x, y = np.array(measured.x), np.array(measured.y)
        found = [(difference(x, y, np.asarray(curve.x), np.asarray(curve.y)), curve.title) for curve in curves]
        known = [(each, title) for each, title in found if each is not None]
        if not known:
            return ""
        nearest, title = min(known, key=lambda pair: pair[0].rmse)
        said = nearest.text(self.look.unit(self.chart.unit), *self.plot.told_in)
        return f"{said} to {title}" if len(curves) > 1 else said


def _counts(values: Array) -> bool:
    """Whether these are numbers of things."""
    known = values[np.isfinite(values)]
    return bool(len(known)) and bool((known == np.round(known)).all()) and float(np.abs(known).max()) < COUNTED
