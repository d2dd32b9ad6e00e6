"""Elements that know nothing of each other, or meet by number, in ranges of their numbers."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError


def bounds_of(n: int, size: int, multiple: int, what: str, elements: str) -> tuple[int, ...]:
    """(size + 1,) where the ranges of so many ranks begin, and their end: as equal as can be, all at multiples of
    ``multiple``. Raises ProblemError, in which ``what`` has so many ``elements``."""
    groups = -(-n // multiple)
    if groups < size:
        raise ProblemError(
            f"{what} of {n:,} {elements} cannot be shared by {size} ranks, of which each takes {multiple} or more: use "
            f"at most {groups}."
        )
    return tuple(min(n, rank * groups // size * multiple) for rank in range(size + 1))


def weighted_bounds(weights: Array, size: int, least: int) -> tuple[int, ...]:
    """(size + 1,) where the ranges of so many ranks begin, and their end: of nearly the same weight each, and ``least``
    elements long at least, of which there are enough."""
    before, count = np.concatenate([[0], np.cumsum(weights)]), len(weights)
    bounds = [0]
    for rank in range(1, size):
        wanted = int(np.searchsorted(before, before[-1] * rank / size))
        if wanted and before[wanted] + before[wanted - 1] > 2 * before[-1] * rank / size:
            wanted -= 1
        bounds.append(min(max(wanted, bounds[-1] + least), count - least * (size - rank)))
    return (*bounds, count)
