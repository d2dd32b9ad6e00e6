"""How many steps make a batch that lasts about one frame, and when the next one is due."""

from __future__ import annotations

import math
import time as clock

FRAME_SECONDS = 1 / 30
LONGEST_BATCH_SECONDS = 4 * FRAME_SECONDS
LONGEST_REST_SECONDS = 0.1
"""How long a run that keeps a slow pace waits before it looks whether another pace is wanted."""
GROWTH = 2
"""A batch has at most this many times the steps of the one before: one step timed too short must not enqueue
seconds of work on a device that runs behind."""


class Pacer:
    """Learns from each batch how long the next may be."""

    def __init__(self) -> None:
        self._seconds_per_step = 0.0
        self._steps = 0
        self._due = 0.0

    def steps(self, steps_per_second: float = math.inf) -> int:
        """Steps of the next batch, at least one; the first batch is one step.

        With a wanted pace the batch has no more than a frame's share of it.
        """
        if not self._steps:
            return 1
        of_frame = min(1.0 / self._seconds_per_step, steps_per_second) * FRAME_SECONDS
        return max(1, min(int(of_frame), GROWTH * self._steps))

    def took(self, steps: int, seconds: float, steps_per_second: float = math.inf) -> None:
        """A batch of ``steps`` steps that took ``seconds`` has just ended."""
        self._steps, self._seconds_per_step = steps, max(seconds, 1e-9) / steps
        self._due = clock.perf_counter() - seconds + steps / steps_per_second

    @property
    def rest(self) -> float:
        """Seconds until the next batch is due at the wanted pace, not negative."""
        return max(0.0, self._due - clock.perf_counter())
