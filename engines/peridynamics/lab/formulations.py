"""What it costs that bonds are not all alike and brittle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import Column, LabTable, Row
from engines.peridynamics.body.filling import filled
from engines.peridynamics.cloud.body import checked
from engines.peridynamics.cloud.family import cloud_family
from engines.peridynamics.cloud.files import Points
from engines.peridynamics.cloud.solver import POINT_SOLVER, Cloud
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lab.benchmarks import counts_near, sized
from engines.peridynamics.lab.stepping import best_seconds, bonds_in, problem_seconds
from engines.peridynamics.lab.throughput import PLAIN
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.step.scales import Scales

REACH = 3
LAW = {"kind": "exponential", "begins": "stretch", "stretch": 5e-5}
PULLED = 1e-4
"""The stretch of all bonds where all soften: between the law's two ends."""
FEW_STEPS = 20
"""In which waves from the sides leave most bonds as they were pulled."""
JITTER = 0.2
SOFTENING, IRREGULAR = "Softening, every bond has begun to", "Irregular points"
FORMS: dict[str, dict[str, Any]] = {
    "Brittle, all bonds alike": {},
    "Weighted by length (quartic)": {"bonds": {"influence": "quartic"}},
    "Corrected at surfaces": {"bonds": {"surface_correction": True}},
    "Two materials": {"materials": [{"region": {"kind": "half-space", "point": (5, 5, 5)}, "young": 36.0}]},
    "Softening, no bond has begun to": {"material": {"law": LAW}},
    SOFTENING: {"material": {"law": LAW}},
    "State-based": {"bonds": {"theory": "state-based"}},
}


class FormulationTable(LabTable):
    id = "peridynamics-formulations"
    title = "Peridynamic steps by what bonds are"
    summary = (
        "Bonds per second of whole steps with m = 3 in fp32, and how much longer than a brittle one a bond takes. "
        f"Irregular points are a lattice whose points were moved by up to {JITTER} of the spacing along each axis."
    )
    columns = (
        Column("Bonds", result=False),
        Column("2D", "Mbonds/s"), Column("2D, over brittle", "", digits=3),
        Column("3D", "Mbonds/s"), Column("3D, over brittle", "", digits=3),
    )  # fmt: skip
    quick: ClassVar[dict[str, int]] = {"cpu": 100_000, "cuda": 1_000_000}
    thorough: ClassVar[dict[str, int]] = {"cpu": 1_000_000, "cuda": 10_000_000}

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """What the device has no memory for has no figure."""
        particles = (self.thorough if thorough else self.quick)[backend.info.kind]
        found: dict[tuple[str, int], float] = {}
        work = [(name, d) for name in (*FORMS, IRREGULAR) for d in (2, 3)]
        for number, (name, d) in enumerate(work):
            progress(f"Stepping {particles:,} particles in {d}D: {name}", number / len(work))
            try:
                found[name, d] = _per_bond(backend, name, counts_near(particles, d))
            except (WorkbenchError, MemoryError):
                continue
        first = next(iter(FORMS))
        return [
            (name, *(value for d in (2, 3) for value in _figures(found.get((name, d)), found.get((first, d)))))
            for name in (*FORMS, IRREGULAR)
        ]


def _figures(seconds: float | None, brittle: float | None) -> tuple[float | None, float | None]:
    if seconds is None:
        return None, None
    return 1e-6 / seconds, None if brittle is None else seconds / brittle


def _per_bond(backend: Backend, name: str, counts: tuple[int, ...]) -> float:
    """Seconds."""
    if name == IRREGULAR:
        return _irregular(backend, counts)
    problem = sized(counts, **PLAIN | FORMS[name])
    seconds = _pulled_seconds(backend, problem) if name == SOFTENING else problem_seconds(backend, problem)
    return seconds / bonds_in(counts, REACH)


def _pulled_seconds(backend: Backend, problem: Problem) -> float:
    """Of a step in which all bonds are stretched alike, beyond the elastic limit."""
    simulation = PeridynamicsEngine().build(problem, backend)
    try:
        body, state = filled(problem.parameters), simulation.state()  # type: ignore[arg-type]  # as sized() makes them
        d = body.dimensions
        state["u"][:, Layout(body.counts, REACH, d).places(body.cells)] = PULLED * body.cells[:, :d].T
        return best_seconds(
            simulation.advance, simulation.synchronize, FEW_STEPS, lambda: simulation.restore(state)
        )  # fmt: skip
    finally:
        simulation.close()


def _irregular(backend: Backend, counts: tuple[int, ...]) -> float:
    """Seconds per bond of a step of points at rest."""
    d = len(counts)
    lattice = np.indices(counts, float).reshape(d, -1).T
    moved = lattice + np.random.default_rng(1).uniform(-JITTER, JITTER, lattice.shape)
    kin = cloud_family(checked(Points(moved, None), 1.0, REACH), "float32", True)
    words = np.zeros((kin.words, kin.size), np.uint32)
    for column in range(int(kin.counts.max())):
        words[column // WORD, kin.counts > column] |= np.uint32(1 << column % WORD)
    places = np.arange(len(kin.order), dtype=np.int32)
    body = Cloud(
        places, kin.counts.astype(float), np.zeros(kin.size, np.uint8), Scales(1.0, 1.0, 1.0), kin, words, words,
        kin.scale / kin.largest, 1.0,
    )  # fmt: skip
    solver = POINT_SOLVER.open(backend, body, "float32")

    def advance(steps: int) -> None:
        with backend.active():
            solver.advance(np.zeros((steps, 1, 4, d)), False)

    return best_seconds(advance, backend.synchronize) / (kin.bonds / 2)
