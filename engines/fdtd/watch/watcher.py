"""What watches the fields while a run goes on: traces, spectra, fluxes, far fields, ports."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from engines.api import Array
from engines.watching import Watcher

NEVER = 1 << 62
"""``every`` of what is made of another watcher's sums: it is never given the fields."""


class FieldWatcher(Watcher[int]):
    """One of a problem's monitors, or all of its ports. Sums on the device while a run goes on; charts, series and
    results are made of the sums when they are asked for."""

    fixes_sources: bool = False
    """It compares with what the sources were before the run: they cannot change."""

    @abstractmethod
    def look(self, step: int) -> None:
        """``step`` steps are done: E is that of time ``step Δt``, H of half a step later. Inside ``backend.timed``."""

    def field(self, name: str) -> Array:
        """The whole of one of ``fields``, (cells,) float32 on the host."""
        raise KeyError(name)

    def gather(self, name: str, elements: Array, made: dict[Any, Any]) -> Array:
        """One of ``fields`` in the cells ``elements``, (n,) float64; ``made`` keeps what is made once for them."""
        raise KeyError(name)

    def restored(self, step: int) -> None:
        """``parts`` are now those of a run that has taken ``step`` steps."""

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name: arrays on the device."""


def named_parts(watchers: Sequence[FieldWatcher]) -> dict[str, Any]:
    """What watchers keep, by the names that a state has for it."""
    return {
        f"monitor {number} {name}": part
        for number, watcher in enumerate(watchers)
        for name, part in watcher.parts().items()
    }
