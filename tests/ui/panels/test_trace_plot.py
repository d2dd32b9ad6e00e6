"""The live plot of probes: a curve for each, those of branches behind them, and what is read under the mouse."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt

from ui.panels.probes.trace_plot import TracePlot
from ui.widgets.theme import theme
from workbench.run.streams.traces import TraceBuffer

# Written out: what the sources have is held against these.
PALE = 90

TIMES = np.arange(5.0)


def buffer(factor):
    made = TraceBuffer()
    made.append(TIMES, factor * TIMES)
    return made


@pytest.fixture
def plot(qtbot):
    made = TracePlot()
    qtbot.addWidget(made)
    made.resize(300, 200)
    made.show()
    qtbot.waitExposed(made)
    made.set_axes("Voltage", "mV", "ms")
    made.show_traces(["P1", "P2"], {"P1": buffer(2.0), "P2": buffer(-1.0)})
    return made


def colour(curve):
    return pg.mkPen(curve.opts["pen"]).color()


def test_no_figures_stand_at_the_ticks_until_there_are_values(plot):
    assert plot.getAxis("left").tickStrings([0.5], 1.0, 0.5) == ["0.5"]
    plot.show_traces(["P1"], {"P1": TraceBuffer()})
    assert [plot.getAxis(side).tickStrings([0.5], 1.0, 0.5) for side in ("left", "bottom")] == [[""], [""]]


def test_each_probe_has_its_curve_in_the_colour_of_its_place(plot):
    assert list(plot._curves) == ["P1", "P2"]
    for place, (curve, factor) in enumerate(zip(plot._curves.values(), (2.0, -1.0), strict=True)):
        np.testing.assert_array_equal(curve.yData, factor * TIMES)
        assert colour(curve) == theme().palette.trace(place)
    plot.show_traces(["P2", "P3"], {"P2": buffer(-1.0)})
    assert list(plot._curves) == ["P2", "P3"]
    assert colour(plot._curves["P2"]) == theme().palette.trace(0), "it moved up"
    assert plot._curves["P3"].xData is None or len(plot._curves["P3"].xData) == 0, "nothing was seen of it yet"
    curves = [item for item in plot.getPlotItem().items if isinstance(item, pg.PlotDataItem)]
    assert len(curves) == 2


def test_what_a_run_has_left_is_pale_behind_and_drawn_once(plot):
    branch = {"P2": (TIMES, 7 * TIMES), "P9": (TIMES, TIMES)}
    other, again = {"P1": (TIMES, TIMES)}, {"P1": (TIMES.copy(), 3 * TIMES)}
    for left, shown in (([branch], 1), ([branch, other], 2), ([again], 1), ([], 0)):
        plot.show_traces(["P1", "P2"], {"P1": buffer(2.0), "P2": buffer(-1.0)}, left)
        assert len(plot._pale) == shown
        known = [(name, *each[name]) for each in left for name in ("P1", "P2") if name in each]
        for item, (name, times, values) in zip(plot._pale, known, strict=True):
            np.testing.assert_array_equal(item.xData, times)
            np.testing.assert_array_equal(item.yData, values)
            pale, live = colour(item), colour(plot._curves[name])
            assert (pale.name(), pale.alpha()) == (live.name(), PALE)
            assert item.zValue() < plot._curves[name].zValue()


def test_a_branch_that_was_left_makes_way_for_another_of_the_same_probe(plot):
    for factor in (3.0, 4.0):
        plot.show_traces(["P1"], {"P1": buffer(2.0)}, [{"P1": (TIMES + factor, factor * TIMES)}])
        (pale,) = (item for item in plot.getPlotItem().items if item not in (plot._curves["P1"],)
                   and isinstance(item, pg.PlotDataItem))  # fmt: skip
        np.testing.assert_array_equal(pale.xData, TIMES + factor)
        np.testing.assert_array_equal(pale.yData, factor * TIMES)


def test_axes_say_the_units(plot):
    assert plot.axes == ("Voltage", "mV", "ms")
    assert plot.getAxis("bottom").label.toPlainText().strip() == "Time [ms]"
    assert "mV" in plot.getAxis("left").label.toPlainText()
    plot.set_axes("Spikes", "1", "1")
    assert "mV" not in plot.getAxis("left").label.toPlainText()


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (2.0, "2.00 ms   P1 4 mV   P2 −2 mV"),
        (2.4, "2.40 ms   P1 4 mV   P2 −2 mV"),
        (9.0, "9.00 ms   P1 8 mV   P2 −4 mV"),
    ],
)
def test_values_are_read_at_the_nearest_time(plot, time, text):
    assert plot.readout(time).replace("-", "−").split() == text.split()
    assert [buffer(2.0).at(each) for each in (-np.inf, 0.4, 0.5, 3.6, np.inf)] == [0, 0, 2, 8, 8]
    plot.show_traces(["P3"], {"P3": TraceBuffer()})
    assert plot.readout(time) == ""


@pytest.mark.parametrize(
    ("low", "high", "time", "text"),
    [
        (1.234, 1.2344, 1.23412, "1.234120 ms"),
        (1.234, 1.2344, 1.23413, "1.234130 ms"),
        (0.0, 0.008, 0.0041, "4.10 µs"),
        (0.0, 4.0, 2.4, "2.40 ms"),
    ],
)
def test_times_that_lie_apart_where_one_has_zoomed_in_are_told_apart(plot, low, high, time, text):
    plot.setXRange(low, high, padding=0)
    assert plot.readout(time).split("   ")[0] == text


def test_a_line_stands_under_the_mouse_and_at_the_moment_that_is_looked_back_to(plot):
    heard, box = [], plot.plotItem.vb
    plot.hovered.connect(heard.append)
    plot.setXRange(0.0, 4.0, padding=0)
    plot._hover(box.sceneBoundingRect().center())
    assert plot._cursor.isVisible()
    assert plot._cursor.value() == pytest.approx(2.0, abs=0.05)
    assert heard.pop().split()[-2:] == ["−2", "mV"]
    plot._hover(QPointF(-50, -50))
    assert heard == [], "beside the plot nothing is told"
    plot.leaveEvent(QEvent(QEvent.Type.Leave))
    assert not plot._cursor.isVisible()
    assert heard == [""]
    assert not plot._moment.isVisible()
    plot.show_moment(3.0)
    assert (plot._moment.isVisible(), plot._moment.value()) == (True, 3.0)
    plot.show_moment(None)
    assert not plot._moment.isVisible()
    assert pg.mkPen(plot._cursor.pen).style() == Qt.PenStyle.DashLine
    assert plot.plotItem.vb.autoRangeEnabled()[0] is False
    plot.autoscale()
    assert plot.plotItem.vb.autoRangeEnabled() == [True, True]
