"""A body on a lattice in slabs across its slowest axis (planes of a body, rows of a plate), and a slab as a body.

A slab has the layout of a body of its own planes, whose room around them holds what neighbours have there: their
displacements, and what of their material a bond needs. So kernels step own particles alone, each from the same numbers
in the same order as on one rank, and both ends of a bond that crosses an end find the same stretch and break it in the
same step: the bits are the same, and of bonds nothing is sent. Planes are so many that each slab has as many particles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Exchange, Ranks, Share
from engines.geometry.particles import Particles
from engines.peridynamics.lattice.layout import Layout, Planes
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.state.body import StateBody
from engines.peridynamics.step.members import Own
from engines.ranks.ranges import weighted_bounds
from engines.ranks.slabs import DOWNWARDS, UPWARDS, Stretch


@dataclass(frozen=True)
class BodySlab(Stretch, Own):
    """Planes of a body of layout ``whole``, of which particles ``first`` to ``last`` (exclusive) are."""

    ranks: Ranks
    whole: Layout
    first: int
    last: int
    nearby: tuple[Array, Array]
    """Of its own particles and those a horizon beyond its ends: places in the body, and positions."""

    @classmethod
    def of(cls, cells: Array, positions: Array, layout: Layout, ranks: Ranks) -> BodySlab:
        """cells: (n, 3) lattice points (x, y, z) of the particles of the body, z slowest. Raises ProblemError."""
        axis, noun = (2, "planes") if layout.dimensions == 3 else (1, "rows")
        count, least = layout.counts[axis], layout.reach
        if count < least * ranks.size:
            raise ProblemError(
                f"A body of {count} {noun} cannot be shared by {ranks.size} ranks, of which each needs {least}, as "
                f"many as the horizon reaches: use at most {max(1, count // least)}."
            )
        before = np.concatenate([[0], np.cumsum(np.bincount(cells[:, axis], minlength=count))])
        rows = weighted_bounds(np.diff(before), ranks.size, least)
        first, last = (int(before[rows[ranks.rank + place]]) for place in range(2))
        low, high = max(0, rows[ranks.rank] - least), min(count, rows[ranks.rank + 1] + least)
        near = slice(int(before[low]), int(before[high]))
        nearby = layout.places(cells[near]), positions[near]
        return cls(rows, ranks.rank, False, ranks, layout, first, last, nearby)

    # The slab as a body.

    @property
    def layout(self) -> Layout:
        nx, ny, nz = self.whole.counts
        planes = self.high - self.low
        counts = (nx, ny, planes) if self.whole.dimensions == 3 else (nx, planes, nz)
        return Layout(counts, self.whole.reach, self.whole.dimensions)

    @property
    def shift(self) -> int:
        """From a place here to that of the whole."""
        return self.low * self.whole.stride

    def cut(self, body: Discretised) -> Discretised:
        """``body`` is the whole."""
        mixture, halves = body.mixture, body.half_shares
        found = replace(
            body,
            places=self.part_of(body.places) - np.int32(self.shift),
            layout=self.layout,
            whole=self._own_places(body.whole),
            kind=self._own_places(body.kind),
            words=self._own_places(body.words),
            breakable=self._own_places(body.breakable),
            mixture=None if mixture is None else replace(mixture, material=self.placed(mixture.material)),
            half_shares=None if halves is None else self.placed(halves),
        )
        if isinstance(found, StateBody):
            stiffness, dilation = self.placed(found.stiffness_values), self.placed(found.dilation_values)
            return replace(found, stiffness_values=stiffness, dilation_values=dilation)
        return found

    def geometry(self, whole: Particles) -> Particles:
        cells = None if whole.cells is None else self.part_of(whole.cells)
        return replace(whole, positions=self.part_of(whole.positions), radii=self.part_of(whole.radii), cells=cells)

    def placed(self, values: Array) -> Array:
        """What stands at its places, of ``values: (…, size)`` of the whole: what lies beyond its ends, too."""
        return np.ascontiguousarray(values[..., self.shift : self.shift + self.layout.size])

    def _own_places(self, values: Array) -> Array:
        """The same, zero beyond its ends."""
        found = np.zeros((*values.shape[:-1], self.layout.size), values.dtype)
        own = self._own
        found[..., own] = values[..., own.start + self.shift : own.stop + self.shift]
        return found

    @property
    def _own(self) -> slice:
        """Places of its planes."""
        return self._between(0, self.high - self.low)

    def _between(self, low: int, high: int) -> slice:
        """Places of planes, the first of its own being 0."""
        layout = self.layout
        return slice(layout.base + low * layout.stride, layout.base + high * layout.stride)

    # What is of all.

    def part_of(self, values: Array) -> Array:
        return values[self.first : self.last]

    def among(self, particles: Array) -> Array:
        return particles[(particles >= self.first) & (particles < self.last)] - self.first

    def around(self, places: Array, positions: Array) -> tuple[Array, Array]:
        near, where = self.nearby
        return near - np.int32(self.shift), where

    def total(self, sums: Array) -> Array:
        return np.asarray(np.sum(self.ranks.gathered(np.asarray(sums, np.float64)), axis=0))

    def largest(self, value: float) -> float:
        return float(np.max(self.ranks.gathered(np.array(value, np.float64))))

    def collected(self, values: Array) -> Array:
        return np.concatenate(self.ranks.gathered(values), axis=-1)

    def in_body(self, places: Array) -> Array:
        return places + places.dtype.type(self.shift)

    def here(self, places: Array) -> tuple[Array, Array]:
        moved = places - places.dtype.type(self.shift)
        which = np.flatnonzero((moved >= self._own.start) & (moved < self._own.stop))
        return which, moved[which]

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def shares(self, arrays: Sequence[str], beyond: Sequence[str]) -> dict[str, Share]:
        """Of a solver's arrays (…, size), by their names; of those ``beyond`` neighbours' ends are there, too."""
        own, places = range(self._own.start, self._own.stop), range(self.shift, self.shift + self.layout.size)
        axes = {"work": 0, "loss": 0, "damped": 0}
        return {name: Share(axes.get(name, 1), self.whole.size, places, own, name in beyond) for name in arrays}

    # What travels.

    def clear(self, array: Any) -> None:
        """What of ``array: (…, size)`` stands beyond its ends becomes zero."""
        own = self._own
        array[..., : own.start] = 0
        array[..., own.stop :] = 0

    @property
    def ends(self) -> tuple[Planes, ...]:
        """Of its planes those that a neighbour reads."""
        count, reach = self.high - self.low, self.whole.reach
        low, high = reach * (self.below is not None), count - reach * (self.above is not None)
        return tuple(part for part in ((0, low), (high, count)) if part[0] < part[1]) if low <= high else ((0, count),)

    @property
    def middle(self) -> Planes:
        """The others, which may be none."""
        count, reach = self.high - self.low, self.whole.reach
        low, high = reach * (self.below is not None), count - reach * (self.above is not None)
        return (low, high) if low < high else (0, 0)

    def send(self, arrays: Sequence[Any]) -> Exchange:
        """Begin to send neighbours what they read of these ``arrays: (size,)``, and to receive what they have."""
        count, reach = self.high - self.low, self.whole.reach
        sides = (
            (self.below, DOWNWARDS, UPWARDS, self._between(0, reach), self._between(-reach, 0)),
            (self.above, UPWARDS, DOWNWARDS, self._between(count - reach, count), self._between(count, count + reach)),
        )
        outgoing, incoming = [], []
        for neighbour, sends, receives, own, beyond in sides:
            if neighbour is not None:
                outgoing += [(neighbour, 2 * k + sends, array[own]) for k, array in enumerate(arrays)]
                incoming += [(neighbour, 2 * k + receives, array[beyond]) for k, array in enumerate(arrays)]
        return self.ranks.exchange(outgoing, incoming)
