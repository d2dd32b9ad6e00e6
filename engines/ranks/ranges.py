"""Elements that know nothing of each other, or meet by number, in ranges of their numbers."""

from __future__ import annotations

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
