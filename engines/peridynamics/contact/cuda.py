"""Contact on an NVIDIA GPU: launches ``penetrators.cu`` and ``particles.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.peridynamics.contact.penetrators import EVERY, Penetrators
from engines.peridynamics.contact.repulsion import EVERY as RENEWED
from engines.peridynamics.contact.repulsion import SKIN, Repulsion
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.step.solver import Solver

FOLDER = Path(__file__).parent
THREADS = 256
COLLECTORS = 1024
MOST_BLOCKS = 64
"""Of a launch that pushes: the last block adds up what each of them has found."""
BLOCKS_PER_PROCESSOR = 8


def _module(solver: Solver, name: str, dimensions: int) -> Any:
    return solver.backend.compile(FOLDER / name, (REAL[solver.dtype.name], f"-DDIMENSIONS={dimensions}"))  # type: ignore[attr-defined]  # a backend that compiles


class CudaPenetrators(Penetrators):
    """As :class:`Penetrators`; arrays are CuPy's."""

    def __init__(self, solver: Solver, rigid: Rigid, rest: Any) -> None:
        super().__init__(solver, rigid, rest)
        module = _module(solver, "penetrators.cu", len(rest))
        self._mark, self._collect, self._launch = map(module.get_function, ("mark_near", "collect_near", "push"))
        self._size = solver.body.size
        self._words = -(-self._size // 32)
        self._mask = self.backend.array(np.zeros(self._words, np.uint32))
        self._put_fastest_square(0.0)
        self._blocks = max(1, min(MOST_BLOCKS, -(-self.capacity // THREADS)))
        self._partial = self.backend.array(np.zeros((self.bodies, self._blocks, 8)))
        self._ticket = self.backend.array(np.zeros(1, np.int32))

    def _find(self, row: int) -> None:
        arrays = self.solver.arrays
        self._mark(
            (-(-self._size // THREADS),), (THREADS,),
            (
                arrays["u"], arrays["v"], self._rest, self._shapes, self._states, self._motion[row],
                np.int32(self.bodies), np.int32(EVERY), self._fastest, self._mask, np.int64(self._size),
            ),
        )  # fmt: skip
        self._collect(
            (1,), (COLLECTORS,),
            (self._mask, np.int32(self._words), self._list, np.int32(self.capacity), self._count, self._fastest),
        )  # fmt: skip

    def _fastest_square(self) -> float:
        return float(self.backend.to_host(self._fastest).view(np.float32)[0])

    def _put_fastest_square(self, square: float) -> None:
        self._fastest = self.backend.array(np.array([square, 0.0], np.float32).view(np.int32))

    def _push(self, row: int) -> None:
        arrays = self.solver.arrays
        self._launch(
            (self._blocks,), (THREADS,),
            (
                arrays["u"], arrays["v"], self._rest, self._shapes, self._states, self._motion[row],
                np.int32(self.bodies), self._list, self._count, self.solver.pushes, self._rub,
                np.int32(self.rubbing), self._light, np.int32(len(self._light) > 1), self._partial, self._ticket,
                np.int64(self._size),
            ),
        )  # fmt: skip


class CudaRepulsion(Repulsion):
    """As :class:`Repulsion`; arrays are CuPy's."""

    def __init__(
        self, solver: Solver, body: Discretised, rest: Any, stiffness: float, radius: float, capacity: int
    ) -> None:
        super().__init__(solver, body, rest, stiffness, radius, capacity)
        module = _module(solver, "particles.cu", len(rest))
        names = ("mark_members", "collect_members", "clear_cells", "fill_cells", "find_neighbours", "repel")
        self._kernels = {name: module.get_function(name) for name in (*names, "measure_contact")}
        self._size, self._word_count = solver.body.size, len(body.words)
        self._mask_words = -(-self._size // 32)
        self._mask = self.backend.array(np.zeros(self._mask_words, np.uint32))
        processors = self.backend.multiprocessors  # type: ignore[attr-defined]  # a backend with processors
        self._blocks = max(1, min(-(-capacity // THREADS), BLOCKS_PER_PROCESSOR * processors))

    def _renew(self) -> None:
        arrays, kernels, number = self.solver.arrays, self._kernels, self.solver.dtype.type
        size, capacity, buckets = np.int64(self._size), np.int32(self.capacity), np.int32(self.buckets)
        grid, block = (self._blocks,), (THREADS,)
        kernels["mark_members"](
            (-(-self._size // THREADS),), block,
            (arrays["words"], self._rest, self._near, np.int32(self._word_count), self._mask, self._news, size),
        )  # fmt: skip
        kernels["collect_members"](
            (1,), (COLLECTORS,), (self._mask, np.int32(self._mask_words), self._members, capacity, self._news)
        )
        kernels["clear_cells"](grid, block, (self._head, buckets, self._news))
        kernels["fill_cells"](
            grid, block,
            (
                arrays["u"], self._rest, self._members, capacity, self._reference, self._head, self._next, buckets,
                number(1 / self.width), self._news, size,
            ),
        )  # fmt: skip
        kernels["find_neighbours"](
            grid, block,
            (
                arrays["u"], self._rest, self._members, capacity, self._head, self._next, buckets,
                number(1 / self.width), number(self.width), self._numbers, self._neighbours, np.int32(self.most),
                self._news, size,
            ),
        )  # fmt: skip

    def _repel(self) -> None:
        arrays, number = self.solver.arrays, self.solver.dtype.type
        self._kernels["repel"](
            (self._blocks,), (THREADS,),
            (
                arrays["u"], arrays["v"], self._rest, arrays["words"], self._bits, np.int32(self.reach), self._members,
                np.int32(self.capacity), self._reference, self._numbers, self._neighbours, self._news,
                number(self.stiffness), number(self.radius), number(0.5 * SKIN), np.int32(RENEWED), self._light,
                np.int32(len(self._light) > 1), self.solver.pushes, np.int64(self._size),
            ),
        )  # fmt: skip

    def _measure(self) -> None:
        arrays, number = self.solver.arrays, self.solver.dtype.type
        self._kernels["measure_contact"](
            (self._blocks,), (THREADS,),
            (
                arrays["u"], arrays["v"], self._rest, arrays["words"], self._bits, np.int32(self.reach), self._members,
                np.int32(self.capacity), self._numbers, self._neighbours, self._news, number(self.stiffness),
                number(self.radius), self._energy, np.int64(self._size),
            ),
        )  # fmt: skip
