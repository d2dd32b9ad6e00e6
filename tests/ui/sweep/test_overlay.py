"""Curves of a sweep over each other: which are drawn of many, what the axes are called, and which is clicked."""

import numpy as np
import pytest

from engines.api.charts import ChartInfo, Curve
from ui.sweep.overlay import ColourBar, OverlayPlot, Shades
from workbench.sweep.running import Row

X = np.array([0.0, 1.0])
VOLTAGE = ChartInfo("voltage", "Voltage", "V", ("mean",))


@pytest.fixture
def plot(qtbot):
    made = OverlayPlot()
    qtbot.addWidget(made)
    return made


def pairs(count):
    return [(Row(place, (float(place),)), Curve("u", X, place * X)) for place in range(count)]


@pytest.mark.parametrize(
    ("count", "drawn"),
    [(0, []), (1, [0]), (200, list(range(200))), (201, list(range(0, 201, 2))), (401, list(range(0, 401, 3)))],
)
def test_of_more_than_two_hundred_curves_every_second_or_third_is_drawn(plot, count, drawn):
    plot.show_curves(VOLTAGE, "ms", pairs(count), "Step", [0.0, float(count)])
    assert sorted(plot.lines) == drawn


def test_curves_that_are_no_more_go_and_those_that_stay_have_their_new_values(plot):
    plot.show_curves(VOLTAGE, "ms", pairs(3), "Step", [0.0, 2.0])
    kept = plot.lines[1]
    plot.show_curves(VOLTAGE, "ms", [(pairs(2)[1][0], Curve("u", X, X + 5.0))], "Step", [1.0])
    assert plot.lines == {1: kept}
    np.testing.assert_array_equal(kept.getData()[1], X + 5.0)


@pytest.mark.parametrize(
    ("info", "bottom", "left"),
    [
        (VOLTAGE, "Time [ms]", "Voltage [V]"),
        (ChartInfo("s", "Sizes", "1", x_title="Radius", x_unit="µm"), "Radius [µm]", "Sizes"),
        (None, "", ""),
    ],
)
def test_axes_are_called_as_those_of_the_chart(plot, info, bottom, left):
    plot.show_curves(info, "ms", [], "Step", [])
    for side, text in (("bottom", bottom), ("left", left)):
        assert plot.plot.getAxis(side).labelText == text


def test_a_click_chooses_the_run_of_a_curve(plot):
    chosen = []
    plot.chosen.connect(chosen.append)
    plot.show_curves(VOLTAGE, "ms", pairs(3), "Step", [0.0, 2.0])
    plot.lines[2].sigClicked.emit(plot.lines[2], None)
    assert chosen == [2]


def test_a_marked_curve_stands_before_the_others_which_are_pale(plot):
    plot.show_curves(VOLTAGE, "ms", pairs(3), "Step", [0.0, 2.0])
    assert {line.opts["pen"].color().alpha() for line in plot.lines.values()} == {255}
    plot.mark(1)
    pens = {place: line.opts["pen"] for place, line in plot.lines.items()}
    assert {place: pen.color().alpha() for place, pen in pens.items()} == {0: 120, 1: 255, 2: 120}
    assert plot.lines[1].zValue() > plot.lines[0].zValue() == plot.lines[2].zValue()
    assert pens[1].widthF() > pens[0].widthF()
    plot.mark(None)
    assert plot.lines[0].opts["pen"].color().alpha() == 255


def test_colours_go_with_values_evenly_or_by_factors_and_stay_within_their_ends():
    even, factors, one = Shades([2.0, 4.0]), Shades([1.0, 100.0]), Shades([3.0])
    assert [even.color(value) for value in (2.0, 2.5, 4.0)] == [even.at(part) for part in (0.0, 0.25, 1.0)]
    assert [factors.color(value) for value in (1.0, 10.0, 100.0)] == [factors.at(part) for part in (0.0, 0.5, 1.0)]
    assert len({even.at(part).name() for part in np.linspace(0, 1, 9)}) == 9
    assert (even.color(1.0), even.color(9.0)) == (even.at(0.0), even.at(1.0))
    assert (even.at(-1.0), even.at(2.0)) == (even.at(0.0), even.at(1.0))
    assert even.ticks() == [(0.0, 2.0), (0.25, 2.5), (0.5, 3.0), (0.75, 3.5), (1.0, 4.0)]
    assert [value for _, value in factors.ticks()] == pytest.approx([1, 10**0.5, 10, 10**1.5, 100])
    assert one.ticks() == [(0.5, 3.0)]
    assert one.color(3.0) == one.at(0.0)
    assert not Shades([1.0, 30.0]).by_factors


def test_colours_run_evenly_or_by_factors(qapp):
    even, factors = Shades([1.0, 2.0]), Shades([1.0, 100.0])
    assert even.ticks()[2] == (0.5, 1.5)
    assert factors.ticks()[2][1] == pytest.approx(10.0)
    assert [even.color(value) for value in (1.0, 1.5, 2.0)] == [even.at(part) for part in (0, 0.5, 1)]
    assert [factors.color(value) for value in (1.0, 10.0)] == [factors.at(part) for part in (0, 0.5)]
    assert [Shades([1.0, high]).by_factors for high in (30.0, 31.0)] == [False, True]
    assert not Shades([0.0, 100.0]).by_factors
    assert Shades([3.0]).color(3.0) == even.at(0)
    assert factors.color(100.0) == factors.at(1)
    assert Shades([3.0]).ticks() == [(0.5, 3.0)]


@pytest.mark.parametrize("title", ["Step", "Current factor", "Thermal conductivity of the electrolyte [W/m/K]"])
def test_the_title_of_a_colour_bar_is_whole(qtbot, title):
    """As wide as its longest word, and as high as its lines."""
    bar = ColourBar()
    qtbot.addWidget(bar)
    bar.resize(bar.width(), 300)
    bar.show_shades(Shades([1.0, 2.0]), title)
    metrics = bar.fontMetrics()
    assert max(metrics.horizontalAdvance(word) for word in title.split()) <= bar.width() - 4
    assert bar.title_height >= metrics.height() * metrics.horizontalAdvance(title) / bar.width()
