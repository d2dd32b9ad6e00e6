"""What a stream is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engines.api import Simulation

Job = Callable[[], None]


class Stream(Protocol):
    """Gathers on the worker thread; the jobs that it gives write, in their order, on any other."""

    def next_step(self, after: int) -> int | None:
        """The first step after ``after`` at which it has to :meth:`look`."""

    def look(self, simulation: Simulation) -> None:
        """The run stands at the step that was asked for."""

    def written(self, everything: bool = False) -> Job | None:
        """What writes all that was gathered, if it is enough or ``everything`` is wanted."""

    def ended(self, simulation: Simulation, finite: bool) -> Job:
        """What writes the rest, of a run that has come to its end and may be asked; ``finite``: its values are
        numbers."""

    def sync(self) -> None:
        """Wait until all that was written is on the disk; called as a job is."""

    def close(self) -> None:
        """Nothing more comes."""
