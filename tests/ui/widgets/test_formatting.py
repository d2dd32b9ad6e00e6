"""Numbers as people read them, at each turn from one form to the next."""

import math
import time

import pytest

from ui.widgets.formatting import (
    amount_text,
    at_most_text,
    bytes_text,
    count_text,
    duration_text,
    moment_text,
    rate_text,
)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1.5, "1.50 B"),
        (999, "999 B"),
        (999.4, "999 B"),
        (999.6, "1.00 kB"),
        (1000, "1 kB"),
        (1234, "1.23 kB"),
        (9994, "9.99 kB"),
        (9996, "10.0 kB"),
        (12_340, "12.3 kB"),
        (99_940, "99.9 kB"),
        (99_960, "100 kB"),
        (1.5e6, "1.50 MB"),
        (18.2e9, "18.2 GB"),
        (4.22e12, "4.22 TB"),
        (1e15, "1000 TB"),
        (5e15, "5000 TB"),
        (-1234, "-1.23 kB"),
    ],
)
def test_bytes(count, text):
    assert bytes_text(count) == text
    assert rate_text(count) == f"{text}/s"
    assert amount_text(count) == text.removesuffix("B").rstrip()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (math.inf, "–"),
        (math.nan, "–"),
        (0, "0 s"),
        (3e-12, "0.00 ns"),
        (2.5e-9, "2.50 ns"),
        (340e-6, "340 µs"),
        (0.001, "1 ms"),
        (0.0123, "12.3 ms"),
        (0.5, "500 ms"),
        (1.0, "1.0 s"),
        (1.24, "1.2 s"),
        (59.94, "59.9 s"),
        (60, "1 min 00 s"),
        (245, "4 min 05 s"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (12_000, "3 h 20 min"),
        (47.99 * 3600, "47 h 59 min"),
        (48 * 3600, "2.0 days"),
        (250_000, "2.9 days"),
    ],
)
def test_durations(seconds, text):
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("then", "text"),
    [
        ((2026, 3, 1, 9, 5), "today 09:05"),
        ((2026, 2, 28, 23, 59), "yesterday 23:59"),
        ((2026, 2, 27, 14, 2), "27 Feb 14:02"),
        ((2025, 3, 1, 9, 5), "1 Mar 2025"),
        ((2026, 12, 31, 0, 0), "31 Dec 00:00"),
    ],
)
def test_moments(then, text):
    written, now = (time.mktime((*each, 0, 0, 0, -1)) for each in (then, (2026, 3, 1, 18, 0)))
    assert moment_text(written, now) == text


def test_a_limit_is_never_rounded_up():
    for limit, text in (
        (0.0012349, "0.00123"),
        (0.9999, "0.999"),
        (123_456.0, "1.23e+05"),
        (1.0, "1"),
        (99.96, "99.9"),
    ):
        assert at_most_text(limit) == text
        assert float(text) <= limit
    assert at_most_text(1.2349, 2) == "1.2"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.inf, "–"),
        (0, "0"),
        (3.456, "3.46"),
        (999.4, "999"),
        (999.7, "1\u202f000"),
        (1000, "1\u202f000"),
        (12_399, "12\u202f400"),
        (1_234_567, "1\u202f230\u202f000"),
        (-12_399, "−12\u202f400"),
    ],
)
def test_counts(value, text):
    assert count_text(value) == text
