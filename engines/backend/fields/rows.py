"""Rows of large arrays, gathered, copied and sorted by all cores: NumPy uses one."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.backend.threads import in_parts, in_planes, usable_cores

LEAST = 1 << 14
"""Rows of a part."""
SAMPLED = 1 << 12
"""Keys by which many are parted into bins, one for each core."""


def taken(values: Array, order: Array) -> Array:
    """``values[order]`` for ``order: (n,)`` of whole numbers, of which -1 is the last row."""
    rows = np.empty((len(order), *values.shape[1:]), values.dtype)
    _take(len(order), values, order, rows)
    return rows


def copy(values: Array, into: Array) -> None:
    """``into[...] = values``, of the same shape."""
    _copy(values.size, values.reshape(-1), into.reshape(-1))


def extremes(values: Array) -> tuple[Array, Array]:
    """The lowest and the highest of some ``values``."""
    lowest, highest = zip(*_extremes(values.size, values.reshape(-1)), strict=True)
    return np.min(lowest), np.max(highest)


def ascending(keys: Array) -> Array:
    """(n,) int32: the order of ``keys: (n,)``, equal ones as they stand."""
    some = np.sort(keys[:: 1 + len(keys) // SAMPLED])
    bins = usable_cores() if len(keys) > SAMPLED else 1
    ends = some[[len(some) * bin_ // bins for bin_ in range(1, bins)]]
    return np.concatenate(_ascending(len(ends) + 1, keys, ends))


def between(keys: Array, ends: Array, first: int, last: int) -> tuple[Array, Array]:
    """Places (n,) int32 and values of ``keys`` in the bins from ``first`` to ``last``; at each of ``ends`` the next one
    begins."""
    there = np.ones(len(keys), bool) if first == 0 else keys >= ends[first - 1]
    if last <= len(ends):
        there &= keys < ends[last - 1]
    places = np.flatnonzero(there).astype(np.int32)
    return places, np.take(keys, places)


def _some_taken(first: int, last: int, values: Array, order: Array, rows: Array) -> None:
    np.take(values, order[first:last], axis=0, out=rows[first:last], mode="wrap")


def _some_copied(first: int, last: int, values: Array, into: Array) -> None:
    into[first:last] = values[first:last]


def _some_extremes(first: int, last: int, values: Array) -> tuple[Array, Array]:
    return values[first:last].min(), values[first:last].max()


def _some_ascending(first: int, last: int, keys: Array, ends: Array) -> Array:
    """Of the bins from ``first`` to ``last`` between ``ends``."""
    places, own = between(keys, ends, first, last)
    order = np.argsort(own)
    in_order = own[order]
    if (in_order[1:] == in_order[:-1]).any():  # else there is one order, found five times faster than a stable one
        order = np.argsort(own, kind="stable")
    return places[order]


_take = in_parts(_some_taken, LEAST)
_copy = in_parts(_some_copied, LEAST)
_extremes = in_parts(_some_extremes, LEAST)
_ascending = in_planes(_some_ascending)
