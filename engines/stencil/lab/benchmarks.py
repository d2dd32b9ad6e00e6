"""Problems that are timed, and small ones that have every kernel compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from engines.api import Benchmark, Problem
from engines.backend.precision import Precision
from engines.stencil.parameters import (
    Box,
    Diffusion,
    GrayScott,
    Inclusions,
    Noise,
    Numerics,
    OwnEquations,
    Plane,
    Poisson,
    StencilParameters,
    UniformSource,
)

USUAL = ((2, 4096), (2, 16384), (3, 1024))
"""Dimensions and cells along each axis."""
VARYING_SIDE = 256
"""Of the cube where each cell has a conductivity, whose faces take 20 bytes of the host's a cell and more to make."""
WARM_SIDE = 32
"""Two vectors of float32 at their widest, from which single steps go by vectors."""
WARM_SIDE_TYPED = 128
"""Of typed equations, from which threads on a CPU meet after several steps."""


@dataclass(frozen=True)
class _NoiseProblem:
    """Diffusion of noise on a square or cube of cells of 1 mm; made when called."""

    dimensions: int
    side: int
    fuse: bool
    varying: bool = False

    @property
    def cells(self) -> int:
        return self.side**self.dimensions

    @property
    def name(self) -> str:
        sides = "×".join([f"{self.side}"] * self.dimensions)
        medium = " conductivity per cell" if self.varying else ""
        return f"diffusion {sides} fp32{medium} {'fused' if self.fuse else 'single steps'}"

    def __call__(self) -> Problem:
        numerics = Numerics(fuse=self.fuse)
        equation = Diffusion(initial=Noise(), **({"conductivity": Inclusions()} if self.varying else {}))
        return Problem(StencilParameters(grid=_grid(self.dimensions, self.side), equation=equation, numerics=numerics))


def _grid(dimensions: int, side: int) -> Plane | Box:
    plane = {"cells_x": side, "cells_y": side, "size_x": float(side), "size_y": float(side)}
    return Plane(**plane) if dimensions == 2 else Box(**plane, cells_z=side, size_z=float(side))


def benchmarks(elements: Sequence[int] = ()) -> list[Benchmark]:
    """Single and fused steps, and a conductivity per cell; with ``elements`` one square and one cube of each size."""
    sizes = [(d, max(4, round(count ** (1 / d)))) for count in elements for d in (2, 3)] or USUAL
    problems = [_NoiseProblem(dimensions, side, fuse) for dimensions, side in sizes for fuse in (False, True)]
    if not elements:
        problems.append(_NoiseProblem(3, VARYING_SIDE, True, varying=True))
    return [Benchmark(problem.name, problem.cells, problem) for problem in problems]


def warming_problems() -> Iterator[Problem]:
    """Small problems that call each kernel with each type and combination of inputs that a run may need."""
    for precision in get_args(Precision):
        numerics = Numerics(precision=precision)
        for dimensions in (2, 3):
            grid = _grid(dimensions, WARM_SIDE)
            for conductivity in ({}, {"conductivity": Inclusions()}):
                for source in (0.0, 1.0):
                    equation = Diffusion(initial=Noise(), source=source, **conductivity)
                    yield Problem(StencilParameters(grid=grid, equation=equation, numerics=numerics))
            yield Problem(StencilParameters(grid=grid, equation=GrayScott(), numerics=numerics))
            yield Problem(StencilParameters(grid=grid, equation=Poisson(source=UniformSource()), numerics=numerics))
        grid = _grid(2, WARM_SIDE_TYPED)
        yield Problem(StencilParameters(grid=grid, equation=OwnEquations(), numerics=numerics))
