"""The meter read back from its pixels and curves: where the arc stands, and in which unit the curve is."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from tests.ui.charts.painting import drawn_by
from ui.panels.meters.gauge import Gauge
from ui.panels.meters.history import History
from ui.widgets.theme import theme

# Written out: what the sources have is held against these.
SPAN_DEGREES = 250.0
START_DEGREES = 215.0

SIZE = 260


def lit(gauge: Gauge, fraction: float) -> bool:
    """Whether the arc has the accent's colour at this fraction of its length, which runs clockwise from lower left."""
    radius = min(gauge.width() / 2 - 12, (gauge.height() - 26) / 1.6)
    angle = math.radians(START_DEGREES - SPAN_DEGREES * fraction)
    x, y = gauge.width() / 2 + radius * math.cos(angle), 10 + radius - radius * math.sin(angle)
    image = gauge.grab().toImage()
    ratio = image.devicePixelRatio()
    found, accent = QColor(image.pixel(round(x * ratio), round(y * ratio))), theme().palette.color("accent")
    return max(abs(found.red() - accent.red()), abs(found.blue() - accent.blue())) < 40


@pytest.mark.parametrize("shown", [0.25, 0.6, 1.0, 1.4])
def test_the_arc_is_filled_from_the_left_as_far_as_the_fraction(qtbot, shown):
    gauge = Gauge()
    qtbot.addWidget(gauge)
    gauge.resize(SIZE, gauge.height())
    assert not lit(gauge, 0.1)
    gauge.set_reading(shown * 20e9, shown)
    places = [place for place in (0.05 + 0.1 * k for k in range(10)) if abs(place - shown) > 0.06]  # its end is round
    assert [lit(gauge, place) for place in places] == [place < shown for place in places]
    gauge.set_reading(None)
    assert not lit(gauge, 0.05)


@pytest.mark.parametrize(
    ("reading", "written", "colour"),
    [
        ((None,), ["–", "no reading yet"], "disabled"),
        ((8e9, 0.4), ["40 %", "8 GB/s", "of 20 GB/s"], "text"),
        ((30e9, 1.5), ["150 %", "30 GB/s", "of 20 GB/s"], "text"),
    ],
)
def test_the_gauge_says_its_fraction_the_rate_and_of_what(qtbot, monkeypatch, reading, written, colour):
    gauge = Gauge()
    qtbot.addWidget(gauge)
    gauge.resize(SIZE, gauge.height())
    gauge.set_reading(*reading)
    texts = drawn_by(gauge, "text", monkeypatch)
    assert [each.given[-1] for each in texts] == written
    colors = theme().palette
    assert [each.pen for each in texts] == [colors.color(colour), *[colors.color("muted")] * (len(written) - 1)]
    ticks = drawn_by(gauge, "line", monkeypatch)
    lengths = [each.points[1][0] - each.points[0][0] for each in ticks]
    assert [length > 4 for length in lengths] == [number % 5 == 0 for number in range(11)]
    assert [each.pen == colors.color("strong") for each in ticks] == [length > 4 for length in lengths]


def test_the_curve_and_its_ceiling_are_in_gigabytes_of_a_thousand_million(qtbot):
    history = History()
    qtbot.addWidget(history)
    history.add(15e9, 20e9)
    history.redraw()
    assert history._curve.getData()[1] == pytest.approx([15.0])
    assert history._line.value() == pytest.approx(20.0)
    assert history.viewRange()[1] == pytest.approx([0.0, 24.0])


def test_where_nothing_is_measured_the_axis_goes_to_one(qtbot):
    """Without a ceiling, and before anything is moved."""
    history = History()
    qtbot.addWidget(history)
    history.add(0.0, 0.0)
    history.redraw()
    assert history.viewRange()[1] == pytest.approx([0.0, 1.0])


def test_the_highest_figure_beside_the_curve_is_whole(qtbot):
    """A tick may stand close to the upper end of the range, as 100 where a copy reaches 86.7 GB/s."""
    history = History()
    qtbot.addWidget(history)
    history.add(1e9, 86.7e9)
    history.show()
    qtbot.wait(50)
    left = history.getAxis("left")
    figures = [left.mapRectToScene(rect) for rect, _, _ in drawn_texts(left, history)]
    assert len(figures) > 3
    assert min(rect.top() for rect in figures) >= -1.0  # boxes are a bit higher than figures


def drawn_texts(axis, plot):
    """What pyqtgraph has to write along an axis: box, flags and text."""
    picture = QImage(plot.size(), QImage.Format.Format_RGB32)
    with QPainter(picture) as painter:
        return axis.generateDrawSpecs(painter)[2]


def test_a_curve_without_points_has_no_figures_and_one_that_comes_into_sight_is_up_to_date(qtbot):
    history = History()
    qtbot.addWidget(history)
    left = history.getAxis("left")
    assert left._tickLevels == []
    assert not history._line.isVisible()
    history.add(15e9, 20e9)  # while it is closed
    history.show()
    assert history.viewRange()[1] == pytest.approx([0.0, 24.0])
    assert left._tickLevels is None, "pyqtgraph finds them"


def test_the_seconds_below_a_curve_stand_where_they_say(qtbot):
    history = History()
    qtbot.addWidget(history)
    (ticks,) = history.getAxis("bottom")._tickLevels
    assert [text for _, text in ticks] == [f"−{-place} s" for place, _ in ticks] == ["−90 s", "−60 s", "−30 s", "−10 s"]
