"""Particles that push each other away: what both backends have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.twins import Twins
from engines.peridynamics.contact.rows import NEWS, News
from engines.peridynamics.lattice.family import WORD, Family
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.step.solver import Follower, Solver
from engines.reading import check_indices

EVERY = 4
"""Steps after which new members, and particles that have gone far, are looked for."""
SKIN = 0.5
"""Spacings beyond the radius of contact within which neighbours are listed."""
MOST = {2: 24, 3: 64}
"""Neighbours of a particle that there is room for; a lattice has 8 and 18 within the skin."""


def bit_table(family: Family) -> Array:
    """((2 reach + 1)^d,) int16: the bit of the bond with an offset, x fastest; −1 where there is none."""
    span, reach = 2 * family.reach + 1, family.reach
    table = np.full((span,) * family.dimensions, -1, np.int16)
    for bit, offset in enumerate(family.offsets):
        table[tuple(offset[: family.dimensions][::-1] + reach)] = bit
    return table.ravel()


def near_bits(family: Family) -> Array:
    """(words,) uint32: bits of the bonds to the particles beside, along axes and diagonals."""
    found = np.zeros(family.words, np.uint32)
    for bit in np.flatnonzero(np.abs(family.offsets).max(axis=1) == 1):
        found[bit // WORD] |= np.uint32(1 << bit % WORD)
    return found


def buckets_for(members: int) -> int:
    """A power of two, not fewer than there are members."""
    return 1 << max(10, (members - 1).bit_length())


def bytes_of(members: int, dimensions: int, value_bytes: int) -> int:
    """Device memory."""
    each = 4 * MOST[dimensions] + dimensions * value_bytes + 8 + 3 * 4
    return members * each + 4 * buckets_for(members)


class Repulsion(Follower):
    """``stiffness`` S and ``radius`` as in ``particles.cu``; at most ``capacity`` particles take part."""

    def __init__(
        self, solver: Solver, body: Discretised, rest: Any, stiffness: float, radius: float, capacity: int
    ) -> None:
        self.solver, self.backend, self.capacity, self._rest = solver, solver.backend, capacity, rest
        self.stiffness, self.radius, self.reach = stiffness, radius, body.family.reach
        self._light = solver.per_mass()
        self.width, d = radius + SKIN, body.dimensions
        self.most, self.buckets = MOST[d], buckets_for(capacity)
        array, number = self.backend.array, solver.dtype
        self._bits, self._near = array(bit_table(body.family)), array(near_bits(body.family))
        self._members, self._numbers, self._next = (array(np.zeros(capacity, np.int32)) for _ in range(3))
        self._head = array(np.zeros(self.buckets, np.int32))
        self._neighbours = self.backend.array(
            np.zeros((self.most, capacity), np.int32)
        )  # all of it goes to checkpoints
        self._reference = array(np.zeros((d, capacity), number))
        self._energy = array(np.zeros(capacity))
        self._news = array(np.zeros(NEWS, np.int32))
        self._stale, self._first = True, 0
        self._measured = False
        """Whether energies are those of this moment."""

    def prepare(self, first: int, steps: int) -> None:
        self._first = first

    def step(self, row: int) -> None:
        if self._stale or (self._first + row + 1) % EVERY == 0:
            self._renew()
            self._stale = False
        self._repel()
        self._measured = False

    @abstractmethod
    def _renew(self) -> None:
        """Look for members; make lists anew where there are more, or one has gone far."""

    @abstractmethod
    def _repel(self) -> None:
        """Add what this does to velocities, and notice who has gone far."""

    @abstractmethod
    def _measure(self) -> None:
        """Fill the energies of the members."""

    def members(self) -> int:
        """How many take part. Raises ProblemError where there is no room for them."""
        news = self.backend.to_host(self._news)
        if news[News.MEMBERS] > self.capacity:
            raise ProblemError(
                f"{int(news[News.MEMBERS]):,} particles take part in contact, and there is memory for "
                f"{self.capacity:,}: raise the share of all particles that may.",
                ("contact", "share"),
            )
        if news[News.CROWD]:
            raise ProblemError(
                f"A particle has {int(news[News.CROWD])} others close to it, more than the {self.most} that are "
                "followed: make their contact stiffer, or the load smaller.",
                ("contact", "stiffness"),
            )
        return int(news[News.MEMBERS])

    def stored(self) -> float:
        """[J] in the springs between particles."""
        with self.backend.active():
            count = self.members()
            if not self._measured:
                self._measure()
                self._measured = True
            return float(self._energy[:count].sum()) * self.solver.body.scales.energy

    def push_again(self) -> None:
        """What the last step has pushed, once more: of checkpoints that do not keep it."""
        with self.backend.active():
            self._repel()

    def state(self) -> dict[str, Array]:
        count = self.members()
        held = {
            "members": self._members[:count],
            "numbers": self._numbers[:count],
            "neighbours": self._neighbours[:, :count],
            "reference": self._reference[:, :count],
            "news": self._news,
        }
        return {**{name: self.backend.to_host(values) for name, values in held.items()}, "stale": np.array(self._stale)}

    def restore(self, state: Mapping[str, Array]) -> None:
        count, size = len(state["members"]), self._rest.shape[-1]
        for name, most in (("members", size), ("numbers", self.most + 1), ("neighbours", size)):
            check_indices(state[name], most)
        news = np.asarray(state["news"])
        if news.shape != (NEWS,) or news.dtype != np.int32 or news[News.MEMBERS] != count:
            raise ValueError(f"contact of {count} particles whose news are of others")
        with self.backend.active():
            for name, target in (
                ("members", self._members),
                ("numbers", self._numbers),
                ("neighbours", self._neighbours),
                ("reference", self._reference),
            ):
                target[..., :count] = self.backend.array(state[name])
        self._news = self.backend.array(news)
        self._stale = bool(state["stale"])
        self._measured = False


REPULSION = Twins[Repulsion](__package__, cpu="cpu:CpuRepulsion", cuda="cuda:CudaRepulsion")
