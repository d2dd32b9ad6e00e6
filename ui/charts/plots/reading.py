"""Values of charts in words: under the mouse, the newest of what grows, or from where to where they go."""

from __future__ import annotations

import math

import numpy as np

from engines.api import Array
from engines.api.charts import ChartInfo, Curve, Fact
from ui.widgets.formatting import bytes_text
from workbench.words.numbers import figure as digits
from workbench.words.numbers import grouped
from workbench.words.units import clock_text, is_count, seconds_of, seen_text, unit_text

LOOSE = 0.02
"""The part of a curve's length that may lie between its end and what it is asked of."""


def figure(value: float, unit: str, count: int = 4) -> str:
    """``3.600 V``: four digits that stay four, so that a figure that changes does not dance."""
    return f"{digits(value, count, zeros=True)} {unit_text(unit)}".rstrip() if math.isfinite(value) else "–"


def fact_text(fact: Fact) -> str:
    """``36 000``, ``0.003448``, ``−1.200 %``: counts in full, others with four digits."""
    counted = not fact.unit or (fact.unit == "1" and isinstance(fact.value, int))
    if counted and float(fact.value).is_integer() and abs(fact.value) < 1e12:
        return grouped(int(fact.value)).replace("-", "−")
    if fact.unit == "MB":
        return bytes_text(fact.value * 1e6)
    if seconds_of(fact.unit) is not None:
        return clock_text(fact.value, fact.unit, ".4g").replace("-", "−")
    return figure(fact.value, fact.unit)


def abscissa(chart: ChartInfo, x: float, x_unit: str, span: float = 0.0) -> str:
    """``1200 s`` or ``12.50 µm``; of times as many digits as are told apart where ``span`` of them is seen."""
    if chart.series or is_count(x_unit):
        return seen_text(x, x_unit, span)
    return figure(x, x_unit)


def value_at(chart: ChartInfo, curve: Curve, x: float | None) -> float | None:
    """The value next to ``x``, or that of the bar over it; without ``x`` the newest, over time and where the curve has
    one, and of bins the mean so far: the newest of them is noise. None where there is none: a number that nobody
    pointed at says nothing of a moment's curve."""
    if not len(curve.y) or chart.kind in ("raster", "matrix"):
        return None
    if x is None and chart.binned:
        return curve.mean
    if x is None:
        newest = -1 if chart.series else curve.told
        return None if newest is None else float(curve.y[newest])
    if chart.kind == "bar":
        if not curve.x[0] <= x <= curve.x[-1]:
            return None
        return float(curve.y[min(int(np.searchsorted(curve.x, x, "right")) - 1, len(curve.y) - 1)])
    return None if beyond(curve.x, x) else float(curve.y[int(np.argmin(np.abs(curve.x - x)))])


def range_text(chart: ChartInfo, values: Array, unit: str) -> str:
    """``0.2600 to 0.9100 V``: what a curve goes through. Of decibels, whose least is nobody's, ``up to 6.100 dBi``."""
    known = values[np.isfinite(values)]
    if not len(known) or chart.kind in ("bar", "raster", "matrix"):
        return ""
    low, high = float(known.min()), figure(float(known.max()), unit)
    if chart.span:
        return f"up to {high}"
    return high if figure(low, unit) == high else f"{figure(low, '')} to {high}"


def beyond(places: Array, x: float) -> bool:
    """Whether a curve that stands at ``places: (n,)`` says nothing of ``x``: it ends before, by more than its points
    may be apart, as one of a branch that has not come so far."""
    low, high = np.nanmin(places), np.nanmax(places)
    slack = LOOSE * (high - low) if len(places) > 2 else np.inf
    return bool(x < low - slack or x > high + slack)
