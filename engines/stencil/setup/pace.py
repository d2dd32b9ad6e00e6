"""How long a step takes: what is moved is counted, what a CPU computes is measured on a grid that its caches hold."""

from __future__ import annotations

from collections.abc import Callable

from engines.api import Problem, Simulation
from engines.api.device import Backend
from engines.backend.pace import measured_pace, structure_of
from engines.backend.twins import pick
from engines.stencil.parameters import Box, StencilParameters
from engines.stencil.setup.grid import checked, grid_of

MOST_CELLS = 1 << 18
"""Of the grid that is measured; a smaller one is measured as it is, with what its launches and looks take."""
WHOLE = 16
"""Cells that a side of it is a multiple of: vectors and the grids of a V-cycle come out even."""


Build = Callable[[Problem, Backend], Simulation]


def seconds_per_step(problem: Problem, moved: int, backend: Backend, build: Build) -> float:
    """Of a problem that ``build`` makes and that moves ``moved`` bytes a step. Raises ProblemError.

    On a GPU what memory takes; on a CPU the longer of that and what computing takes, in proportion to the cells.
    """
    on_gpu = pick(backend, cpu=False, cuda=True)
    return moved / backend.ceilings().best if on_gpu else _measured(problem, moved, backend, build)


def _measured(problem: Problem, moved: int, backend: Backend, build: Build) -> float:
    """Of fused steps it is their own bytes that count."""
    few = of_few_cells(checked(problem))
    key = __name__, structure_of(few)
    seconds, moved_by_few = measured_pace(backend, key, lambda: build(Problem(few), backend))
    if few is problem.parameters:
        return seconds
    more = grid_of(checked(problem)).n_cells / grid_of(few).n_cells
    return more * max(seconds, moved_by_few / backend.ceilings().best)


def of_few_cells(parameters: StencilParameters) -> StencilParameters:
    """The same on a corner of the grid of :data:`MOST_CELLS` cells at most, which are as large as before."""
    grid = parameters.grid
    axes = "xyz" if isinstance(grid, Box) else "xy"
    count = grid_of(parameters).n_cells
    if count <= MOST_CELLS:
        return parameters
    share = (MOST_CELLS / count) ** (1 / len(axes))
    smaller: dict[str, float] = {}
    for axis in axes:
        before = getattr(grid, f"cells_{axis}")
        cells = max(min(before, WHOLE), int(before * share) // WHOLE * WHOLE)
        smaller |= {f"cells_{axis}": cells, f"size_{axis}": getattr(grid, f"size_{axis}") * cells / before}
    return parameters.model_copy(update={"grid": grid.model_copy(update=smaller)})
