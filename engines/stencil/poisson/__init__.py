"""Iterative solvers for -div(k grad u) = s on uniform grids: Jacobi, red-black SOR and geometric multigrid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.stencil.poisson.iterations import Method, PoissonSolver

if TYPE_CHECKING:
    from engines.api import Array
    from engines.api.device import Backend
    from engines.stencil.setup.sides import Ghosts

__all__ = ["Method", "PoissonSolver", "make_poisson"]


def make_poisson(
    backend: Backend,
    shape: Sequence[int],
    spacing: Sequence[float],
    ghosts: Ghosts,
    precision: str = "float32",
    conductivity: Array | None = None,
    method: Method = "multigrid",
    relaxation: float | None = None,
) -> PoissonSolver:
    """The solver on the device of ``backend``; the arguments are those of :class:`PoissonSolver`."""
    if backend.id == "cpu":
        from engines.stencil.poisson.cpu import CpuPoisson

        return CpuPoisson(backend, shape, spacing, ghosts, precision, conductivity, method, relaxation)
    from engines.stencil.poisson.cuda import CudaPoisson

    return CudaPoisson(backend, shape, spacing, ghosts, precision, conductivity, method, relaxation)
