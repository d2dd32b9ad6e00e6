"""The engine's own steps as variants: what a step from rest makes of v is the force."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Inputs, Prepared, Resources
from engines.backend.lab.variants import kernel_resources
from engines.peridynamics.cloud.body import checked
from engines.peridynamics.cloud.cuda import CudaCloudSolver
from engines.peridynamics.cloud.family import CloudFamily, cloud_family
from engines.peridynamics.cloud.files import Points
from engines.peridynamics.cloud.solver import POINT_SOLVER, Cloud
from engines.peridynamics.lab.variants.inputs import REACH, dimensions_of, intact, offsets, order
from engines.peridynamics.lab.variants.packing import places
from engines.peridynamics.lattice.cuda import CudaSolver
from engines.peridynamics.lattice.family import WORD, family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.lattice.solver import LATTICE_SOLVER, Discretised
from engines.peridynamics.step.scales import Scales
from engines.peridynamics.step.solver import Solver

NEVER = 1e30
"""A limit that no bond comes to; kernels compare with it all the same."""
UNIT = Scales(1.0, 1.0, 1.0)
SIDE = 2 * REACH + 1
DIGITS = SIDE ** np.arange(3)
"""An offset is a number of three digits: its coordinates times these."""


def lattice_body(inputs: Inputs) -> Discretised:
    """Of unit stiffness."""
    d, (nx, ny, nz) = dimensions_of(inputs), (int(count) for count in inputs["counts"])
    kin, layout = family(d, REACH), Layout((nx, ny, nz), REACH, d)
    cells = np.zeros((inputs["u"].shape[1], 3), np.int64)
    cells[:, :d] = places(inputs).T
    at = layout.places(cells)
    words = np.zeros((kin.words, layout.size), np.uint32)
    for bond, bit in enumerate(order(d)):
        words[bit // WORD, at] |= intact(inputs, bond).astype(np.uint32) << np.uint32(bit % WORD)
    whole, kind = np.zeros(layout.size), np.zeros(layout.size, np.uint8)
    whole[at] = kin.bonds
    return Discretised(at, whole, kind, UNIT, layout, kin, words, words, 1.0, NEVER)


def cloud_body(inputs: Inputs) -> Cloud:
    """The same particles as irregular points: in Hilbert order, with lists and weights."""
    points = Points(places(inputs).T.astype(float), None)
    kin = cloud_family(checked(points, 1.0, REACH), "float32", False)
    at = np.empty(len(kin.order), np.int32)
    at[kin.order] = np.arange(len(kin.order), dtype=np.int32)
    words, kind = _words(kin, inputs), np.zeros(kin.size, np.uint8)
    stiffness = kin.scale / kin.corrections[0]  # weights are those of a solid; the study's bonds weigh 1
    return Cloud(at, kin.counts.astype(float), kind, UNIT, kin, words, words, stiffness, NEVER)


def _words(kin: CloudFamily, inputs: Inputs) -> Array:
    """(words, size) uint32, a bit for each column of the family whose bond is intact."""
    d = dimensions_of(inputs)
    bond_of = np.zeros(SIDE**3, np.int64)
    bond_of[(offsets(d) + REACH) @ DIGITS] = np.arange(len(offsets(d)))
    code = places(inputs).astype(np.int64).T[kin.order] @ DIGITS[:d]
    words = np.zeros((kin.words, kin.size), np.uint32)
    for column in range(int(kin.counts.max())):
        mine, at = kin.column(column)
        bond = bond_of[code[kin.neighbours[at]] - code[mine] + REACH * int(DIGITS.sum())]
        known = inputs["words"][bond // WORD, kin.order[mine]]
        holds = known >> (bond % WORD).astype(np.uint32) & np.uint32(1)
        words[column // WORD, mine] |= holds << np.uint32(column % WORD)
    return words


class StepPrepared(Prepared):
    """Steps from the study's displacement, which stays as it is; velocities grow from launch to launch."""

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, kind: str) -> None:
        """kind: "lattice" or "cloud"."""
        self._backend = backend
        body = lattice_body(inputs) if kind == "lattice" else cloud_body(inputs)
        self._solvers = [_made(backend, body) for _ in range(sets)]
        self._places = body.places
        displaced = np.zeros((body.dimensions, body.size), np.float32)
        displaced[:, body.places] = inputs["u"]
        for solver in self._solvers:
            solver.arrays["u"] = backend.array(displaced)
        nothing = np.zeros((1, 1, 4, body.dimensions), np.float32)
        self._tables = [solver._prepared(nothing) for solver in self._solvers]
        self.set_bytes = 3 * displaced.nbytes + 2 * body.words.nbytes + body.kind.nbytes
        if isinstance(body, Cloud):
            self.set_bytes += 4 * len(body.family.neighbours)

    def launch(self, index: int) -> None:
        solver = self._solvers[index]
        solver._step(self._tables[index], 0, 1.0, 1.0)
        if isinstance(solver, CudaCloudSolver):  # which keeps the displacement twice
            solver._records, solver._spare_records = solver._spare_records, solver._records

    def poison(self, index: int) -> None:
        """At rest: what is not written has no force."""
        with self._backend.active():
            self._solvers[index].arrays["v"].fill(0)

    def result(self, index: int) -> Array:
        return self._backend.to_host(self._solvers[index].arrays["v"])[:, self._places]

    def resources(self) -> Resources | None:
        solver, cuda = self._solvers[0], self._backend
        block: tuple[int, ...]
        if isinstance(solver, CudaSolver):
            block = solver._block
        elif isinstance(solver, CudaCloudSolver):
            block = (solver.threads,)
        else:
            return None
        return kernel_resources(cuda, solver._advance, block, solver._shared)  # type: ignore[arg-type]  # a GPU

    def close(self) -> None:
        self._solvers, self._tables = [], []


def _made(backend: Backend, body: Discretised | Cloud) -> Solver:
    twins = LATTICE_SOLVER if isinstance(body, Discretised) else POINT_SOLVER
    return twins.open(backend, body, "float32")
