"""How many cores a loop is worth that is run again and again: seen while it runs.

What it takes to wake a thread hangs on the machine (2 µs where threads spin, 15 to 60 where they sleep on virtual
cores), on what else runs there, and how much a loop has to do for each thread is an estimate. So a loop begins with as
many threads as :func:`~engines.backend.threads.threads_for` says, and now and then takes half and twice as many for
some ms, and what was faster from then on. Bits do not hang on it.
"""

from __future__ import annotations

import time
from typing import Any

from engines.api.device import Cores
from engines.backend.threads import parallel_region, threads_for

TRIED_FROM, TRIED_TO = 15e-6, 2e-3
"""[s] of one core: loops for which other numbers of threads are tried. In shorter ones a thread has nothing to do that
is worth waking it, and in longer ones waking is nothing."""
BLOCK, TRIAL = 1e-3, 16e-3
"""[s] in one go with each of two numbers in turn, and in all before they are compared."""
BETTER = 0.95
"""Of the time of the number of threads so far, that another one takes at most to follow it."""
REST = 2.0
"""[s] after which what else runs on the machine may be something else."""

clock = time.perf_counter


class loop_region(parallel_region, Cores):
    """Run a parallel loop inside that takes one core ``seconds``, on at most ``most`` cores; again and again."""

    __slots__ = ("_again", "_begun", "_block", "_chosen", "_made", "_most", "_rivals", "_side", "_spent", "_turns")

    def __init__(self, seconds: float, most: int) -> None:
        super().__init__(threads_for(seconds, most))
        self._most, self._chosen, self._turns = most, self._threads, 1
        tried = most > 1 and TRIED_FROM <= seconds <= TRIED_TO
        self._again = 0.0 if tried else float("inf")
        self._rivals: list[int] = []

    @property
    def threads(self) -> int:
        """Of the next turn."""
        return self._threads

    def of(self, turns: int) -> loop_region:
        self._turns = turns
        return self

    def __enter__(self) -> None:
        super().__enter__()
        self._begun = clock()

    def __exit__(self, kind: Any = None, *rest: object) -> None:
        now = clock()
        super().__exit__(kind, *rest)
        if self._rivals:
            self._compare(now)
        elif now >= self._again and self._turns:
            if self._again:
                half, twice = self._chosen // 2, min(2 * self._chosen, self._most)
                self._try([number for number in (half, twice) if number not in (0, self._chosen)], now)
            else:  # the first one may have been compiled
                self._again = now

    def _try(self, rivals: list[int], now: float) -> None:
        """Compare with the first of these next, or with none for a while."""
        self._rivals, self._side, self._block = rivals, 0, 0.0
        self._spent, self._made = [0.0, 0.0], [0, 0]
        self._threads, self._again = self._chosen, now + REST

    def _compare(self, now: float) -> None:
        taken, side = now - self._begun, self._side
        self._spent[side] += taken
        self._made[side] += self._turns
        self._block += taken
        if self._block < BLOCK:
            return
        if min(self._spent) < TRIAL:
            self._side, self._block = 1 - side, 0.0
            self._threads = self._rivals[0] if self._side else self._chosen
            return
        before, (rival, *others) = self._chosen, self._rivals
        if self._spent[1] * self._made[0] < BETTER * self._spent[0] * self._made[1]:
            self._chosen = rival  # and on in this direction
            further = min(2 * rival, self._most) if rival > before else rival // 2
            others = [further] if further not in (0, rival) else []
        self._try(others, now)
