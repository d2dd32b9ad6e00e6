"""Elements that know nothing of each other, or meet by number, in ranges of their numbers."""

from __future__ import annotations

from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Ranks


def range_of(n: int, ranks: Ranks, multiple: int, what: str, elements: str) -> slice:
    """Of this rank, as equal as can be; all begin at multiples of ``multiple``. Raises ProblemError, in which ``what``
    has so many ``elements``."""
    groups = -(-n // multiple)
    if groups < ranks.size:
        raise ProblemError(
            f"{what} of {n:,} {elements} cannot be shared by {ranks.size} ranks, of which each takes {multiple} or "
            f"more: use at most {groups}."
        )
    ends = [min(n, rank * groups // ranks.size * multiple) for rank in (ranks.rank, ranks.rank + 1)]
    return slice(*ends)
