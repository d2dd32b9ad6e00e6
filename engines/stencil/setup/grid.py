"""The grid that the parameters describe."""

from __future__ import annotations

from functools import cache, lru_cache

from pydantic import TypeAdapter

from engines.api import Problem
from engines.geometry.grid import Grid
from engines.stencil.parameters import Box, GridSetting, StencilParameters


def checked(problem: Problem) -> StencilParameters:
    """The parameters. Raises TypeError if they are another engine's."""
    if not isinstance(problem.parameters, StencilParameters):
        raise TypeError(f"parameters of the stencil engine, not {type(problem.parameters).__name__}")
    return problem.parameters


def grid_of(parameters: StencilParameters) -> Grid:
    """The same object for the same settings: viewers compare grids by identity."""
    return _grid(parameters.grid.model_dump_json())


@cache
def _settings() -> TypeAdapter[GridSetting]:
    return TypeAdapter(GridSetting)


@lru_cache(maxsize=16)
def _grid(settings: str) -> Grid:
    grid = _settings().validate_json(settings)
    counts, sizes = [grid.cells_x, grid.cells_y], [grid.size_x, grid.size_y]
    if isinstance(grid, Box):
        counts, sizes = [*counts, grid.cells_z], [*sizes, grid.size_z]
    return Grid(tuple(counts[::-1]), tuple(size / count for size, count in zip(sizes, counts, strict=True)))
