"""The method: u_tt + 2 d u_t = c² (u_xx + u_yy) with u = 0 on the edge, by leapfrog and central differences.

(1 + d Δt) u(t + Δt) = 2 u(t) − (1 − d Δt) u(t − Δt) + (c Δt / Δx)² · (sum of the four neighbours − 4 u), stable for
c Δt ≤ Δx / √2. The two newest states are kept, so a step reads two values and writes one over the older.
"""

from functools import lru_cache

import numpy as np

from engines.api import Engine, Estimate, FieldInfo, Finding, KernelTraffic, Remedy, SeriesInfo, no_progress
from engines.api.errors import ProblemError
from engines.backend.field_simulation import FieldSimulation
from engines.backend.twins import Twins
from engines.geometry.grid import Grid
from membrane.parameters import MembraneParameters
from membrane.verification import cases

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
        moved, needed = 12 * p.cells**2, 20 * max(p.mode_x, p.mode_y)
        sentence = f"The shape at the start has fewer than 20 cells in a half wave: take {needed} cells along a side."
        coarse = Finding(sentence, place=("cells",), remedy=Remedy(f"Take {needed} cells", {("cells",): needed}))
        found = (coarse,) if p.cells < needed else ()
        seconds = moved / backend.ceilings().best / p.step
        return Estimate(8 * p.cells**2, moved, p.step, limit, seconds, findings=found)

    def build(self, problem, backend, progress=no_progress):
        self.estimate(problem, backend)  # raises what a person should know
        return MembraneSimulation(problem.parameters, self.geometry_of(problem), backend)

    def verification(self):
        return cases(self)


class MembraneSimulation(FieldSimulation):
    """``u`` and ``before`` change places at each step."""

    series = (SeriesInfo("largest", "Largest displacement", "mm"),)
    sample_steps = 16

    def __init__(self, p, grid, backend):
        x = (np.arange(p.cells) + 0.5) * np.pi / p.cells
        start = (p.height * np.outer(np.sin(p.mode_y * x), np.sin(p.mode_x * x))).astype(np.float32)
        shown = FieldInfo("u", "Displacement", "mm", "grid", (-p.height, p.height), colormap="diverging")
        arrays = {"u": backend.array(start), "before": backend.array(start)}
        super().__init__(backend, grid, p.step, (shown,), arrays)
        self.traffic = (KernelTraffic("leapfrog", 8 * start.size, 4 * start.size, 8 * start.size),)
        self._leapfrog = LEAPFROG.open(backend, p.cells, (1e-3 * p.speed * p.step * p.cells / p.side) ** 2)
        self._damping = p.damping

    def take(self, steps):
        with self.backend.timed("leapfrog", steps):
            for _ in range(steps):
                u, before = self.arrays["u"], self.arrays["before"]
                self._leapfrog.step(u, before, self._damping * self.dt)  # the newest is in `before` now
                self.arrays.update(u=before, before=u)

    def observe(self):
        return {"largest": float(np.abs(self.field("u")).max())}  # copied to the host: each `sample_steps` alone

    def set_control(self, name, value):
        if name != "damping":
            super().set_control(name, value)  # refuses
        self._damping = value
