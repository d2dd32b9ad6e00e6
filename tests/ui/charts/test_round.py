"""Polar charts and patterns: charts over angles, which paint themselves."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter

from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.painted import number, write
from ui.widgets.theme import theme
from workbench.export.chart_tables import chart_table

CUT = ChartInfo("cut", "Directivity", "dBi", kind="polar", x_title="θ", x_unit="°", clockwise=True, span=40)
LINEAR = ChartInfo("even", "Intensity", "W", kind="polar", x_title="φ", x_unit="°")
WHOLE = ChartInfo(
    "whole", "Directivity", "dBi", kind="pattern", x_title="θ", x_unit="°", across_title="φ", span=40
)  # fmt: skip
ANGLES = np.arange(0.0, 360.0, 5.0)


def lobe(x, at):
    return np.maximum(7.3 - 0.01 * ((x - at + 180) % 360 - 180) ** 2, -60.0)


@pytest.fixture
def shown(qtbot, qapp):
    if theme().palette.name != "dark":
        theme().apply("dark", qapp)

    def show(chart, data):
        cell = ChartCell(chart, "fs")
        qtbot.addWidget(cell)
        cell.resize(420, 400)
        cell.show()
        cell.show_data(data)
        return cell

    return show


def pixel(cell, at):
    return cell.plot.grab().toImage().pixelColor(at.toPoint() if isinstance(at, QPointF) else at)


def test_a_lobe_at_a_right_angle_points_right_and_the_rim_is_above_it(shown, qtbot):
    """With 0° on top and clockwise; of 40 dB from 10 dBi down, 7.3 dBi is 93 % of the radius."""
    values = lobe(ANGLES, 90)
    cell = shown(CUT, ChartData((Curve("cut", ANGLES, values, told=int(values.argmax())),)))
    assert cell.plot.limits() == (-30.0, 10.0)
    assert cell.readout.text() == "7.300 dBi"
    center, radius = cell.plot._place()
    tip = cell.plot._points(cell.plot.data.curves[0], center, radius)[18]
    assert (tip.x() - center.x()) / radius == pytest.approx(37.3 / 40)
    assert tip.y() == pytest.approx(center.y())
    assert pixel(cell, tip).blue() > 100 > 2 * theme().palette.color("plot").blue()
    qtbot.mouseMove(cell.plot, QPoint(round(center.x() + 50), round(center.y())))
    qtbot.waitUntil(lambda: cell.plot.cursor_at is None)  # the panel hands it on, a lone cell does not
    heard = []
    cell.plot.hovered.connect(heard.append)
    qtbot.mouseMove(cell.plot, QPoint(round(center.x()), round(center.y() + 50)))
    qtbot.waitUntil(lambda: heard != [])
    assert heard[-1] == pytest.approx(180, abs=1.5)
    cell.show_cursor(90.0)
    assert "90.00 °" in cell.readout.text()
    assert "7.300 dBi" in cell.readout.text()


def test_a_linear_scale_begins_at_zero_and_turns_the_other_way(shown):
    cell = shown(LINEAR, ChartData((Curve("even", ANGLES, np.full(72, 0.9)),)))
    assert cell.plot.limits() == (0.0, 1.0)
    assert cell.plot.ticks() == pytest.approx([0.25, 0.5, 0.75, 1.0])
    center, radius = cell.plot._place()
    points = cell.plot._points(cell.plot.data.curves[0], center, radius)
    assert points[18].y() == pytest.approx(center.y() - 0.9 * radius)
    assert points.count() == 73  # it is closed where the angles go once around
    assert points[0] == points[72]


def test_nothing_and_no_number_are_drawn(shown):
    cell = shown(CUT, EMPTY)
    blank = cell.plot.grab().toImage()
    cell.show_data(ChartData((Curve("cut", ANGLES, np.where(ANGLES > 90, np.nan, 3.0)),)))
    assert cell.plot.grab().toImage() != blank
    cell.show_data(ChartData((Curve("cut", ANGLES, np.full(72, np.nan)),)))
    assert cell.plot.limits() == (-40.0, 0.0)


@pytest.mark.filterwarnings("error")
def test_angles_that_are_no_numbers_are_left_out_without_a_warning(shown):
    cell = shown(CUT, EMPTY)
    angles = np.where(ANGLES > 90, np.inf, ANGLES)
    angles[0] = np.nan
    assert cell.plot._points(Curve("cut", angles, lobe(ANGLES, 45.0)), QPointF(200, 200), 100.0).count() == 18


def pattern():
    theta, phi = np.meshgrid(np.linspace(0, 180, 19), np.arange(0, 360, 10.0), indexing="ij")
    values = 1.76 + 20 * np.log10(np.maximum(np.sin(np.radians(theta)), 1e-3)).reshape(-1)
    return Curve("Pattern", theta.reshape(-1), values, told=int(values.argmax()), across=phi.reshape(-1))


def test_a_pattern_is_turned_by_the_mouse(shown, qtbot):
    cell = shown(WHOLE, ChartData((pattern(),)))
    assert cell.readout.text() == "1.760 dBi"
    points, heights = cell.plot._mesh
    assert points.shape == (19, 37, 3)
    assert heights[9].min() == pytest.approx((35 + 1.76) / 40)
    assert heights[0].max() == 0.0
    first = cell.plot.grab().toImage()
    qtbot.mousePress(cell.plot, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    qtbot.mouseMove(cell.plot, QPoint(140, 130))
    qtbot.mouseRelease(cell.plot, Qt.MouseButton.LeftButton, pos=QPoint(140, 130))
    assert cell.plot.view == (15.0, 40.0)
    assert cell.plot.grab().toImage() != first
    cell.plot.autoscale()
    assert cell.plot.grab().toImage() == first


def test_where_a_pattern_has_no_extent_nothing_is_divided_by_it(shown):
    whole = pattern()
    nowhere = Curve("nowhere", whole.x, np.where(whole.x < 40, -1e3, whole.y), across=whole.across)
    with np.errstate(all="raise"):
        shown(WHOLE, ChartData((nowhere,))).plot.grab()


def test_what_is_no_full_grid_is_not_drawn(shown):
    whole = pattern()
    cell = shown(WHOLE, ChartData((Curve("part", whole.x[:-1], whole.y[:-1], across=whole.across[:-1]),)))
    assert cell.plot._mesh is None
    cell.plot.grab()


def test_files(shown):
    curve = pattern()
    header, rows = chart_table(WHOLE, ChartData((curve,)))
    assert header == ["curve", "θ [°]", "φ [°]", "Directivity [dBi]"]
    assert rows[37] == ["Pattern", 10.0, 10.0, curve.y[37]]
    for chart, data in ((WHOLE, ChartData((curve,))), (CUT, ChartData((Curve("cut", ANGLES, lobe(ANGLES, 0)),)))):
        cell = shown(chart, data)
        assert cell.content(".svg").startswith(b"<?xml")
        assert cell.content(".png").startswith(b"\x89PNG")
        assert cell.content(".csv").startswith(b"curve")


@pytest.mark.parametrize(
    ("largest", "rim"), [(10.0, 10.0), (10.2, 15.0), (7.3, 10.0), (0.0, 0.0), (-3.0, 0.0), (-5.0, -5.0)]
)
def test_the_rim_of_decibels_is_the_multiple_of_5_at_or_above_the_largest(shown, largest, rim):
    cell = shown(CUT, ChartData((Curve("cut", ANGLES, lobe(ANGLES, 90) - 7.3 + largest),)))
    assert cell.plot.limits() == (rim - 40.0, rim)


@pytest.mark.parametrize(
    ("values", "rim"),
    [([0.0, 0.0], 1.0), ([-3.0, -1.0], 1.0), ([np.nan, np.nan], 1.0), ([], 1.0), ([0.3, 7.0], 8.0), ([1e-9], 1e-9)],
)
def test_the_rim_is_above_the_largest_value_and_1_where_none_is_above_0(shown, values, rim):
    values = np.array(values, float)
    cell = shown(LINEAR, ChartData((Curve("even", np.arange(float(len(values))), values),)))
    assert cell.plot.limits() == (0.0, pytest.approx(rim))


def test_a_text_has_its_point_at_the_part_of_its_box_that_is_asked_for(qapp):
    picture = QImage(200, 100, QImage.Format.Format_ARGB32)
    painter = QPainter(picture)
    at = QPointF(100, 50)
    boxes = {align: write(painter, at, "40", align) for align in ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 0.5))}
    painter.end()
    assert boxes[0.0, 0.0].topLeft() == at
    assert boxes[0.5, 0.5].center() == at
    assert boxes[1.0, 1.0].bottomRight() == at
    assert boxes[2.0, 0.5].left() == at.x() - 2 * boxes[2.0, 0.5].width()


@pytest.mark.parametrize(
    ("value", "told"), [(-10.0, "−10"), (0.25, "0.25"), (0.1 + 0.2, "0.3"), (1.2345678, "1.23457")]
)
def test_a_figure_beside_a_round_chart_has_six_digits(value, told):
    assert number(value) == told
