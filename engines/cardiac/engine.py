"""The cardiac engine: the monodomain equation with TT06 cells on a tetrahedral mesh.

Method: cell-centred finite volumes in space (``diffusion/README.md``), Godunov splitting in time, forward
Euler for diffusion, lightweight Rush-Larsen for the cells (``cells/README.md``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array, Benchmark, Engine, Estimate, Finding, Problem, Progress, no_progress
from engines.backend.base import Backend
from engines.cardiac.cells import make_tissue
from engines.cardiac.cells.tt06 import ROWS, CellType
from engines.cardiac.diffusion import make_diffusion
from engines.cardiac.diffusion.ell import WIDTH
from engines.cardiac.operator import tissue_operator
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Sphere, Stimulus
from engines.cardiac.simulation import CardiacSimulation
from engines.cardiac.speed import reaction_seconds
from engines.cardiac.stimulus import protocol, region_ids
from engines.errors import ProblemError
from engines.geometry.box import box_mesh
from engines.geometry.mesh import TetMesh

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
STARTS = {"published": "initial", "paced at 1 Hz": "limit_cycle_1Hz"}
CELL_TYPES = {"epi": CellType.EPI, "endo": CellType.ENDO, "M": CellType.M}


class CardiacEngine(Engine):
    """Electrical activity of heart tissue: depolarisation fronts on a tetrahedral mesh."""

    id = "cardiac"
    title = "Cardiac monodomain"
    summary = "Action potentials that travel through heart tissue with fibres"
    time_unit = "ms"
    Parameters = CardiacParameters
    geometry_type = TetMesh

    def default_parameters(self, geometry: TetMesh) -> CardiacParameters:
        """Cell types by the regions' names, and one stimulus at the lowest corner of the mesh."""
        low, high = geometry.centroids.min(axis=0), geometry.centroids.max(axis=0)
        start = geometry.centroids[np.argmin(np.linalg.norm(geometry.centroids - low, axis=1))]
        radius = max(0.05 * float(np.linalg.norm(high - low)), 2.0 * float(geometry.volumes.max()) ** (1 / 3))
        x, y, z = (round(float(value), 3) for value in start)
        return CardiacParameters(
            regions=[
                RegionSetting(region=name, cell_type=_type_by_name(name)) for name in geometry.region_names.values()
            ],
            stimuli=[Stimulus(name="S1", site=Sphere(center=(x, y, z), radius=round(radius, 3)))],
        )

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, mesh = _checked(problem)
        operator = tissue_operator(mesh, parameters)
        numerics = parameters.numerics
        protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        size = np.dtype(PRECISIONS[numerics.precision]).itemsize
        diffusion_bytes = mesh.n_cells * (WIDTH * (4 + size) + 2 * size)
        reaction_bytes = mesh.n_cells * ((2 * len(ROWS) + 3) * size + 1)
        seconds = diffusion_bytes / backend.ceilings().copy
        seconds += mesh.n_cells * reaction_seconds(backend, PRECISIONS[numerics.precision])
        return Estimate(
            memory_bytes=mesh.n_cells * (WIDTH * (4 + size) + (len(ROWS) + 3) * size + 5),
            bytes_per_step=diffusion_bytes + reaction_bytes,
            step=numerics.step,
            stable_step=operator.stable_step,
            seconds_per_simulated_unit=seconds / numerics.step,
            milestone=("beat", 1000.0),
            findings=_findings(mesh, parameters, operator.limited_cells),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> CardiacSimulation:
        parameters, mesh = _checked(problem)
        numerics = parameters.numerics
        operator = tissue_operator(mesh, parameters, progress)
        if numerics.step > operator.stable_step:
            raise ProblemError(
                f"The time step of {numerics.step:g} ms is above the stable limit of this mesh and tissue: "
                f"use at most {_floor(operator.stable_step):g} ms."
            )
        progress("Placing stimuli", 0.8)
        plan = protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        progress(f"Moving {mesh.n_cells:,} cells to {backend.info.name}", 0.9)
        precision = PRECISIONS[numerics.precision]
        order = operator.order
        tissue = make_tissue(
            backend,
            _cell_types(mesh, parameters)[order],
            plan.mask[order],
            precision=precision,
            start=STARTS[numerics.initial_state],
            threshold=numerics.activation_threshold,
        )
        diffusion = make_diffusion(backend, operator.matrix, numerics.step, precision)
        progress("Compiling kernels", 0.95)
        return CardiacSimulation(backend, mesh, order, diffusion, tissue, plan, numerics.step)

    def warm(self, backend: Backend) -> None:
        """One step of a small box in each precision."""
        for precision in ("fp32", "fp64"):
            problem = _box_problem(2_000, precision)
            self.estimate(problem, backend)
            simulation = self.build(problem, backend)
            simulation.advance(1)
            simulation.synchronize()
            simulation.close()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Jittered boxes of tetrahedra at 0.5 mm with fibres, in both precisions."""
        return [
            Benchmark(f"{size:,} tetrahedra {precision}", size, _BoxProblem(size, precision))
            for size in elements or (1_000_000, 10_000_000)
            for precision in ("fp32", "fp64")
        ]
