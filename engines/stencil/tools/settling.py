"""The tool: how fast a diffusion problem settles, by the slowest mode of its grid, material and sides."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.stencil.parameters import Diffusion
from engines.stencil.parameters.sides import FixedGradient, FixedValue, Side
from engines.stencil.poisson.iterations import POISSON
from engines.stencil.setup.problem import GridProblem
from engines.stencil.setup.sides import Ghosts, ghosts

CYCLES = 6
"""V-cycles of each of the solutions: they need not be better than the mode is."""
MOST_SOLUTIONS = 60


class SettlingParameters(ParameterGroup):
    """How closely."""

    left: float = quantity(0.01, "1", "Part of the slowest mode that is left where it counts as settled", gt=0, lt=1)
    tolerance: float = quantity(1e-4, "1", "Relative change of the rate at which the search ends", gt=0, le=0.1)


class Settling(Tool):
    """Inverse iteration: each Poisson solution of the last one turns it towards the slowest mode."""

    id = "settling"
    title = "How fast it settles"
    summary = "Finds the slowest mode of this grid with its material and sides: its time constant, and how long to run."
    Parameters = SettlingParameters

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        _equation(problem)
        return ""

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, SettlingParameters)
        equation, posed = _equation(problem), GridProblem(problem, backend)
        mode = slowest(posed, backend, parameters.tolerance, progress)
        if mode.rate <= 0:
            raise ProblemError("No mode of this grid decays: give it more cells.", ("grid",))
        constant = 1.0 / (equation.diffusivity * equation.diffusivity_scale * mode.rate)
        until = constant * math.log(1 / parameters.left)
        steps = math.ceil(until / posed.step)
        why = "" if mode.settled else f" After {mode.solutions} solutions the rate still changed: it is an upper bound."
        return ToolResult(
            f"The slowest mode decays with a time constant of {constant:.4g} s: {parameters.left:.3g} of it is left "
            f"after {until:.4g} s, {steps:,} steps of {posed.step:.3g} s.{why}",
            (
                Fact("Time constant", constant, "s"),
                Fact(f"Until {parameters.left:.3g} of it is left", until, "s"),
                Fact("Steps until then", steps, "1"),
                Fact("Largest stable step", posed.limit or posed.step, "s"),
            ),
        )


@dataclass(frozen=True)
class SlowestMode:
    """``rate``: the least eigenvalue of −div(k grad u) above 0 [1/mm²], by Rayleigh's quotient."""

    rate: float
    solutions: int
    settled: bool


def slowest(posed: GridProblem, backend: Backend, tolerance: float, progress: Progress = no_progress) -> SlowestMode:
    """Of the grid, with sides that hold nothing but zeros, in the problem's precision."""
    grid, sides = posed.grid, _homogeneous(posed)
    solver = POISSON.open(
        backend,
        grid.shape,
        grid.spacing,
        sides,
        precision=posed.dtype.name,
        conductivity=posed.conductivity,
        method="multigrid",
    )
    chance = np.random.default_rng(1)
    values = chance.random(grid.shape)
    rate, count = math.inf, 0
    for count in range(1, MOST_SOLUTIONS + 1):
        progress(f"Solution {count}", count / MOST_SOLUTIONS)
        values = values - values.mean() if solver.singular else values
        values = values / np.linalg.norm(values)
        guess = values / rate if rate < math.inf else np.zeros_like(values)
        with backend.active():
            source, start = (backend.array(each.astype(posed.dtype)) for each in (values, guess))
        solution: Array = backend.to_host(solver.iterate(start, source, CYCLES)).astype(float)
        found = float(np.vdot(solution, values) / np.vdot(solution, solution))
        if rate < math.inf and abs(found - rate) <= tolerance * rate:
            return SlowestMode(found, count, True)
        rate, values = found, solution
    return SlowestMode(rate, count, False)


def _homogeneous(posed: GridProblem) -> Ghosts:
    def still(side: Side) -> Side:
        if isinstance(side, FixedValue):
            return FixedValue()
        return FixedGradient() if isinstance(side, FixedGradient) else side

    pairs = posed.parameters.sides.pairs(posed.grid.dimensions)
    return ghosts([(still(low), still(high)) for low, high in pairs], posed.grid.spacing)


def _equation(problem: Problem) -> Diffusion:
    equation = getattr(problem.parameters, "equation", None)
    if not isinstance(equation, Diffusion):
        raise ProblemError("Modes that decay are of diffusion: choose that equation.", ("equation",))
    return equation
