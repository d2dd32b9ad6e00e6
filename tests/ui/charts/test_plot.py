"""One plot: what stands at its axes, where curves, points and lines stand on them, and what a mouse or a file does."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent

from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.plots.plot import SYMBOLS, ChartPlot
from ui.panels.probes.trace_plot import TracePlot
from workbench.project.project import MeasuredData

# Written out: what the sources have is held against these.
DRAWN_POINTS = 1500

OVER_TIME = ChartInfo("v", "Voltage", "V", ("mean",), comparable=True)
OVER_RADIUS = ChartInfo("c", "Concentration", "mol/m³", x_title="Radius", x_unit="µm")
X = np.array([0.0, 1.0, 10.0, 100.0])
DATA = ChartData((Curve("mean", X, np.array([1.0, 10.0, 0.1, 1000.0]), low=X, high=X + 1),))


@pytest.fixture
def make(qtbot):
    def make(chart=OVER_TIME, data=DATA):
        plot = ChartPlot(chart, "s")
        qtbot.addWidget(plot)
        plot.resize(400, 300)
        plot.show()
        qtbot.waitExposed(plot)
        plot.show_data(data)
        return plot

    return make


def label(plot, side):
    return plot.getAxis(side).label.toPlainText().strip()


@pytest.mark.parametrize("made", [lambda: ChartPlot(OVER_TIME, "s"), TracePlot])
def test_a_faint_grid_lies_behind_what_stands_over_axes(qtbot, made):
    plot = made()
    qtbot.addWidget(plot)
    grid = plot.getPlotItem().ctrl
    assert grid.xGridCheck.isChecked()
    assert grid.yGridCheck.isChecked()
    assert 0.05 < grid.gridAlphaSlider.value() / grid.gridAlphaSlider.maximum() < 0.2


def test_lines_of_moments_beyond_the_curves_take_no_room(make, qtbot):
    data = ChartData((Curve("mean", 10 + X, 3 + X / 100),))
    plot = make(data=data)
    plot.show_cursor(-500.0)
    plot.show_now(900.0)
    plot.show_data(data)
    qtbot.waitUntil(lambda: plot.viewRange()[0][1] > 100)
    (left, right), (low, high) = plot.viewRange()
    assert 0 < left < 11 < 109 < right < 130
    assert 2 < low < 3.1 < 3.9 < high < 5


@pytest.mark.parametrize(
    ("chart", "plain", "titled"),
    [(OVER_TIME, ("Time [s]", "[V]"), ("Time [s]", "Voltage [V]")),
     (OVER_RADIUS, ("Radius [µm]", "[mol/m³]"), ("Radius [µm]", "Voltage [mol/m³]"))],
)  # fmt: skip
def test_each_axis_says_its_unit_and_where_there_is_room_what_stands_there(make, chart, plain, titled):
    plot = make(chart)
    said = [tuple(label(plot, side) for side in ("bottom", "left"))]
    plot.set_title("Voltage")
    said.append(tuple(label(plot, side) for side in ("bottom", "left")))
    assert said == [plain, titled]
    plot.set_abscissa("Charge", "A h")
    assert label(plot, "bottom") == "Charge [A h]"


@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("log_y", [False, True])
def test_curves_and_points_stand_at_their_logarithms_on_axes_that_have_them(make, log_x, log_y):
    plot = make()
    plot.show_measured([MeasuredData(chart="v", title="m", x=[1.0, 10.0], y=[2.0, -1.0])])
    plot.show_forecast(DATA)
    plot.show_kept([DATA])
    plot.show_left([(0, X, DATA.curves[0].y)])
    plot.set_axes("V", log_x=log_x, log_y=log_y)
    for show in (lambda: plot.show_forecast(DATA), lambda: plot.show_kept([DATA]), lambda: plot.show_data(DATA)):
        show()
    plot.show_left([(0, X.copy(), DATA.curves[0].y)])
    kept = X > 0 if log_x else np.ones(4, bool)
    x = np.log10(X[kept]) if log_x else X
    y = DATA.curves[0].y[kept]
    y = np.log10(y) if log_y else y
    for layer in (plot._layer, plot._forecast, plot._kept, plot._left):
        (line,) = layer._lines
        np.testing.assert_allclose(line.xData, x)
        np.testing.assert_allclose(line.yData, y)
    (points,) = plot._points
    at = points.getData()
    np.testing.assert_allclose(at[0], [0, 1] if log_x else [1, 10])
    np.testing.assert_allclose(at[1], [np.log10(2), np.nan] if log_y else [2, -1])
    assert plot.getAxis("bottom").logMode == log_x
    assert plot.getAxis("left").logMode == log_y
    for line, show in ((plot._cursor, plot.show_cursor), (plot._now, plot.show_now)):
        assert not line.isVisible()
        show(10.0)
        assert line.isVisible()
        assert line.value() == pytest.approx(1.0 if log_x else 10.0)
        show(0.0)
        assert line.isVisible() == (not log_x), "zero has no logarithm"
        show(None)
        assert not line.isVisible()
        assert line.zValue() == 8


def test_points_of_each_table_have_a_sign_of_their_own_and_of_many_some_are_drawn(make):
    plot = make()
    few = [MeasuredData(chart="v", title=str(n), x=[1.0, 2.0], y=[n, n]) for n in range(len(SYMBOLS) + 1)]
    plot.show_measured(few)
    assert [points.opts["symbol"] for points in plot._points] == [*SYMBOLS, SYMBOLS[0]]
    assert {points.zValue() for points in plot._points} == {7}
    most = DRAWN_POINTS
    for count, drawn in ((most, most), (most + 1, most // 2 + 1), (3 * most, most)):
        many = [float(n) for n in range(count)]
        plot.show_measured([MeasuredData(chart="v", title="m", x=many, y=many)])
        (points,) = plot._points
        assert len(points.getData()[0]) == drawn
        assert points.getData()[0][1] == -(-count // DRAWN_POINTS)
    assert sum(isinstance(item, pg.ScatterPlotItem) for item in plot.getPlotItem().items) == 1
    plot.show_measured([])
    assert plot._points == []


@pytest.mark.parametrize("log_x", [False, True])
def test_the_mouse_tells_the_abscissa_under_it(make, log_x):
    plot, heard = make(), []
    plot.set_axes("V", log_x=log_x, log_y=False)
    plot.setXRange(0.0, 2.0, padding=0)
    plot.hovered.connect(heard.append)
    box = plot.getPlotItem().getViewBox().sceneBoundingRect()
    plot._hover(box.center())
    assert heard.pop() == pytest.approx(10.0 if log_x else 1.0, rel=0.01)  # half a pixel
    plot._hover(QPointF(box.left() - 5, box.center().y()))
    assert heard.pop() is None


def test_another_plot_shows_the_part_that_a_person_has_chosen(make):
    chosen, other = make(), make()
    other.show_part(chosen)
    assert other.getPlotItem().getViewBox().autoRangeEnabled() == [True, True]
    chosen.setYRange(2.0, 3.0, padding=0)
    other.show_part(chosen)
    assert other.getPlotItem().getViewBox().autoRangeEnabled() == [True, False]
    assert other.getPlotItem().getViewBox().viewRange()[1] == pytest.approx([2.0, 3.0])
    chosen.setXRange(5.0, 7.0, padding=0)
    other.show_part(chosen)
    assert other.getPlotItem().getViewBox().viewRange()[0] == pytest.approx([5.0, 7.0])
    other.autoscale()
    assert other.getPlotItem().getViewBox().autoRangeEnabled() == [True, True]


def test_lines_and_points_are_thickened_alike(make):
    plot = make()
    plot.show_measured([MeasuredData(chart="v", title="m", x=[1.0, 2.0], y=[1.0, 2.0])])
    (line,), (points,) = plot._layer._lines, plot._points
    before = pg.mkPen(line.opts["pen"]).widthF(), points.opts["size"]
    plot.thicken(3.0)
    assert (pg.mkPen(line.opts["pen"]).widthF(), points.opts["size"]) == (3 * before[0], 3 * before[1])
    assert plot.getAxis("left").pen().widthF() == 3.0


@pytest.mark.parametrize(
    ("chart", "url", "taken"),
    [
        (OVER_TIME, "file:///tmp/a.csv", True),
        (OVER_TIME, "https://there/a.csv", False),
        (OVER_RADIUS, "file:///tmp/a.csv", False),
    ],
)
def test_a_file_is_taken_where_points_can_be_compared(make, chart, url, taken):
    plot, heard, data = make(chart), [], QMimeData()
    plot.dropped.connect(heard.append)
    data.setUrls([QUrl(url)])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enters = QDragEnterEvent(QPoint(50, 50), copy, data, left, none)
    enters.ignore()
    plot.dragEnterEvent(enters)
    assert enters.isAccepted() == taken
    assert plot.acceptDrops() == chart.comparable
    plot.dropEvent(QDropEvent(QPointF(50, 50), copy, data, left, none))
    assert heard == (["/tmp/a.csv"] if url.startswith("file") else [])
