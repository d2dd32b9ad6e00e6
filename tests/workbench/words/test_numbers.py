"""Numbers as print has them: one rule for ticks, legends, cursors and tables."""

from __future__ import annotations

import math

import pytest

from engines.api.charts import ChartInfo
from engines.api.lab import Column
from engines.api.simulation.shown import FieldInfo
from ui.charts.plots.painted import number
from ui.charts.plots.reading import abscissa
from ui.charts.plots.reading import figure as with_unit
from ui.charts.plots.scaled_axis import ScaledAxis, TimeAxis
from ui.lab.figures.axes import plain_tick
from ui.scene.overlays.hud import value_text
from ui.widgets.formatting import count_text
from workbench.bench.table_lines import value_text as in_table
from workbench.words.numbers import figure, printed, tick_texts
from workbench.words.units import clock_text


def apart(text: str) -> str:
    """With the thin spaces that are meant."""
    return text.replace(" ", "\u202f")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("7417", "7 417"),
        ("999", "999"),
        ("-12500.5", "−12 500.5"),
        ("1234567", "1 234 567"),
        ("0.12345", "0.12345"),
        ("nan", "nan"),
    ],
)
def test_thousands_stand_apart_from_four_digits_on(number, text):
    assert printed(number) == apart(text)


@pytest.mark.parametrize(
    ("value", "digits", "zeros", "text"),
    [
        (7417.0, 4, False, apart("7 417")),
        (3.6, 4, False, "3.6"),
        (3.6, 4, True, "3.600"),
        (99_999.4, 4, False, "1 × 10⁵"),
        (74_170.0, 4, False, apart("74 170")),
        (1.6e-7, 2, False, "1.6 × 10⁻⁷"),
        (-2.0e6, 3, False, "−2 × 10⁶"),
        (-2.0e6, 3, True, "−2.00 × 10⁶"),
        (1234.0, 3, False, apart("1 234")),
        (0.0, 4, True, "0"),
        (math.inf, 4, False, "–"),
    ],
)
def test_a_figure_has_the_digits_that_matter(value, digits, zeros, text):
    assert figure(value, digits, zeros=zeros) == text


def ticks_of(axis, values):
    axis.setRange(values[0], values[-1])
    return axis.tickStrings(values, axis.scale, values[1] - values[0])


@pytest.mark.parametrize("axis", [ScaledAxis, TimeAxis])
def test_ticks_are_told_as_the_figures_beside_them(qapp, axis):
    assert ticks_of(axis("left"), [-2000.0, 0.0, 2000.0, 4000.0]) == [
        apart("−2 000"),
        "0",
        apart("2 000"),
        apart("4 000"),
    ]


@pytest.mark.parametrize("axis", [ScaledAxis, TimeAxis])
def test_ticks_between_those_of_another_level_are_told_by_their_spacing(qapp, axis):
    made = axis("left")
    made.setRange(0.0, 3.0)
    assert made.tickStrings([0.5, 1.5, 2.5], 1.0, 0.5) == ["0.5", "1.5", "2.5"]
    assert made.tickStrings([1.0, 2.0], 1.0, 1.0) == ["1", "2"]


def test_iterations_are_counted_in_full_and_never_as_python_writes_them(qapp):
    assert ticks_of(TimeAxis("bottom"), [0.0, 500_000.0, 1_000_000.0]) == ["0", apart("500 000"), apart("1 000 000")]
    assert tick_texts([0.0, 1e8]) == ["0", "1 × 10⁸"]


def test_what_is_rounding_beside_the_step_is_zero(qapp):
    assert ticks_of(ScaledAxis("left"), [-0.2, -1e-13, 0.2]) == ["−0.2", "0", "0.2"]
    assert ticks_of(TimeAxis("bottom"), [-0.2, -1e-13, 0.2]) == ["−0.2", "0.0", "0.2"]
    assert ticks_of(ScaledAxis("left"), [-2e-13, -1e-13, 0.0])[1] != "0", "where all is as small it is told"


def test_no_ticks_have_no_texts():
    assert tick_texts([]) == []


def test_everywhere_the_same_text():
    """Cursor, legend, polar chart, scene, Kernel Lab's axes and tables, clock."""
    chart = ChartInfo("gain", "Gain", "V")
    texts = {
        with_unit(7417.0, "").strip(),
        number(7417.0),
        value_text(7417.0, FieldInfo("u", "u", "", 0.0, 1.0), ()),
        plain_tick(7417.0),
        in_table(7417.0, Column("Steps", result=False)),
        in_table(7417.0, Column("Steps")),
        clock_text(7417.0, "mm", "g").removesuffix(" mm"),
        abscissa(chart, 7417.0, "mm").removesuffix(" mm"),
    }
    assert texts == {apart("7 417")}
    assert count_text(7417.0) == apart("7 420"), "of a measurement, three digits matter"
