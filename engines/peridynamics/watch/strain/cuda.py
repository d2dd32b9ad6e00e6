"""Strain and stress on an NVIDIA GPU: launches ``strain.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.peridynamics.cloud.cuda import CudaCloudSolver
from engines.peridynamics.lattice.solver import LatticeSolver
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.strain.solid import Solid
from engines.peridynamics.watch.strain.strains import Strains

SOURCE = Path(__file__).with_name("strain.cu")
THREADS = 256


class CudaLatticeStrains(Strains):
    """Of bonds on a lattice."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, LatticeSolver)
        body, backend = solver.body, self._backend
        self._kernel = _kernel(solver, "strain_lattice")
        offsets = np.zeros((body.family.bonds, 4), np.int32)
        offsets[:, :3], offsets[:, 3] = body.family.offsets, body.layout.steps(body.family.offsets)
        self._bonds = backend.array(offsets), backend.array(self._bond_weights(solver))
        self._material = None if body.mixture is None else backend.array(body.mixture.material)

    def _find(self) -> None:
        solver, arrays, size = self._solver, self._solver.arrays, self._solver.body.size
        dilation = None if self._solid.dilation is None else self._dilation
        self._kernel(
            (-(-size // THREADS),), (THREADS,),
            (
                arrays["u"], arrays["words"], *self._bonds, arrays.get("soft"), arrays.get("history"), self._material,
                self._constants, dilation, self._whole, self.values, np.int32(self.wide),
                np.int32(len(solver.body.words)), np.int32(solver.body.dimensions), np.int64(size),
            ),
        )  # fmt: skip


class CudaPointStrains(Strains):
    """Of irregular points."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        super().__init__(solver, solid)
        assert isinstance(solver, CudaCloudSolver)
        self._points, self._kernel, blend = solver, _kernel(solver, "strain_points"), solver.body.blend
        self._material = None if blend is None else self._backend.array(blend.material)

    def _find(self) -> None:
        solver, size = self._points, self._points.body.size
        starts, local, neighbours, _, lists, list_starts = solver.bonds
        self._kernel(
            (-(-size // THREADS),), (THREADS,),
            (
                solver.arrays["u"], solver.arrays["words"], solver.grid, solver.volume, starts, local, neighbours,
                lists, list_starts, self._material, self._constants, self._whole, self.values, np.int32(self.wide),
                np.int32(solver.body.family.words),
                np.int32(solver.body.dimensions), np.int32(solver.threads if solver.local else 0),
                np.float64(solver.body.family.unit), np.int64(size),
            ),
        )  # fmt: skip


def _kernel(solver: Any, name: str) -> Any:
    return solver.backend.compile(SOURCE, (REAL[solver.dtype.name],)).get_function(name)
