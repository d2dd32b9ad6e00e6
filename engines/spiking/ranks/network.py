"""What networks that ranks share have in common.

A rank has the arrays of all neurons and the synapses of those that it steps. A spike acts on another rank's neurons no
sooner than the shortest delay of the synapses between ranks allows: for so many steps, a window, each rank steps its
own neurons and delivers their spikes to them; then ranks tell each other who fired and when, and the others' spikes are
delivered and counted. So what is counted of spikes is known of all neurons on all ranks, what moves of its own alone;
inputs are integers, and add to the same in any order: the bits are those of one rank.

Traces of STDP are made of spikes alone, and each rank has those of all neurons. On the CPU such synapses change after a
window, step by step, where their own delays are as long; on a GPU, and where a person types what synapses do, a window
is a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.simulation.ranks import Ranks
from engines.spiking.connectivity import draw
from engines.spiking.connectivity.plastic import Listed
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import Sources, Synapses
from engines.spiking.network.plan import Plan, plastic_state
from engines.spiking.step.network import Network
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.state import name_of, row_of, synapse_state

MOVING = {
    "voltage": 0, "g_e": 0, "g_i": 0, "recovery": 0, "gates": 1, "ring": 2, "rise": 1, "input": 1, "more": 1,
    "release": 0,
}  # fmt: skip
"""Arrays of which each rank has its own neurons' part, and along which axis neurons stand."""
LONGEST = 128
"""Steps of a window at most: as many as an entry of a list of spikes can tell apart."""
Message = tuple[int, int, Any]
Block = TypeVar("Block", bound=Listed)


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

    @property
    def others(self) -> list[int]:
        """The other ranks."""
        return [rank for rank in range(self.ranks.size) if rank != self.ranks.rank]

    def exchange(self, own: Any, theirs: Sequence[Any], rows: Sequence[Reached]) -> None:
        """``own`` goes to all others, and what they have to ``theirs``; and so does what each has of rows of
        neurons."""
        outgoing: list[Message] = [(rank, 0, own) for rank in self.others]
        incoming: list[Message] = list(zip(self.others, [0] * len(theirs), theirs, strict=True))
        for tag, row in enumerate(rows, 1):
            of_ranks = [row.between(*span) for span in pairwise(self.bounds)]
            if len(mine := of_ranks[self.ranks.rank]):
                outgoing += [(rank, tag, mine) for rank in self.others]
            incoming += [(rank, tag, of_ranks[rank]) for rank in self.others if len(of_ranks[rank])]
        self.ranks.exchange(outgoing, incoming).wait()

    def pairs(self, synapses: Synapses, sources: Sources) -> Synapses:
        """Synapses of a plain network that end at own neurons, with the quantum of all of it."""
        kept, starts = self.kept(synapses.starts, synapses.targets)
        return SomePairs(starts, synapses.targets[kept], synapses.quantum(sources))

    def kept(self, starts: Array, targets: Array) -> tuple[Array, Array]:
        """Which of synapses by sender end at own neurons, and where senders then begin."""
        kept = (targets >= self.first) & (targets < self.stop)
        return kept, np.concatenate([[0], np.cumsum(kept)])[starts]

    def window(self, wiring: Wiring, later: bool) -> int:
        """Steps after which ranks must hear of each other's spikes; ``wiring``: own synapses; ``later``: whether those
        with STDP may change after a window. All ranks ask together."""
        if wiring.joined or (wiring.plastic and not later):
            return 1
        steps = min([1 + int(draw.shortest(each.words, each.late, LONGEST)) for each in wiring.plastic] + [LONGEST])
        for span in (slice(0, self.first), slice(self.stop, None)):  # of senders on other ranks
            starts = wiring.starts[span.start : None if span.stop is None else span.stop + 1]
            some = slice(int(starts[0]), int(starts[-1]))
            steps = min(steps, 1 + int(draw.shortest(wiring.words[some], wiring.late[some], LONGEST)))
        return -self.ranks.largest(-steps)


@dataclass(frozen=True, eq=False)
class Reached:
    """A variable of neurons that synapses read at their senders, of those between ``span``'s ends."""

    values: Any
    span: tuple[int, int]

    def between(self, first: int, stop: int) -> Any:
        low = max(first, self.span[0])
        return self.values[low : max(low, min(stop, self.span[1]))]


@dataclass(frozen=True, eq=False)
class OwnSynapses:
    """Those that end at own neurons.

    places: by arrays of synapses that change, which of all theirs these are; first: those arrays of all, as they begin;
    read: places of variables of senders that they read in each step (``typed.plan.Typed.places``), and whose
    """

    wiring: Wiring
    places: Mapping[str, Array] = field(default_factory=dict)
    first: Mapping[str, Array] = field(default_factory=dict)
    read: tuple[tuple[str | int, tuple[int, int]], ...] = ()

    @classmethod
    def of(cls, own: Range, plan: Plan, wiring: Wiring) -> OwnSynapses:
        kept, starts = own.kept(wiring.starts, wiring.targets)
        late = wiring.late[kept] if len(wiring.late) else wiring.late
        plastic = [_some(own, block) for block in wiring.plastic]
        joined = [_some(own, block) for block in wiring.joined]
        some = replace(
            wiring, starts=starts, words=wiring.words[kept], late=late, plastic=tuple(each for each, _ in plastic),
            joined=tuple(each for each, _ in joined),
        )  # fmt: skip
        state = plastic_state(wiring) | synapse_state(plan.synapses, wiring)
        places = {f"weights_{k}": where for k, (_, where) in enumerate(plastic)}
        read: dict[tuple[str | int, tuple[int, int]], None] = {}
        for block, where in joined:
            k, typed = block.connection, plan.synapses[block.connection].typed
            places |= dict.fromkeys((*(name_of(k, each) for each in typed.variables), f"events_{k}"), where)
            read |= dict.fromkeys((place, block.source) for place in _read(typed))
        places = {name: where for name, where in places.items() if len(state[name])}
        return cls(some, places, {name: state[name] for name in places}, tuple(read))


def _some(own: Range, block: Block) -> tuple[Block, Array]:
    """Those of a block that end at own neurons, and which these are."""
    kept, starts = own.kept(block.starts, block.words[:, 0] >> 8)
    inputs = block.inputs
    inputs[: own.first] = inputs[own.stop :] = 0
    listed = (np.cumsum(kept) - 1)[block.listed[block.into[own.first] : block.into[own.stop]]]
    some = replace(
        block, starts=starts, words=block.words[kept], late=block.late[kept] if len(block.late) else block.late,
        weights=block.weights[kept], into=np.concatenate([[0], np.cumsum(inputs)]), listed=listed,
    )  # fmt: skip
    return some, np.flatnonzero(kept)


def _read(typed: TypedSynapse) -> list[str | int]:
    """Where variables of senders are that synapses read, in each step or at spikes."""
    roots = [*typed.step.after.values(), *(node for _, node in typed.step.sums)]
    rows = (*typed.step.of(roots), *(row for path in typed.paths for row in path.rows))
    return list(dict.fromkeys(row.place for row in rows if row.side == 0))


class RangeNetwork(Network):
    """A network of a range of neurons, before that of a device among its bases."""

    _range: Range
    _backend: Backend
    _later = False
    """Whether synapses with STDP change after a window."""
    _window = 1
    _reached: tuple[Reached, ...] = ()

    def _begin(self, synapses: OwnSynapses) -> None:
        """Synapses that change as they begin among all, of which random numbers are drawn."""
        with self._backend.active():
            for name, places in synapses.places.items():
                self.arrays[name][...] = self._backend.array(synapses.first[name][places])
        self._window = self._range.window(synapses.wiring, self._later)
        self._reached = tuple(Reached(row_of(place, self.arrays), span) for place, span in synapses.read)

    def advance_watched(self, steps: int) -> None:
        """Synaptic events, and spikes that added more than their limit, are counted where they arrive, and then of all
        ranks."""
        held = [values for name, values in self.arrays.items() if name == "events" or name.startswith("cut_")]
        before = np.concatenate([self._backend.to_host(values) for values in held])
        self.advance(steps)
        own = np.concatenate([self._backend.to_host(values) for values in held]) - before
        with self._backend.active():
            for values, total in zip(held, before + sum(self._range.ranks.gathered(own)), strict=True):
                values[...] = self._backend.array(np.array([total]))
