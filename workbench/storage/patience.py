"""A run of days does not end for want of room: where a disk is full it waits for a while until there is some again."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable
from typing import TypeVar

from workbench.storage.atomic import StorageError

T = TypeVar("T")
AGAIN_SECONDS = 1.0


class Patience:
    """Tries to write again for ``seconds`` at a time; ``say`` is told when that begins, and when there is room again.

    For several threads. What is tried must leave everything as it was when it fails.
    """

    def __init__(self, seconds: float = 0.0, say: Callable[[str], None] = lambda text: None) -> None:
        self._seconds, self._say = seconds, say
        self._ended = threading.Event()

    def end(self) -> None:
        """The run is to end: nobody waits any more."""
        self._ended.set()

    def keep_trying(self, write: Callable[[], T]) -> T:
        """What ``write`` gives. Raises StorageError: of another kind at once, of a full disk when patience is over."""
        latest = 0.0
        while True:
            try:
                result = write()
            except StorageError as error:
                latest = latest or clock.monotonic() + self._seconds
                left = latest - clock.monotonic()
                if not error.full or left <= 0 or self._ended.is_set():
                    raise
                if left > self._seconds - AGAIN_SECONDS / 2:
                    self._say(f"{error} The run waits for {self._seconds / 60:.2g} minutes.")
                self._ended.wait(min(AGAIN_SECONDS, left))
                continue
            if latest:
                self._say("There is room on the disk again: the run goes on.")
            return result
