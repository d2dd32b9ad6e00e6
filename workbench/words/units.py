"""Simulated time in words: seconds of some kind, or a count (the iterations of a solver) where there is no time."""

from __future__ import annotations

COUNTS = ("iterations", "steps")
"""Units that are counted: whole numbers, with the unit in words."""


def is_count(unit: str) -> bool:
    return unit in COUNTS


def one_of(unit: str) -> str:
    """What comes after "per": ``µs``, ``iteration``."""
    return unit.removesuffix("s") if is_count(unit) else unit_text(unit)


def unit_text(unit: str) -> str:
    """A unit as it is written: µm for um, µs for us; nothing where there is none."""
    return {"um": "µm", "us": "µs", "1": ""}.get(unit, unit)


def seconds_of(unit: str) -> float | None:
    """How long a unit of simulated time is [s]; None where it is none."""
    return {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15}.get(unit)


def time_text(time: float, unit: str, form: str = "g") -> str:
    """``4.25 ms`` (``form`` is that of the number) or ``12 500 iterations``."""
    word = one_of(unit) if is_count(unit) and round(time) == 1 else unit_text(unit)
    return f"{number_text(time, unit, form)} {word}"


def number_text(time: float, unit: str, form: str = "g") -> str:
    """The number alone: ``4.25``, ``12 500``."""
    return grouped(round(time)) if is_count(unit) else f"{time:{form}}"


def counted(count: int, thing: str) -> str:
    """``1 figure``, ``2 figures``: a count of things whose plural has an s."""
    return f"{grouped(count)} {thing if count == 1 else thing + 's'}"


def grouped(count: int) -> str:
    """A whole number with thin spaces between the thousands."""
    return f"{count:,}".replace(",", "\u202f")
