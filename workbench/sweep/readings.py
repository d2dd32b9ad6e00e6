"""One number of a curve: what stands for a whole run in the table of a sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from engines.api import Array
from engines.api.charts import ChartInfo, Curve
from engines.api.errors import ProblemError

What = Literal["max", "min", "mean", "where max", "where min", "last", "at"]
TITLES: dict[What, str] = {
    "max": "maximum",
    "min": "minimum",
    "mean": "mean",
    "where max": "place of the maximum",
    "where min": "place of the minimum",
    "last": "last value",
    "at": "value at",
}


SURE = 1e-3
"""Of the largest value of a curve, by which what is read between two of its points may be off without a word."""


@dataclass(frozen=True)
class Between:
    """A value was read on the line between the points at ``first`` and ``last``; it may be ``off`` by so much."""

    first: float
    last: float
    off: float


@dataclass(frozen=True)
class Mean:
    """Of the line through points that come one after the other, over its abscissa; those that are no numbers left
    out."""

    count: int = 0
    """Of all points."""
    known: int = 0
    area: float = 0.0
    first: float = 0.0
    last: tuple[float, float] = (math.nan, math.nan)

    def then(self, x: Array, y: Array) -> Mean:
        """With (n,) points more."""
        known = np.isfinite(x) & np.isfinite(y)
        count, found = self.count + len(x), self.known + int(known.sum())
        before = [self.last] if self.known else []
        points = np.array([*before, *zip(x[known], y[known], strict=True)]).reshape(-1, 2)
        if not len(points):
            return replace(self, count=count)
        area = self.area + float(np.trapezoid(points[:, 1], points[:, 0]))
        end = float(points[-1, 0]), float(points[-1, 1])
        return Mean(count, found, area, self.first if before else float(points[0, 0]), end)

    @property
    def value(self) -> float:
        width = self.last[0] - self.first
        return self.area / width if width > 0 else self.last[1]


@dataclass(frozen=True)
class Reading:
    """What is read of each curve of a chart; ``at`` is an abscissa, for what is read there."""

    what: What = "max"
    at: float = 0.0

    def of(self, info: ChartInfo, curve: Curve) -> float:
        """NaN where the curve has no such number."""
        x, y = _points(info, curve)
        if not len(x):
            return float("nan")
        match self.what:
            case "max":
                return float(y.max())
            case "min":
                return float(y.min())
            case "mean" if curve.mean is not None:
                return curve.mean
            case "mean" if info.binned and len(x) > 1:
                return float(np.dot(np.diff(x), y[1:]) / (x[-1] - x[0]))  # each is of the time up to it
            case "mean":
                x, y = _in_order(x, y)
                return Mean().then(x, y).value if x[-1] > x[0] else float(y.mean())
            case "where max":
                return float(x[y.argmax()])
            case "where min":
                return float(x[y.argmin()])
            case "last":
                return float(y[-1])
            case "at":
                x, y = _in_order(x, y)
                return float(np.interp(self.at, x, y)) if x[0] <= self.at <= x[-1] else float("nan")

    def between(self, info: ChartInfo, curve: Curve) -> Between | None:
        """Where a value is read between points that are too far apart for it: the line between these is held against
        those through the two before and the two behind, on to there."""
        x, y = _in_order(*_points(info, curve))
        after = int(np.searchsorted(x, self.at))
        if self.what != "at" or not 0 < after < len(x) or x[after] == self.at:
            return None
        first, last = float(x[after - 1]), float(x[after])
        part = (self.at - first) / (last - first)
        read, offs = np.interp(self.at, x, y), []
        for near, far, weight in ((after - 1, after - 2, 1 - part), (after, after + 1, part)):
            if 0 <= far < len(x) and x[near] != x[far]:
                on = y[near] + (y[near] - y[far]) * (self.at - x[near]) / (x[near] - x[far])
                offs.append((abs(on - read), weight * abs(on - read)))
        off = min(each for each, _ in offs) if len(offs) == 2 else offs[0][1] if offs else abs(y[after] - y[after - 1])
        return Between(first, last, float(off)) if off > SURE * np.abs(y).max() else None

    def ends(self, info: ChartInfo, curve: Curve) -> tuple[float, float] | None:
        """From where to where a value at a place can be read; None for other readings, and of a curve without any."""
        x, _ = _points(info, curve)
        return (float(x.min()), float(x.max())) if self.what == "at" and len(x) else None

    def title(self, x_unit: str) -> str:
        """``maximum``, ``value at 1.2 µm``"""
        unit = "" if x_unit in ("", "1") else f" {x_unit}"
        return f"{TITLES[self.what]} {self.at:g}{unit}" if self.what == "at" else TITLES[self.what]

    @property
    def of_abscissa(self) -> bool:
        """Whether it is an abscissa of the chart rather than an ordinate."""
        return self.what in ("where max", "where min")


def _points(info: ChartInfo, curve: Curve) -> tuple[Array, Array]:
    """Abscissas and values that are numbers."""
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    if info.kind == "bar":
        x = (x[1:] + x[:-1]) / 2
    known = np.isfinite(y) & np.isfinite(x)
    return x[known], y[known]


def _in_order(x: Array, y: Array) -> tuple[Array, Array]:
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


def reading_of(text: str) -> Reading:
    """``max``, ``min``, ``mean``, ``where-max``, ``where-min``, ``last`` or ``at=1.2``. Raises ProblemError."""
    name, _, value = text.strip().partition("=")
    if name == "at":
        try:
            return Reading("at", float(value))
        except ValueError:
            raise ProblemError(f"'{value}' is no place to read a chart at: write at=1.2, say.") from None
    for what in get_args(What):
        if what == name.replace("-", " ") and not value:
            return Reading(what)
    known = ", ".join(str(what).replace(" ", "-") for what in get_args(What)[:-1])
    raise ProblemError(
        f"'{text}' cannot be read of a chart: choose one of {known} or at=X, behind a name with a colon, too."
    )
