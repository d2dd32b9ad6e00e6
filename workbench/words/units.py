"""Simulated time in words: seconds of some kind, or a count (the iterations of a solver) where there is no time.

A unit is a symbol ("ms") or a word ("seconds", "day"): words have a plural, and an engine may give either number.
"""

from __future__ import annotations

import math

COUNTS = ("iterations", "steps")
"""Units that are counted: whole numbers, with the unit in words."""

LEAST_READ, MOST_READ = 0.01, 1e4
"""Times below and from these are hard to read with two digits after the point."""
HOUR = 3600.0
SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15}
"""How long units of time are."""
PREFIXED = tuple(unit for unit in SECONDS if unit != "us")

SHORT_WORDS = ("day", "hour", "week", "year", "step", "beat", "turn")
"""Words among units that are as short as symbols."""


def is_count(unit: str) -> bool:
    return unit in COUNTS


def is_word(unit: str) -> bool:
    """Whether a unit is written out: "iterations", "second", "days", and not "ms", "mmol" or "m/s"."""
    one = unit.removesuffix("s")
    return one in SHORT_WORDS or (len(one) > 4 and one.isascii() and one.isalpha() and one.islower())


def one_of(unit: str) -> str:
    """What comes after "per", and after 1: ``µs``, ``iteration``."""
    return unit.removesuffix("s") if is_word(unit) else unit_text(unit)


def with_unit(number: str, unit: str) -> str:
    """A number and its unit: ``2 µs``, ``1 second``, ``2 seconds``."""
    one = one_of(unit)
    return f"{number} {one}{'s' if is_word(unit) and number != '1' else ''}".rstrip()


def unit_text(unit: str) -> str:
    """A unit as it is written: µm for um, µs for us; nothing where there is none."""
    return {"um": "µm", "us": "µs", "1": ""}.get(unit, unit)


def seconds_of(unit: str) -> float | None:
    """How long a unit of time is [s]; None where it is none."""
    return SECONDS.get(unit)


def time_text(time: float, unit: str, form: str = "g") -> str:
    """``4.25 ms`` (``form`` is that of the number), ``1 second`` or ``12 500 iterations``."""
    return with_unit(number_text(time, unit, form), unit)


def clock_text(time: float, unit: str) -> str:
    """Simulated time as a clock shows it: ``4.25 ms``, ``73.36 µs`` of 7.336e-05 s, ``14 h 51 min`` of 53480 s.

    In its own unit, with two digits, where that can be read; else in one of seconds that can.
    """
    scale = seconds_of(unit)
    own = time == 0 or (LEAST_READ <= abs(time) < (HOUR if scale == 1.0 else MOST_READ))
    if own or scale is None or not math.isfinite(time):
        return time_text(time, unit, ".2f")
    seconds = time * scale
    if abs(seconds) >= HOUR:
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60:02d} min"
    of = next((each for each in PREFIXED if abs(seconds) >= (seconds_of(each) or 0.0) * (1 - 1e-9)), PREFIXED[-1])
    return time_text(seconds / (seconds_of(of) or 1.0), of, ".2f")


def number_text(time: float, unit: str, form: str = "g") -> str:
    """The number alone: ``4.25``, ``12 500``."""
    return grouped(round(time)) if is_count(unit) else f"{time:{form}}"


def counted(count: int, thing: str) -> str:
    """``1 figure``, ``2 figures``: a count of things whose plural has an s."""
    return f"{grouped(count)} {thing if count == 1 else thing + 's'}"


def grouped(count: int) -> str:
    """A whole number with thin spaces between the thousands."""
    return f"{count:,}".replace(",", "\u202f")
