"""A problem that is checked: its grid, what holds at the sides, the material of its cells, the time step."""

from __future__ import annotations

import math

import numpy as np

from engines.api import Array, Finding, Problem
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES
from engines.stencil.parameters import Diffusion, GrayScott, Inclusions, OwnEquations, Poisson, SameEverywhere
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.fields import beside, extremes, narrow
from engines.stencil.setup.grid import checked, grid_of
from engines.stencil.setup.interfaces import coarse_inclusions
from engines.stencil.setup.limits import check_memory, chosen_step, material, rounding_findings, stable_step
from engines.stencil.setup.reaction import reaction_findings
from engines.stencil.setup.sides import Ghosts, ghosts


class GridProblem:
    """Raises ProblemError for what a device cannot hold, and for a time step that is not stable.

    conductivity: diffusivity over that of the equation (``limits.Material``); None where it is 1 everywhere
    face_sum:     the largest of ``Σ (k low + k high)/h²`` over all cells [1/mm²]
    limit, step:  the largest stable time step and the one that is taken [s]; of Poisson's iterations none, and 1
    """

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = checked(problem)
        equation = parameters.equation
        assert not isinstance(equation, OwnEquations)  # they are TypedProblem's
        self.equation = equation
        self.grid = grid = grid_of(parameters)
        self.dtype = np.dtype(FLOAT_TYPES[parameters.numerics.precision])
        self.ghosts: Ghosts = ghosts(parameters.sides.pairs(grid.dimensions), grid.spacing)
        check_memory(grid, self.arrays * self.dtype.itemsize, backend)
        self.conductivity: Array | Interfaces | None = None
        coarse: tuple[Finding, ...] = ()
        self.face_sum = 2 * sum(h**-2 for h in grid.spacing)
        if not isinstance(equation, GrayScott):
            cells = material(equation.conductivity, grid, self.ghosts)
            self.conductivity, self.face_sum = cells.conductivity, cells.sum
            if isinstance(equation.conductivity, Inclusions):
                coarse = coarse_inclusions(equation.conductivity, grid)
        self.limit: float | None = None
        self.step: float = 1.0
        self.findings: tuple[Finding, ...] = ()
        if not isinstance(equation, Poisson):
            self.limit = stable_step(_fastest(equation), self.face_sum)
            self.step, self.findings = chosen_step(parameters.numerics, self.limit, equation)
            if not 0.0 < self.step < math.inf:
                sentence = "No time step is short enough: lower the diffusivity or its factors, or take larger cells."
                raise ProblemError(sentence, ("equation",))
        self.findings += coarse
        if not isinstance(equation, GrayScott):
            self.findings += tuple(beside(equation, grid))
        if not isinstance(equation, Poisson):
            self.findings += tuple(narrow(equation, grid))
        if isinstance(equation, GrayScott):
            self.findings += reaction_findings(equation, self.step)
        if isinstance(equation, Diffusion):
            pairs = parameters.sides.pairs(grid.dimensions)
            largest = max((abs(value) for value in (*extremes(equation.initial), *self.side_values())), default=0.0)
            closed = all(
                side.kind == "periodic" or getattr(side, "gradient", 1) == 0 for pair in pairs for side in pair
            )
            self.findings += rounding_findings(equation, self.step, largest, closed, parameters.numerics.precision)

    @property
    def varies(self) -> bool:
        """Whether cells differ in their conductivity."""
        return not isinstance(self.equation, GrayScott) and not isinstance(self.equation.conductivity, SameEverywhere)

    @property
    def arrays(self) -> int:
        """Values per cell that the device holds: the solution, a spare, a source that may be painted, faces."""
        if isinstance(self.equation, GrayScott):
            return 4
        return (3 if isinstance(self.equation, Diffusion) else 5) + self.varies * self.grid.dimensions

    def rates(self, diffusivity: float) -> tuple[float, ...]:
        """alpha dt/h² along x, y (and z)."""
        return tuple(diffusivity * self.step / h**2 for h in self.grid.spacing)

    def side_values(self) -> list[float]:
        """What the solution is held at on those sides that fix it."""
        pairs = self.parameters.sides.pairs(self.grid.dimensions)
        return [side.value for pair in pairs for side in pair if side.kind == "value"]


def _fastest(equation: Diffusion | GrayScott) -> float:
    """The largest diffusivity [mm²/s]."""
    if isinstance(equation, GrayScott):
        return max(equation.diffusion_u, equation.diffusion_v)
    return equation.diffusivity * equation.diffusivity_scale
