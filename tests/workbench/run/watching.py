"""Who watches a runner in tests, and what is asked of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api.errors import WorkbenchError
from workbench.run.frames import RunState
from workbench.run.observer import Observer

PROBES = (("near", 0), ("far", 150))


class Watcher(Observer):
    """Wants to see certain steps; remembers all that happened."""

    def __init__(self, steps: tuple[int, ...] = ()) -> None:
        self.steps, self.seen, self.events = steps, [], []
        self.samples: list[Any] = []

    def begin(self, simulation: Any, info: Any) -> None:
        self.events.append("begin")

    def next_step(self, after: int) -> int | None:
        return next((step for step in self.steps if step > after), None)

    def observe(self, simulation: Any) -> None:
        self.seen.append(simulation.step)

    def sampled(self, sample: Any) -> None:
        self.samples.append(sample)

    def restarted(self, simulation: Any) -> None:
        self.events.append("restarted")

    def finish(self, simulation: Any, state: RunState, error: WorkbenchError | None) -> None:
        self.events.append(str(state))


def field(runner: Any, name: str = "voltage") -> np.ndarray:
    return runner.post(lambda simulation: simulation.field(name)).result(20)


def step(runner: Any) -> int:
    return runner.post(lambda simulation: simulation.step).result(20)
