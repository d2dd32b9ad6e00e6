"""How the numbers of a chart are looked at: divided by others, in decibels, over another series than time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, Curve

Vertical = Literal["linear", "log", "dB10", "dB20"]
VERTICALS: dict[Vertical, str] = {
    "linear": "Linear",
    "log": "Logarithmic",
    "dB10": "Decibels of a power, 10 log₁₀",
    "dB20": "Decibels of an amplitude, 20 log₁₀",
}
WIDEST, FINEST = 1e100, 1e-100
LEFT_OUT = "What is beyond 10¹⁰⁰ is left out."
LARGEST, CURVE, RUN = "largest", "curve:", "run:"


@dataclass(frozen=True)
class Look:
    """``over``: what ordinates are divided by: "" nothing, "largest" each curve's own largest magnitude, "curve:TITLE"
    a curve of the chart, "run:TITLE" the same curve of a kept run."""

    log_x: bool = False
    vertical: Vertical = "linear"
    over: str = ""

    @property
    def decibels(self) -> float:
        """What a power of ten counts, 10 or 20; 0: decibels are not shown."""
        return float(self.vertical.removeprefix("dB")) if self.vertical.startswith("dB") else 0.0

    def unit(self, unit: str) -> str:
        """Of what is shown, where the chart's is ``unit``."""
        return "dB" if self.decibels else "1" if self.over else unit

    def note(self) -> str:
        """What stands behind the title."""
        if not self.over:
            return ""
        return " ÷ largest" if self.over == LARGEST else f" ÷ {self.over.split(':', 1)[1]}"


def looked_at(data: ChartData, look: Look, kept: Mapping[str, ChartData]) -> ChartData:
    """``data`` divided and in decibels as ``look`` wants it, of what can be drawn; ``kept`` are the curves of kept runs
    by title.

    A divisor is taken as straight between its points, and bars are divided by those between the same edges; beyond its
    ends, where it is zero, and where there is none, the quotient is no number. Decibels are those of magnitudes; of
    zero there are none.
    """
    if look.over.startswith(CURVE):
        title = look.over.removeprefix(CURVE)
        data = replace(data, curves=tuple(_over(curve, _titled(data, title)) for curve in data.curves))
    elif look.over.startswith(RUN):
        other = kept.get(look.over.removeprefix(RUN), EMPTY)
        data = replace(data, curves=tuple(_over(curve, _titled(other, curve.title)) for curve in data.curves))
    elif look.over == LARGEST:
        data = replace(data, curves=tuple(_each(curve, _by_largest(curve)) for curve in data.curves))
    if factor := look.decibels:
        data = replace(
            data, curves=tuple(_each(curve, lambda y: factor * logarithm(np.abs(y))) for curve in data.curves)
        )
    return drawable(data)


def drawable(data: ChartData) -> ChartData:
    """Without what no axis has ticks for, where painting takes minutes or ends in an error: with a word where that is
    beyond :data:`WIDEST`, as nought where it is below :data:`FINEST`."""
    curves = tuple(_drawable(curve) for curve in data.curves)
    if all(one is other for one, other in zip(curves, data.curves, strict=True)):
        return data
    wide = any(
        np.isfinite(old.y).sum() > np.isfinite(new.y).sum() for old, new in zip(data.curves, curves, strict=True)
    )
    return replace(data, curves=curves, note=f"{data.note} {LEFT_OUT}".strip() if wide else data.note)


def _drawable(curve: Curve) -> Curve:
    ends = curve.x, curve.y, curve.low, curve.high
    if not any(each is not None and _is_wild(each) for each in ends):
        return curve
    x, y, low, high = (None if each is None else _bounded(each) for each in ends)
    assert x is not None
    assert y is not None
    return replace(curve, x=x, y=y, low=low, high=high)


def _is_wild(values: Array) -> bool:
    size = np.abs(values)
    size = size[np.isfinite(size) & (size > 0)]
    return bool(len(size)) and bool(size.max() > WIDEST or size.min() < FINEST)


def _bounded(values: Array) -> Array:
    size = np.abs(values)
    return np.where((size > WIDEST) & np.isfinite(size), np.nan, np.where(size < FINEST, 0.0, values))


def over_series(data: ChartData, times: Array, values: Array) -> ChartData:
    """The curves of a chart over time, over another series: its ``values: (n,)`` at ``times: (n,)``."""
    if not len(times):
        return EMPTY
    return replace(data, curves=tuple(replace(curve, x=np.interp(curve.x, times, values)) for curve in data.curves))


def logarithm(values: Array) -> Array:
    """log₁₀ [1]; NaN of what is not above zero."""
    values = np.asarray(values, float)
    return np.log10(values, out=np.full(values.shape, np.nan), where=values > 0)


def rises(x: Array) -> bool:
    return bool((np.diff(x) >= 0).all())


def _titled(data: ChartData, title: str) -> Curve | None:
    return next((curve for curve in data.curves if curve.title == title), None)


def _over(curve: Curve, divisor: Curve | None) -> Curve:
    below = np.full(len(curve.y), np.nan)
    if divisor is None or not len(divisor.x) or not rises(divisor.x):
        pass
    elif divisor.x is curve.x or np.array_equal(divisor.x, curve.x):
        below = np.asarray(divisor.y, float)
    elif len(curve.x) == len(curve.y) and len(divisor.x) == len(divisor.y):
        below = np.interp(curve.x, divisor.x, divisor.y, left=np.nan, right=np.nan)
    return _each(curve, lambda y: np.divide(y, below, out=np.full(len(y), np.nan), where=below != 0))


def _by_largest(curve: Curve) -> Callable[[Array], Array]:
    known = np.abs(curve.y[np.isfinite(curve.y)])
    largest = float(known.max()) if len(known) and known.max() > 0 else np.nan
    return lambda y: np.asarray(y) / largest


def _each(curve: Curve, change: Callable[[Array], Array]) -> Curve:
    low = None if curve.low is None else change(curve.low)
    high = None if curve.high is None else change(curve.high)
    if low is not None and high is not None:
        low, high = np.fmin(low, high), np.fmax(low, high)  # a negative divisor turns a band over
    return replace(curve, y=change(curve.y), low=low, high=high, mean=None)
