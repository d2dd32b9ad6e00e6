"""The charts panel: which charts there are, which of them are shown, and what is drawn in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engines.api import SimulationInfo
from engines.api.charts import EMPTY, ChartData, ChartInfo, means_in
from engines.tables.columns import Axis
from ui.charts.arithmetic import over_series
from ui.charts.buttons import ChartButtons
from ui.charts.choosing import Choice
from ui.charts.contents import charts_of, left_over_time, over_time
from ui.charts.grid import ChartGrid
from ui.charts.pacing import Pace
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.making import Plot
from ui.charts.runs.runs import SessionRuns
from ui.session.model import DocumentModel
from workbench.project.project import ChartView, Line, MeasuredData
from workbench.run.frames import Frame
from workbench.run.lines import PREFIX, line_charts
from workbench.run.streams.traces import TraceBuffer, TraceStore

NOTHING = "The charts of a run stand here."


class ChartsPanel(QWidget):
    """Charts of the present run, and of its forecast before there is one.

    Measured data are part of the document; which charts are shown is remembered for each engine.
    """

    wanted = Signal(tuple, tuple)
    """The names of the charts that are not over time and that somebody looks at, and such :class:`Line` of the
    project."""
    overlay_asked = Signal(object, str)
    """Measured data for this :class:`ChartInfo`, from the file at this path; empty: ask which."""
    enlarged = Signal(object)
    """This :class:`ChartCell` is to fill the room of the 3D view; None: none."""
    save_asked = Signal(object, str)
    """This :class:`ChartCell` is to be saved as a file with this suffix."""

    def __init__(
        self, model: DocumentModel, store: TraceStore, settings: QSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumHeight(150)
        self._model = model
        self._store = store
        self._choice = Choice(settings)
        self._info: SimulationInfo | None = None
        self._time = 0.0
        self._past: float | None = None
        self._past_own: Mapping[str, ChartData] = {}
        self._in_front = True
        self._forecast: Mapping[str, ChartData] = {}
        self._forecast_infos: tuple[ChartInfo, ...] = ()
        self._last: tuple[ChartInfo, ...] = ()  # of the run before, until the next is built
        self._own: dict[str, ChartData] = {}  # of the charts that are not over time, as the run gave them last
        self._asked: tuple[tuple[str, ...], tuple[Line, ...]] = ((), ())
        self._awaited = ""  # a chart of a run to come
        self.cells: dict[str, ChartCell] = {}
        """By the name of the chart, those that have been shown: making one takes 20 ms of a person's time."""
        self._made_for: tuple[ChartInfo, ...] = ()
        self.runs = SessionRuns(self)
        self.runs.changed.connect(self._show_kept)
        self._abscissae: dict[str, str] = {}  # series that charts stand over instead of time
        self.large = ""
        """The name of the chart that fills the room of the 3D view."""
        self.shown: tuple[str, ...] = ()
        self._grid = ChartGrid(self)
        self._empty = QLabel(NOTHING, self)
        self._empty.setObjectName("muted")
        self.buttons = ChartButtons(self)
        self.buttons.fit.clicked.connect(self.autoscale)
        self.buttons.keep.clicked.connect(self.keep_run)
        self.buttons.forget.clicked.connect(self.forget_runs)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 4, 6, 4)
        layout.setSpacing(4)
        layout.addWidget(self.buttons)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self._grid, 1)
        self.pace = Pace(self._draw, self._plots, self)
        self._grid.resized.connect(self._choose)
        model.opened.connect(self._opened)
        model.changed.connect(lambda path: self._show_measured() if path[0] == "measured" else None)
        model.changed.connect(lambda path: self._lines_changed() if path[0] == "lines" else None)
        self._make_cells()

    @property
    def charts(self) -> tuple[ChartInfo, ...]:
        """The charts that there are: those of the run and along lines, or of the forecast where nothing is built."""
        if self._info is None:
            return self._choice.in_order(self._forecast_infos or self._last)
        unit = getattr(self._info.geometry, "length_unit", "")
        return self._choice.in_order((*charts_of(self._info), *line_charts(self._lines, self._info.fields, unit)))

    @property
    def _lines(self) -> Sequence[Line]:
        return () if self._model.document is None else self._model.document.project.lines

    def views(self) -> list[ChartView]:
        """Which charts stand open and how, for the project."""
        self._choice.keep_looks({name: cell.look for name, cell in self.cells.items()})
        return self._choice.views()

    @property
    def seen(self) -> bool:
        """Whether somebody may look at it: a dock behind another one's tab counts as visible to Qt."""
        return (self.isVisible() and self._in_front) or bool(self.large)

    def set_in_front(self, in_front: bool) -> None:
        self._in_front = in_front
        self._ask()
        self.pace.soon()

    # What comes.

    def show_forecast(self, charts: Mapping[str, ChartData] | None, infos: Sequence[ChartInfo] = ()) -> None:
        """Draw these curves over time, by chart name, behind the live ones; None takes them away.

        ``infos`` are the forecast's own charts (:attr:`engines.api.charts.Forecast.charts`): they are shown as long as
        there is no run. Cheap: what is drawn changes at the next redraw.
        """
        self._forecast = charts or {}
        self._forecast_infos = tuple(infos) if charts is not None else ()
        self._make_cells()
        self.pace.soon(by_hand=True)

    def set_info(self, info: SimulationInfo | None) -> None:
        """Another run, or none: its charts are shown."""
        self._info, self._own = info, {}
        if info is not None:
            self._last = self.charts
        self._make_cells()
        self.bring(self._awaited)
        self.pace.soon()

    def bring(self, name: str) -> None:
        """Show this chart before the others, at once or in the next run that has it; empty: none is awaited."""
        there = name in {chart.name for chart in self.charts}
        self._awaited = "" if there else name
        if there:
            self._show_new([name])

    def take(self) -> None:
        """The store holds new samples."""
        self.pace.soon()

    def show_frame(self, frame: Frame) -> None:
        """The charts that came with a frame, and the time that it shows."""
        self._time = frame.time
        if any(self._own.get(name) is not data for name, data in frame.charts.items()):
            self._own.update(frame.charts)
            self.pace.soon()

    def look_back(self, frame: Frame | None) -> None:
        """The rest of the window shows this moment; None: what is now."""
        self._past = None if frame is None else frame.time
        self._past_own = {} if frame is None else frame.charts
        self.pace.soon(by_hand=True)

    def clear(self) -> None:
        """The run starts anew."""
        self._own, self._time = {}, 0.0
        self.autoscale()
        self.pace.soon()

    def autoscale(self) -> None:
        for cell in self.cells.values():
            cell.plot.autoscale()

    def axes_of(self, chart: ChartInfo) -> tuple[Axis, Axis]:
        """What measured data for a chart are to hold: x, and y under the names of the chart and of its curves."""
        titles = {one.name: one.title for one in (self._info.series if self._info is not None else ())}
        curves = tuple(titles[name] for name in chart.series if name in titles)
        cell = self.cells[chart.name]
        x = Axis(cell.abscissa[1] if cell.abscissa else chart.x_title or "time", cell.plot.x_unit)
        return x, Axis(chart.title, chart.unit, (chart.name, *curves), cell.look.decibels)

    def series_under(self, chart: str) -> str:
        """What a chart stands over instead of its own abscissa; empty: that."""
        abscissa = self.cells[chart].abscissa
        return abscissa[0] if abscissa else ""

    def add_measured(self, *measured: MeasuredData) -> None:
        """Lay these points over their charts; they take the place of older ones of the same name."""
        names = {(each.chart, each.title, each.over) for each in measured}
        others = [each for each in self._draft() if (each["chart"], each["title"], each["over"]) not in names]
        added = [each.model_dump(mode="json") for each in measured]
        self._model.edit(("measured",), [*others, *added], "overlay of measured data")

    def remove_measured(self, chart: str) -> None:
        left = [each for each in self._draft() if each["chart"] != chart]
        self._model.edit(("measured",), left, "removal of measured data")

    def keep_run(self) -> None:
        """Let the curves of this run stand behind those of the next ones, in each chart."""
        if self._info is not None and self._store.series:
            self.runs.keep(*self.present, pinned=True)

    def forget_runs(self) -> None:
        for run in self.runs.pinned:
            self.runs.edit(run, pinned=False)

    @property
    def present(self) -> tuple[float, Mapping[str, TraceBuffer], Mapping[str, ChartData]]:
        """Of the present run: its time, its series, and its charts that are not over time as far as they were shown."""
        return self._time, self._store.series, self._own

    def _show_kept(self) -> None:
        self.buttons.forget.setVisible(bool(self.runs.pinned))
        for cell in self.cells.values():
            self._show_kept_in(cell)

    def _show_kept_in(self, cell: ChartCell) -> None:
        series = self._info.series if self._info is not None else ()
        chart = cell.chart
        cell.show_kept(
            {
                run.title: self._placed(chart, over_time(chart, run.series, series), run.series)
                if chart.series
                else run.own.get(chart.name, EMPTY)
                for run in self.runs.pinned
                if chart.kind == "line"
            }
        )

    def stand_over(self, chart: str, series: str) -> None:
        """Draw a chart over time over a series instead; empty: over time again."""
        self._abscissae[chart] = series
        self._dress_abscissa(self.cells[chart])
        self._show_kept_in(self.cells[chart])
        self.pace.soon(by_hand=True)

    def _dress_abscissa(self, cell: ChartCell) -> None:
        infos = {one.name: one for one in (self._info.series if self._info is not None else ())}
        means = means_in(self._info.charts if self._info is not None else ())
        others = (one for one in infos.values() if one.unit not in (cell.chart.unit, "1", "") and one.name not in means)
        cell.abscissae = tuple((one.name, one.title) for one in others)
        chosen = infos.get(self._abscissae.get(cell.chart.name, ""))
        cell.set_abscissa(None if chosen is None else (chosen.name, chosen.title, chosen.unit))

    def _placed(self, chart: ChartInfo, data: ChartData, buffers: Mapping[str, TraceBuffer]) -> ChartData:
        """The curves of a chart over time, over what it is to stand over."""
        cell = self.cells.get(chart.name)
        if cell is None or cell.abscissa is None:
            return data
        buffer = buffers.get(cell.abscissa[0])
        return EMPTY if buffer is None else over_series(data, buffer.times, buffer.values)

    # Which charts are shown.

    def enlarge(self, name: str) -> None:
        """Let a chart fill the room of the 3D view; empty, or the one that does: none."""
        if self.large in self.cells:
            self.cells[self.large].set_large(False)
        self.large = "" if name == self.large else name
        self._choose()
        if self.large:
            self._cell(self.large).set_large(True)
        self.enlarged.emit(self._cell(self.large) if self.large else None)
        self.pace.soon(by_hand=True)

    def choose(self, name: str, shown: bool) -> None:
        """Show a chart or not, now and the next time."""
        names = [chart.name for chart in self.charts if (chart.name in self.shown) != (chart.name == name)]
        if shown != (name in self.shown):
            self._choice.choose(names)
            self._choose()

    def _lines_changed(self) -> None:
        """A new line is shown at once, before the others."""
        before = {chart.name for chart in self._made_for}
        self._show_new([chart.name for chart in self.charts if chart.name not in before])

    def _show_new(self, new: Sequence[str]) -> None:
        for name in new:
            self._choice.put_first(name)
        self._make_cells()
        for name in new:
            self.choose(name, True)

    def _engine(self) -> str:
        document = self._model.document
        return "" if document is None else document.engine.id

    def _choose(self) -> None:
        """What the person chose, or as many as there is room for."""
        names, room = [chart.name for chart in self.charts], self._grid.room()
        shown = self._choice.shown(names, room)
        self.buttons.tell_more(self._choice.left_out(names, room))
        if shown != self.shown:
            self.shown = shown
            self.buttons.check(shown)
            self.pace.soon(by_hand=True)
        self._grid.set_cells([self._cell(name) for name in shown if name != self.large])
        self._ask()

    @property
    def _drawn(self) -> tuple[str, ...]:
        """Those that are shown here, and the large one."""
        return self.shown if not self.large or self.large in self.shown else (*self.shown, self.large)

    def _ask(self) -> None:
        names = tuple(chart.name for chart in self.charts if not chart.series and chart.name in self._drawn)
        lines = tuple(line for line in self._lines if PREFIX + line.name in names)
        asked = (names, lines) if self._info is not None and self.seen else ((), ())
        if asked != self._asked:
            self._asked = asked
            self.wanted.emit(*asked)

    # Cells.

    def _make_cells(self) -> None:
        charts = self.charts
        if charts and self._made_for == charts:
            self._ask()
            return
        if self.large not in {chart.name for chart in charts}:
            self.large = ""
        self._grid.set_cells([])
        self._choice.keep_looks({name: cell.look for name, cell in self.cells.items()})
        for cell in self.cells.values():
            cell.hide()
            cell.deleteLater()
        self.cells, self.shown, self._made_for = {}, (), charts
        self.buttons.offer(charts, self.choose)
        self._empty.setVisible(not charts)
        self._grid.setVisible(bool(charts))
        self._choose()
        self.enlarged.emit(self._cell(self.large) if self.large else None)

    def _cell(self, name: str) -> ChartCell:
        if name not in self.cells:
            self.cells[name] = self._make_cell(next(chart for chart in self._made_for if chart.name == name))
            self._show_measured_in(name)
        return self.cells[name]

    def _make_cell(self, chart: ChartInfo) -> ChartCell:
        document = self._model.document
        unit = self._info.time_unit if self._info is not None else document.time_unit if document is not None else ""
        cell = ChartCell(chart, unit, self._grid.body)
        cell.hide()
        cell.overlay_asked.connect(partial(self.overlay_asked.emit, chart))
        cell.removal_asked.connect(partial(self.remove_measured, chart.name))
        cell.save_asked.connect(partial(self.save_asked.emit, cell))
        cell.hovered.connect(partial(self._hovered, chart))
        cell.enlarge.show()
        cell.size_asked.connect(partial(self.enlarge, chart.name))
        cell.abscissa_asked.connect(partial(self.stand_over, chart.name))
        if (look := self._choice.look(chart.name)) != cell.look:
            cell.set_look(look)
        self._dress_abscissa(cell)
        self._show_kept_in(cell)
        return cell

    def _hovered(self, chart: ChartInfo, x: float | None) -> None:
        """The line under the mouse stands in all charts over the same as the one it is in."""
        over = _abscissa_of(self.cells[chart.name])
        for cell in self.cells.values():
            if cell.chart is chart or _abscissa_of(cell) == over:
                cell.show_cursor(x)

    def _draw(self) -> None:
        if not self.seen:
            return
        for name in self._drawn:
            cell = self.cells[name]
            if cell.chart.series:
                series = self._info.series if self._info is not None else ()
                cell.show_data(
                    self._placed(cell.chart, over_time(cell.chart, self._store.series, series), self._store.series)
                )
                cell.show_forecast(self._forecast.get(name, EMPTY))
                timed = cell.abscissa is None
                left = left_over_time(cell.chart, self._store.left, self._store.series) if timed else []
                cell.plot.show_left(left)
                now = self._time if self._past is None else self._past
                cell.plot.show_now(now if timed and now > 0 else None)
                cell.show_moment(self._past if timed else None)
            else:
                cell.show_data((self._own if self._past is None else self._past_own).get(name, EMPTY))
            cell.plot.settle()

    def _plots(self) -> Iterator[Plot]:
        return (cell.plot for cell in self.cells.values())

    def _show_measured(self) -> None:
        for name in self.cells:
            self._show_measured_in(name)

    def _show_measured_in(self, name: str) -> None:
        document = self._model.document
        measured = document.project.measured if document is not None else []
        self.cells[name].show_measured([each for each in measured if each.chart == name])

    def _draft(self) -> list[dict[str, object]]:
        return list(self._model.draft.get("measured", []))

    def _opened(self) -> None:
        self._forecast, self._forecast_infos = {}, ()
        self._abscissae, self._awaited = {}, ""
        document = self._model.document
        self._past, self._past_own = None, {}
        self._info, self._last, self._own, self._time = None, (), {}, 0.0
        self._make_cells()
        self._choice.open(self._engine(), [] if document is None else document.project.view.charts)

    # Qt.

    def showEvent(self, event: object) -> None:
        self._ask()
        self.pace.soon()

    def hideEvent(self, event: object) -> None:
        self._ask()


def _abscissa_of(cell: ChartCell) -> object:
    """What a chart stands over; charts over the same share their cursor."""
    chart = cell.chart
    return cell.abscissa or (("time", "") if chart.series else (chart.kind, chart.x_title, chart.x_unit))
