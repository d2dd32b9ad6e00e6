"""Contact on the CPU: the kernels of ``cpu_kernels.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.peridynamics.contact import cpu_kernels
from engines.peridynamics.contact.penetrators import EVERY, Penetrators
from engines.peridynamics.contact.repulsion import EVERY as RENEWED
from engines.peridynamics.contact.repulsion import SKIN, Repulsion
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.contact.rows import News
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.step.solver import Solver

CHUNKS = 16
"""Parts of a list whose sums are added up in order: results do not depend on how many cores there are."""


class CpuPenetrators(Penetrators):
    """As :class:`Penetrators`; arrays are NumPy's."""

    def __init__(self, solver: Solver, rigid: Rigid, rest: Any) -> None:
        super().__init__(solver, rigid, rest)
        self._near = np.zeros(solver.body.size, np.uint8)
        self._fastest = np.zeros(CHUNKS + 1)
        self._partial = np.zeros((self.bodies, CHUNKS, 8))

    def _find(self, row: int) -> None:
        arrays = self.solver.arrays
        cpu_kernels.mark_near(
            arrays["u"], arrays["v"], self._rest, self._shapes, self._states, self._motion[row], EVERY, self._fastest,
            self._near, CHUNKS,
        )  # fmt: skip
        found = np.flatnonzero(self._near)
        self._list[: len(found)] = found
        self._count[0] = len(found)
        self._fastest[CHUNKS] = self._fastest[:CHUNKS].max()

    def _fastest_square(self) -> float:
        return float(self._fastest[CHUNKS])

    def _put_fastest_square(self, square: float) -> None:
        self._fastest[CHUNKS] = square

    def _push(self, row: int) -> None:
        arrays = self.solver.arrays
        cpu_kernels.push(
            arrays["u"], arrays["v"], self._rest, self._shapes, self._states, self._motion[row],
            self._list[: self._count[0]], self.solver.pushes, self._rub, self.rubbing, self._light, self._partial,
        )  # fmt: skip


class CpuRepulsion(Repulsion):
    """As :class:`Repulsion`; arrays are NumPy's."""

    def __init__(
        self, solver: Solver, body: Discretised, rest: Any, stiffness: float, radius: float, capacity: int
    ) -> None:
        super().__init__(solver, body, rest, stiffness, radius, capacity)
        self._open = np.zeros(solver.body.size, np.uint8)
        self._moved, number = np.zeros(CHUNKS, np.uint8), solver.dtype.type
        self._springs = cpu_kernels.Springs(
            self._bits, self.reach, number(stiffness), number(radius), number(0.5 * SKIN), RENEWED
        )
        self._lists = cpu_kernels.Lists(self._numbers, self._neighbours, self._reference)

    def _renew(self) -> None:
        arrays, number = self.solver.arrays, self.solver.dtype.type
        cpu_kernels.mark_members(arrays["words"], self._rest, self._near, self._open)
        found = int(np.count_nonzero(self._open))
        if found == self._news[News.MEMBERS] and not self._news[News.MOVED]:
            return
        self._news[News.MEMBERS], self._news[News.MOVED] = found, 0
        count = min(found, self.capacity)
        self._members[:count] = np.flatnonzero(self._open)[:count]
        crowd = cpu_kernels.find_neighbours(
            arrays["u"], self._rest, self._members[:count], self._head, self._next, number(1 / self.width),
            number(self.width), self._reference, self._numbers, self._neighbours,
        )  # fmt: skip
        self._news[News.CROWD] = max(self._news[News.CROWD], crowd)

    def _repel(self) -> None:
        self._moved[:] = 0
        self._run(False)
        self._news[News.MOVED] |= self._moved.any()

    def _measure(self) -> None:
        self._run(True)

    def _run(self, measuring: bool) -> None:
        arrays = self.solver.arrays
        cpu_kernels.repel(
            arrays["u"], arrays["v"], self._rest, arrays["words"], self._springs, self._lists,
            self._members[: min(int(self._news[News.MEMBERS]), self.capacity)], self._moved, self._energy,
            self.solver.pushes, self._light, measuring,
        )  # fmt: skip
