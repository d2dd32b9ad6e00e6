"""A surface that is looked for when it is drawn, and no oftener than leaves the window its time."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Generic, TypeVar

Moment = TypeVar("Moment")
SECONDS = 0.1
SHARE = 0.15
"""The most of the window's time that looking for it may take."""


class Paced(Generic[Moment]):
    """The newest moment, and the one that is on the graphics card."""

    def __init__(self) -> None:
        self._wanted: Moment | None = None
        self._shown: Moment | None = None
        self._due = 0.0

    @property
    def is_behind(self) -> bool:
        """Whether what was drawn last is of an earlier moment."""
        return self._wanted is not self._shown

    def forget(self) -> None:
        """Nothing is to be drawn any more."""
        self._wanted, self._due = None, 0.0

    def _catch_up(self, send: Callable[[Moment | None], None]) -> None:
        """``send`` looks for what is wanted and puts it on the graphics card, if it is time for that."""
        began = clock.perf_counter()
        if self.is_behind and began >= self._due:
            self._shown = self._wanted
            send(self._wanted)
            now = clock.perf_counter()
            self._due = now + max(SECONDS, (now - began) / SHARE)

    def _lost(self) -> None:
        """What was on the graphics card is gone: drawing puts it there again."""
        self._shown, self._due = None, 0.0
