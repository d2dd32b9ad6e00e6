"""Checkpoints of a run that goes on: states kept in memory at intervals, so that it can be rewound and branch off.

There are at most :data:`MOST` of them in at most :data:`MEMORY_SHARE` of the machine's memory. When there is no room
for the next, every second one goes and the interval doubles: what is left lies evenly over the whole run. Keeping them
takes at most :data:`TIME_SHARE` of the run's time.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engines.api import Array, Simulation
from engines.api.errors import ProblemError
from engines.backend.ceilings import machine

MOST = 20
FEWEST = 4
"""A state so large that fewer would fit is not kept at all."""
MEMORY_SHARE = 0.1
TIME_SHARE = 0.02
UNKNOWN_MEMORY = 8 << 30
"""Where the system does not tell."""
FIRST_SECONDS = 0.5
"""Wall time between the first two checkpoints."""

TOO_LARGE = "This run cannot be rewound: its states take too much of this machine's memory to be kept."


@dataclass(frozen=True)
class Mark:
    """Where a run can be rewound to; ``time`` is in its own unit."""

    step: int
    time: float


@dataclass(frozen=True)
class KeptState:
    """A state on the way of a run."""

    mark: Mark
    state: Mapping[str, Array]


class History:
    """A class of the worker thread; :attr:`marks` may be read from any.

    ``seconds`` is what keeping states has cost. ``say`` is told, once, when they are too large to be kept.
    """

    def __init__(self, most: int, say: Callable[[str], None], memory: int | None = None) -> None:
        self.marks: tuple[Mark, ...] = ()
        self.seconds = 0.0
        self._say = say
        self._room = most
        self._memory = int(MEMORY_SHARE * (machine.memory_bytes() or UNKNOWN_MEMORY)) if memory is None else memory
        self._states: dict[int, KeptState] = {}
        self._interval = FIRST_SECONDS
        self._rest = 0.0  # that the time share asks for, after the one before
        self._running = 0.0  # wall seconds of the run since the one before

    def ran(self, simulation: Simulation, wall_seconds: float) -> None:
        """The run has gone on for so long; keep its state if it is time to."""
        self._running += wall_seconds
        if self._running >= max(self._interval, self._rest):
            self.keep(simulation)

    def keep(self, simulation: Simulation) -> None:
        """Keep this moment, if states are kept at all."""
        if self._room == 0:
            return
        begun = clock.perf_counter()
        state = simulation.state()
        if not self._states:
            size = sum(values.nbytes for values in state.values())
            self._room = min(self._room, self._memory // max(size, 1))
            if self._room < FEWEST:
                self._room = 0
                self._say(TOO_LARGE)
        if self._room:
            if len(self._states) >= self._room:
                self._thin()
            self._states[simulation.step] = KeptState(Mark(simulation.step, simulation.time), state)
            self._tell()
        took = clock.perf_counter() - begun
        self.seconds += took
        self._rest, self._running = took / TIME_SHARE, 0.0

    def state(self, step: int) -> Mapping[str, Array]:
        """The state at a mark. Raises ProblemError if it has been thinned out meanwhile."""
        if step not in self._states:
            raise ProblemError("This checkpoint is no longer kept: choose another one.")
        return self._states[step].state

    @property
    def newest(self) -> KeptState | None:
        return self._states[max(self._states)] if self._states else None

    def forget_after(self, step: int) -> None:
        """The run goes on from ``step``: what came later is of the branch that it leaves."""
        if self.marks and self.marks[-1].step > step:
            self._states = {own: kept for own, kept in self._states.items() if own <= step}
            self._running = 0.0
            self._tell()

    def clear(self) -> None:
        self._states, self._interval, self._running, self._rest = {}, FIRST_SECONDS, 0.0, 0.0
        self._tell()

    def _thin(self) -> None:
        self._states = {step: self._states[step] for step in sorted(self._states)[1::2]}
        self._interval *= 2

    def _tell(self) -> None:
        self.marks = tuple(self._states[step].mark for step in sorted(self._states))
