"""Charts that paint themselves, by what they ask of the painter: each mark stands where its value belongs."""

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics

import ui
from engines.api.charts import ChartData, ChartInfo, Curve
from tests.ui.charts.painting import drawn, texts
from tests.ui.charts.test_round import ANGLES, CUT, LINEAR, WHOLE, lobe, pattern
from ui.charts.plots.making import make_plot
from ui.scene.colormaps import colormap
from ui.widgets.theme import theme

MATRIX = ChartInfo("m", "Weights", "nS", kind="matrix", x_title="To", across_title="From")


@pytest.fixture
def shown(qtbot):
    def show(chart, data, size=(420, 400)):
        plot = make_plot(chart, "fs", None)
        qtbot.addWidget(plot)
        plot.resize(*size)
        plot.show_data(data)
        return plot

    return show


def cut(values=None, chart=CUT):
    return ChartData((Curve("cut", ANGLES, lobe(ANGLES, 90) if values is None else values),))


def far(one, other):
    return math.hypot(one[0] - other[0], one[1] - other[1])


@pytest.mark.parametrize(("chart", "ways"), [
    (CUT, {"0°": (0, -1), "90°": (1, 0), "180°": (0, 1), "270°": (-1, 0)}),
    (LINEAR, {"0°": (1, 0), "90°": (0, -1), "180°": (-1, 0), "270°": (0, 1)}),
])  # fmt: skip
@pytest.mark.parametrize(("size", "written"), [((420, 400), 12), ((240, 200), 4), ((700, 260), 12)])
def test_rings_spokes_and_angles_of_a_polar_chart(shown, chart, ways, size, written):
    plot = shown(chart, cut(np.full(72, 0.9)), size)
    center, radius = plot._place()
    assert (center.x(), center.y()) == (size[0] / 2, size[1] / 2)
    rings = [each.given for each in drawn(plot, "ellipse")]
    assert {(at.x(), at.y()) for at, *_ in rings} == {(center.x(), center.y())}
    low, high = plot.limits()
    assert [across for _, across, _ in rings] == pytest.approx(
        [radius * (tick - low) / (high - low) for tick in plot.ticks()]
    )
    assert rings[-1][1] == pytest.approx(radius)
    spokes = [each.points for each in drawn(plot, "line")]
    assert len(spokes) == 12
    for number, (foot, tip) in enumerate(spokes):
        turned = math.radians(30 * number if not chart.clockwise else 90 - 30 * number)
        at = center.x() + radius * math.cos(turned), center.y() - radius * math.sin(turned)
        assert far(tip, at) < 1e-6
        inner = 0 if number % 3 == 0 else rings[0][1]
        assert far(foot, (center.x(), center.y())) == pytest.approx(inner, abs=1e-6)
        assert far(foot, tip) == pytest.approx(radius - inner, abs=1e-6)
    angles = {text: at for text, at in texts(plot).items() if text.endswith("°")}
    assert len(angles) == written
    for text, at in angles.items():
        turned = math.radians(float(text[:-1]) if not chart.clockwise else 90 - float(text[:-1]))
        way = math.cos(turned), -math.sin(turned)
        assert far(at, (center.x(), center.y())) > radius + 4
        assert (at[0] - center.x()) * way[0] + (at[1] - center.y()) * way[1] > radius
        assert far(at, (center.x() + radius * way[0], center.y() + radius * way[1])) < 32
        assert 0 < at[0] < size[0]
        assert 0 < at[1] < size[1]
    for text, way in ways.items():
        off = (angles[text][0] - center.x()) / radius, (angles[text][1] - center.y()) / radius
        assert off[0] * way[0] + off[1] * way[1] > 1
        assert abs(off[0] * way[1] - off[1] * way[0]) < 0.02


def test_values_of_rings_stand_between_two_spokes_apart_and_the_outermost_has_the_unit(shown):
    plot = shown(CUT, cut())
    center, radius = plot._place()
    values = {text: at for text, at in texts(plot).items() if not text.endswith("°")}
    assert next(iter(values)) == "10 dBi"
    shares = [(float(text.split()[0].replace("−", "-")) + 30) / 40 for text in values]
    for (x, y), share in zip(values.values(), shares, strict=True):
        assert x - center.x() == pytest.approx(share * radius * math.sqrt(0.5), abs=1)
        assert center.y() - y == pytest.approx(share * radius * math.sqrt(0.5), abs=1)
    apart = -np.diff([share * radius for share in shares])
    assert (apart >= 22).all()
    assert len(values) == len(plot.ticks()) > 2
    small = shown(CUT, cut(), (160, 120))
    fewer = [text for text in texts(small) if not text.endswith("°")]
    assert 0 < len(fewer) < len(values)


def test_a_lone_curve_of_angles_is_filled_and_several_are_not(shown):
    one, two = Curve("a", ANGLES, lobe(ANGLES, 0)), Curve("b", ANGLES, lobe(ANGLES, 90))
    filled = shown(CUT, ChartData((one,)))
    (area,) = drawn(filled, "polygon")
    assert area.brush.alpha() == 34
    (line,) = drawn(filled, "polyline")
    assert line.points == area.points
    several = shown(CUT, ChartData((one, two)))
    assert drawn(several, "polygon") == []
    assert [each.pen.name() for each in drawn(several, "polyline")] == [theme().palette.trace(n).name() for n in (0, 1)]


@pytest.mark.parametrize(("angles", "closed"), [(ANGLES, True), (ANGLES[:60], False), (np.arange(0, 361, 5.0), False)])
def test_a_curve_is_closed_where_its_angles_go_once_around(shown, angles, closed):
    plot = shown(LINEAR, ChartData((Curve("even", angles, np.linspace(0.5, 0.9, len(angles))),)))
    (line,) = drawn(plot, "polyline")
    assert len(line.points) == len(angles) + closed
    center, radius = plot._place()
    for degrees, value, point in zip(angles, plot.data.curves[0].y, line.points, strict=False):
        at = value * radius * math.cos(math.radians(degrees)), value * radius * math.sin(math.radians(degrees))
        assert far(point, (center.x() + at[0], center.y() - at[1])) < 1e-6


def test_the_cursor_of_a_polar_chart_marks_each_curve_at_its_angle(shown):
    curves = (Curve("a", ANGLES, lobe(ANGLES, 0)), Curve("b", ANGLES, lobe(ANGLES, 90)))
    plot = shown(CUT, ChartData((*curves, Curve("none", ANGLES[:0], ANGLES[:0]))))
    before = len(drawn(plot, "ellipse"))
    plot.show_cursor(91.0)
    center, radius = plot._place()
    dots = drawn(plot, "ellipse")[before:]
    assert [dot.brush.name() for dot in dots] == [theme().palette.trace(n).name() for n in (0, 1)]
    for dot, curve in zip(dots, curves, strict=False):
        share = (max(curve.y[18], -30) + 30) / 40
        assert (dot.given[0].x(), dot.given[0].y()) == pytest.approx((center.x() + share * radius, center.y()))
    foot, tip = drawn(plot, "line")[-1].points
    assert foot == (center.x(), center.y())
    off = (tip[0] - center.x()) / radius, (tip[1] - center.y()) / radius
    assert off == pytest.approx((math.cos(math.radians(1)), math.sin(math.radians(1))))


def quads(points):
    """The middles of what lies between four points of a grid."""
    return (points[:-1, :-1] + points[1:, :-1] + points[1:, 1:] + points[:-1, 1:]) / 4


def test_a_pattern_is_seen_from_where_its_view_says_and_what_is_near_covers_what_is_far(shown):
    plot = shown(WHOLE, ChartData((pattern(),)))
    points, _ = plot._mesh
    for view, right, up, near in (
        ((0.0, 0.0), (0, 1, 0), (0, 0, 1), (1, 0, 0)),
        ((90.0, 0.0), (-1, 0, 0), (0, 0, 1), (0, 1, 0)),
        ((0.0, 89.9999), (0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ):
        plot.view = view
        faces = drawn(plot, "polygon")
        corners = np.array([face.points for face in faces])
        every = np.stack([points @ right, -(points @ up)], axis=-1)
        scale = np.ptp(corners[..., 0]) / np.ptp(every[..., 0])
        every = (every - every.reshape(-1, 2).min(axis=0)) * scale + corners.reshape(-1, 2).min(axis=0)
        for corner in corners.reshape(-1, 2)[::97]:
            assert np.abs(every - corner).sum(axis=-1).min() < 0.01 * scale
        middles, places = (quads(each).reshape(-1, each.shape[-1]) for each in (every, points))
        assert len(faces) == len(middles)
        depth = places @ near
        for face, extreme in ((0, depth.min()), (-1, depth.max())):
            there = middles[np.abs(depth - extreme) < 1e-5]
            assert np.abs(there - corners[face].mean(axis=0)).sum(axis=1).min() < 0.01 * scale
    colours = np.array([face.brush.getRgb()[:3] for face in faces], float)
    brightest = colormap("viridis")[-1].astype(float)
    assert (colours <= 256).all()
    assert np.abs(colours - brightest).sum(axis=1).min() < 0.9 * brightest.sum()
    assert all(face.pen == face.brush for face in faces)


def test_a_pattern_has_rings_of_its_ticks_axes_with_names_and_a_bar_of_its_values(shown):
    plot = shown(WHOLE, ChartData((pattern(),)))
    plot.view = (0.0, 89.9999)
    bar = drawn(plot, "rect")[0].given[0]
    rings = [np.array(each.points) for each in drawn(plot, "polyline")]
    widths = [np.ptp(ring[:, 0]) / 2 for ring in rings]
    low, high = plot.limits()
    assert np.array(widths) / widths[-1] == pytest.approx([(tick - low) / (high - low) for tick in plot.ticks()])
    pens = [each.pen.name() for each in drawn(plot, "polyline")]
    strong, border = (theme().palette.color(name).name() for name in ("strong", "border"))
    assert pens == [border] * (len(rings) - 1) + [strong], "the rim stands out"
    center = rings[0].mean(axis=0)
    assert 0 < center[0] - widths[-1] < center[0] + widths[-1] < bar.left()
    assert center[0] == pytest.approx(bar.left() / 2, abs=1)
    assert center[1] == pytest.approx(plot.height() / 2, abs=1)
    assert 0.8 < widths[-1] * 1.2 / min(bar.left() / 2 - 10, plot.height() / 2 - 10) < 1.01
    names = texts(plot)
    assert names["x"][1] - center[1] == pytest.approx(1.12 * widths[-1] + 9, abs=1), "it points at us from below"
    assert names["y"][0] - center[0] == pytest.approx(1.12 * widths[-1] + 9, abs=1)
    assert far(names["z"], center) < 2
    figures = {float(text.replace("−", "-")): at for text, at in names.items() if text[-1].isdigit()}
    assert set(figures) == {low, *plot.ticks()}
    for value, (x, y) in figures.items():
        assert x > bar.right()
        assert y == pytest.approx(bar.bottom() - bar.height() * (value - low) / (high - low), abs=1)
    assert names["dBi"][1] < bar.top()
    widest = max(QFontMetrics(plot.font()).horizontalAdvance(text) for text in names)
    assert bar.right() + 6 + widest == plot.width() - 10, "the figures reach to the margin"
    assert bar.top() > 10
    assert bar.bottom() < plot.height() - 10
    kinds = [each.what for each in drawn(plot) if each.what in ("line", "polygon")]
    first, last = kinds.index("polygon"), len(kinds) - 1 - kinds[::-1].index("polygon")
    assert {"line"} == set(kinds[last + 1 :])
    assert len(kinds[:first]) + len(kinds[last + 1 :]) == 3, "axes behind the surface, and before it"
    plot.view = (160.0, -30.0)
    kinds = [each.what for each in drawn(plot) if each.what in ("line", "polygon")]
    assert kinds.index("polygon") == 2, "x and z point away from the eye"


def test_an_axis_before_a_pattern_begins_on_its_surface(shown):
    plot = shown(WHOLE, ChartData((pattern(),)))
    plot.view = (0.0, 0.0)
    lines = [each.points for each in drawn(plot, "line")]
    rings = [np.array(each.points) for each in drawn(plot, "polyline")]
    rim = np.ptp(rings[-1][:, 0]) / 2
    center = rings[-1].mean(axis=0)
    across = [(foot, tip) for foot, tip in lines if tip[0] - center[0] > rim]
    ((foot, _),) = across
    assert foot[0] - center[0] == pytest.approx(rim * (35 + 1.76) / 40, rel=0.01), (
        "as far as the pattern reaches along y"
    )
    ((foot, _),) = [each for each in lines if center[1] - each[1][1] > rim]
    assert foot[1] == pytest.approx(center[1], abs=1), "along z there is nothing"
    plot.view = (-30.0, 40.0)  # along none of them
    before = [each.points for each in drawn(plot) if each.what == "line"]
    assert len(before) == 3
    feet = [(np.array(foot) - center, np.array(tip) - center) for foot, tip in before]
    begun = [(foot, tip) for foot, tip in feet if np.linalg.norm(foot) > 1]
    assert len(begun) == 1, "x alone points at the eye and has a surface before it"
    for foot, tip in begun:
        np.testing.assert_allclose(foot, tip * (35 + 1.76) / 40 / 1.12, rtol=0.02)


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (1, 1), (7, 2)])
def test_cells_of_a_matrix_tile_its_area_with_their_colours_figures_and_names(shown, rows, columns):
    values = np.arange(1.0, rows * columns + 1).reshape(rows, columns)
    names = tuple(f"c{n}" for n in range(columns))
    data = ChartData(tuple(Curve(f"row {n}", np.arange(columns), values[n]) for n in range(rows)), columns=names)
    plot = shown(MATRIX, data)
    area, (_, high) = plot._area(), plot.limits()
    cells = drawn(plot, "fill")
    wide, tall = area.width() / columns, area.height() / rows
    written = texts(plot)
    for number, cell in enumerate(cells):
        row, column = divmod(number, columns)
        middle = area.left() + (column + 0.5) * wide, area.top() + (row + 0.5) * tall
        box, colour = cell.given
        assert (box.center().x(), box.center().y()) == pytest.approx(middle)
        assert (box.width(), box.height()) == pytest.approx((wide - 1, tall - 1))
        assert colour.getRgb()[:3] == tuple(colormap("viridis")[round(255 * values[row, column] / high)])
        said = plot.text_at(QPointF(*middle))
        assert said.startswith(f"row {row} → c{column}: {values[row, column]:g}")
        assert said.endswith(" nS")
        assert far(written[f"{values[row, column]:#.3g}".removesuffix(".")], middle) < 1
    assert len(cells) == rows * columns
    for row in range(rows):
        x, y = written[f"row {row}"]
        assert x < area.left()
        assert y == pytest.approx(area.top() + (row + 0.5) * tall)
    for column in range(columns):
        x, y = written[f"c{column}"]
        assert x == pytest.approx(area.left() + (column + 0.5) * wide)
        assert area.bottom() < y < written["rows: from, columns: to"][1] < plot.height()
    for beside in (QPointF(area.left() - 2, area.center().y()), QPointF(area.center().x(), area.bottom() + 2)):
        assert plot.text_at(beside) == ""


def test_figures_of_dark_cells_are_bright_and_of_bright_cells_dark(shown):
    values = np.array([0.0, 0.5, 1.0, np.nan])
    plot = shown(MATRIX, ChartData((Curve("r", np.arange(4), values),), columns=("a", "b", "c", "d")))
    figures = [each for each in drawn(plot, "text") if each.given[-1] in ("0", "0.500", "1.00", "–")]
    lightness = [each.pen.lightness() for each in figures]
    assert [light > 128 for light in lightness] == [True, True, False, True]
    assert drawn(plot, "fill")[3].given[1] == drawn(plot, "fill")[0].given[1], "what is no number is dark"


def test_a_small_matrix_has_no_figures_fewer_names_and_those_of_columns_upright(shown):
    count = 40
    curves = tuple(Curve(f"neuron {n}", np.arange(count), np.full(count, 1.0)) for n in range(count))
    plot = shown(MATRIX, ChartData(curves, columns=tuple(f"neuron {n}" for n in range(count))), (260, 220))
    area, labels = plot._area(), drawn(plot, "text")
    assert not any(each.given[-1] == "1.00" for each in labels)
    rows = [each for each in labels if each.at.isIdentity() and each.given[-1].startswith("neur")]
    assert 3 < len(rows) < count / 2
    heights = sorted(each.given[0].center().y() for each in rows)
    assert min(np.diff(heights)) >= plot.fontMetrics().height()
    columns = [each for each in labels if each.at.m12()]
    assert len(columns) == count
    for number, each in enumerate(columns):
        middle = each.at.map(QPointF(each.given[0].center()))
        assert middle.x() == pytest.approx(area.left() + (number + 0.5) * area.width() / count)
        assert area.bottom() < middle.y() < plot.height()
    assert area.left() <= 0.3 * plot.width() + 12
    wide = shown(MATRIX, ChartData(curves[:2], columns=("a", "b")))
    assert all(each.at.m12() == 0 for each in drawn(wide, "text"))


def test_without_curves_nothing_is_painted(shown):
    for chart in (CUT, WHOLE, MATRIX):
        plot = shown(chart, ChartData(()))
        assert [each for each in drawn(plot) if each.what in ("polygon", "polyline", "fill")] == []


def test_in_no_room_nothing_is_painted(shown):
    tiny = shown(CUT, cut())
    tiny.setMinimumSize(1, 1)
    tiny.resize(60, 30)
    assert drawn(tiny) == []


WILD = np.array([0.0, np.nan, np.inf, -np.inf, 1e100, -1e100, 1e18, 1e-99])


@pytest.mark.parametrize(
    "chart", [CUT, LINEAR, MATRIX, replace(MATRIX, span=40.0)], ids=["dB", "linear", "matrix", "span"]
)
@pytest.mark.parametrize("value", [0.0, -1.0, 1e18, -1e18, 1e100, np.nan, np.inf])
def test_values_of_any_size_are_painted(shown, chart, value):
    """The process ended: 40 dB below 10¹⁸ are 10¹⁸."""
    columns = tuple("abcdefgh")
    for y in (np.full(8, value), WILD):
        plot = shown(chart, ChartData((Curve("wild", np.linspace(0, 315, 8), y),), columns=columns))
        assert not plot.grab().isNull()
        low, high = plot.limits()
        assert low < high or chart.kind == "matrix"


def test_angles_that_are_no_numbers_are_left_out(shown):
    """Qt fills a polygon to what is no number for ever."""
    plot = shown(CUT, ChartData((Curve("wild", WILD, np.ones(8)),)))
    points = plot._points(plot.data.curves[0], *plot._place())
    assert points
    assert all(math.isfinite(at.x()) and math.isfinite(at.y()) for at in points)


def test_an_error_in_painting_leaves_no_painter_open(shown, qtbot, monkeypatch):
    """One that is open when its widget is painted again, or goes, ends the process."""
    plot, painters = shown(CUT, cut()), []
    monkeypatch.setattr(plot, "draw", lambda painter: painters.append(painter) or 1 / 0)
    with qtbot.captureExceptions() as raised, suppress(ZeroDivisionError):
        plot.paintEvent(None)
    (painter,) = painters
    assert not painter.isActive()
    assert not raised


def test_every_widget_that_paints_itself_closes_its_painter():
    wrong = [
        path.name
        for path in Path(ui.__file__).parent.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if "= QPainter(self" in line
    ]
    assert wrong == []
