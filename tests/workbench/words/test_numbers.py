"""Numbers as print has them: one rule for ticks, legends, cursors and tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api.charts import ChartInfo
from engines.api.lab import Column
from engines.api.simulation.shown import FieldInfo
from ui.charts.plots.painted import number
from ui.charts.plots.reading import abscissa
from ui.charts.plots.reading import figure as with_unit
from ui.charts.plots.scaled_axis import ScaledAxis, TimeAxis
from ui.lab.figures.axes import plain_tick
from ui.scene.overlays.hud import value_text
from ui.scene.visuals.plates import ticks
from ui.widgets.formatting import count_text
from workbench.bench.table_lines import value_text as in_table
from workbench.words.numbers import figure, printed, tick_texts, told_apart
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


def value_of(text):
    """The number that print says."""
    number = text.replace("\u202f", "").replace("−", "-").replace(" × 10", "e")
    return float(number.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (101325, 101326, "101 325.0", "101 326.0"),
        (1.0445e-4, 1.046e-4, "0.00010445", "0.0001046"),
        (1.0005e7, 1.0006e7, "10 005 000", "10 006 000"),
        (5e8, 5.01e8, "5 × 10⁸", "5.01 × 10⁸"),
        (2.5e-7, 2.501e-7, "2.5 × 10⁻⁷", "2.501 × 10⁻⁷"),
        (1.0, 1.0 + 1e-9, "1.0000000000", "1.0000000010"),
    ],
)
def test_ticks_of_a_narrow_range_are_told_apart(low, high, first, last):
    texts = tick_texts(ticks(low, high))
    ends = (texts[0].replace("\u202f", " "), texts[-1].replace("\u202f", " "))
    assert ends == (first, last)
    assert len(set(texts)) == len(texts)


@given(
    middle=st.floats(-1.0, 1.0),
    power=st.integers(-30, 30),
    width=st.floats(-8.0, 3.0).map(lambda exponent: 10.0**exponent),
    count=st.integers(2, 8),
    most=st.sampled_from([1e5, 1e7]),
)
def test_no_two_ticks_are_alike_and_each_says_where_it_is(middle, power, width, count, most):
    """Ranges from a hundred-millionth of their middle to all around it."""
    low, high = (10.0**power * (middle + side * width * (abs(middle) + 1e-3)) for side in (-0.5, 0.5))
    values = ticks(low, high, count)
    texts = tick_texts(values, most)
    assert len(set(texts)) == len(values)
    for value, text in zip(values, texts, strict=True):
        assert abs(value_of(text) - value) <= 0.01 * (high - low) / count


def test_ticks_of_a_narrow_logarithmic_range_are_told_apart():
    assert told_apart([101325.0, 101326.0], 3) == ["1.01325 × 10⁵", "1.01326 × 10⁵"]
    assert told_apart([1.0, 1.0, 10.0], 3) == ["1", "1", "10"], "what is the same stays so"
    assert told_apart([]) == []


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
