"""Strain and stress on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

import numpy as np

from engines.peridynamics.cloud.cpu import CpuCloudSolver
from engines.peridynamics.lattice.solver import LatticeSolver
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.strain import cpu_kernels
from engines.peridynamics.watch.strain.solid import Solid
from engines.peridynamics.watch.strain.strains import Strains


class CpuLatticeStrains(Strains):
    """Of bonds on a lattice."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, LatticeSolver)
        body = solver.body
        self._lattice, self._weights = solver, self._bond_weights(solver)
        self._steps = body.layout.steps(body.family.offsets)
        self._material = np.zeros(1, np.uint8) if body.mixture is None else body.mixture.material

    def _find(self) -> None:
        solver, body = self._lattice, self._lattice.body
        arrays, softens = solver.arrays, body.law is not None
        cpu_kernels.strain_lattice(
            arrays["u"], arrays["words"].reshape(-1), body.family.offsets, self._steps, self._weights, softens,
            arrays["soft"].reshape(-1) if softens else np.zeros(1, np.uint32),
            arrays["history"] if softens else np.zeros((1, 1), solver.dtype), body.mixture is not None, self._material,
            self._constants, self._solid.dilation is not None, self._dilation, self._whole, self.values, body.places,
        )  # fmt: skip


class CpuPointStrains(Strains):
    """Of irregular points."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, CpuCloudSolver)
        self._points, blend = solver, solver.body.blend
        self._material = np.zeros(1, np.uint8) if blend is None else blend.material

    def _find(self) -> None:
        solver, family = self._points, self._points.body.family
        cpu_kernels.strain_points(
            solver.arrays["u"], solver.arrays["words"].reshape(-1), solver.grid, family.unit, family.counts,
            family.starts, family.neighbours, solver.volume, solver.body.blend is not None, self._material,
            self._constants, self._whole, self.values,
        )  # fmt: skip
