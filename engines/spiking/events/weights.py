"""Weights as they are stored: float32, float16, or int8 with a scale for each stored row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError

Precision = Literal["float32", "float16", "int8"]
BYTES: dict[str, int] = {"float32": 4, "float16": 2, "int8": 1}
LARGEST_HALF = 65504.0
LEVELS = 127
"""Of int8, of each sign."""


@dataclass(frozen=True)
class Stored:
    """``codes``: float32, float16 or int8; ``row_scale: (rows,)`` float32, what a row's codes stand for, or None."""

    codes: Array
    row_scale: Array | None

    @property
    def bits(self) -> int:
        return 8 * self.codes.dtype.itemsize


def numbers(weights: Array, what: str = "weights") -> Array:
    """As float32, ``weights`` themselves where they are. Raises ProblemError for what is no finite real number."""
    if weights.dtype.kind not in "fiub":
        raise ProblemError(f"The {what} are real numbers, not {weights.dtype}.")
    if weights.dtype == np.float32:
        values = weights
    else:
        with np.errstate(over="ignore"):
            values = weights.astype(np.float32)
    _refuse(np.isfinite(values), weights, what, "all are finite in float32")
    return values


def _refuse(good: Array, values: Array, what: str, rule: str) -> None:
    if good.all():
        return
    place = tuple(int(index) for index in np.argwhere(~good)[0])
    raise ProblemError(f"The {what} hold {values[place]} at {place if len(place) > 1 else place[0]}; {rule}.")


def stored(values: Array, precision: Precision, rows: Array | None = None, count: int = 0) -> Stored:
    """``values`` (float32, checked) in ``precision``.

    ``rows``: of a flat array, each value's row out of ``count``; without it the rows are those of a table. An int8
    row is scaled so that its largest weight is 127 and each is off by at most half a step. Raises ProblemError for a
    float16 beyond 65504 and for an unknown precision.
    """
    if precision not in get_args(Precision):
        raise ProblemError(f"Weights are kept as {', '.join(get_args(Precision))}; not as '{precision}'.")
    if precision == "float32":
        return Stored(values, None)
    if precision == "float16":
        _refuse(np.abs(values) <= LARGEST_HALF, values, "weights", "float16 ends at 65504")
        return Stored(values.astype(np.float16), None)
    if rows is None:
        largest = np.abs(values).max(axis=1, initial=0)
    else:
        largest = np.zeros(count, np.float32)
        np.maximum.at(largest, rows, np.abs(values))
    scale = np.where(largest > 0, largest / np.float32(LEVELS), np.float32(1)).astype(np.float32)
    scale[scale == 0] = 1  # the smallest of denormal weights
    per_value = scale[:, None] if rows is None else scale[rows]
    return Stored(np.rint(values / per_value).clip(-LEVELS, LEVELS).astype(np.int8), scale)


def decoded(of: Stored, rows: Array | None = None) -> Array:
    """float32: what the codes stand for; ``rows`` as in :func:`stored`."""
    values = of.codes.astype(np.float32)
    if of.row_scale is None:
        return values
    return np.asarray(values * (of.row_scale[:, None] if rows is None else of.row_scale[rows]), np.float32)
