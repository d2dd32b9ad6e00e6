"""Axes whose values share a power of ten."""

from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.plots.plot import ChartPlot
from ui.charts.plots.scaled_axis import ScaledAxis, keep_legible, power_of, powers

# Written out: what the sources have is held against these.
FINEST = 2e-5


@pytest.mark.parametrize(
    ("largest", "power"),
    [(1.0, 0), (9999.0, 0), (2.5e4, 3), (4e7, 6), (0.02, 0), (5e-3, -3), (3e-44, -45), (0.0, 0), (float("inf"), 0)],
)
def test_powers_are_those_of_a_thousand(largest, power):
    assert power_of(largest) == power


@pytest.mark.parametrize("largest", [3e-9, 0.5, 7e8])
def test_a_line_is_drawn_no_finer_than_single_precision_tells_its_largest_value(qtbot, largest):
    plot = pg.PlotWidget()
    qtbot.addWidget(plot)
    limits = plot.getPlotItem().getViewBox().state["limits"]["yRange"]
    keep_legible(plot, [np.array([0.1 * largest, np.inf]), np.array([-largest, np.nan])])
    assert limits[0] == pytest.approx(FINEST * largest)
    keep_legible(plot, [np.array([0.6 * largest])])
    assert limits[0] == pytest.approx(0.6 * FINEST * largest)
    keep_legible(plot, [np.array([1.1 * largest])])
    assert limits[0] == pytest.approx(0.6 * FINEST * largest), "not with each sample"
    keep_legible(plot, [np.array([largest])], log=True)
    assert not limits[0]
    keep_legible(plot, [np.array([largest])])
    keep_legible(plot, [])
    assert not limits[0]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "1 2   5     10"),
        ([0.1, 0.2, 0.5, 1, 2, 5, 10, 20], "0.1   1   10 "),
        ([3, 4], "3 4"),
        ([1e-6, 2e-6, 5e-6, 1e-5], "10⁻⁶   10⁻⁵"),
        ([2e5, 5e5], "2 × 10⁵ 5 × 10⁵"),
    ],
)
@pytest.mark.parametrize("number", [float, np.float64])  # pyqtgraph's between powers of ten are NumPy's
def test_figures_between_powers_of_ten_leave_each_other_room(values, texts, number):
    assert " ".join(powers([number(np.log10(value)) for value in values])) == texts


def test_large_values_stand_beside_a_power_of_ten(qtbot):
    axis = ScaledAxis("left")
    axis.set_unit("V/m", "#888888")
    axis.setRange(-4e7, 4e7)
    assert axis.tickStrings([-2e7, 0.0, 2e7], 1.0, 2e7) == ["−20", "0", "20"]
    assert "10⁶ V/m" in axis.labelString()
    axis.setRange(0.0, 5.0)
    assert axis.tickStrings([0.0, 2.0], 1.0, 2.0) == ["0", "2"]
    assert "10" not in axis.labelString().split("V/m")[0].rsplit(">", 1)[-1]


def ticks(plot):
    settled(plot)
    pixmap = QPixmap(10, 10)
    painter = QPainter(pixmap)
    texts = [text for _, _, text in plot.getAxis("left").generateDrawSpecs(painter)[2]]
    painter.end()
    return texts


@pytest.mark.parametrize("kind", ["line", "area", "raster"])
def test_at_the_ticks_of_an_empty_chart_stand_no_figures(qtbot, kind):
    plot = ChartPlot(ChartInfo("line", "Voltage", "mV", x_title="Distance", kind=kind), "mm")
    qtbot.addWidget(plot)
    curves = ChartData((Curve("line", np.arange(5.0), np.arange(5.0)),))
    assert not any(ticks(plot))
    for show, some, none in (
        (plot.show_data, curves, ChartData((Curve("line", np.zeros(0), np.zeros(0)),))),
        (plot.show_data, curves, ChartData((Curve("line", np.arange(5.0), np.full(5, np.nan)),))),
        (plot.show_kept, [curves], []),
        (plot.show_left, [(0, np.arange(5.0), np.arange(5.0))], []),
    ):
        show(some)
        assert any(ticks(plot)), show
        show(none)
        assert not any(ticks(plot)), show


@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_a_flat_line_has_no_ticks_of_twelve_digits(qtbot, noise):
    """Of a field that is the same along a cut but for the last digit of fp32; what varies more is seen as before."""
    plot = ChartPlot(ChartInfo("line", "Voltage", "mV", x_title="Distance"), "mm")
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.show()
    x = np.linspace(0.0, 10.0, 50)
    plot.show_data(ChartData((Curve("V", x, -84.4711 * (1 + noise * np.sin(x))),)))
    assert ticks(plot)
    assert max(map(len, ticks(plot))) <= 8
    plot.show_data(ChartData((Curve("V", x, 0.01 * np.sin(x)),)))
    settled(plot)
    low, high = plot.getPlotItem().getViewBox().viewRange()[1]
    assert 0.015 < high - low < 0.03


WIDTHS = (160, 203, 260, 320, 377, 480, 640, 1000)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("low", "high", "unit"),
    [(0, 1200, "s"), (0, 0.003, "ms"), (0, 3e-6, "s"), (0, 987654, "s"), (0, 3.2e7, "s"), (0, 119, "ms"),
     (19999, 20031, "ms"), (1199.97, 1200, "s"), (99000, 123456, "ms"), (0, 5e8, "iterations"), (-13, 13, "mm")],
)  # fmt: skip
def test_figures_of_times_do_not_touch_each_other(qtbot, low, high, unit, log):
    """At any width they are a digit apart, and there are two of them where there is room."""
    over_time = ChartInfo("u", "Voltage", "mV", series=("u",)) if unit != "mm" else ChartInfo("u", "Voltage", "mV")
    plot = ChartPlot(over_time, unit)
    qtbot.addWidget(plot)
    x = np.linspace(max(low, 0.001 * high) if log else low, high, 50)
    plot.show_data(ChartData((Curve("u", x, x),)))
    plot.set_axes("mV", log_x=log, log_y=False)
    plot.show()
    axis = plot.getAxis("bottom")
    for width in WIDTHS:
        plot.resize(width, 200)
        settled(plot)
        pixmap = QPixmap(10, 10)
        with QPainter(pixmap) as painter:
            texts = sorted(axis.generateDrawSpecs(painter)[2], key=lambda spec: spec[0].left())
            digit = QFontMetricsF(painter.font()).horizontalAdvance("0")
        told = [(rect, text) for rect, _, text in texts if text]
        gaps = [after.left() - before.right() for (before, _), (after, _) in pairwise(told)]
        assert min(gaps, default=digit) >= digit, (width, [text for _, text in told])
        assert width < 320 or log or len(told) > 1, (width, told)


def settled(plot):
    """Drawn, and as wide as its figures then ask for."""
    for _ in range(3):
        plot.grab()
        QApplication.processEvents()


@pytest.mark.parametrize(
    ("low", "high", "wider"), [(0.0, 5.0, False), (-84.55, -84.45, True), (-1250.5, -1250.0, True)]
)
def test_figures_do_not_lie_over_the_label(qtbot, low, high, wider):
    plot = pg.PlotWidget(axisItems={"left": ScaledAxis("left")})
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    axis = plot.getAxis("left")
    axis.set_least_width(54)
    axis.set_unit("mV", "#888888")
    plot.setYRange(low, high)
    plot.show()
    settled(plot)
    assert (axis.width() > 54) == wider
    pixmap = QPixmap(10, 10)  # which has to outlive its painter
    with QPainter(pixmap) as painter:
        texts = axis.generateDrawSpecs(painter)[2]
    label = axis.label.mapRectToParent(axis.label.boundingRect())
    assert min(rect.left() for rect, *_ in texts) >= label.right() - 0.2 * label.width()  # its letters are lower
    plot.setYRange(0.0, 5.0)
    settled(plot)
    assert axis.width() == 54
