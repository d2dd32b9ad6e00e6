"""What the ranks beside rank 0 do: what they are told, until they are told that it is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Selection, Simulation
from engines.api.errors import WorkbenchError
from engines.api.simulation.ranks import Part
from engines.ranks.world import BUILD, END, World

UNANSWERED = ("advance", "field", "state", "select", "forget")
"""Orders after which rank 0 waits for arrays, for other ranks, or for nothing."""
BROKEN = 3
"""Exit code of a run whose rank fails in the middle of steps."""


def follow(world: World, build: Callable[[], Part], as_sentence: Callable[[BaseException], WorkbenchError]) -> None:
    """Build this rank's part when told to, and do with it what rank 0 does with its own, to the end.

    What goes wrong is an answer; where the others wait for what this one would send, as in the middle of steps, it
    ends all of them, with its sentence: at once, or when rank 0 does not hear the answer.
    """
    follower: _Follower | None = None
    while True:
        name, given = world.next_order()
        if name == END:
            if follower is not None:
                follower.simulation.close()
            world.answer(None)
            return
        try:
            if name == BUILD:
                part = build()
                follower = _Follower(world, part)
                world.answer((part.elements, part.shares))
            else:
                assert follower is not None
                getattr(follower, name, follower.ask(name))(*given)
        except Exception as error:
            sentence = as_sentence(error)
            told = str(sentence)
            sentence.args = (f"On rank {world.rank}: {told}", *sentence.args[1:])
            if name in UNANSWERED or not world.refuse(sentence):
                print(f"Rank {world.rank} of {world.size}: {told}", file=world.voice, flush=True)
                world.abort(BROKEN)


def asked(simulation: Simulation, name: str, given: Sequence[Any]) -> Any:
    """A member of a simulation, or what it answers."""
    member = getattr(simulation, name)
    return member(*given) if callable(member) else member


class _Follower:
    """The answers that are more than what the part says itself."""

    def __init__(self, world: World, part: Part) -> None:
        self.simulation, self._part, self._world = part.simulation, part, world
        self._handles: dict[int, Any] = {}

    def ask(self, name: str) -> Callable[..., None]:
        return lambda *given: self._world.answer(asked(self.simulation, name, given))

    def advance(self, steps: int) -> None:
        self.simulation.advance(steps)

    def field(self, name: str) -> None:
        self._world.send_array(0, self.simulation.field(name))

    def state(self, names: list[str]) -> None:
        state = self._part.state_of(names)
        for name in names:
            self._world.send_array(0, self._part.shares[name].given(np.asarray(state[name])))

    def restore(self, same: dict[str, Array], kinds: dict[str, tuple[tuple[int, ...], Any]]) -> None:
        """``same``: what is the same on all ranks; kinds: of the whole arrays of which this rank's part comes."""
        own = {}
        for name, (shape, dtype) in kinds.items():
            share = self._part.shares[name]
            of_part = (*shape[: share.axis], len(share.places), *shape[share.axis + 1 :])
            own[name] = np.empty(of_part, dtype)
            self._world.receive_array(0, own[name])
        self.simulation.restore(same | own)
        self._world.answer(None)

    def select(self, number: int, elements: Any) -> None:
        self._handles[number] = self.simulation.select(Selection(np.asarray(elements, np.int32)))

    def gather(self, name: str, number: int) -> None:
        self._world.answer(self.simulation.gather(name, self._handles[number]))

    def forget(self, numbers: list[int]) -> None:
        for number in numbers:
            self._handles.pop(number, None)
