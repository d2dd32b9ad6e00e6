"""One number of a curve: what stands for a whole run in the table of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from engines.api.charts import ChartInfo, Curve
from engines.api.errors import ProblemError

What = Literal["max", "min", "where max", "where min", "last", "at"]
TITLES: dict[What, str] = {
    "max": "maximum",
    "min": "minimum",
    "where max": "place of the maximum",
    "where min": "place of the minimum",
    "last": "last value",
    "at": "value at",
}


@dataclass(frozen=True)
class Reading:
    """What is read of each curve of a chart; ``at`` is an abscissa, for what is read there."""

    what: What = "max"
    at: float = 0.0

    def of(self, info: ChartInfo, curve: Curve) -> float:
        """NaN where the curve has no such number."""
        x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
        if info.kind == "bar":
            x = (x[1:] + x[:-1]) / 2
        known = np.isfinite(y) & np.isfinite(x)
        if not known.any():
            return float("nan")
        x, y = x[known], y[known]
        match self.what:
            case "max":
                return float(y.max())
            case "min":
                return float(y.min())
            case "where max":
                return float(x[y.argmax()])
            case "where min":
                return float(x[y.argmin()])
            case "last":
                return float(y[-1])
            case "at":
                order = np.argsort(x, kind="stable")
                x, y = x[order], y[order]
                return float(np.interp(self.at, x, y)) if x[0] <= self.at <= x[-1] else float("nan")

    def title(self, x_unit: str) -> str:
        """``maximum``, ``value at 1.2 µm``"""
        unit = "" if x_unit in ("", "1") else f" {x_unit}"
        return f"{TITLES[self.what]} {self.at:g}{unit}" if self.what == "at" else TITLES[self.what]

    @property
    def of_abscissa(self) -> bool:
        """Whether it is an abscissa of the chart rather than an ordinate."""
        return self.what in ("where max", "where min")


def reading_of(text: str) -> Reading:
    """``max``, ``min``, ``where-max``, ``where-min``, ``last`` or ``at=1.2``. Raises ProblemError."""
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
    raise ProblemError(f"'{text}' cannot be read of a chart: choose one of {known} or at=X.")
