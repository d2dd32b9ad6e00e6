"""How many steps make a batch that lasts about one frame."""

from __future__ import annotations

FRAME_SECONDS = 1 / 30
LONGEST_BATCH_SECONDS = 4 * FRAME_SECONDS
GROWTH = 2
"""A batch has at most this many times the steps of the one before: one step timed too short must not enqueue
seconds of work on a device that runs behind."""


class Pacer:
    """Learns from each batch how long the next may be."""

    def __init__(self) -> None:
        self._seconds_per_step = 0.0
        self._steps = 0

    @property
    def steps(self) -> int:
        """Steps of the next batch, at least one; the first batch is one step."""
        if not self._steps:
            return 1
        return max(1, min(int(FRAME_SECONDS / self._seconds_per_step), GROWTH * self._steps))

    def took(self, steps: int, seconds: float) -> None:
        """A batch of ``steps`` steps took ``seconds``."""
        self._steps, self._seconds_per_step = steps, max(seconds, 1e-9) / steps
