"""A grid cut into slabs across its slowest axis, and steps on a slab that need what lies beyond its ends.

A slab holds its own planes and nothing else. For each end that another slab lies beyond there is an *edge*: ``depth``
planes of the neighbour and twice as many of its own. A round takes up to ``depth`` steps:

1. the own planes of each edge are copied, and those that the neighbours need are sent;
2. the whole slab takes the steps as if it ended there, while they travel: wrong at most ``depth`` planes from there;
3. each edge takes the steps: right in its middle third, which takes the place of what the slab has wrong.

Each cell is so computed from the same numbers in the same order as on one rank: the bits are the same. Beside a slab of
n planes 3 · depth are computed for each end, so a round is no longer than a launch takes steps; what is sent, ``depth``
planes, has the time of the whole slab to travel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Ranks
from engines.geometry.grid import Grid

UPWARDS, DOWNWARDS = 0, 1
"""Tags of what goes to the slab above and below."""
LEAST_STEPS = 2
"""Steps of a round at least; else those of one launch. Longer rounds cost more than the messages that they save: on two
H200 messages are hidden wholly, and with 6 steps a round 1024³ cells reach 0.89 of twice the pace of one."""
Step = Callable[[Sequence[Any], Sequence[Any], int], tuple[Sequence[Any], Sequence[Any]]]
"""Take so many steps from some arrays, with others to write to; (those with the result, the others)."""


@dataclass(frozen=True)
class Stretch:
    """Planes ``low`` to ``high`` (exclusive) of many, of ``rank``; ``wraps``: the ends of all are joined. ``rows``:
    where the planes of all ranks begin, and their number."""

    rows: tuple[int, ...]
    rank: int
    wraps: bool

    @property
    def low(self) -> int:
        return self.rows[self.rank]

    @property
    def high(self) -> int:
        return self.rows[self.rank + 1]

    @property
    def thinnest(self) -> int:
        """Planes of the rank that has fewest."""
        return int(np.diff(self.rows).min())

    @property
    def below(self) -> int | None:
        """The rank that has what lies below; None where all ends."""
        size = len(self.rows) - 1
        return (self.rank - 1) % size if self.wraps or self.rank > 0 else None

    @property
    def above(self) -> int | None:
        size = len(self.rows) - 1
        return (self.rank + 1) % size if self.wraps or self.rank < size - 1 else None


@dataclass(frozen=True)
class Slab(Stretch):
    """Planes of ``grid``."""

    grid: Grid

    @classmethod
    def of(cls, grid: Grid, ranks: Ranks, wraps: bool) -> Slab:
        """As equal as can be, two planes at least. Raises ProblemError."""
        planes, size = grid.shape[0], ranks.size
        if planes < 2 * size:
            raise ProblemError(
                f"A grid of {planes} {'planes' if grid.dimensions == 3 else 'rows'} cannot be shared by {size} ranks, "
                f"of which each needs two: use at most {planes // 2}."
            )
        return cls(tuple(rank * planes // size for rank in range(size + 1)), ranks.rank, wraps, grid)

    @property
    def own(self) -> Grid:
        """The slab as a grid, where it lies."""
        axis, grid = self.grid.dimensions - 1, self.grid
        origin = list(grid.origin)
        origin[axis] += self.low * grid.spacing[axis]
        return Grid(
            (self.high - self.low, *grid.shape[1:]), grid.spacing, (origin[0], origin[1], origin[2]), grid.length_unit
        )

    @property
    def elements(self) -> tuple[int, int]:
        """Its range of the grid's cells."""
        of_plane = self.grid.n_cells // self.grid.shape[0]
        return self.low * of_plane, self.high * of_plane

    def of_own(self, values: Array) -> Array:
        """Its planes of an array of the whole grid, a copy."""
        return np.ascontiguousarray(values[self.low : self.high])

    def edges(self, depth: int) -> list[Edge]:
        """Those that it has, the lower one first."""
        found = []
        if self.below is not None:
            found.append(Edge(self, depth, lower=True, neighbour=self.below))
        if self.above is not None:
            found.append(Edge(self, depth, lower=False, neighbour=self.above))
        return found


@dataclass(frozen=True)
class Edge:
    """``3 * depth`` planes around an end of a slab, in the order of the grid."""

    slab: Slab
    depth: int
    lower: bool
    neighbour: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (3 * self.depth, *self.slab.grid.shape[1:])

    @property
    def planes(self) -> Array:
        """(3 depth,) which planes of the grid it has."""
        first = self.slab.low - self.depth if self.lower else self.slab.high - 2 * self.depth
        return np.arange(first, first + 3 * self.depth) % self.slab.grid.shape[0]

    @property
    def walls(self) -> Array:
        """(3 depth + 1,) which walls between planes, of one more than planes, it has."""
        return np.append(self.planes, self.planes[-1] + 1)

    @property
    def beyond(self) -> slice:
        """The neighbour's planes in it."""
        return slice(0, self.depth) if self.lower else slice(2 * self.depth, None)

    @property
    def within(self) -> slice:
        """Its slab's own planes in it."""
        return slice(self.depth, None) if self.lower else slice(0, 2 * self.depth)

    @property
    def middle(self) -> slice:
        """What is right in it after a round; the neighbour has it beyond its own end."""
        return slice(self.depth, 2 * self.depth)

    @property
    def copied(self) -> slice:
        """Where the slab has ``within``."""
        return slice(0, 2 * self.depth) if self.lower else slice(-2 * self.depth, None)

    @property
    def mended(self) -> slice:
        """Where the slab has ``middle``."""
        return slice(0, self.depth) if self.lower else slice(-self.depth, None)

    @property
    def sends(self) -> int:
        return DOWNWARDS if self.lower else UPWARDS

    @property
    def receives(self) -> int:
        return UPWARDS if self.lower else DOWNWARDS


class Rounds:
    """Steps on a slab, round by round.

    whole:      steps on the slab's own planes as a grid of its own
    of_edge:    makes steps on an edge
    dtypes:     of the arrays that a step advances together
    """

    def __init__(
        self, backend: Backend, ranks: Ranks, slab: Slab, depth: int, whole: Step, of_edge: Callable[[Edge], Step],
        dtypes: Sequence[Any],
    ) -> None:  # fmt: skip
        self._backend, self._ranks, self._whole = backend, ranks, whole
        depth = ranks.largest(depth)  # each has measured its own
        self.depth = max(1, min(max(depth, LEAST_STEPS), slab.thinnest // 2))
        self.edges = slab.edges(self.depth)
        self._steps = [of_edge(edge) for edge in self.edges]
        # two sets, as a step reads one and writes the other
        self._arrays = [
            [[backend.empty(edge.shape, dtype) for dtype in dtypes] for _ in range(2)] for edge in self.edges
        ]

    def advance(self, arrays: Sequence[Any], spares: Sequence[Any], steps: int) -> tuple[Sequence[Any], Sequence[Any]]:
        """Take exactly ``steps`` steps; called inside ``backend.timed`` or ``active``, by all ranks."""
        while steps > 0:
            count = min(self.depth, steps)
            self._fill(arrays)
            on_their_way = self._swap([now for now, _ in self._arrays])
            arrays, spares = self._whole(arrays, spares, count)
            on_their_way.wait()
            for place, (edge, step, (now, other)) in enumerate(zip(self.edges, self._steps, self._arrays, strict=True)):
                now, other = (list(each) for each in step(now, other, count))
                self._arrays[place] = [now, other]
                for mine, values in zip(arrays, now, strict=True):
                    mine[edge.mended] = values[edge.middle]
            steps -= count
        return arrays, spares

    def shared(self, arrays: Sequence[Any]) -> list[list[Any]]:
        """These arrays (own planes) as each edge has them, with the neighbours' planes: new arrays."""
        made = [[self._backend.empty(edge.shape, one.dtype) for one in arrays] for edge in self.edges]
        for edge, edge_arrays in zip(self.edges, made, strict=True):
            for one, values in zip(arrays, edge_arrays, strict=True):
                values[edge.within] = one[edge.copied]
        self._swap(made).wait()
        return made

    def _fill(self, arrays: Sequence[Any]) -> None:
        for edge, (now, _) in zip(self.edges, self._arrays, strict=True):
            for one, values in zip(arrays, now, strict=True):
                values[edge.within] = one[edge.copied]

    def _swap(self, arrays: Sequence[Sequence[Any]]) -> Any:
        """Send the middle of each edge, and receive what lies beyond it."""
        tagged = [
            (edge, 2 * number, values)
            for edge, edge_arrays in zip(self.edges, arrays, strict=True)
            for number, values in enumerate(edge_arrays)
        ]
        outgoing = [(edge.neighbour, tag + edge.sends, values[edge.middle]) for edge, tag, values in tagged]
        incoming = [(edge.neighbour, tag + edge.receives, values[edge.beyond]) for edge, tag, values in tagged]
        return self._ranks.exchange(outgoing, incoming)
