"""What is taken of a run at the present moment for whoever keeps or writes it; for the thread of the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engines.api import Array, Simulation
from workbench.export.results import Results, take_results
from workbench.project.project import Line
from workbench.run.lines import line_results

LARGEST_STATE = 1 << 29
"""Bytes; of a larger run the time alone is kept."""


@dataclass(frozen=True)
class Snapshot:
    """The state, where it is not too large, and when that was."""

    step: int
    time: float
    state: Mapping[str, Array] | None


@dataclass(frozen=True)
class TakeSnapshot:
    """``runner.post(TakeSnapshot())``."""

    def __call__(self, simulation: Simulation) -> Snapshot:
        state: Mapping[str, Array] | None = simulation.state()
        if state is not None and sum(values.nbytes for values in state.values()) > LARGEST_STATE:
            state = None
        return Snapshot(simulation.step, simulation.time, state)


@dataclass(frozen=True)
class TakeResults:
    """Whole fields, charts, and values at ``points`` (name, element) and along ``lines``."""

    points: tuple[tuple[str, int], ...]
    lines: tuple[Line, ...]

    def __call__(self, simulation: Simulation) -> Results:
        return take_results(simulation, self.points, lambda run: line_results(run, self.lines))
