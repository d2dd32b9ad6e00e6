"""The method: u_tt = c² (u_xx + u_yy) with u = 0 on the edge, by leapfrog and central differences.

u(t + Δt) = 2 u(t) − u(t − Δt) + (c Δt / Δx)² · (sum of the four neighbours − 4 u), stable for c Δt ≤ Δx / √2. The two
newest states are kept, so a step reads two values and writes one over the older.
"""

from functools import lru_cache

import numpy as np

from engines.api import Engine, Estimate, FieldInfo, KernelTraffic, no_progress
from engines.api.errors import ProblemError
from engines.backend.field_simulation import FieldSimulation
from engines.backend.twins import Twins
from engines.geometry.grid import Grid
from membrane.parameters import MembraneParameters

LEAPFROG = Twins(__package__, cpu="cpu:CpuLeapfrog", cuda="cuda:CudaLeapfrog")


@lru_cache(maxsize=4)
def grid_of(cells, side):
    return Grid((cells, cells), (side / cells, side / cells), length_unit="m")


class MembraneEngine(Engine):
    id, title, summary = "membrane", "Membrane", "A drumhead that swings"
    api_version = 1
    time_unit = "ms"
    Parameters = MembraneParameters
    geometry_type = None  # it makes its own

    def default_parameters(self, geometry):
        return MembraneParameters()

    def geometry_of(self, problem):
        return grid_of(problem.parameters.cells, problem.parameters.side)

    def estimate(self, problem, backend):
        p = problem.parameters
        limit = 1e3 * p.side / p.cells / p.speed / np.sqrt(2)  # ms
        if p.step > limit:
            raise ProblemError(f"A step of {p.step:g} ms is unstable here: take at most {limit:.3g} ms.", ("step",))
        moved = 12 * p.cells**2
        return Estimate(8 * p.cells**2, moved, p.step, limit, moved / backend.ceilings().best / p.step)

    def build(self, problem, backend, progress=no_progress):
        self.estimate(problem, backend)  # raises what a person should know
        return MembraneSimulation(problem.parameters, self.geometry_of(problem), backend)


class MembraneSimulation(FieldSimulation):
    """``u`` and ``before`` change places at each step; after an even number of them ``u`` is the newer."""

    def __init__(self, p, grid, backend):
        x = (np.arange(p.cells) + 0.5) * np.pi / p.cells
        start = (p.height * np.outer(np.sin(p.mode_y * x), np.sin(p.mode_x * x))).astype(np.float32)
        shown = FieldInfo("u", "Displacement", "mm", "grid", (-p.height, p.height), colormap="diverging")
        arrays = {"u": backend.array(start), "before": backend.array(start)}
        super().__init__(backend, grid, p.step, (shown,), arrays)
        self.traffic = (KernelTraffic("leapfrog", 8 * start.size, 4 * start.size, 8 * start.size),)
        self._leapfrog = LEAPFROG.open(backend, p.cells, (1e-3 * p.speed * p.step * p.cells / p.side) ** 2)

    def take(self, steps):
        with self.backend.timed("leapfrog", steps):
            for _ in range(steps):
                u, before = self.arrays["u"], self.arrays["before"]
                self._leapfrog.step(u, before)  # the newest is in `before` now
                self.arrays.update(u=before, before=u)
