"""Simulated time in words: seconds of some kind, or a count (the iterations of a solver) where there is no time.

A unit is a symbol ("ms") or a word ("seconds", "day"): words have a plural, and an engine may give either number.
"""

from __future__ import annotations

import math

from workbench.words.numbers import at_most_text, grouped, printed

COUNTS = ("iterations", "steps")
"""Units that are counted: whole numbers, with the unit in words."""

LEAST_READ, MOST_READ = 0.01, 1e4
"""Times below and from these are hard to read with two digits after the point."""
PARTS = 200
"""Of a span of time that is seen, that a reading tells apart."""
HOUR, MANY_SECONDS = 3600.0, 1000.0
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


def headed(title: str, unit: str) -> str:
    """``Speed [µm/s]``; a number without a unit has its title alone."""
    return f"{title} [{unit_text(unit)}]" if unit_text(unit) else title


def file_unit(unit: str) -> str:
    """A unit as files have it, whatever an engine calls it: um, us. Programs that read tables take a µ for other
    letters where they do not know that they are in UTF-8, and there are two of it."""
    return unit.replace("µ", "u").replace("μ", "u")


def seconds_of(unit: str) -> float | None:
    """How long a unit of time is [s]; None where it is none."""
    return SECONDS.get(unit)


def time_text(time: float, unit: str, form: str = "g") -> str:
    """``4.25 ms`` (``form`` is that of the number), ``1 second`` or ``12 500 iterations``."""
    return with_unit(number_text(time, unit, form), unit)


def legible(time: float, unit: str) -> tuple[float, str]:
    """The same time with a number that can be read: in its own unit, or in another of seconds: (73.36, "µs") of
    7.336e-05 s."""
    scale = seconds_of(unit)
    if scale is None or time == 0 or LEAST_READ <= abs(time) < MOST_READ or not math.isfinite(time):
        return time, unit
    seconds = time * scale
    of = next((each for each in PREFIXED if abs(seconds) >= (seconds_of(each) or 0.0) * (1 - 1e-9)), PREFIXED[-1])
    return seconds / (seconds_of(of) or 1.0), of


def at_most(limit: float, unit: str, digits: int = 3) -> str:
    """A positive time in so many digits, never rounded up, in a unit that can be read."""
    number, of = legible(limit, unit)
    return with_unit(printed(at_most_text(number, digits)), of)


def clock_text(time: float, unit: str, form: str = ".2f") -> str:
    """Simulated time as a clock shows it: ``4.25 ms``, ``73.36 µs`` of 7.336e-05 s, ``53 min 28 s`` of 3208 s.

    In its own unit, with two digits (or as ``form`` says), where that can be read; else in one of seconds that can.
    """
    seconds = time * (seconds_of(unit) or 0.0)
    if math.isfinite(seconds) and abs(seconds) >= HOUR:
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if math.isfinite(seconds) and seconds >= MANY_SECONDS:
        whole = int(seconds)
        return f"{whole // 60} min {whole % 60:02d} s"
    return time_text(*legible(time, unit), form)


def seen_text(time: float, unit: str, span: float) -> str:
    """A time where ``span`` of them is seen, in as many digits as are told apart there: ``4.90 ms``, ``1.000400 s``."""
    if is_count(unit):
        return time_text(time, unit)
    shown, of = legible(time if abs(time) >= span / PARTS else 0.0, unit)
    told_to = span / PARTS * (shown / time if shown else 1.0)
    decimals = max(1 if abs(shown) >= 100 else 2, math.ceil(-math.log10(told_to)) if told_to > 0 else 0)
    return time_text(shown, of, f".{decimals}f")


def number_text(time: float, unit: str, form: str = "g") -> str:
    """The number alone: ``4.25``, ``12 500``."""
    return grouped(round(time)) if is_count(unit) else printed(f"{time:{form}}")


def counted(count: int, thing: str) -> str:
    """``1 figure``, ``2 figures``: a count of things whose plural has an s."""
    return f"{grouped(count)} {thing if count == 1 else thing + 's'}"


def percent(fraction: float, digits: int = 0) -> str:
    """``35 %`` of 0.35."""
    return f"{100 * fraction:.{digits}f} %"
