"""Strain and stress on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.peridynamics.cloud.cpu import CpuCloudSolver
from engines.peridynamics.lattice.solver import LatticeSolver
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.strain import cpu_kernels
from engines.peridynamics.watch.strain.solid import Solid
from engines.peridynamics.watch.strain.strains import Strains


class _CpuStrains(Strains):
    def _elastic_of(self, material: Array | None) -> cpu_kernels.Elastic:
        """material: (size,) uint8 where there are several."""
        several, dilated = material is not None, self._solid.dilation is not None
        which = np.zeros(1, np.uint8) if material is None else material
        return cpu_kernels.Elastic(self._constants, several, which, dilated, self._dilation)


class CpuLatticeStrains(_CpuStrains):
    """Of bonds on a lattice."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, LatticeSolver)
        body = solver.body
        self._lattice = solver
        self._bonds = cpu_kernels.Bonds(
            body.family.offsets, body.layout.steps(body.family.offsets), self._bond_weights(solver)
        )
        self._elastic = self._elastic_of(None if body.mixture is None else body.mixture.material)

    def _find(self) -> None:
        solver, arrays = self._lattice, self._lattice.arrays
        softened = cpu_kernels.Softened(False, np.zeros(1, np.uint32), np.zeros((1, 1), solver.dtype))
        if solver.body.law is not None:
            softened = cpu_kernels.Softened(True, arrays["soft"].reshape(-1), arrays["history"])
        cpu_kernels.strain_lattice(
            arrays["u"], arrays["words"].reshape(-1), self._bonds, softened, self._elastic, self._whole, self.values,
            solver.body.places,
        )  # fmt: skip


class CpuPointStrains(_CpuStrains):
    """Of irregular points."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, CpuCloudSolver)
        family, blend = solver.body.family, solver.body.blend
        self._points = cpu_kernels.Points(
            solver.grid, family.unit, family.counts, family.starts, family.neighbours, solver.volume
        )
        self._elastic = self._elastic_of(None if blend is None else blend.material)

    def _find(self) -> None:
        arrays = self._solver.arrays
        cpu_kernels.strain_points(
            arrays["u"], arrays["words"].reshape(-1), self._points, self._elastic, self._whole, self.values
        )
