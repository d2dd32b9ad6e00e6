"""Work that would make the window wait, done on another thread; answers arrive on the GUI thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer

from engines.api.registry import is_own

T = TypeVar("T")
POLL_MILLISECONDS = 20
INFORMING = ("connecting", "estimates", "forecast", "devices", "outlooks", "previews", "manual", "imports")
"""Lanes whose answers nobody needs once the window closes; an engine of others has its own, :func:`lane_of`."""
WIDE = {"imports": 4}
"""Threads of lanes on which one file of others that is slow to read does not hold up the next."""
PATIENCE_SECONDS = 5.0
"""For what these lanes are at when the window closes: an engine's estimate may never end."""


def lane_of(lane: str, engine: str) -> str:
    """The one of ``INFORMING`` that this engine is asked on: one of others that never answers holds up itself alone."""
    return lane if is_own(engine) else f"{lane} {engine}"


def _informs(lane: str) -> bool:
    return lane.partition(" ")[0] in INFORMING


class Background(QObject):
    """A few named lanes, one thread each but for ``WIDE``: what is asked on the same lane begins in order, and answers
    that are there are given in that order. A call that is cancelled before it begins never does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes: dict[str, ThreadPoolExecutor] = {}
        self._pending: list[tuple[Future[Any], Callable[[Any], None], Callable[[BaseException], None]]] = []
        self._closed = False
        self.held_up = False
        """Closed while something goes on that nobody waits for; its thread would keep the process."""
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MILLISECONDS)
        self._timer.timeout.connect(self._deliver)

    def submit(
        self,
        lane: str,
        call: Callable[[], T],
        then: Callable[[T], None] = lambda _: None,
        otherwise: Callable[[BaseException], None] = lambda _: None,
    ) -> Future[T]:
        """Do ``call`` on ``lane``; ``then(result)`` or ``otherwise(error)`` follows on the GUI thread."""
        if self._closed:
            return Future()
        if lane not in self._lanes:
            self._lanes[lane] = ThreadPoolExecutor(WIDE.get(lane, 1), thread_name_prefix=f"workbench-{lane}")
        future = self._lanes[lane].submit(call)
        self._pending.append((future, then, otherwise))
        self._timer.start()
        return future

    @property
    def busy(self) -> bool:
        return bool(self._pending)

    def close(self) -> None:
        """Finish what was asked (a save must not be lost), drop what only informs, deliver, end the threads."""
        self._closed = True
        self._timer.stop()
        for lane, executor in self._lanes.items():
            executor.shutdown(wait=not _informs(lane), cancel_futures=_informs(lane))
        going_on = [future for future, *_ in self._pending if not future.done()]
        late = bool(wait(going_on, PATIENCE_SECONDS).not_done)
        self.held_up = self.held_up or late
        for executor in self._lanes.values():
            executor.shutdown(wait=not late)  # threads that have nothing to do any more take a moment to end
        self._deliver()
        self._lanes.clear()
        self._pending.clear()

    def _deliver(self) -> None:
        ready = [entry for entry in self._pending if entry[0].done()]
        self._pending = [entry for entry in self._pending if not entry[0].done()]
        if not self._pending:
            self._timer.stop()
        for future, then, otherwise in ready:
            if future.cancelled():
                continue
            error = future.exception()
            try:
                if error is None:
                    then(future.result())
                else:
                    otherwise(error)
            except Exception:  # reported like any that no code caught; the other answers are still delivered
                sys.excepthook(*sys.exc_info())
