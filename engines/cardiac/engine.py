"""The cardiac engine: the monodomain equation with TT06 cells on a tetrahedral mesh.

Method: cell-centred finite volumes in space (``diffusion/README.md``), Godunov splitting in time, forward
Euler for diffusion, lightweight Rush-Larsen for the cells (``cells/README.md``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Engine, Estimate, Finding, Problem, Progress, no_progress
from engines.backend.base import Backend
from engines.cardiac.cells import make_tissue, reaction_rate
from engines.cardiac.cells.tt06 import ROWS, CellType
from engines.cardiac.diffusion import DiffusionOperator, assemble, make_diffusion
from engines.cardiac.diffusion.ell import WIDTH
from engines.cardiac.diffusion.tensors import conductivity_tensors, diffusivity
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Sphere, Stimulus
from engines.cardiac.simulation import CardiacSimulation
from engines.cardiac.stimulus import protocol, region_ids
from engines.errors import ProblemError
from engines.geometry.mesh import TetMesh
from engines.geometry.ordering import cell_order


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
        regions = [RegionSetting(region=name, cell_type=_cell_type(name)) for name in geometry.region_names.values()]
        low, high = geometry.centroids.min(axis=0), geometry.centroids.max(axis=0)
        start = geometry.centroids[np.argmin(np.linalg.norm(geometry.centroids - low, axis=1))]
        center = tuple(round(float(x), 3) for x in start)
        radius = round(float(max(0.05 * np.linalg.norm(high - low), 2 * geometry.volumes.max() ** (1 / 3))), 3)
        return CardiacParameters(
            regions=regions,
            stimuli=[Stimulus(name="S1", site=Sphere(center=center, radius=radius))],
        )

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, mesh = _checked(problem)
        operator = _operator(mesh, parameters)
        numerics = parameters.numerics
        protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        size = 4 if numerics.precision == "fp32" else 8
        diffusion_bytes = mesh.n_cells * (WIDTH * (4 + size) + 2 * size)
        reaction_bytes = mesh.n_cells * ((2 * len(ROWS) + 3) * size + 1)
        findings = []
        limited = int((operator.correction < 1.0).sum())
        if limited:
            findings.append(
                Finding(f"{limited} of {mesh.n_cells} cells are badly shaped and use weaker gradients.", "info")
            )
        step_seconds = diffusion_bytes / backend.ceilings().copy + max(
            reaction_bytes / backend.ceilings().copy, mesh.n_cells / reaction_rate(backend, numerics.precision)
        )
        return Estimate(
            memory_bytes=mesh.n_cells * (WIDTH * (4 + size) + (len(ROWS) + 4) * size + 13),
            bytes_per_step=diffusion_bytes + reaction_bytes,
            step=numerics.step,
            stable_step=operator.stable_step,
            seconds_per_simulated_unit=step_seconds / numerics.step,
            milestone=("beat", 1000.0),
            findings=tuple(findings),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> CardiacSimulation:
        parameters, mesh = _checked(problem)
        numerics = parameters.numerics
        progress("Assembling the diffusion operator", 0.1)
        operator = _operator(mesh, parameters)
        _check_step(numerics.step, operator.stable_step)
        progress("Placing stimuli", 0.7)
        plan = protocol(parameters.stimuli, parameters.tissue, mesh, numerics.step)
        precision = "float32" if numerics.precision == "fp32" else "float64"
        progress(f"Moving {mesh.n_cells:,} cells to {backend.info.name}", 0.8)
        order = operator.order
        diffusion = make_diffusion(backend, operator.matrix, numerics.step, precision)
        tissue = make_tissue(
            backend,
            _cell_types(mesh, parameters)[order],
            plan.mask[order],
            precision=precision,
            start="initial" if numerics.initial_state == "published" else "limit_cycle_1Hz",
            threshold=numerics.activation_threshold,
        )
        progress("Ready", 1.0)
        return CardiacSimulation(backend, mesh, order, diffusion, tissue, plan, numerics.step)
