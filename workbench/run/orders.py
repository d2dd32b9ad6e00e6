"""What is asked of a run from any thread, kept until the worker that owns its simulation comes to it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from engines.api import Simulation
from workbench.run.frames import RunState

T = TypeVar("T")


class Orders:
    """The state that the run is in and the one that is wanted, steps that are to be taken, calls that wait.

    Each method returns at once, but for :meth:`wait`; ``_condition`` guards all of it, and wakes whoever waits.
    """

    def __init__(self, wanted: RunState) -> None:
        self._wanted = wanted
        self._state = RunState.BUILDING
        self._steps_wanted: int | None = None  # asked for by advance(), not yet begun
        self._stop_step: int | None = None  # where the advance() that runs will stop
        self._condition = threading.Condition()
        self._calls: deque[tuple[Callable[[Simulation], Any], Future[Any]]] = deque()

    @property
    def state(self) -> RunState:
        return self._state

    def run(self) -> None:
        """Run until told otherwise, or until ``until``."""
        self._want(RunState.RUNNING)

    def pause(self) -> None:
        self._want(RunState.PAUSED)

    def advance(self, steps: int) -> None:
        """Take exactly ``steps`` steps, then pause. Asked again before they are taken, it takes those as well."""
        with self._condition:
            if self._wanted is RunState.RUNNING and self._stop_step is not None:
                self._stop_step += steps
            elif self._wanted is RunState.RUNNING and self._steps_wanted is not None:
                self._steps_wanted += steps
            else:
                self._want(RunState.RUNNING, steps)

    def post(self, call: Callable[[Simulation], T]) -> Future[T]:
        """Have the worker carry out ``call`` between two batches.

        The future is cancelled if the run ends before; what ``call`` raises is in the future and in the log, but for a
        :class:`RefusedChange`.
        """
        future: Future[T] = Future()
        with self._condition:
            if self._state in (RunState.CLOSED, RunState.FAILED) or self._wanted is RunState.CLOSED:
                future.cancel()
            else:
                self._calls.append((call, future))
                self._condition.notify_all()
        return future

    def wait(self, *states: RunState, timeout: float = 60.0) -> RunState:
        """Block until the run is in one of ``states`` (or has failed or closed).

        A run that was just told to go on does not count as paused or finished still.
        """
        ends = {*states, RunState.FAILED, RunState.CLOSED}
        resting = (RunState.PAUSED, RunState.FINISHED)

        def arrived() -> bool:
            about_to_run = self._wanted is RunState.RUNNING and self._state in resting
            return self._state in ends and not about_to_run

        with self._condition:
            self._condition.wait_for(arrived, timeout)
        return self._state

    def _want(self, state: RunState, steps: int | None = None) -> None:
        with self._condition:
            if self._wanted is not RunState.CLOSED:
                self._wanted, self._steps_wanted, self._stop_step = state, steps, None
                self._condition.notify_all()

    def _set_state(self, state: RunState) -> None:
        with self._condition:
            self._state = state
            self._condition.notify_all()
