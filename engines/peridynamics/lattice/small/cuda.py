"""Launches ``steps.cu``: many steps of a body, or of bodies that lie one behind the other, in one launch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.tuning import tune, tuning_key
from engines.peridynamics.lattice.small.arranging import ONE_BY_ONE, Arrangement, arrangements

if TYPE_CHECKING:
    from engines.peridynamics.lattice.cuda import CudaSolver

SOURCE = Path(__file__).with_name("steps.cu")
MOST_PARTICLES = 1 << 17
"""Of a body that takes many steps in a launch. Beyond, a launch costs little of a step's time."""
WORTH_MEASURING = 1000
"""Particles from which on arrangements are measured."""
TRIED_STEPS = 16


class ManySteps:
    """Of ``bodies`` that ``solver`` has, each as its layout says; ``path``: ``steps.cu`` with the law in use.

    Nothing of the solver is kept; its arrays are asked for at each launch.
    """

    def __init__(self, solver: CudaSolver, bodies: int, path: Path, macros: tuple[str, ...], most_threads: int) -> None:
        backend: Any = solver.backend
        self._backend = backend
        layout = solver.body.layout
        self.bodies, self._layout = bodies, layout
        self._compiled = lambda together: backend.compile(path, macros, cooperative=together).get_function("step_many")
        self._kernels: dict[bool, Any] = {}
        self._counters = backend.array(np.zeros((bodies, 2), np.uint32))
        self._unbreakable = backend.array(np.zeros_like(solver.body.breakable))
        given = np.tile([solver.body.stiffness, solver.body.limit], (bodies, 1)).astype(solver.dtype)
        self._materials = backend.array(given)
        self._known: dict[tuple[int, bool], Any] = {}
        """Orders of a body alone, on the device."""
        stored = layout.dimensions + solver.general
        possible = arrangements(
            layout,
            bodies,
            solver.dtype.itemsize,
            stored,
            backend.multiprocessors,
            most_threads,
            self._resident(backend),
        )
        self.arrangement = possible[0]
        if len(solver.body.places) >= WORTH_MEASURING:
            possible += [ONE_BY_ONE] * (bodies == 1)
            extras = " ".join(str(int(each)) for each in (solver.body.paired, solver.body.weights is not None))
            name = f"many steps {bodies} {'x'.join(map(str, layout.counts))} {extras}"
            key = tuning_key(name, backend.info, SOURCE, len(solver.body.places), macros)
            self.arrangement = tune(key, possible, lambda one: self._seconds(solver, one))

    @property
    def useful(self) -> bool:
        """Whether steps are faster than in a launch each."""
        return self.arrangement != ONE_BY_ONE

    def _kernel(self, together: bool, shared: int) -> Any:
        """With so many bytes of shared memory. together: its blocks may wait for each other."""
        together = together or self.bodies == 1  # one kernel is enough for a body alone
        if together not in self._kernels:
            self._kernels[together] = self._compiled(together)
        self._backend.allow_shared(self._kernels[together], shared)
        return self._kernels[together]

    def _resident(self, backend: Any) -> Any:
        known: dict[tuple[int, int], int] = {}

        def resident(threads: int, shared: int) -> int:
            if (threads, shared) not in known:
                known[threads, shared] = backend.resident_blocks(self._kernel(True, shared), threads, shared)
            return known[threads, shared]

        return resident

    def _seconds(self, solver: CudaSolver, arrangement: Arrangement) -> float:
        """Of a few steps of bodies at rest, which change nothing."""
        backend: Any = solver.backend
        if arrangement == ONE_BY_ONE:
            return float(backend.elapsed(lambda: solver.rest(TRIED_STEPS)))
        kinds, d = int(solver.body.kind.max()) + 1, solver.body.dimensions
        table = np.zeros((self.bodies, TRIED_STEPS, kinds, 4, d), solver.dtype)
        table[:, :, 0, 0, :2] = 1
        given = backend.array(table)
        orders = backend.array(np.tile(np.array([0, TRIED_STEPS, 1], np.int32), (self.bodies, 1)))
        return float(backend.elapsed(lambda: self._launch(solver, arrangement, given, orders)))

    def take_materials(self, backend: Any, materials: Array) -> None:
        """``(bodies, 2)`` stiffness and limit of each body, where they differ."""
        self._materials = backend.array(materials)

    def advance(self, solver: CudaSolver, table: Array, paces: Array, breaks: bool) -> None:
        """Of a body alone: a step for each row of ``table: (steps, kinds, 4, d)``, with its kick and decay in ``paces:
        (steps, 2)``."""
        orders = self._known.get((len(table), breaks))
        if orders is None:
            orders = solver.backend.array(np.array([[0, len(table), int(breaks)]], np.int32))
            self._known[len(table), breaks] = orders
        self.launch(solver, solver.backend.array(with_paces(table, paces).astype(solver.dtype)[None]), orders)

    def launch(self, solver: CudaSolver, table: Any, orders: Any) -> None:
        """``table``, ``orders`` on the device, as in ``steps.cu``."""
        self._launch(solver, self.arrangement, table, orders)

    def _launch(self, solver: CudaSolver, shape: Arrangement, table: Any, orders: Any) -> None:
        arrays, layout = solver.arrays, self._layout
        self._kernel(shape.group > 1, shape.shared)(
            (self.bodies * shape.group,), (shape.threads,),
            (
                arrays["u"], solver.spare, arrays["v"], arrays["words"], solver.weak, self._unbreakable, solver.kind,
                table, np.int32(table.shape[1]), np.int32(table.shape[2]), orders, self._materials,
                *solver.of_bonds, arrays["work"], arrays["loss"], arrays["damped"],
                *(np.int32(number) for number in (*layout.counts, layout.pitch, layout.rows)),
                np.int64(layout.base), np.int64(layout.size), np.int64(solver.body.size), np.int32(shape.columns),
                np.int32(shape.span), np.int32(shape.group), self._counters, *solver.of_kind,
            ),
            shared_mem=shape.shared,
        )  # fmt: skip


def with_paces(table: Array, paces: Array) -> Array:
    """A copy of ``table: (…, kinds, 4, d)`` with kick and decay, ``paces: (…, 2)``, where free particles have none."""
    found = table.copy()
    found[..., 0, 0, :2] = paces
    return found
