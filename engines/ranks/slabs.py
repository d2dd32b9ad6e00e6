"""A grid cut into slabs across its slowest axis, and steps on a slab that need what lies beyond its ends.

A slab's arrays have room for ``depth`` planes of the neighbour beyond each end that another slab lies beyond
(:class:`Widened`); what the engine holds are its own planes in them. A round takes up to ``depth`` steps:

1. the own planes at each end are sent to where the neighbour has room for them;
2. the widened slab takes the steps as if it ended where its room does: wrong at most ``depth`` planes from there, so
   that the own planes are right. What does not need the neighbours' planes may be done while they travel.

Each cell is so computed from the same numbers in the same order as on one rank: the bits are the same. Beside a slab of
n planes ``depth`` are computed for each end, so a round is no longer than a launch takes steps.
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
"""Steps of a round at least; else those of one launch. Longer rounds cost more than the messages that they save."""
Message = tuple[int, int, Any]
"""(the other rank, a tag, planes on the device)."""
Step = Callable[[Sequence[Any], Sequence[Any], int, Callable[[], None]], tuple[Sequence[Any], Sequence[Any]]]
"""Take so many steps from some arrays, with others to write to; (those with the result, the others). The neighbours'
planes are there once what is given last was called."""


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


@dataclass(frozen=True)
class Widened:
    """A slab with ``depth`` planes of the neighbour at each end that it has one beyond."""

    slab: Slab
    depth: int

    @classmethod
    def of(cls, slab: Slab, ranks: Ranks, depth: int) -> Widened:
        """With room for rounds of ``depth`` steps, as each rank has measured its own. All ranks ask together."""
        return cls(slab, max(1, min(max(ranks.largest(depth), LEAST_STEPS), slab.thinnest // 2)))

    @property
    def ends(self) -> tuple[int, int]:
        """Planes of the neighbour below, and above."""
        return (0 if self.slab.below is None else self.depth), (0 if self.slab.above is None else self.depth)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.slab.high - self.slab.low + sum(self.ends), *self.slab.grid.shape[1:])

    @property
    def planes(self) -> Array:
        """Which planes of the grid it has, in their order."""
        (below, above), slab = self.ends, self.slab
        return np.arange(slab.low - below, slab.high + above) % slab.grid.shape[0]

    @property
    def own(self) -> slice:
        """Where it has the slab's own planes."""
        below = self.ends[0]
        return slice(below, below + self.slab.high - self.slab.low)

    def messages(self, widened: Any, steps: int, tag: int) -> tuple[list[Message], list[Message]]:
        """(what goes to the neighbours, what comes from them), for so many steps of an array of ``shape``."""
        (first, last), slab = (self.own.start, self.own.stop), self.slab
        out: list[Message] = []
        into: list[Message] = []
        if slab.below is not None:
            out.append((slab.below, tag + DOWNWARDS, widened[first : first + steps]))
            into.append((slab.below, tag + UPWARDS, widened[first - steps : first]))
        if slab.above is not None:
            out.append((slab.above, tag + UPWARDS, widened[last - steps : last]))
            into.append((slab.above, tag + DOWNWARDS, widened[last : last + steps]))
        return out, into


Held = list[tuple[Any, Any]]
"""(a slab's own planes, the widened array that they lie in) of each array that a simulation has."""


class Rounds:
    """Steps on a slab, round by round; ``step`` takes those of the widened one. ``held`` is the simulation's, which may
    have other steps after these."""

    def __init__(self, backend: Backend, ranks: Ranks, wide: Widened, step: Step, held: Held) -> None:
        self._backend, self._ranks, self._wide, self._step, self._held = backend, ranks, wide, step, held

    def advance(self, arrays: Sequence[Any], spares: Sequence[Any], steps: int) -> tuple[Sequence[Any], Sequence[Any]]:
        """Take exactly ``steps`` steps of own planes; called inside ``backend.timed`` or ``active``, by all ranks."""
        now: Sequence[Any] = [self._widened(one) for one in arrays]
        other: Sequence[Any] = [self._widened(one) for one in spares]
        while steps > 0:
            count = min(self._wide.depth, steps)
            now, other = self._step(now, other, count, self._swap(now, count))
            steps -= count
        return [self._own(one) for one in now], [self._own(one) for one in other]

    def room(self, like: Any) -> Any:
        """Own planes of a new widened array, for values as of ``like``."""
        widened = self._backend.empty(self._wide.shape, like.dtype)
        with self._backend.active():
            self._held.append((widened[self._wide.own], widened))
        return self._held[-1][0]

    def shared(self, own: Any) -> Any:
        """A new widened array of own planes and the neighbours'. All ranks ask together."""
        widened = self._copied(own)
        self._swap([widened], self._wide.depth)()
        return widened

    def _widened(self, own: Any) -> Any:
        """What these planes lie in, which is made where they lie by themselves."""
        for known, widened in self._held:
            if known is own and widened.shape == self._wide.shape:
                return widened
        self._held[:] = [each for each in self._held if each[0] is not own]
        widened = self._copied(own)
        self._held.append((widened[self._wide.own], widened))
        return widened

    def _copied(self, own: Any) -> Any:
        widened = self._backend.empty(self._wide.shape, own.dtype)
        widened[self._wide.own] = own
        return widened

    def _own(self, widened: Any) -> Any:
        return next(own for own, known in self._held if known is widened)

    def _swap(self, arrays: Sequence[Any], steps: int) -> Callable[[], None]:
        """Send what the neighbours need; what waits for what they send."""
        both = [self._wide.messages(one, steps, 2 * number) for number, one in enumerate(arrays)]
        outgoing, incoming = ([one for each in both for one in each[way]] for way in (0, 1))
        return self._ranks.exchange(outgoing, incoming).wait
