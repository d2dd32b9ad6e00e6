"""Slow writing beside the run: compressing a mesh's fields must not delay a pause."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

MOST_PENDING = 2


class BackgroundWriter:
    """Carries out jobs one after the other on a thread of its own, in order.

    Memory is bounded: with two jobs pending the next :meth:`submit` waits. What a job raises comes out of the next
    call of :meth:`submit`, :meth:`check` or :meth:`close`, and jobs that were pending behind it are left out.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "workbench-writer")
        self._pending: deque[Future[None]] = deque()
        self._failed = False

    def submit(self, job: Callable[[], None]) -> None:
        self.check()
        while len(self._pending) >= MOST_PENDING:
            self._take()
        self._pending.append(self._executor.submit(self._carry_out, job))

    def check(self) -> None:
        """Raise what a finished job raised."""
        while self._pending and self._pending[0].done():
            self._take()

    def flush(self) -> None:
        """Wait for all jobs; raises what the first that failed raised."""
        while self._pending:
            self._take()

    def _carry_out(self, job: Callable[[], None]) -> None:
        if self._failed:  # what came after a job counts on it
            return
        try:
            job()
        except BaseException:
            self._failed = True
            raise

    def _take(self) -> None:
        """Wait for the oldest job; if it failed those behind it are not carried out, and the next that comes is."""
        try:
            self._pending.popleft().result()
        except BaseException:
            wait(self._pending)
            self._pending.clear()
            self._failed = False
            raise

    def close(self) -> None:
        """:meth:`flush`, and end the thread."""
        try:
            self.flush()
        finally:
            self._executor.shutdown(wait=True)
