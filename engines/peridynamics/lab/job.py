"""A published job from start to end."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, PublishedRows, Row
from engines.peridynamics.body.filling import filled
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lab.benchmarks import JOB_PARTICLES, JOB_STEPS, branching
from engines.peridynamics.lab.stepping import bonds_in

NAME = f"Crack branching, {JOB_PARTICLES:,} particles, {JOB_STEPS:,} steps"
PART = 250
"""Steps between two looks at whether somebody wants to end it."""


class JobTable(LabTable):
    id = "peridynamics-job"
    title = "pypd's crack branching from start to end"
    summary = (
        "All steps of pypd's example crack_branching: Homalite, 400 × 200 particles, m = 3, in fp32 (pypd: fp64), "
        "after two for compiling; building the body is not counted. A bond of two particles counts once."
    )
    columns = (Column("Job", result=False), Column("Time", "s", digits=3), Column("Bonds", "Mbonds/s", digits=3))
    published = (PublishedRows("pypd (Hobbs), the example crack_branching", "Two CPU cores", ((NAME, 38.0, 147.0),)),)
    name = NAME
    steps = JOB_STEPS

    def problem(self) -> Problem:
        return branching()

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        progress("Building the body", 0.0)
        problem = self.problem()
        body = filled(problem.parameters)  # type: ignore[arg-type]  # those of this engine
        bonds = bonds_in(body.counts[: body.dimensions], 3)
        simulation = PeridynamicsEngine().build(problem, backend)
        try:
            start = simulation.state()
            simulation.advance(2)
            simulation.restore(start)
            simulation.synchronize()
            seconds = 0.0
            for done in range(0, self.steps, PART):
                progress(f"Step {done:,} of {self.steps:,}", done / self.steps)
                begun = time.perf_counter()
                simulation.advance(min(PART, self.steps - done))
                simulation.synchronize()
                seconds += time.perf_counter() - begun
        finally:
            simulation.close()
        return [(self.name, seconds, bonds * self.steps / seconds / 1e6)]
