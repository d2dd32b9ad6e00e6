"""Time in words."""

import pytest

from workbench.words.numbers import printed, spaced
from workbench.words.units import clock_text, counted, one_of, time_text


@pytest.mark.parametrize(
    ("time", "unit", "form", "text"),
    [
        (4.25, "ms", "g", "4.25 ms"),
        (4.0, "ms", ".2f", "4.00 ms"),
        (1.0, "s", "g", "1 s"),
        (0.0, "iterations", ".2f", "0 iterations"),
        (1.0, "iterations", "g", "1 iteration"),
        (1.0, "seconds", "g", "1 second"),
        (2.0, "second", "g", "2 seconds"),
        (1.0, "seconds", ".2f", "1.00 seconds"),
        (0.5, "day", "g", "0.5 days"),
        (1.0, "generations", "g", "1 generation"),
        (2.0, "mmol", "g", "2 mmol"),
        (2.0, "us", "g", "2 µs"),
        (2_500_000.0, "iterations", "g", "2\u202f500\u202f000 iterations"),
    ],
)
def test_time_in_words(time, unit, form, text):
    assert time_text(time, unit, form) == text


def test_one_of_a_unit():
    assert one_of("ms") == "ms"  # no plural
    assert one_of("iterations") == "iteration"
    assert one_of("seconds") == one_of("second") == "second"
    assert one_of("rads") == "rads"  # no word that we know


def test_things_are_counted():
    assert [counted(n, "figure") for n in (0, 1, 2)] == ["0 figures", "1 figure", "2 figures"]


@pytest.mark.parametrize(
    ("time", "unit", "text"),
    [(53480.0, "s", "14 h 51 min"), (7.336e-05, "s", "73.36 µs"), (270.35, "ms", "270.35 ms"), (0.0, "s", "0.00 s"),
     (1e-3, "s", "1.00 ms"), (3599.0, "s", "59 min 59 s"), (999.0, "s", "999.00 s"), (3600.0, "s", "1 h 00 min"),
     (25_000.0, "fs", "25.00 ps"),
     (12_345.0, "ms", "12.35 s"), (2e-3, "fs", "0.00 fs"), (12_500, "iterations", "12\u202f500 iterations"),
     (20_000.0, "days", "20\u202f000.00 days"), (float("nan"), "s", "nan s")],
)  # fmt: skip
def test_simulated_time_as_a_clock_shows_it(time, unit, text):
    assert clock_text(time, unit) == text


@pytest.mark.parametrize(
    ("number", "text"), [("3.406e-44", "3.406 × 10⁻⁴⁴"), ("-1.2e+07", "−1.2 × 10⁷"), ("3.600", "3.600"), ("-5", "−5")]
)
def test_powers_of_ten_as_they_are_written_by_hand(number, text):
    assert printed(number) == text


def test_a_step_far_from_its_unit():
    assert clock_text(8.58307e-05, "s", ".4g") == "85.83 µs"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("refine it twice, to 7,317,120 cells.", "refine it twice, to 7\u202f317\u202f120 cells."),
        ("38,400 cells", "38\u202f400 cells"),
        ("at (10, 250) and 0,5 and 1,23456", "at (10, 250) and 0,5 and 1,23456"),
    ],
)
def test_thousands_of_a_sentence_stand_apart_as_those_of_figures(sentence, shown):
    assert spaced(sentence) == shown


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("loads across it are -24 % off.", "loads across it are −24~% off."),
        ("between -1 and (-2.5, 0.1 %) of S1-S2, rows 3-5", "between −1 and (−2.5, 0.1~%) of S1-S2, rows 3-5"),
        ("a step of 2.5e-05 ms, -3e-10 of it", "a step of 2.5~×~10⁻⁵~ms, −3~×~10⁻¹⁰ of it"),
        ("runs/2026-11-28 of 'u -1 of 5 ms.vtu'", "runs/2026-11-28 of 'u -1 of 5 ms.vtu'"),
        ("Young's modulus of 5 GPa, 12 V/m, 3 cells, 2 steps", "Young's modulus of 5~GPa, 12~V/|m, 3 cells, 2 steps"),
        ("1e-3 and 4.5 A h at 25 °C", "1~×~10⁻³ and 4.5~A h at 25~°C"),
        ("at 16.5 m/s, with 5.51 J/m² and 3 steps/s", "at 16.5~m/|s, with 5.51~J/|m² and 3 steps/s"),
    ],
)
def test_a_sentence_has_minus_signs_and_units_beside_their_numbers(sentence, shown):
    assert spaced(sentence) == shown.replace("~", "\N{NO-BREAK SPACE}").replace("|", "\N{WORD JOINER}")
