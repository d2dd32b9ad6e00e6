"""What a run is watched by: sums over all particles at a moment, in one pass, and sums over lists of particles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.peridynamics.step.members import Own
from engines.peridynamics.step.solver import Body, Solver

NOWHERE = -1e30
"""[mm] the farthest damaged particle where none is."""


@dataclass(frozen=True)
class Sums:
    """In the units of the body's scales, over all particles.

    work, damped, loss: as the solver's arrays; elastic: of the bonds; ahead, rubbed: what loads do and damping takes
    in the half step to this moment (without (1 − decay)/(1 + decay)); momentum_squares: Σ m v⁻·v⁺ with the velocities
    half a step before and after; intact: bonds that hold, each counted at both ends; farthest [mm]: see
    :class:`Totals`.
    """

    work: float
    damped: float
    loss: float
    elastic: float
    ahead: float
    rubbed: float
    momentum_squares: float
    intact: float
    farthest: float

    @property
    def tip(self) -> float:
        """[mm] the farthest damaged particle; NaN where none is."""
        return self.farthest if self.farthest > 0.5 * NOWHERE else float("nan")


class Totals(ABC):
    """Looks at all particles of ``solver``.

    along: (n,) [mm] of the particles in the way of the crack; threshold: the part of its stiffness that a particle has
    lost which counts for the farthest.
    """

    def __init__(self, solver: Solver, along: Array, threshold: float) -> None:
        self._solver, self._threshold = solver, threshold
        placed = np.full(solver.body.size, NOWHERE)
        placed[solver.body.places] = along
        self._along = solver.backend.array(placed.astype(solver.dtype))

    def read(self, table: Array | None = None, decay: float = 1.0) -> Sums:
        """At this moment, with ``find_damage`` done.

        table: (kinds, 4, d) of this moment, in a run that has begun: velocities are half a step old then, and what the
        forces add in half a step, at a ``decay`` of velocities in a step, is put on top; that and ``elastic`` need
        ``measure``.
        """
        solver, begun = self._solver, table is not None
        given = np.zeros((1, 4, solver.body.dimensions)) if table is None else np.ascontiguousarray(table, np.float64)
        with solver.backend.active():
            found = self._sums(given, begun, decay)
        found[:-1], found[-1] = solver.own.total(found[:-1]), solver.own.largest(float(found[-1]))
        return Sums(*found.tolist())

    @abstractmethod
    def _sums(self, table: Array, begun: bool, decay: float) -> Array:
        """(9,) float64 in the order of :class:`Sums`."""


class Read(Protocol):
    """What sums over lists need of a solver."""

    own: Own

    @property
    def body(self) -> Body: ...
    @property
    def backend(self) -> Backend: ...
    @property
    def arrays(self) -> Mapping[str, Any]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def kick_values(self) -> Any: ...
    @property
    def mass(self) -> Any: ...
    @property
    def volume(self) -> Any: ...


class ListSums(ABC):
    """Sums of displacements (axis 0 to 2) or of the forces of bonds (axis + 3) over each of ``lists`` of places."""

    def __init__(self, solver: Read, axes: list[int], lists: list[Array]) -> None:
        self._solver, self._axes, self._lists = solver, axes, lists

    @abstractmethod
    def read(self) -> Array:
        """(lists,) float64, with ``measure`` done."""


TOTALS = Twins[Totals](__package__, cpu="cpu:CpuTotals", cuda="cuda:CudaTotals")
LIST_SUMS = Twins[ListSums](__package__, cpu="cpu:CpuListSums", cuda="cuda:CudaListSums")


def totals_of(solver: Solver, along: Array, threshold: float) -> Totals:
    """On the solver's device."""
    found: Totals = TOTALS.on(solver.backend)(solver, along, threshold)
    return found


def sums_over(solver: Read, axes: list[int], lists: list[Array]) -> ListSums:
    """On the solver's device."""
    found: ListSums = LIST_SUMS.on(solver.backend)(solver, axes, lists)
    return found
