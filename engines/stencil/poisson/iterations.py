"""The iterations, told once for both devices: what a sweep and a V-cycle do, without a word about how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.twins import Twins
from engines.stencil.poisson import levels as hierarchy
from engines.stencil.poisson.balance import mean_inflow
from engines.stencil.poisson.levels import Level
from engines.stencil.poisson.spectrum import best_jacobi, best_sor
from engines.stencil.poisson.traffic import method_traffic
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghosts

Method = Literal["multigrid", "jacobi", "sor"]

SWEEPS_DOWN, SWEEPS_UP = 2, 1
"""Red-black Gauss-Seidel sweeps of a V-cycle before and after the coarser levels (README: measured factors)."""

Box = tuple[int, int, int, int, int, int]
"""Cells x0 to x1, y0 to y1, z0 to z1 (exclusive)."""


class PoissonSolver(ABC):
    """Solves ``-div(k grad u) + a u = s`` by one method; ``u`` and ``s`` are device arrays in C order of ``precision``.

    shape:        (ny, nx) or (nz, ny, nx)
    spacing:      cell sizes along x, y (and z) [mm]
    ghosts:       what holds at the sides (:func:`engines.stencil.setup.sides.ghosts`)
    precision:    ``"float32"`` or ``"float64"``
    conductivity: (shape) host array of factors > 0, these with their faces, or None for 1 everywhere
    relaxation:   ω in (0, 1] for Jacobi, in (0, 2) for SOR; None takes the best one of the model problem. Multigrid
                  smooths with ω = 1 unless told otherwise.
    absorption:   a [1/mm²], 0 or more

    Raises ProblemError. Where sides fix no value (``singular``) the mean that no solution can balance is removed from
    the source, and the solution's mean is set to 0 (:mod:`engines.stencil.poisson.balance` says so before a run).
    """

    def __init__(
        self,
        backend: Backend,
        shape: Sequence[int],
        spacing: Sequence[float],
        ghosts: Ghosts,
        precision: str = "float32",
        conductivity: Array | Interfaces | None = None,
        method: Method = "multigrid",
        relaxation: float | None = None,
        absorption: float = 0.0,
    ) -> None:
        _check(shape, conductivity, method, relaxation)
        self.shape = tuple(shape)
        self.dtype = np.dtype(precision)
        self.method: Method = method
        self.backend = backend
        first = hierarchy.finest(shape, spacing, ghosts, conductivity, absorption)
        self.levels = hierarchy.hierarchy(first) if method == "multigrid" else [first]
        self.singular = first.singular
        if relaxation is None:
            relaxation = {"jacobi": best_jacobi, "sor": best_sor}.get(method, lambda axes: 1.0)(first.axes)
        self.relaxation = float(relaxation)
        self._inflow = mean_inflow(first) if self.singular else 0.0

    @property
    def traffic(self) -> KernelTraffic:
        """Of one sweep or V-cycle on the whole grid; its kernel has the method's name."""
        return method_traffic(self.method, self.levels, self.dtype.itemsize, SWEEPS_DOWN + SWEEPS_UP)

    def iterate(self, u: Any, source: Any, n: int) -> Any:
        """n sweeps or V-cycles from ``u``; returns the array with the result.

        That is ``u`` or an array of the solver's, which then keeps ``u`` in its place: go on with what is returned and
        do not touch ``u`` any more. ``source`` stays as it is.
        """
        with self.backend.active():
            self._prepare(source)
            for _ in range(n):
                if self.method == "jacobi":
                    u = self._jacobi(u, source)
                elif self.method == "sor":
                    self._sweep(0, u, source)
                else:
                    self._cycle(u, source)
            if self.singular and n > 0:
                self._remove_mean(u)
        return u

    def residual_norm(self, u: Any, source: Any) -> float:
        """Root mean square of ``s + div(k grad u)``, summed in float64; waits for the device.

        Where no side fixes a value, s is the source without its mean, as the iterations see it.
        """
        with self.backend.active():
            self._prepare(source)
            return float(np.sqrt(self._sum_of_squares(u, source) / self.levels[0].cells))

    def _ghosts_lag(self, level: Level) -> bool:
        """Whether a cell is divided by the diagonal of Jacobi, whose ghosts are those of the sweep before.

        A single cell without a fixed side has no other diagonal.
        """
        return self.method == "jacobi" or (level.singular and level.cells == 1)

    def _cycle(self, u: Any, source: Any) -> None:
        """One V-cycle. Coarse levels solve for the error, from zero and with homogeneous sides."""
        last = len(self.levels) - 1
        unknowns, sources = [u, *self._errors], [source, *self._residuals]
        for level in range(last):
            for _ in range(SWEEPS_DOWN):
                self._sweep(level, unknowns[level], sources[level])
            self._restrict(level, unknowns[level], sources[level], unknowns[level + 1], sources[level + 1])
        self._solve_coarsest(unknowns[last], sources[last])
        for level in reversed(range(last)):
            self._prolong(level, unknowns[level + 1], unknowns[level])
            for _ in range(SWEEPS_UP):
                self._sweep(level, unknowns[level], sources[level])

    _errors: Sequence[Any] = ()
    _residuals: Sequence[Any] = ()
    """Device arrays of the coarse levels."""

    @abstractmethod
    def _prepare(self, source: Any) -> None:
        """Before iterations with ``source``: where no side fixes a value, find the mean to take off it."""

    @abstractmethod
    def _jacobi(self, u: Any, source: Any) -> Any:
        """A sweep from ``u`` into the spare array, which is returned and exchanged for ``u``."""

    @abstractmethod
    def _sweep(self, level: int, u: Any, source: Any) -> None:
        """``u += ω r / diagonal`` in place: first all red cells (x + y + z even), then all black ones."""

    @abstractmethod
    def _restrict(self, level: int, u: Any, source: Any, error: Any, residual: Any) -> None:
        """``residual`` of the next level: the mean of this level's over each coarse cell; ``error`` becomes zero."""

    @abstractmethod
    def _prolong(self, level: int, error: Any, u: Any) -> None:
        """Add the next level's ``error``, interpolated linearly along each axis, to ``u``."""

    @abstractmethod
    def _solve_coarsest(self, error: Any, residual: Any) -> None:
        """``error = A⁻¹ residual`` with the stored inverse."""

    @abstractmethod
    def _sum_of_squares(self, u: Any, source: Any) -> float: ...

    @abstractmethod
    def _remove_mean(self, u: Any) -> None: ...


POISSON = Twins[PoissonSolver](__package__, cpu="cpu:CpuPoisson", cuda="cuda:CudaPoisson")


def _check(
    shape: Sequence[int], conductivity: Array | Interfaces | None, method: str, relaxation: float | None
) -> None:
    if conductivity is not None:
        k = np.asarray(conductivity.cells if isinstance(conductivity, Interfaces) else conductivity)
        if k.shape != tuple(shape):
            raise ProblemError(f"The conductivity has the shape {k.shape}: give one value per cell, {tuple(shape)}.")
        if not (np.isfinite(k).all() and (k > 0).all()):
            raise ProblemError("The conductivity must be a finite number greater than 0 in every cell.")
    if relaxation is not None:
        highest = "at most 1" if method == "jacobi" else "less than 2"
        if not (0 < relaxation <= 1 if method == "jacobi" else 0 < relaxation < 2):
            raise ProblemError(f"The relaxation factor is {relaxation:g}: make it greater than 0 and {highest}.")


def seam_boxes(level: Level) -> list[Box]:
    """The grid in boxes in each of which cells of one colour are no neighbours.

    One box, unless an axis is periodic with an odd number of cells, where first and last have one colour: the last
    layer is then a box of its own.
    """
    pieces = []
    for axis in level.axes:
        odd = axis.acts and axis.wraps and axis.n % 2 == 1 and axis.n > 1
        pieces.append([(0, axis.n - 1), (axis.n - 1, axis.n)] if odd else [(0, axis.n)])
    return [(*x, *y, *z) for z, y, x in product(*reversed(pieces))]
