"""Durations and amounts as people say them, at and beside each limit."""

from __future__ import annotations

import pytest

from workbench.cli.runs.progress import duration
from workbench.words.amounts import prefixed

SMALL, LARGE = ("", "m", "µ", "n"), ("", "k", "M")


@pytest.mark.parametrize(
    ("value", "prefixes", "factor", "said"),
    [
        (5.0, SMALL, 1e-3, "5 s"),  # a whole number has no decimals
        (5.25, SMALL, 1e-3, "5.25 s"),
        (12.34, SMALL, 1e-3, "12.3 s"),
        (123.4, SMALL, 1e-3, "123 s"),
        (0.0, SMALL, 1e-3, "0 s"),
        (0.5, SMALL, 1e-3, "500 ms"),
        (0.0123, SMALL, 1e-3, "12.3 ms"),
        (4.5e-10, SMALL, 1e-3, "0.45 ns"),  # there is no smaller prefix
        (999.4, LARGE, 1e3, "999 s"),
        (999.5, LARGE, 1e3, "1.00 ks"),
        (-2500.0, LARGE, 1e3, "-2.50 ks"),
        (3e9, LARGE, 1e3, "3000 Ms"),
    ],
)
def test_an_amount_has_three_digits_and_the_prefix_for_it(value, prefixes, factor, said):
    assert prefixed(value, "s", prefixes, factor) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"),
        (3599, "59 min 59 s"), (3600, "1 h 0 min"), (7500, "2 h 5 min"),
    ],
)  # fmt: skip
def test_a_duration_is_of_two_units_at_most(seconds, said):
    assert duration(seconds) == said
