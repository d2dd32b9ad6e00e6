"""Numbers as print has them, in one way: thin spaces from four digits on, a minus sign, powers of ten."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
THIN = "\u202f"
COMMA_OF_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
SOLID = "\N{NO-BREAK SPACE}"
QUOTED = re.compile(r"((?<!\w)'[^']*')")
"""Names and formulas as a person typed them."""
OF_PYTHON = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?e[+-]?\d+)(?!\w)")
HYPHEN = re.compile(r"(?<![\w)\]}'’.-])-(?=[\d∞])")
"""That stands for a minus sign; not within a word (S1-S2), a span (3-5) or a difference."""
UNIT = r"[kMGT]?(?:B|Hz|Pa)|[fpnµum]?s|min|h|[nµumckd]?m|[nµumkM]?[VAWJNFS]|m?M|m?mol|[mk]?g|dB|K|°C"
BEFORE_UNIT = re.compile(rf"(?<=[\d⁰¹²³⁴⁵⁶⁷⁸⁹]) (?=%|(?:{UNIT})\b)")
"""What stands between a number and its unit."""
JOINED = "\N{WORD JOINER}"
OF_UNIT = re.compile(rf"(?<={SOLID})(?:{UNIT})\S*/\S+")
"""A unit in which a line could end: behind the stroke of m/s."""
LEAST, MOST = 1e-4, 1e5
"""Magnitudes below and from these have a power of ten."""
MOST_DIGITS = 17
"""That tell any two float64 apart."""
SEEN = 1e-3
"""The part of the way to the next tick by which a figure at one may be off."""


def printed(number: str) -> str:
    """As print has what Python writes: ``−3.406 × 10⁻⁴⁴`` of ``-3.406e-44``, ``12 500.5`` of ``12500.5``."""
    mantissa, e, exponent = number.partition("e")
    whole, point, rest = mantissa.removeprefix("-").partition(".")
    whole = grouped(int(whole)) if whole.isdecimal() else whole
    sign = "−" if mantissa.startswith("-") else ""
    return sign + whole + point + rest + (f" × {power(int(exponent))}" if e else "")


def at_most_text(limit: float, digits: int = 3) -> str:
    """A positive limit in so many digits, never rounded up: what the text says must be allowed itself."""
    places = digits - 1 - math.floor(math.log10(limit))
    return f"{math.floor(limit * 10.0**places) / 10.0**places:.{digits}g}"


def power(exponent: int) -> str:
    """``10⁻⁴⁴``"""
    return f"10{str(exponent).translate(RAISED)}"


def figure(value: float, digits: int = 4, *, zeros: bool = False) -> str:
    """So many digits that matter, and all of those before the point: ``3.6``, ``7 417``, ``1.6 × 10⁻⁷``; with ``zeros``
    those at the end too (``3.600``), so that a figure that changes does not dance."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    rounded = abs(float(f"{value:.{digits}g}"))
    if rounded >= MOST or rounded < LEAST:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return printed(f"{mantissa if zeros else _short(mantissa)}e{exponent}")
    if rounded >= 10**digits:
        return printed(f"{value:.0f}")
    text = f"{value:#.{digits}g}".removesuffix(".")
    return printed(text if zeros else _short(text))


def tick_texts(values: Sequence[float], most: float = MOST, step: float = 0.0) -> list[str]:
    """Values ``step`` apart (none: as the first two) with as few digits as tell them apart; of ``most`` and more with a
    power of ten, unless that takes more room."""
    if not values:
        return []
    step = step or (abs(values[1] - values[0]) if len(values) > 1 else 0.0) or 1e-9 * abs(values[0]) or 1.0
    values = zeroed(values, step)
    largest, steps = max(abs(value) for value in values), [step] * len(values)
    digits = _fewest(values, steps, significant, 3)
    powered = [figure(value, digits) for value in values]
    if 0 < largest < 1e-3 or (largest >= most and digits == 3):
        return powered
    places = _fewest(values, steps, round, 0)
    plain = [printed(f"{value + 0.0:.{places}f}") for value in values]
    return powered if largest >= most and max(map(len, powered)) <= max(map(len, plain)) else plain


def told_apart(values: Sequence[float], digits: int = 4) -> list[str]:
    """Figures of so many digits, or of as many as it takes to tell each from its neighbours."""
    digits = digits_apart(values, digits)
    return [figure(value, digits) for value in values]


def digits_apart(values: Sequence[float], least: int) -> int:
    """How many digits that matter tell each value from its neighbours, ``least`` or more."""
    different = sorted(set(values))
    gaps = [math.inf, *(after - before for before, after in pairwise(different)), math.inf]
    return _fewest(different, [min(sides) for sides in pairwise(gaps)][: len(different)], significant, least)


def significant(value: float, digits: int) -> float:
    """Rounded to so many digits that matter."""
    return float(f"{value:.{digits}g}")


def _fewest(values: Sequence[float], steps: Sequence[float], rounded: Callable[[float, int], float], least: int) -> int:
    """So many digits, ``least`` or more, leave nothing to be seen between values and their figures, where each is a
    step from the next."""
    pairs = list(zip(values, steps, strict=True))
    enough = (n for n in range(least, MOST_DIGITS) if all(abs(rounded(v, n) - v) <= SEEN * step for v, step in pairs))
    return next(enough, MOST_DIGITS)


def zeroed(values: Sequence[float], step: float) -> list[float]:
    """Values ``step`` apart: 0 for what is rounding beside it."""
    return [0.0 if abs(value) < 1e-6 * abs(step) else value for value in values]


def grouped(count: int) -> str:
    """A whole number with thin spaces between the thousands."""
    return f"{count:,}".replace(",", THIN)


def spaced(sentence: str) -> str:
    """A sentence as print has it: thin spaces between the thousands of whole numbers (``7 317 120`` of 7,317,120),
    minus signs (``−24 %``), powers of ten, and no line that ends between a number and its unit,
    or within that. Quotes stay."""
    parts = QUOTED.split(sentence)
    return "".join(part if n % 2 else _as_print(part) for n, part in enumerate(parts))


def _as_print(text: str) -> str:
    text = HYPHEN.sub("−", COMMA_OF_THOUSANDS.sub(THIN, text))
    text = OF_PYTHON.sub(lambda found: printed(found[1]).replace(" ", SOLID), text)
    return OF_UNIT.sub(lambda found: found[0].replace("/", f"/{JOINED}"), BEFORE_UNIT.sub(SOLID, text))


def _short(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
