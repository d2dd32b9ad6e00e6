"""Benchmarks: jittered boxes of tetrahedra with fibres, stimulated at a corner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from engines.api import Benchmark, Problem
from engines.cardiac.parameters import (
    VERTEX_CENTRED,
    CardiacParameters,
    Discretisation,
    Numerics,
    Precision,
    Sphere,
    Stimulus,
)
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

SIZES = (1_000_000, 10_000_000)
"""Tetrahedra, about."""
SMALL_SIDE = 7
JITTER = 0.1
"""Of the spacing: points of a tetrahedron stay apart, so that the step is stable at any size; with 0.2 the worst of 2
million was nearly flat."""


def box_benchmarks(elements: Sequence[int] = ()) -> Sequence[Benchmark]:
    """Boxes of about ``elements`` tetrahedra in every precision; the first once more on vertices."""
    sides = [_side(size) for size in elements or SIZES]
    problems = [BoxProblem(side, precision) for side in sides for precision in get_args(Precision)]
    problems.append(BoxProblem(sides[0], "fp32", VERTEX_CENTRED))
    return [Benchmark(problem.name, problem.n_unknowns, problem) for problem in problems]


def small_boxes() -> tuple[BoxProblem, ...]:
    """Small ones, by which kernels are compiled before the first run: each precision, and on vertices."""
    cells = tuple(BoxProblem(SMALL_SIDE, precision) for precision in get_args(Precision))
    return *cells, BoxProblem(SMALL_SIDE, "fp32", VERTEX_CENTRED)


@dataclass(frozen=True)
class BoxProblem:
    """A jittered box of ``side``³ cubes of 0.5 mm, six tetrahedra each, stimulated at a corner; made when called."""

    side: int
    precision: Precision
    discretisation: Discretisation = "cell-centred"

    @property
    def n_unknowns(self) -> int:
        return 6 * self.side**3 if self.discretisation == "cell-centred" else (self.side + 1) ** 3

    @property
    def name(self) -> str:
        noun = "tetrahedra" if self.discretisation == "cell-centred" else "vertices"
        return f"{self.n_unknowns:,} {noun} {self.precision}"

    def __call__(self) -> Problem:
        return Problem(self.parameters(), _box(self.side))

    def parameters(self) -> CardiacParameters:
        stimulus = Stimulus(name="corner", site=Sphere(center=(0, 0, 0), radius=1.5))
        numerics = Numerics(step=0.01, precision=self.precision, discretisation=self.discretisation)
        return CardiacParameters(stimuli=[stimulus], numerics=numerics)


def _side(size: int) -> int:
    """The cube with the number of tetrahedra nearest to ``size``; three cubes at least, for the stimulus to hit."""
    return max(3, round((size / 6) ** (1 / 3)))


@lru_cache(maxsize=1)  # the precisions of a size share the mesh and its operator
def _box(side: int) -> TetMesh:
    return box_mesh((side,) * 3, (0.5 * side,) * 3, jitter=JITTER)
