"""Many steps as one launch: CUDA graphs of steps that differ in nothing but their time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.backend.precision import REAL

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("clock.cu")
LONGEST = 64
"""Steps of a graph, at most."""
SHORT = 8
"""Steps of a graph for runs of a length that has not come often; what is left over is launched one by one."""
OFTEN = 3
"""From this time on a run of some length gets a graph of its own: watchers look every so many steps."""
KEPT = 24
"""Graphs that are kept. A new one is captured for other stimuli or conductivities: a drag at a slider makes many."""
TICK_BLOCK = 64
FIRST, COUNT = 2, 5
"""Arguments of ``clock_steps`` that differ from graph to graph."""


@dataclass(frozen=True)
class StepTimes:
    """Where a kernel finds the time on the device: ``time: (1,)`` [ms], ``phase: (1,)`` int32, step modulo a period."""

    time: Any
    phase: Any

    def part(self, number: int) -> StepTimes:
        """The moment when part ``number`` of the step begins, if steps have parts."""
        return StepTimes(self.time[number:], self.phase[number:])


class StepGraphs:
    """Captures and launches. dt [ms]; ``parts`` of a step have a time each; phases count parts, modulo ``period``."""

    def __init__(self, backend: CudaBackend, dtype: Any, dt: float, parts: int, period: int) -> None:
        self._backend, self._dt, self._parts = backend, dt / parts, parts
        self._times = backend.empty(parts * LONGEST, dtype)
        self._phases = backend.empty(parts * LONGEST, np.int32)
        tick = backend.compile(SOURCE, (REAL[np.dtype(dtype).name],)).get_function("clock_steps")
        most = -(-parts * LONGEST // TICK_BLOCK)
        arguments = (self._times, self._phases, np.int64(0), np.float64(self._dt), np.int32(period), np.int32(0))
        self._tick = backend.ready(tick, (most,), (TICK_BLOCK,), arguments)
        self._kept: dict[Hashable, Callable[[], None]] = {}
        self._asked: Counter[int] = Counter()

    def size(self, steps: float) -> int:
        """How many of ``steps`` steps that differ in nothing but their time make the next graph; 1 for none."""
        if steps >= LONGEST:
            return LONGEST
        length = int(steps)
        self._asked[length] += 1
        if self._asked[length] >= OFTEN:
            return length
        return SHORT if length >= SHORT else 1

    def launch(self, key: Hashable, first: int, size: int, take: Callable[[StepTimes], None]) -> None:
        """``size`` steps, the first of number ``first``.

        ``take`` launches one; it is called only if no graph of such steps (``key``) is kept.
        """
        graph = self._kept.pop((key, size), None)
        if graph is None:
            while len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))  # the one that was not launched for longest

            def steps() -> None:
                for k in range(0, size * self._parts, self._parts):
                    take(StepTimes(self._times[k:], self._phases[k:]))

            graph = self._backend.captured(steps)
        self._kept[key, size] = graph
        self._tick({FIRST: np.int64(first * self._parts), COUNT: np.int32(size * self._parts)})
        graph()
