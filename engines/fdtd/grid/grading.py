"""Nodes of an axis whose cells are finer in some spans.

At a place x the cells are to be of size h(x), the least of the coarse size and, for each span, ``h_span + ln(g) d``
with the distance d to it: cells one after the other then grow by the factor g. Between the ends of spans nodes stand
where the integral of 1/h takes whole values, after it was stretched to end with one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError

SAMPLES_PER_CELL = 16
"""Of h, in the smallest cell: the trapezoidal rule then puts nodes right to a thousandth of a cell."""
MOST = 100_000
ROUNDING = 1e-9


@dataclass(frozen=True)
class Span:
    """Cells of size ``cell`` from ``low`` to ``high``."""

    low: float
    high: float
    cell: float


def graded_nodes(size: float, coarse: float, spans: Sequence[Span], growth: float, axis: str) -> Array:
    """(n + 1,) float64 from 0 to ``size``. Raises ProblemError."""
    for span in spans:
        where = f"The fine region from {span.low:g} to {span.high:g} along {axis}"
        if not span.low < span.high:
            raise ProblemError(f"{where} has no length: let it end behind where it begins.")
        if span.low < -ROUNDING * size or span.high > size * (1 + ROUNDING):
            raise ProblemError(f"{where} reaches out of the grid: keep it between 0 and {size:g}.")
        if span.cell > coarse * (1 + ROUNDING):
            raise ProblemError(f"{where} has cells of {span.cell:g}, and {coarse:.4g} are there without it: use less.")
        if size / span.cell > MOST:
            raise ProblemError(f"{where} has cells of {span.cell:g}: use larger ones.")
    ends = np.unique(np.clip([0.0, size, *(end for span in spans for end in (span.low, span.high))], 0.0, size))
    ends = ends[np.append(True, np.diff(ends) > ROUNDING * size)]
    ends[-1] = size
    parts = [_between(low, high, coarse, spans, growth) for low, high in itertools.pairwise(ends)]
    return np.concatenate([*(part[:-1] for part in parts), ends[-1:]])


def _between(low: float, high: float, coarse: float, spans: Sequence[Span], growth: float) -> Array:
    """Nodes from ``low`` to ``high``, between which no span begins or ends."""
    finest = min(span.cell for span in spans)
    x = np.linspace(low, high, 1 + int(np.ceil(SAMPLES_PER_CELL * (high - low) / finest)))
    size = np.full(len(x), coarse)
    for span in spans:
        distance = np.maximum(np.maximum(span.low - x, x - span.high), 0.0)
        size = np.minimum(size, span.cell + np.log(growth) * distance)
    density = 1.0 / size
    cells = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(x))])
    count = max(1, int(np.ceil(cells[-1] * (1 - 1e-6))))
    nodes = np.interp(np.arange(count + 1) * (cells[-1] / count), cells, x)
    nodes[[0, -1]] = low, high
    return nodes
