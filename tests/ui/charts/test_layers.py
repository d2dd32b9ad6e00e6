"""What is drawn in a chart, by its items: their points, colours, dashes and which lies over which."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt

from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.plots.layers import DASHES, Band, Bars, Branches, Dots, Ghosts, Lines, Stack, shade_color, stacked
from ui.charts.plots.plot import ChartPlot
from ui.scene.colormaps import colormap
from ui.widgets.theme import theme

# Written out: what the sources have is held against these.
ALONE = 20
AREA = 150
BAND = 46
BUCKETS = 400
FORECAST_BAND = 26
GHOST = 190
LEFT = 90
LINE = 255

X = np.arange(5.0)


@pytest.fixture
def plot(qtbot):
    widget = pg.PlotWidget()
    qtbot.addWidget(widget)
    yield widget.getPlotItem()
    widget.hide()  # it lives as long as its items are asked for


def pen_of(line):
    pen = pg.mkPen(line.opts["pen"])
    return pen.color().name(), pen.color().alpha(), pen.style()


def trace(place):
    return theme().palette.trace(place).name()


def corners(band):
    return [(point.x(), point.y()) for point in band._polygon]


def curves(count, banded=()):
    made = []
    for place in range(count):
        y = place + X**2
        band = {"low": y - 1, "high": y + 2} if place in banded else {}
        made.append(Curve(f"c{place}", X, y, **band))
    return made


@pytest.mark.parametrize("behind", [False, True])
def test_lines_have_their_points_colours_and_bands_below_them(plot, behind):
    layer = Lines(plot, behind=behind)
    for count, banded in ((3, {0, 2}), (1, {0}), (2, set()), (0, set())):
        given = curves(count, banded)
        layer.show(given)
        assert len(layer._lines) == count
        assert set(layer._bands) == banded
        items = plot.items
        assert sum(isinstance(item, pg.PlotDataItem) for item in items) == count
        for place, (line, curve) in enumerate(zip(layer._lines, given, strict=True)):
            np.testing.assert_array_equal(line.xData, curve.x)
            np.testing.assert_array_equal(line.yData, curve.y)
            name, alpha, style = pen_of(line)
            assert name == trace(place)
            assert (alpha, style) == ((170, Qt.PenStyle.DashLine) if behind else (LINE, Qt.PenStyle.SolidLine))
            assert line.zValue() == (-5 if behind else 5)
            if place in banded:
                band = layer._bands[place]
                assert band.zValue() < line.zValue()
                assert band._brush.color().alpha() == (FORECAST_BAND if behind else BAND)
                assert band._brush.color().name() == trace(place)
                expected = [*zip(X, curve.low, strict=True), *zip(X[::-1], curve.high[::-1], strict=True)]
                np.testing.assert_array_equal(corners(band)[: len(expected)], expected)


def test_a_band_of_nothing_and_one_of_no_width_is_not_drawn_and_a_long_one_keeps_its_extremes(plot):
    layer = Lines(plot)
    layer.show([Curve("flat", X, X, low=X, high=X)])
    assert corners(layer._bands[0]) == []
    layer.show([Curve("none", X[:0], X[:0], low=X[:0], high=X[:0])])
    assert layer._bands == {}
    x = np.arange(10_000.0)
    low, high = -np.ones(len(x)), np.ones(len(x))
    low[1234], high[8765], high[17] = -7.0, 9.0, np.nan
    layer.show([Curve("long", x, x, low=low, high=high)])
    points = np.array(corners(layer._bands[0]))
    assert len(points) in (2 * BUCKETS, 2 * BUCKETS + 1)
    assert (points[:, 1].min(), points[:, 1].max()) == (-7.0, 9.0)
    assert (points[:, 0].min(), points[:, 0].max()) == (0.0, 9999.0)


def test_a_curve_that_goes_back_is_not_cut_to_the_view(plot):
    layer = Lines(plot)
    layer.show([Curve("loop", np.array([0.0, 1, 0.5]), X[:3]), Curve("rises", X, X)])
    assert [line.opts["clipToView"] for line in layer._lines] == [False, True]


def test_branches_that_were_left_are_pale_behind_and_set_once(plot):
    layer, values = Branches(plot), X**2
    layer.show([(1, X, values), (0, X, -values)])
    for line, (place, sign) in zip(layer._lines, ((1, 1), (0, -1)), strict=True):
        np.testing.assert_array_equal(line.yData, sign * values)
        assert pen_of(line)[:2] == (trace(place), LEFT)
        assert line.zValue() == -4
    layer.show([(2, X, values)])
    assert len(layer._lines) == 1
    assert pen_of(layer._lines[0])[0] == trace(2)
    other = values + 1
    layer.show([(2, X.copy(), other)])  # another branch
    np.testing.assert_array_equal(layer._lines[0].yData, other)


def test_kept_runs_have_the_colours_of_their_curves_and_dashes_of_their_own(plot):
    layer = Ghosts(plot)
    runs = [curves(2), curves(1), curves(1), curves(1)]
    layer.show(runs)
    told = [pen_of(line) for line in layer._lines]
    assert told == [
        (trace(0), GHOST, DASHES[0]),
        (trace(1), GHOST, DASHES[0]),
        (trace(0), GHOST, DASHES[1]),
        (trace(0), GHOST, DASHES[2]),
        (trace(0), GHOST, DASHES[0]),
    ]
    assert {line.zValue() for line in layer._lines} == {-3}
    np.testing.assert_array_equal(layer._lines[1].yData, runs[0][1].y)
    changed = [[Curve("c0", X, X + 40)]]
    layer.show(changed)
    np.testing.assert_array_equal(layer._lines[0].yData, X + 40)
    layer.show([])
    assert layer._lines == []


def test_areas_stack_upwards_and_downwards_with_a_line_for_the_sum_of_both(plot):
    layer = Stack(plot)
    ups, downs = np.array([1.0, 2, 3, 2, 1]), np.array([-1.0, -1, 0, -2, -1])
    line = Curve("over", X, 9 + X, over=True)
    layer.show([Curve("a", X, ups), Curve("b", X, downs), Curve("c", X, ups + 1), line])
    heights = [[y for _, y in corners(band)] for pair in layer._areas for band in pair]
    spans = [[(min(each), max(each))] if each else [] for each in heights]
    assert spans == [[(0.0, 3.0)], [], [], [(-2.0, 0.0)], [(1.0, 7.0)], []]
    assert layer._areas[2][0]._brush.color().name() == trace(2)
    assert layer._areas[2][0]._brush.color().alpha() == AREA
    np.testing.assert_array_equal(layer._sum.getData()[1], 2 * ups + 1 + downs)
    assert pen_of(layer._over[0])[:2] == (trace(3), LINE)
    assert layer._over[0].zValue() > layer._sum.zValue() > layer._areas[0][0].zValue()
    layer.show([Curve("a", X, ups)])
    assert len(layer._areas) == 1
    assert layer._over == []
    assert layer._sum.getData()[0] is None or len(layer._sum.getData()[0]) == 0, "of one sign there is no sum to tell"
    layer.show([])
    assert layer._areas == []


def test_what_is_stacked_begins_where_the_one_before_ends():
    up, down = stacked([np.array([1.0, -2.0, np.nan]), np.array([3.0, 1.0, -1.0])])
    np.testing.assert_array_equal(up, [[0, 0, 0], [1, 0, 0], [4, 1, 0]])
    np.testing.assert_array_equal(down, [[0, 0, 0], [0, -2, 0], [0, -2, -1]])
    assert [each.shape for each in stacked([])] == [(1, 0), (1, 0)]


def test_bars_span_their_bins_in_their_shades_or_colours(plot):
    layer, edges = Bars(plot), np.arange(6.0)
    shades = np.array([0.0, 0.25, 0.5, 1.0, np.nan])
    layer.show([Curve("shaded", edges, X, shade=shades)])
    (bars,) = layer._bars
    np.testing.assert_array_equal(bars.opts["x0"], edges[:-1])
    np.testing.assert_array_equal(bars.opts["x1"], edges[1:])
    np.testing.assert_array_equal(bars.opts["height"], X)
    for brush, shade in zip(bars.opts["brushes"], np.nan_to_num(shades), strict=True):
        expected = colormap("viridis")[int(255 * shade)]
        assert brush.color().getRgb() == (*expected, 235)
    layer.show([Curve("a", edges, X), Curve("b", edges, X)])
    assert [bars.opts["brushes"][0].color().alpha() for bars in layer._bars] == [165, 165]
    assert [bars.opts["brushes"][4].color().name() for bars in layer._bars] == [trace(0), trace(1)]
    assert [bars.opts["pen"].color().name() for bars in layer._bars] == [trace(0), trace(1)]
    layer.show([])
    assert layer._bars == []


def test_a_bar_alone_does_not_fill_the_chart(plot):
    layer, box = Bars(plot), plot.getViewBox()
    for curves, least in (
        ([Curve("249.75, Q 5.1", np.array([249.0, 250.0]), X[:1])], ALONE),
        ([Curve("all", np.arange(6.0), X)], 5),
    ):
        layer.show(curves)
        box.updateAutoRange()
        low, high = box.viewRange()[0]
        middle = np.mean([curve.x.mean() for curve in curves])
        assert least <= high - low < 1.5 * least
        assert (low + high) / 2 == pytest.approx(middle)


@pytest.mark.parametrize(("shade", "row"), [(-1.0, 0), (0.0, 0), (0.5, 128), (1.0, 255), (7.0, 255)])
def test_a_shade_is_a_part_of_the_colours(qapp, shade, row):
    assert shade_color(shade, 100).getRgb() == (*colormap("viridis")[row], 100)


def test_dots_are_points_of_their_curve_in_its_colour(plot):
    layer = Dots(plot)
    layer.show(curves(2))
    for place, cloud in enumerate(layer._dots):
        assert [(point.x(), point.y()) for point in cloud._points] == [(x, place + x**2) for x in X]
        assert cloud._pen.color().name() == trace(place)
        assert cloud.boundingRect().width() == 4
        assert cloud.zValue() == 5
    layer.show([Curve("none", X[:0], X[:0])])
    (cloud,) = layer._dots
    assert len(cloud._points) == 0


@pytest.mark.parametrize("fineness", [1.0, 2.0])
def test_lines_are_as_thick_on_a_fine_screen_and_in_print_whatever_the_screen(qtbot, monkeypatch, fineness):
    """A plot's pens are measured in dots: at two dots to a pixel curves were hairlines."""
    monkeypatch.setattr("ui.charts.plots.pens.fineness", lambda: fineness)
    monkeypatch.setattr("ui.charts.plots.plot.fineness", lambda: fineness)
    chart = ChartPlot(ChartInfo("voltage", "Voltage", "V"), "s")
    qtbot.addWidget(chart)
    chart.show_data(ChartData((Curve("V", X, X**2),)))
    line = next(item for item in chart.getPlotItem().items if isinstance(item, pg.PlotDataItem) and len(item.xData))
    assert pg.mkPen(line.opts["pen"]).widthF() == pytest.approx(1.6 * fineness)
    chart.thicken(3.0)
    assert pg.mkPen(line.opts["pen"]).widthF() == pytest.approx(1.6 * 3.0)


@pytest.mark.parametrize(("low", "high", "points"), [([0, 1], [2, 3], 4), ([0, 1], [0, 1], 0), ([0], [1], 0)])
def test_a_band_is_drawn_of_two_points_and_of_none_that_has_no_width(plot, low, high, points):
    band, x = Band(plot), np.arange(len(low), dtype=float)
    band.show_between(x, np.array(low, float), np.array(high, float), theme().palette.color("accent"))
    assert band._polygon.size() == points
    assert (band.boundingRect().height() == 3) == bool(points)
