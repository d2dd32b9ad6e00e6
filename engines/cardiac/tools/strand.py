"""The speed of a front in a strand of tissue: what a mesh of some fineness makes of conductivities.

A cell-centred scheme conducts slower on a coarse mesh, so a velocity belongs to conductivities, cells, time step and
edge length together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Problem, Progress, Simulation, no_progress
from engines.api.device import Backend
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Box, CardiacParameters, RegionSetting, Stimulus
from engines.cardiac.tissue.operator import TissueOperator, tissue_operator
from engines.cardiac.tissue.placed import EVERYWHERE
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

WIDTH = 3
"""Cubes across: fewer have no cell away from the sides, more take longer and change the velocity by under 1 %."""
SHORTEST, LEAST_CUBES = 10.0, 30
"""Length of a strand: so many mm, and so many cubes. A front has its shape after 2 to 3 mm."""
JITTER = 0.15
"""Share of the edge by which inner points are moved, for meshes of hearts are not regular either."""
BETWEEN = (0.35, 0.85)
"""Part of the strand's length in which the velocity is measured: away from the stimulus and from the end."""
SLOWEST = 0.25
"""A front slower than this share of the expected velocity is not waited for."""
CHUNK = 1.0
"""Simulated time [ms] between two looks at the front."""


@dataclass(frozen=True)
class Strand:
    """Tissue like that of ``parameters`` in cubes of ``spacing`` [mm], six tetrahedra each.

    ``cells`` is the region whose cells it is made of; ``across``: the front runs across the fibres.
    """

    parameters: CardiacParameters
    cells: RegionSetting | None
    spacing: float
    across: bool = False

    @cached_property
    def mesh(self) -> TetMesh:
        n = max(LEAST_CUBES, int(np.ceil(SHORTEST / self.spacing)))
        size = (n * self.spacing, WIDTH * self.spacing, WIDTH * self.spacing)
        fibre = (0.0, 1.0, 0.0) if self.across else (1.0, 0.0, 0.0)
        return box_mesh((n, WIDTH, WIDTH), size, jitter=JITTER, fibre=fibre)

    @cached_property
    def problem(self) -> Problem:
        """The strand, woken at one end."""
        return Problem(self._parameters, self.mesh)

    @property
    def operator(self) -> TissueOperator:
        """The one that a simulation of the strand is built with."""
        return tissue_operator(self.mesh, self._parameters)

    @cached_property
    def _parameters(self) -> CardiacParameters:
        _, high = self.mesh.bounds
        site = Box(lower=(-1.0, -1.0, -1.0), upper=(max(2.5 * self.spacing, 1.5), high[1] + 1.0, high[2] + 1.0))
        regions = []
        if self.cells is not None:
            regions = [self.cells.model_copy(update={"region": "tissue", "conductivity_scale": 1.0})]
        stimuli = [Stimulus(name="end", site=site)]
        tissue = self.parameters.tissue.model_copy(update={"place_scale": list(EVERYWHERE)})  # the strand is elsewhere
        return self.parameters.model_copy(update={"regions": regions, "stimuli": stimuli, "tissue": tissue})


def front_velocity(strand: Strand, expected: float, backend: Backend, progress: Progress = no_progress) -> float:
    """Velocity of the front [m/s = mm/ms], by a straight line through the activation times; 0 where none arrives.

    ``expected`` [m/s] says how long to wait. Raises ProblemError (the time step is above the stable one).
    """
    simulation = CardiacEngine().build(strand.problem, backend, lambda text, _: progress("Building a strand", 0.0))
    try:
        return _measured(simulation, strand.mesh, expected, progress)
    finally:
        simulation.close()


def _measured(simulation: Simulation, mesh: TetMesh, expected: float, progress: Progress) -> float:
    x = mesh.centroids[:, 0]
    length = float(mesh.bounds[1][0])
    looked_at = (x > BETWEEN[0] * length) & (x < BETWEEN[1] * length)
    longest = length / (SLOWEST * expected) + 10.0
    steps = max(1, round(CHUNK / simulation.dt))
    while simulation.time < longest:
        simulation.advance(steps)
        activation = simulation.field("activation")[looked_at]
        arrived = activation != np.float32(NOT_ACTIVATED)
        progress("Following the front", float(arrived.mean()))
        if arrived.all():
            slowness, _ = np.polyfit(x[looked_at], activation.astype(float), 1)
            return float(1.0 / slowness) if slowness > 0 else 0.0
    return 0.0
