"""What a stream is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engines.api import Simulation
from workbench.storage.atomic import StorageError

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


def in_turn(*jobs: Job | None) -> Job:
    """One after the other, and each done once: when one fails, who tries again goes on with that, or with what is left
    of it."""
    left = [job for job in jobs if job is not None]

    def write() -> None:
        while left:
            try:
                left[0]()
            except StorageError as error:
                left[0], error.finish = error.finish or left[0], None
                raise
            del left[0]

    return write
