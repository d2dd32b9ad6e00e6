"""Table 3.1: convergence of the finite volumes on unit cubes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.lab.meshes import cube
from engines.cardiac.lab.published import published
from engines.cardiac.tissue.operator import cell_order
from engines.geometry.meshes.mesh import TetMesh

DIFFUSIVITY, DURATION = 0.01, 1.0
"""With these the thesis' steps and errors come out; it gives the exact solution for a diffusivity of 1."""
BATCH = 500
"""Steps between two looks at whether somebody wants to stop."""


class ConvergenceTable(LabTable):
    id = "convergence"
    title = "Convergence of the finite volumes"
    summary = (
        "Error (eq. 3.11) of explicit steps of eq. 3.6 from cos 2πx cos 2πy cos 2πz, at t = 1 with a diffusivity of "
        "0.01. The work meshed its unit cubes with TetGen; ours are jittered boxes of about as many tetrahedra: "
        "cubes cut into six, inner points moved by up to a fifth of an edge. Order is that from the mesh before."
    )
    columns = (
        Column("Mesh", result=False),
        Column("Cells", digits=8),
        Column("Δx", digits=2),
        Column("Δt", digits=2),
        Column("E", digits=3),
        Column("ln E", digits=3),
        Column("ln Δx", digits=3),
        Column("Order", digits=3),
    )
    published = published("table 3.1")
    sides: tuple[int, ...] = (5, 6, 9, 15, 23, 35, 55, 87)
    """Cubes along an edge: 750 to 3,951,018 tetrahedra where the thesis has 671 to 3,995,489."""
    quick: int = 4
    """As many of them where it must not take long."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        rows: list[Row] = []
        sides = self.sides if thorough else self.sides[: self.quick]
        before: tuple[float, float] | None = None
        for number, side in enumerate(sides):
            mesh = cube(side, 1.0 / side)
            dx = (6 * math.sqrt(2) / mesh.n_cells) ** (1 / 3)
            message = f"Diffusing on {mesh.n_cells:,} cells"

            def part(done: float, number: int = number, message: str = message) -> None:
                progress(message, (number + done) / len(sides))

            dt, error = cosine_error(backend, mesh, part)
            order = None if before is None else math.log(error / before[1]) / math.log(dx / before[0])
            rows.append((str(number + 1), mesh.n_cells, dx, dt, error, math.log(error), math.log(dx), order))
            before = dx, error
        return rows


def cosine_error(
    backend: Backend, mesh: TetMesh, progress: Callable[[float], None] = lambda done: None
) -> tuple[float, float]:
    """``(step, error)`` on a unit cube, in float64: eq. 3.6 and 3.11. ``progress`` is told the share that is done."""
    order, neighbours = cell_order(mesh)
    ordered = mesh.take_cells(order)
    matrix = assemble(ordered, DIFFUSIVITY * np.eye(3), neighbours).matrix
    limit = stable_step(matrix)
    steps = math.ceil(DURATION / limit)
    start = np.cos(2 * np.pi * ordered.centroids).prod(axis=1)
    diffusion = DIFFUSION.open(backend, matrix, DURATION / steps, "float64")
    u, out = backend.array(start), backend.array(start)
    for first in range(0, steps, BATCH):
        progress(first / steps)
        with backend.active():
            for _ in range(first, min(first + BATCH, steps)):
                diffusion.step(u, out)
                u, out = out, u
        backend.synchronize()
    exact = math.exp(-3 * (2 * math.pi) ** 2 * DIFFUSIVITY * DURATION) * start
    difference = backend.to_host(u) - exact
    volumes = ordered.volumes
    return limit, float(np.linalg.norm(volumes * difference) / np.linalg.norm(volumes * exact))
