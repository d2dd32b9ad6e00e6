"""Curves over time: a line over stacked areas is drawn and named as one and no part of the stack, and bands stand with
the curves of their places."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from PySide6.QtCore import Qt

from engines.api import SeriesInfo
from engines.api.charts import ChartInfo
from ui.charts.contents import charts_of, left_over_time, over_time
from ui.charts.plots.cell import ChartCell
from workbench.run.frames import Message
from workbench.run.streams.traces import Branch, TraceBuffer

NAMES = ("elastic", "broken", "work")


def test_a_line_over_areas(qtbot):
    info = ChartInfo("energy", "Energy", "mJ", series=NAMES[:2], lines=NAMES[2:], kind="area")
    buffers = {name: TraceBuffer() for name in NAMES}
    for time in range(5):
        for name, value in zip(NAMES, (1.0 * time, 2.0 * time, 3.5 * time), strict=True):
            buffers[name].append(np.array([float(time)]), np.array([value]))
    data = over_time(info, buffers, [SeriesInfo(name, name.title(), "mJ") for name in NAMES])
    assert [curve.over for curve in data.curves] == [False, False, True]
    cell = ChartCell(info, "us")
    qtbot.addWidget(cell)
    cell.show_data(data)
    layer = cell.plot._layer
    assert len(layer._areas) == 2
    assert layer._over[0].getData()[1].tolist() == [0, 3.5, 7, 10.5, 14]
    assert [entry.mark for entry in cell.legend._entries] == ["area", "area", "line"]
    cell.show_data(over_time(ChartInfo("energy", "Energy", "mJ", series=NAMES[:2], kind="area"), buffers, []))
    assert not layer._over


def test_bands_and_areas_stand_at_the_times_of_their_curves():
    """A series has times of its own where its buffer has kept other extremes."""
    times = {"middle": (0.0, 2.0, 4.0), "low": (0.0, 4.0), "high": (0.0, 4.0), "other": (0.0, 2.0, 4.0)}
    buffers = {name: TraceBuffer() for name in (*times, "empty")}
    for factor, (name, each) in enumerate(times.items(), 1):
        buffers[name].append(np.array(each), factor * np.array(each))

    def curves(kind="line", **others):
        info = ChartInfo("spread", "Spread", "V", kind=kind, series=("empty", "middle", "other"), **others)
        return over_time(info, buffers, [SeriesInfo("middle", "Median", "V")]).curves

    middle, other = curves(bands=(("low", "high"), ("low", "high"), ("low", "empty")))
    assert (middle.title, other.title) == ("Median", "other"), "one without a title has its name"
    assert (middle.low.tolist(), middle.high.tolist()) == ([0, 4, 8], [0, 6, 12])
    assert (other.low, other.high) == (None, None), "half a band is none"
    assert all(curve.low is curve.high is None for curve in curves())
    info = ChartInfo("parts", "Parts", "V", kind="area", series=("low", "middle"))
    low, middle = over_time(info, buffers, []).curves
    assert middle.x.tolist() == low.x.tolist() == [0, 4]
    assert middle.y.tolist() == [0, 4]


def test_what_a_run_has_left_is_behind_the_curves_of_its_names():
    times = np.array([0.0, 1.0])
    buffers = {name: TraceBuffer() for name in ("a", "b", "c")}
    for name in ("b", "c"):
        buffers[name].append(times, times)
    left = [Branch({}, {"c": (times, 2 * times), "a": (times, times)}), Branch({}, {"b": (times, 3 * times)})]
    info = ChartInfo("all", "All", "V", series=("a", "b", "c"))
    found = left_over_time(info, left, buffers)
    assert [(place, values.tolist()) for place, _, values in found] == [(1, [0, 2]), (0, [0, 3])]
    assert left_over_time(replace(info, kind="area"), left, buffers) == []


def test_series_of_one_unit_are_charted_together_and_numbers_without_one_apart():
    series = (("u", "U", "V"), ("n", "N", "1"), ("m", "M", ""), ("w", "W", "V"), ("i", "I", "A"))
    info = SimpleNamespace(charts=(), series=tuple(SeriesInfo(*each) for each in series))
    found = charts_of(info)
    assert [(chart.series, chart.title, chart.unit) for chart in found] == [
        (("u", "w"), "U, W", "V"), (("n",), "N", "1"), (("m",), "M", ""), (("i",), "I", "A"),
    ]  # fmt: skip
    assert all(chart.comparable for chart in found)
    assert charts_of(SimpleNamespace(charts=("own",), series=info.series)) == ("own",)


def test_the_log_that_is_asked_for_stands_before_the_charts(charted, qtbot):
    docks, log = charted.dock_layout.docks, charted.log

    def in_front():
        return not log.visibleRegion().isEmpty()

    for prepare in (docks["log"].hide, docks["log"].show):
        prepare()
        docks["charts"].raise_()
        qtbot.waitUntil(lambda: not in_front())
        log.add(Message("Something.", "error"))
        assert charted.status.errors.text() == "1", "nobody has seen it"
        qtbot.mouseClick(charted.status.errors, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(in_front)
        qtbot.waitUntil(lambda: not charted.status.errors.isVisible())
