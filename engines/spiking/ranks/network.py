"""What networks that ranks share have in common.

A rank has the arrays of all neurons and the synapses of those that it steps. Each step has three parts: its own neurons
take it, a byte of each says who fires and goes to all others, and the spikes of all arrive at its own neurons and are
counted. So what is counted of spikes is known of all neurons on all ranks, what moves of its own alone; inputs are
integers, and add to the same in any order: the bits are those of one rank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.simulation.ranks import Ranks
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import Sources, Synapses
from engines.spiking.step.network import Network

MOVING = {
    "voltage": 0, "g_e": 0, "g_i": 0, "recovery": 0, "gates": 1, "ring": 2, "rise": 1, "input": 1, "more": 1,
    "release": 0,
}  # fmt: skip
"""Arrays of which each rank has its own neurons' part, and along which axis neurons stand."""


@dataclass(frozen=True, eq=False)
class SomePairs(Synapses):
    """A part of synapses whose quantum is that of all."""

    of_all: float

    def quantum(self, sources: Sources) -> float:
        return self.of_all


@dataclass(frozen=True)
class Range:
    """Neurons ``first … stop − 1`` of ``ranks.rank``; ``bounds``: where the ranges of all begin, and the last one's
    end."""

    ranks: Ranks
    bounds: tuple[int, ...]

    @property
    def first(self) -> int:
        return self.bounds[self.ranks.rank]

    @property
    def stop(self) -> int:
        return self.bounds[self.ranks.rank + 1]

    def spread(self, fired: Any) -> None:
        """``fired: (n,)`` of own neurons goes to the other ranks, and theirs comes."""
        others = [rank for rank in range(self.ranks.size) if rank != self.ranks.rank]
        own = fired[self.first : self.stop]
        outgoing = [(rank, 0, own) for rank in others]
        incoming = [(rank, 0, fired[self.bounds[rank] : self.bounds[rank + 1]]) for rank in others]
        self.ranks.exchange(outgoing, incoming).wait()

    def synapses(self, wiring: Wiring) -> Wiring:
        """Those that end at own neurons."""
        kept, starts = self._kept(wiring.starts, wiring.targets)
        late = wiring.late[kept] if len(wiring.late) else wiring.late
        return replace(wiring, starts=starts, words=wiring.words[kept], late=late)

    def pairs(self, synapses: Synapses, sources: Sources) -> Synapses:
        """The same of a plain network, with the quantum of all of it."""
        kept, starts = self._kept(synapses.starts, synapses.targets)
        return SomePairs(starts, synapses.targets[kept], synapses.quantum(sources))

    def _kept(self, starts: Array, targets: Array) -> tuple[Array, Array]:
        """Which of synapses by sender end at own neurons, and where senders then begin."""
        kept = (targets >= self.first) & (targets < self.stop)
        return kept, np.concatenate([[0], np.cumsum(kept)])[starts]


class RangeNetwork(Network):
    """A network of a range of neurons, before that of a device among its bases."""

    _range: Range
    _backend: Backend

    def advance_watched(self, steps: int) -> None:
        """Synaptic events are counted where they arrive, and then of all ranks."""
        held = self.arrays["events"]
        before = self._backend.to_host(held)
        super().advance_watched(steps)
        own = self._backend.to_host(held) - before
        with self._backend.active():
            held[...] = self._backend.array(before + sum(self._range.ranks.gathered(own)))
