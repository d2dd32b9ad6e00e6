"""Numbers as people read them."""

from __future__ import annotations

import math
import time as clock

from workbench.words.amounts import bytes_text, duration_text, prefixed
from workbench.words.numbers import at_most_text, figure, printed

__all__ = ["amount_text", "at_most_text", "bytes_text", "count_text", "duration_text", "moment_text", "rate_text"]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def rate_text(bytes_per_second: float) -> str:
    """``18.2 GB/s``"""
    return bytes_text(bytes_per_second) + "/s"


def amount_text(count: float) -> str:
    """``12.6 M``: a large number of things."""
    return prefixed(count, "", ("", "k", "M", "G", "T"), 1000.0).rstrip()


def moment_text(written: float, now: float | None = None) -> str:
    """When something was written [s since 1970], as a person remembers it: ``today 14:02``, ``yesterday 09:10``,
    ``3 Nov 14:02``, ``3 Nov 2024``."""
    then, present = clock.localtime(written), clock.localtime(now)
    yesterday = clock.localtime(clock.mktime((*present[:2], present.tm_mday - 1, 12, 0, 0, 0, 0, -1)))
    at = clock.strftime("%H:%M", then)
    if then[:3] == present[:3]:
        return f"today {at}"
    if then[:3] == yesterday[:3]:
        return f"yesterday {at}"
    day = f"{then.tm_mday} {MONTHS[then.tm_mon - 1]}"
    return f"{day} {at}" if then.tm_year == present.tm_year else f"{day} {then.tm_year}"


def count_text(value: float) -> str:
    """Three digits that matter, thousands apart: ``12 400``, ``3.46``."""
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 999.5:  # three digits of which are 1 000
        digits = max(0, math.floor(math.log10(abs(value))) - 2)
        return printed(f"{round(value, -digits):.0f}")
    return figure(value, 3)
