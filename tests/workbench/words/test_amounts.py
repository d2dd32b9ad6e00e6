"""Durations and amounts as people say them, at and beside each limit."""

import pytest
from pydantic.fields import FieldInfo

from workbench.words.amounts import duration_text, prefixed
from workbench.words.bounds import Bounds, bounds_of

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
        (3.4e-6, "3.40 µs"), (0.25, "250 ms"), (1, "1.0 s"), (59.94, "59.9 s"), (60, "1 min 00 s"), (245, "4 min 05 s"),
        (3599.4, "59 min 59 s"), (3600, "1 h 00 min"), (12_000, "3 h 20 min"), (172_799, "47 h 59 min"),
        (172_800, "2.0 days"), (216_000, "2.5 days"), (float("inf"), "–"),
    ],
)  # fmt: skip
def test_a_duration_that_is_awaited_has_the_unit_for_it(seconds, said):
    assert duration_text(seconds) == said


@pytest.mark.parametrize(
    ("limits", "admitted", "refused", "said"),
    [
        ({}, (-1e300, 0.0, 1e300), (), ""),
        ({"gt": 0.0}, (1e-300, 5.0), (0.0, -1.0), "above 0 S/m"),
        ({"ge": 0.0}, (0.0, 5.0), (-1e-300,), "at least 0 S/m"),
        ({"lt": 1000.0}, (999.9, -5.0), (1000.0, 2000.0), "below 1000 S/m"),
        ({"le": 1.5}, (1.5, -5.0), (1.6,), "at most 1.5 S/m"),
        ({"gt": -1.0, "le": 1.0}, (-0.9, 1.0), (-1.0, 1.1), "above −1, at most 1 S/m"),
        ({"ge": 2.0, "lt": 3.0}, (2.0, 2.9), (1.9, 3.0), "at least 2, below 3 S/m"),
    ],
)
def test_limits_admit_what_they_say(limits, admitted, refused, said):
    bounds = Bounds(**limits)
    assert all(map(bounds.admits, admitted))
    assert not any(map(bounds.admits, refused))
    assert bounds.sentence("S/m").replace("\u202f", "") == said
    assert bounds_of(FieldInfo(annotation=float, **limits).metadata) == bounds
