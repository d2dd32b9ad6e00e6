"""The groups that a file of points tells: physical groups or tags of a mesh, the materials of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError

MOST_TOLD = 8
"""Groups that a sentence lists."""


@dataclass(frozen=True, eq=False)
class Groups:
    """numbers: (n,) int64 of each point's group; names: of those that have one."""

    numbers: Array
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def present(self) -> list[int]:
        """Rising numbers."""
        return [int(number) for number in np.unique(self.numbers)]

    def held(self, group: str) -> Array:
        """(n,) bool: the points of a group, given by number or name. Raises ProblemError."""
        wanted = group.strip()
        for number in self.present:
            if wanted in (str(number), self.names.get(number)):
                return np.asarray(self.numbers == number)
        raise ProblemError(f"The file of points has no group '{wanted}': there is {self.told}.")

    @property
    def told(self) -> str:
        """``1 (matrix), 2 (fibre)``"""
        words = [f"{number} ({self.names[number]})" if number in self.names else str(number) for number in self.present]
        more = f" and {len(words) - MOST_TOLD} more" if len(words) > MOST_TOLD else ""
        return ", ".join(words[:MOST_TOLD]) + more
