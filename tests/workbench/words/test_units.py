"""Time in words."""

from __future__ import annotations

import pytest

from workbench.words.units import one_of, time_text


@pytest.mark.parametrize(
    ("time", "unit", "form", "text"),
    [
        (4.25, "ms", "g", "4.25 ms"),
        (4.0, "ms", ".2f", "4.00 ms"),
        (1.0, "s", "g", "1 s"),
        (0.0, "iterations", ".2f", "0 iterations"),
        (1.0, "iterations", "g", "1 iteration"),
        (2_500_000.0, "iterations", "g", "2\u202f500\u202f000 iterations"),
    ],
)
def test_time_in_words(time, unit, form, text):
    assert time_text(time, unit, form) == text


def test_one_of_a_unit():
    assert one_of("ms") == "ms"  # no plural
    assert one_of("iterations") == "iteration"
