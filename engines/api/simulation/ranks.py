"""One problem on several processes: what an engine is told of them, and what it says of its part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engines.api.simulation.base import Simulation


class Ranks(ABC):
    """The processes that share a problem, one GPU each or a share of the cores: this one is ``rank`` of ``size``.

    What engines send each other goes through :meth:`exchange`; everything else (who asks, who answers, who writes) is
    not their business.
    """

    rank: int
    size: int

    @abstractmethod
    def exchange(self, outgoing: Sequence[tuple[int, int, Any]], incoming: Sequence[tuple[int, int, Any]]) -> Exchange:
        """Begin to send and to receive device arrays: (the other rank, a tag, the array) of each, C order.

        A tag tells messages between the same two ranks apart, and all ranks give theirs in the order of tags. What is
        sent may not change, nor may what is received be read, before the exchange is waited for."""

    @abstractmethod
    def largest(self, value: int) -> int:
        """Of what the ranks say. All ask together."""


class Exchange(ABC):
    """Messages on their way, while kernels run."""

    @abstractmethod
    def wait(self) -> None:
        """Go on once they have arrived: on a GPU what is launched from now on waits, not this thread."""


@dataclass(frozen=True)
class Part:
    """What a rank has of a problem, and how parts make the whole.

    simulation: of this rank's own elements, which are numbered from 0
    geometry:   the whole
    rows:       (size + 1,) where the ranges of rows begin that ranks own, in their order, from 0 to the number of rows
    row_length: elements of a row (the cells of a grid's plane; 1 where elements are shared out one by one)
    split:      which arrays of :meth:`Simulation.state` are shared out by rows, and along which axis; the others are
                the same on all ranks
    combined:   how each of ``Simulation.series`` is made of those of the ranks
    """

    simulation: Simulation
    geometry: Any
    rows: tuple[int, ...]
    row_length: int
    split: Mapping[str, int]
    combined: Mapping[str, Literal["sum", "largest"]] = field(default_factory=dict)
