"""Amounts as people read them: bytes, and how long something takes."""

from __future__ import annotations

import math


def bytes_text(count: float) -> str:
    """``1.5 MB``: decimal prefixes, as bandwidths are quoted."""
    return prefixed(count, "B", ("", "k", "M", "G", "T"), 1000.0)


def duration_text(seconds: float) -> str:
    """``340 µs``, ``1.2 s``, ``4 min 05 s``, ``3 h 20 min``."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 60:
        return prefixed(seconds, "s", ("", "m", "µ", "n"), 1e-3) if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours < 48 else f"{hours / 24:.1f} days"


def prefixed(value: float, unit: str, prefixes: tuple[str, ...], factor: float) -> str:
    """``factor`` above 1: prefixes of large numbers; below: of small ones."""
    place = 0
    while place + 1 < len(prefixes) and (abs(value) >= 999.5 if factor > 1 else 0 < abs(value) < 1):
        value /= factor
        place += 1
    digits = 0 if abs(value) >= 99.95 or abs(value - round(value)) < 1e-9 else (1 if abs(value) >= 9.995 else 2)
    return f"{value:.{digits}f} {prefixes[place]}{unit}"
