"""Slow writing beside the run: compressing a mesh's fields must not delay a pause."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

MOST_PENDING = 2


class BackgroundWriter:
    """Carries out jobs one after the other on a thread of its own, in order.

    Memory is bounded: with two jobs pending the next :meth:`submit` waits. What a job raises comes out of the next
    call of :meth:`submit`, :meth:`check` or :meth:`close`.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "workbench-writer")
        self._pending: deque[Future[None]] = deque()

    def submit(self, job: Callable[[], None]) -> None:
        self.check()
        while len(self._pending) >= MOST_PENDING:
            self._pending.popleft().result()
        self._pending.append(self._executor.submit(job))

    def check(self) -> None:
        """Raise what a finished job raised."""
        while self._pending and self._pending[0].done():
            self._pending.popleft().result()

    def flush(self) -> None:
        """Wait for all jobs; raises what the first that failed raised."""
        jobs, self._pending = self._pending, deque()
        wait(jobs)
        for job in jobs:
            job.result()

    def close(self) -> None:
        """:meth:`flush`, and end the thread."""
        try:
            self.flush()
        finally:
            self._executor.shutdown(wait=True)
