"""The charts panel beside a run with a known answer."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QRect, QSettings, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.tools import ToolResult
from tests.ui.charts.doubles import CHARTS, ChartedWave
from ui.charts.pacing import Pace
from ui.charts.panel import ChartsPanel
from ui.charts.plots.cell import ChartCell
from ui.session.model import DocumentModel
from ui.widgets.theme import theme
from workbench.project.project import ChartView, MeasuredData
from workbench.run.streams.traces import TraceStore

# Written out: what the sources have is held against these.
HAND_SECONDS = 0.03
LIVE_SECONDS = 0.1

FORECAST = ChartInfo("voltage", "Voltage", "V", ("mean",))


def run_until(qtbot, window, time):
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.time > time, timeout=10_000)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase == "paused", timeout=5000)


def drawn(qtbot, panel, name, at_least=2, until=-np.inf):
    """The curves of a chart once the first has that many points and reaches `until`: pictures follow the run late."""

    def curves():
        return panel.cells[name].plot.data.curves

    def ready():
        return bool(curves()) and len(curves()[0].y) >= at_least and curves()[0].x[-1] >= until

    qtbot.waitUntil(ready, timeout=5000)
    return curves()


def test_as_many_charts_as_fit_are_shown_and_the_choice_is_remembered(charted, qtbot):
    panel = charted.charts.panel
    assert panel.isVisible()
    assert panel.charts == tuple(CHARTS)
    assert tuple(panel.cells) == panel.shown  # others are made when they are looked at
    assert panel.shown == ("voltage", "losses", "sizes")  # three of 270 pixels beside each other
    panel.choose("losses", False)
    assert panel.shown == ("voltage", "sizes")
    assert not panel.cells["losses"].isVisible()
    panel.choose("history", True)
    charted.open_preset(charted.services.presets()[1])
    qtbot.waitUntil(lambda: charted.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: panel.shown == ("voltage", "sizes", "history"))
    assert [action.isChecked() for action in panel.buttons.chooser.menu().actions()] == [True, False, True, True]


def test_charts_in_no_dock_are_seen_while_they_are_visible(qtbot, tmp_path):
    """Nobody says of them that they stand in front."""
    settings = QSettings(str(tmp_path / "charts.ini"), QSettings.Format.IniFormat)
    panel = ChartsPanel(DocumentModel(), TraceStore(), settings)
    qtbot.addWidget(panel)
    assert not panel.seen
    panel.show()
    assert panel.seen


def test_charts_of_a_project_that_have_no_room_are_told_where_they_can_be_chosen(charted, qtbot, monkeypatch):
    panel, opened = charted.charts.panel, []
    monkeypatch.setattr(panel.buttons.chooser, "showMenu", lambda: opened.append(True))
    assert not panel.buttons.more.isVisible()
    charted.model.document.project.view.charts = [ChartView(name=name) for name in ("voltage", "losses", "sizes")]
    panel._opened()
    panel.set_info(charted.controller.info)
    panel.resize(590, 190)  # as beside the meters of a window of 1280 points
    qtbot.waitUntil(lambda: panel.shown == ("voltage", "losses"))
    assert panel.buttons.more.isVisible()
    assert (panel.buttons.more.text(), panel.buttons.more.toolTip()[:12]) == ("+1", "1 chart more")
    panel.buttons.more.click()
    assert opened


class Paintings(QObject):
    """Counts those of a widget."""

    count = 0

    def eventFilter(self, widget, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_a_chart_is_painted_once_for_what_it_is_given(charted, qtbot):
    """Its axes follow before it is painted, and not while it is."""
    run_until(qtbot, charted, 20.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "voltage", 10)
    qtbot.wait(300)
    plot, store, painted = panel.cells["voltage"].plot, charted.probes.store, Paintings()
    plot.viewport().installEventFilter(painted)
    counts = []
    for _ in range(9):
        painted.count = 0
        end = store.series["mean"].times[-1]
        for buffer in store.series.values():
            buffer.append(np.array([end + 30.0]), np.array([buffer.values[-1] + 1.0]))
        before = plot.viewRange()
        panel._draw()
        qtbot.waitUntil(lambda: painted.count > 0, timeout=5000)
        qtbot.wait(100)
        assert plot.viewRange() != before
        counts.append(painted.count)
    assert sorted(counts)[len(counts) // 2] == 1, "but for what else has it painted now and then"
    plot.viewport().removeEventFilter(painted)


def test_series_become_curves_with_their_band(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    mean, upper = drawn(qtbot, charted.charts.panel, "voltage", 10)
    assert mean.title == "Mean"
    np.testing.assert_allclose(mean.y, 4 - mean.x / 100, atol=1e-12)
    np.testing.assert_allclose(mean.low, mean.y - 0.1, atol=1e-12)
    np.testing.assert_allclose(mean.high, mean.y + 0.1, atol=1e-12)
    assert upper.low is None
    legend = charted.charts.panel.cells["voltage"].legend.entries
    assert [entry.title for entry in legend] == ["Mean", "Upper"]
    assert all(entry.value.endswith(" V") for entry in legend)


def test_a_stack_goes_up_and_down(charted, qtbot):
    run_until(qtbot, charted, 5.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "losses", 5)
    box = panel.cells["losses"].plot.getPlotItem().getViewBox()

    def fits():  # the rest below, and kinetics with transport on top of it
        bottom, top = box.viewRange()[1]
        return bottom < -8 < 25 < top

    qtbot.waitUntil(fits)


def test_charts_of_their_own_are_asked_for_only_while_they_are_seen(charted, qtbot):
    panel, runner = charted.charts.panel, charted.controller.runner
    qtbot.waitUntil(lambda: panel.cells["sizes"].plot.data.curves != ())
    asked = runner.post(lambda simulation: set(simulation.asked)).result(20)
    assert asked == {"sizes"}  # the fourth is not shown
    panel.choose("history", True)
    (charge,) = drawn(qtbot, panel, "history")
    assert charge.y[0] == pytest.approx(4.98)
    charted.dock_layout.docks["log"].raise_()  # the panel is behind the log
    qtbot.waitUntil(lambda: not panel.seen)
    runner.post(lambda simulation: simulation.asked.clear()).result(20)
    run_until(qtbot, charted, 10.0)
    assert runner.post(lambda simulation: list(simulation.asked)).result(20) == []


def test_a_chart_that_a_tool_was_for_comes_first_when_a_run_has_it(charted, qtbot, monkeypatch):
    """At once where this run has it; never in another problem."""
    panel = charted.charts.panel
    charted.dock_layout.docks["log"].raise_()
    charted.tools.taken_over.emit(ToolResult("", shows="history"))
    assert panel.shown[0] == "history"
    qtbot.waitUntil(lambda: panel.seen)
    new = ChartInfo("new", "New", "1", ("mean",))
    charted.charts.bring("new")
    assert "new" not in panel.shown
    monkeypatch.setattr(ChartedWave, "charts", (*CHARTS, new))
    charted.controller.build()
    qtbot.waitUntil(lambda: panel.shown[:2] == ("new", "history"))
    charted.charts.bring("of no run")
    charted.open_preset(charted.services.presets()[0])
    qtbot.waitUntil(lambda: panel._awaited == "")


def test_engines_without_charts_get_one_for_each_unit(opened, qtbot):
    panel = opened.charts.panel
    qtbot.waitUntil(panel.isVisible)
    assert [(chart.title, chart.unit, chart.series) for chart in panel.charts] == [("Mean voltage", "mV", ("mean",))]


def test_the_mouse_reads_all_charts_over_time(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "voltage", until=10.0)
    seen = panel.cells["voltage"].plot.getPlotItem().getViewBox().viewRange
    qtbot.waitUntil(lambda: seen()[0][1] > 10)  # the axis follows when it is painted
    panel.cells["losses"].plot.hovered.emit(10.0)
    values = [entry.value for entry in panel.cells["voltage"].legend.entries]
    assert values == ["3.900 V", "4.200 V"]
    assert panel.cells["voltage"].readout.text() == "10.00 ms"
    panel.cells["sizes"].plot.hovered.emit(3.5)
    assert panel.cells["sizes"].readout.text().startswith("3.500 µm")
    assert panel.cells["voltage"].readout.text() == "10.00 ms"  # a radius is no time
    panel.cells["losses"].plot.hovered.emit(None)
    assert panel.cells["voltage"].readout.text() == ""


def test_a_double_click_shows_everything_again(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    plot = charted.charts.panel.cells["voltage"].plot
    drawn(qtbot, charted.charts.panel, "voltage", until=19.5)
    plot.setXRange(1, 2, padding=0)
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.viewport().rect().center())
    qtbot.waitUntil(lambda: plot.getPlotItem().getViewBox().viewRange()[0][1] > 19)


def test_a_forecast_is_drawn_before_there_is_a_run_and_behind_it(window, qtbot, services):
    panel, t = window.charts.panel, np.linspace(0, 100, 50)
    curve = Curve("Mean", t, 4 - t / 100, low=3.9 - t / 100, high=4.1 - t / 100)
    panel.show_forecast({"voltage": ChartData((curve,))}, (FORECAST,))
    assert tuple(panel.cells) == ("voltage",)
    panel.show_forecast(None)
    assert not panel.cells


def test_a_forecast_stands_behind_the_live_curves(charted, qtbot):
    panel, t = charted.charts.panel, np.linspace(0, 100, 50)
    panel.show_forecast({"voltage": ChartData((Curve("Forecast of 200 cells", t, 4 - t / 100),))}, (FORECAST,))
    assert len(panel.charts) == len(CHARTS)  # those of the run stay
    qtbot.waitUntil(lambda: "Forecast of 200 cells" in [e.title for e in panel.cells["voltage"].legend.entries])
    items = panel.cells["voltage"].plot.getPlotItem().listDataItems()
    dashed = [item for item in items if item.opts["pen"].style() == Qt.PenStyle.DashLine]
    assert [item.yData[-1] for item in dashed] == [pytest.approx(3.0)]
    assert dashed[0].zValue() < 0
    panel.show_forecast(None)
    qtbot.waitUntil(lambda: "Forecast of 200 cells" not in [e.title for e in panel.cells["voltage"].legend.entries])


def test_a_dropped_file_is_laid_over_the_chart_and_can_be_undone(charted, qtbot, tmp_path):
    run_until(qtbot, charted, 20.0)
    panel, model = charted.charts.panel, charted.model
    drawn(qtbot, panel, "voltage", 10)
    file = tmp_path / "lab cell.csv"
    file.write_text("t,U\n" + "\n".join(f"{t},{4 - t / 100 + 0.0042}" for t in range(0, 200, 2)))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    plot = panel.cells["voltage"].plot
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    plot.dropEvent(QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, left, none))
    qtbot.waitUntil(lambda: len(model.document.project.measured) == 1, timeout=5000)
    (entry,) = [e for e in panel.cells["voltage"].legend.entries if e.mark == "point"]
    assert entry.title == "lab cell"
    assert entry.value.startswith("RMSE 4.2 mV over ")
    assert entry.value.endswith(" ms to Mean")
    panel.cells["voltage"].removal_asked.emit()
    assert model.document.project.measured == []
    model.undo_stack.undo()
    assert [each.title for each in model.document.project.measured] == ["lab cell"]
    assert [e.title for e in panel.cells["voltage"].legend.entries if e.mark == "point"] == ["lab cell"]


def test_measured_points_are_held_against_the_curve_that_is_nearest(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "voltage", 10, until=9.0)
    times = [1.0 * t for t in range(1, 10)]
    upper = [4.3 - t / 100 - 0.002 for t in times]
    panel.add_measured(MeasuredData(chart="voltage", title="lab", x=times, y=upper))
    entries = panel.cells["voltage"].legend.entries
    assert [entry.value for entry in entries if entry.mark == "point"] == ["RMSE 2 mV over 8 ms to Upper"]


def test_measured_points_stand_only_over_what_they_were_measured_over(charted, qtbot, tmp_path):
    run_until(qtbot, charted, 5.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "voltage", 4)
    cell, file = panel.cells["voltage"], tmp_path / "lab.csv"
    seen = lambda: [entry.title for entry in cell.legend.entries if entry.mark == "point"]  # noqa: E731
    for series in ("", "kinetics"):
        panel.stand_over("voltage", series)
        assert seen() == [], "milliseconds are no millivolts"
        file.write_text("x,y\n1,4\n2,3.9\n")
        cell.plot.dropped.emit(str(file))
        qtbot.waitUntil(lambda: seen() == ["lab"], timeout=5000)
    assert [each.over for each in charted.model.document.project.measured] == ["", "kinetics"]
    panel.stand_over("voltage", "")
    assert seen() == ["lab"]


def test_a_bad_file_is_one_sentence(charted, qtbot, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("t,U\n1,2\n3,oops\n")
    charted.charts.panel.cells["voltage"].plot.dropped.emit(str(file))
    qtbot.waitUntil(lambda: "row 3, column 2" in charted.banner.text, timeout=5000)
    assert charted.model.document.project.measured == []


def test_measured_data_come_back_with_the_project(charted, qtbot, services):
    measured = MeasuredData(chart="voltage", title="lab", x=[0.0, 1.0], y=[4.0, 3.9])
    document = services.document("Slab")
    document.project.measured = [measured]
    charted.model.open(document)
    qtbot.waitUntil(lambda: "voltage" in charted.charts.panel.cells, timeout=10_000)
    legend = charted.charts.panel.cells["voltage"].legend
    assert [entry.title for entry in legend.entries if entry.mark == "point"] == ["lab"]


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".csv", b"curve,time [ms]")])
def test_a_chart_is_saved(charted, qtbot, tmp_path, monkeypatch, suffix, start):
    run_until(qtbot, charted, 5.0)
    drawn(qtbot, charted.charts.panel, "voltage", 4)
    path = tmp_path / f"chart{suffix}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path.with_suffix("")), ""))
    charted.charts.panel.cells["voltage"].save_asked.emit(suffix)
    qtbot.waitUntil(path.is_file, timeout=5000)
    assert path.read_bytes().startswith(start)
    assert path.stat().st_size > 300


def test_a_chart_is_copied_and_has_a_menu(charted):
    cell = charted.charts.panel.cells["voltage"]
    texts = [action.text() for action in cell.menu().actions() if action.text()]
    assert "Overlay measured data…" in texts
    assert "Save as SVG…" in texts
    assert "Overlay measured data…" not in [a.text() for a in charted.charts.panel.cells["losses"].menu().actions()]
    cell.copy()
    assert QGuiApplication.clipboard().image().width() == 2 * cell.width()


def test_the_theme_changes_while_charts_are_shown(charted, qtbot, qapp):
    run_until(qtbot, charted, 5.0)
    plot = charted.charts.panel.cells["voltage"].plot
    try:
        theme().apply("light", qapp)
        assert plot.backgroundBrush().color().name() == theme().palette.plot
    finally:
        theme().apply("dark", qapp)


@pytest.mark.keeps_time
def test_drawing_that_takes_long_comes_less_often(qtbot, qapp):
    """A drawing of 12 ms may come every 12 / 0.06 = 200 ms, and one that costs nothing every 100 ms."""
    import time

    from PySide6.QtCore import QObject

    parent, counts = QObject(), []
    for cost in (0.012, 0.0):
        drawings = []

        def draw(cost=cost, drawings=drawings):
            drawings.append(time.perf_counter())
            time.sleep(cost)

        pace = Pace(draw, lambda: (), parent)
        end = time.perf_counter() + 1.05
        while time.perf_counter() < end:
            pace.soon()
            qtbot.wait(5)
        counts.append(len(drawings))
    assert counts[0] <= 6
    assert counts[0] < counts[1] <= 12
    assert HAND_SECONDS < LIVE_SECONDS


def test_the_charts_leave_when_there_are_none(charted, qtbot, services, monkeypatch):
    dock = charted.dock_layout.docks["charts"]
    assert not dock.isHidden()
    monkeypatch.setattr(ChartedWave, "charts", ())
    monkeypatch.setattr(ChartedWave, "series", property(lambda self: (), lambda self, value: None), raising=False)
    charted.open_preset(services.presets()[1])
    qtbot.waitUntil(dock.isHidden, timeout=10_000)


@pytest.mark.parametrize(("values", "told"), [([0.0, 2.0], "2"), ([0.5, 2.0], "2.000"), ([np.nan, np.nan], "–")])
def test_numbers_of_things_are_told_without_decimals(qtbot, values, told):
    cell = ChartCell(ChartInfo("number", "Singularities", "1", ("number",)), "ms")
    qtbot.addWidget(cell)
    cell.show_data(ChartData((Curve("number", np.arange(2.0), np.array(values)),)))
    assert cell.readout.text() == told


def test_a_dropped_table_of_several_columns_is_asked_about(charted, qtbot, tmp_path):
    """Time, voltage and current were refused."""
    file = tmp_path / "cycler.csv"
    file.write_text("Time [h],Voltage [V],Current [A]\n0,4.2,1\n0.5,4.1,1\n")
    charted.charts.panel.cells["voltage"].plot.dropped.emit(str(file))
    overlay = charted.charts.overlay
    qtbot.waitUntil(lambda: overlay.dialog is not None and overlay.dialog.use_button.isEnabled(), timeout=5000)
    overlay.dialog.use_button.click()
    (measured,) = charted.model.document.project.measured
    assert measured.title == "cycler"
    assert measured.y == [4.2, 4.1]
    assert overlay.dialog is None


def test_what_is_said_stands_below_a_large_chart_and_covers_nothing_of_it(charted, qtbot):
    """It lay over the title, and its cross over the menu of the next file that was to be saved."""
    panel, banner = charted.charts.panel, charted.banner
    banner.say("Written to a file.", "info")
    above = banner.y()
    panel.enlarge("voltage")
    cell = panel.cells["voltage"]

    def place(widget):
        return QRect(widget.mapTo(charted, QPoint()), widget.size())

    for sentence in ("Written to a file.", "A sentence of many words. " * 20):
        banner.say(sentence, "info")
        qtbot.waitUntil(lambda: 0 <= place(banner).top() - place(cell).bottom() < 20, timeout=5000)
    banner.hide()
    qtbot.waitUntil(lambda: 0 <= place(charted.findings).top() - place(cell).bottom() < 20, timeout=5000)
    charted.findings.hide()
    qtbot.waitUntil(lambda: place(cell).bottom() > place(charted.viewport).bottom() - 20, timeout=5000)
    banner.say("Written to a file.", "info")
    panel.enlarge("")
    assert banner.y() == above


def test_a_large_chart_stays_so_among_others_and_ends_where_it_is_no_more(charted):
    panel = charted.charts.panel
    info = panel._info
    panel.enlarge("voltage")
    panel.set_info(replace(info, charts=(*info.charts, replace(info.charts[0], name="another", title="Another"))))
    assert panel.large == "voltage"
    panel.set_info(replace(info, charts=tuple(chart for chart in info.charts if chart.name != "voltage")))
    assert panel.large == ""
