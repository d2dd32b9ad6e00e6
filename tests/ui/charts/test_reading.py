"""What a chart reads while nobody points into it: the newest of what grows, the mean of bins, where a curve goes,
never one of its values that nobody asked for; and under the mouse the value there, without anything that moves."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication

from engines.api import SeriesInfo
from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.arithmetic import Look
from ui.charts.contents import over_time
from ui.charts.plots.cell import ChartCell
from workbench.run.streams.traces import TraceBuffer
from workbench.sweep.readings import Reading

X = np.array([0.0, 1.0, 2.0, 3.0])
Y = np.array([0.5, np.nan, -4.0, 2.0])


def shown(qtbot, info, *curves):
    cell = ChartCell(info, "ms")
    qtbot.addWidget(cell)
    cell.resize(600, 300)
    cell.show()
    cell.show_data(ChartData(curves))
    return cell


def line(**more):
    return ChartInfo("cut", "Temperature, line 1", "K", x_title="Distance", x_unit="mm", **more)


@pytest.mark.parametrize(
    ("info", "curve", "resting"),
    [
        (line(), Curve("T", X, Y), "−4.000 to 2.000 K"),
        (line(), Curve("T", X, np.full(4, 2.0)), "2.000 K"),
        (line(), Curve("T", X, np.full(4, np.nan)), ""),
        (line(), Curve("T", X, Y, told=-1), "2.000 K"),
        (line(kind="polar", span=40.0), Curve("D", X, Y), "up to 2.000 K"),
        (line(kind="bar"), Curve("n", np.arange(5.0), Y), ""),
        (ChartInfo("mean", "Mean", "V", ("mean",)), Curve("Mean", X, Y), "2.000 V"),
    ],
)
def test_without_a_pointer_a_moment_reads_its_range_and_what_grows_its_newest(qtbot, info, curve, resting):
    assert shown(qtbot, info, curve).readout.text() == resting


def test_under_the_mouse_is_the_value_there_and_the_range_again_after_it(qtbot):
    cell = shown(qtbot, line(), Curve("T", X, Y))
    cell.show_cursor(2.1)
    assert cell.readout.text() == "2.100 mm   −4.000 K"
    cell.show_cursor(None)
    assert cell.readout.text() == "−4.000 to 2.000 K"


RATES = ChartInfo("rates", "Mean rate", "Hz", ("rate_e", "rate_i"), binned=True, means=("mean_e", "mean_i"))
SERIES = [SeriesInfo("rate_e", "Rate, excitatory", "Hz"), SeriesInfo("rate_i", "Rate, inhibitory", "Hz")]
BINS = np.array([4.0, 4.0, 4.0, 4.0, 20.0])
"""[Hz], of which the newest is far off."""


def rates(info):
    buffers = {name: TraceBuffer() for name in info.series}
    for k, buffer in enumerate(buffers.values()):
        buffer.append(10.0 * np.arange(5), (1 + k) * BINS)
    for name, mean in zip(info.means, (6.0, 12.0), strict=False):
        buffers[name] = TraceBuffer()
        buffers[name].append(np.array([0.0, 40.0]), np.array([0.0, mean]))
    return over_time(info, buffers, SERIES).curves


def test_rates_in_bins_read_their_mean_so_far_and_are_said_to(qtbot):
    """As sweeps do; under the mouse is the bin there."""
    cell = shown(qtbot, RATES, *rates(RATES))
    assert cell.readout.text() == "mean so far"
    assert [entry.value for entry in cell.legend.entries] == ["6.000 Hz", "12.00 Hz"]
    assert Reading("mean").of(RATES, cell.curves[0]) == 6.0
    assert Reading("mean").of(RATES, replace(cell.curves[0], mean=None)) == pytest.approx(8.0), "of the bins alone"
    cell.show_cursor(40.0)
    assert cell.readout.text().startswith("40.0")
    assert [entry.value for entry in cell.legend.entries] == ["20.00 Hz", "40.00 Hz"]
    cell.set_look(Look(over="largest"))
    cell.show_cursor(None)
    assert (cell.readout.text(), [entry.value for entry in cell.legend.entries]) == ("", ["", ""])


def test_a_rate_alone_reads_its_mean_beside_the_title(qtbot):
    alone = replace(RATES, series=("rate_e",))
    assert shown(qtbot, alone, *rates(alone)).readout.text() == "mean so far   6.000 Hz"


@pytest.mark.parametrize(
    ("low", "high", "at", "told"),
    [
        (0.0, 0.01, 0.0049, "4.90 ms"),
        (0.0, 0.1, 0.049, "0.0490 s"),
        (0.0, 3.0, 2.1, "2.10 s"),
        (0.0, 500.0, 300.04, "300.0 s"),
        (1.0, 1.001, 1.0004, "1.000400 s"),
        (0.0, 2e-8, 1.2345e-8, "12.35 ns"),
        (0.0, 0.01, 0.0, "0.00000 s"),
        (0.0, 10.0, 1.3e-5, "0.00 s"),
    ],
)
def test_a_time_under_the_mouse_has_the_digits_that_are_seen(qtbot, low, high, at, told):
    cell = ChartCell(ChartInfo("mean", "Mean", "V", ("mean",)), "s")
    qtbot.addWidget(cell)
    cell.resize(600, 300)
    cell.show_data(ChartData((Curve("Mean", np.linspace(low, high, 5), np.arange(5.0)),)))
    cell.plot.setXRange(low, high, padding=0)
    cell.show_cursor(at)
    assert cell.readout.text().split("   ")[0] == told


@pytest.mark.parametrize("large", [False, True])
def test_what_is_read_stands_beside_the_title_as_soon_as_both_are_whole(qtbot, large):
    """And below it in what is narrower."""
    cell = shown(qtbot, line(), Curve("T", X, Y))
    cell.enlarge.setVisible(large)
    for width in range(200, 420):
        cell.resize(width, 300)
        beside = bool(cell.readout.text())
        assert cell.below.isVisible() == (not beside)
        assert (cell.readout if beside else cell.below).text() == "−4.000 to 2.000 K"
        if beside:
            break
    QCoreApplication.processEvents()
    own, widest = (cell.fontMetrics().horizontalAdvance(text) for text in (cell.readout.text(), "8" * 17))
    assert cell.readout.width() >= own
    assert abs(cell.title.width() - cell.title.full_width - (widest - own)) < 4, "in other figures it has room, too"


def test_curves_of_a_moment_have_no_value_until_the_mouse_asks_and_nothing_moves_then(qtbot):
    cell = shown(qtbot, line(), *(Curve(name, X, Y) for name in ("first", "second", "third")))
    assert [entry.value for entry in cell.legend.entries] == [""] * 3
    placed = [spot for _, spot in cell.legend._placed(cell.legend.width())]
    cell.show_cursor(3.0)
    assert [entry.value for entry in cell.legend.entries] == ["2.000 K"] * 3
    assert [spot for _, spot in cell.legend._placed(cell.legend.width())] == placed


def test_a_chart_reads_where_the_mouse_is_or_else_at_the_moment_that_is_looked_at_or_the_newest(qtbot, qapp):
    cell = ChartCell(ChartInfo("u", "Voltage", "V", ("u",)), "ms")
    qtbot.addWidget(cell)
    x = np.arange(10.0)
    cell.show_data(ChartData((Curve("u", x, x),)))
    told = []
    for change in (
        lambda: cell.show_moment(3.0),
        lambda: cell.show_cursor(5.0),
        lambda: cell.show_cursor(None),
        lambda: cell.show_moment(None),
    ):
        change()
        told.append(cell.readout.text())
    assert [next(value for value in (3, 5, 9) if f"{value}.0" in text) for text in told] == [3, 5, 3, 9], told
