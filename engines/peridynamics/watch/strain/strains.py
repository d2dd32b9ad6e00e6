"""Strain and stress of the particles of a solver: what both backends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.fields.beyond import LARGEST
from engines.backend.twins import Twins
from engines.peridynamics.lattice.solver import LatticeSolver
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.strain.rows import Found
from engines.peridynamics.watch.strain.solid import ROWS, Solid


class Strains(ABC):
    """After :meth:`find`, ``values: (rows, size)`` has what ``solid.ROWS`` names, NaN where too few bonds hold to tell.
    There is memory for it from the first time on, and for components of stress from when one is asked for: ``wide``."""

    def __init__(self, solver: Solver, solid: Solid) -> None:
        self._solver, self._solid, self._backend = solver, solid, solver.backend
        self._constants = self._backend.array(solid.constants)
        self._dilation = self._backend.array(np.zeros(1) if solid.dilation is None else solid.dilation)
        self._whole = solver.whole
        self.values: Any = None
        self.wide = False

    def widen(self, name: str) -> bool:
        """Have room for a row of ``ROWS``; whether all has to be found anew."""
        if self.wide or ROWS[name] < Found.XX:
            return False
        self.wide, self.values = True, None
        return True

    def find(self) -> None:
        """Inside ``backend.active``."""
        if self.values is None:
            rows = len(ROWS) if self.wide else self._solid.rows
            nothing = np.full((rows, self._solver.body.size), np.nan, self._solver.dtype)
            self.values = self._backend.array(nothing)
        self._find()

    def beyond(self) -> int | None:
        """A place whose strain or stress is too large for float32, in which viewers get them. Inside of the same."""
        large = (abs(self.values[: Found.DILATATION]) > LARGEST).any(axis=0)  # NaN is not
        return int(large.argmax()) if large.any() else None

    @abstractmethod
    def _find(self) -> None:
        """Fill ``values``."""

    def _bond_weights(self, solver: LatticeSolver) -> Array:
        """(bonds,) float64 with which bonds count."""
        return solver.body.bond_weights if self._solid.influence is None else self._solid.influence


OF_LATTICES = Twins[Strains](__package__, cpu="cpu:CpuLatticeStrains", cuda="cuda:CudaLatticeStrains")
OF_POINTS = Twins[Strains](__package__, cpu="cpu:CpuPointStrains", cuda="cuda:CudaPointStrains")


def strains_on(solver: Solver, solid: Solid) -> Strains:
    """Of the solver's own kind of bonds, on its device."""
    twins = OF_LATTICES if isinstance(solver, LatticeSolver) else OF_POINTS
    found: Strains = twins.on(solver.backend)(solver, solid)
    return found
