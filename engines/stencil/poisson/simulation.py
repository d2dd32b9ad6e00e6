"""Poisson's equation as a simulation: a step is an iteration, the source is painted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines.api import Dab, FieldInfo, Finding, NonFinite, PaintInfo, SeriesInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.api.errors import DeviceError
from engines.geometry.grid import Grid
from engines.stencil.poisson.convergence import convergence_findings, error_of
from engines.stencil.poisson.iterations import PoissonSolver
from engines.stencil.step.painting import PaintedSource
from engines.stencil.step.simulation import GridSimulation, content_series
from engines.stencil.watch.inflow import Inflow

SAMPLE_ITERATIONS = {"multigrid": 1, "sor": 20, "jacobi": 50}
"""Iterations between two samples: about as many as reduce the residual visibly."""


class PoissonSimulation(GridSimulation):
    """Iterations of a solver; time counts them."""

    advice = "use a smaller relaxation factor."

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        u: Any,
        source: PaintedSource,
        solver: PoissonSolver,
        fields: tuple[FieldInfo, ...],
        brush: PaintInfo,
        inflow: Inflow,
        multigrid: Callable[[], PoissonSolver],
    ) -> None:
        """``multigrid`` makes a solver of the same problem, to look at the end how far the solution is off."""
        super().__init__(backend, grid, 1.0, fields, {"u": u, "source": source.array})
        self.brushes = (brush,)
        own = (SeriesInfo("residual", "Residual", "1/mm²"), *content_series(grid.dimensions))
        self.series, self.charts = (*own, *inflow.series), inflow.charts_beside(own)
        self._inflow = inflow
        self.sample_steps = SAMPLE_ITERATIONS[solver.method]
        self.traffic = (solver.traffic,)
        self._source, self._solver, self._multigrid = source, solver, multigrid

    def take(self, steps: int) -> None:
        with self.backend.timed(self.traffic[0].kernel, launches=steps):
            self.arrays["u"] = self._solver.iterate(self.arrays["u"], self.arrays["source"], steps)

    def observe(self) -> Mapping[str, float]:
        residual = self._solver.residual_norm(self.arrays["u"], self.arrays["source"])
        return {"residual": residual, **self.content("u"), **self._inflow.observe(self.arrays["u"])}

    def noticed(self) -> Sequence[Finding]:
        try:
            error = error_of(self._multigrid(), self.arrays["u"], self.arrays["source"])
        except (MemoryError, DeviceError):  # it takes as much room again as the run
            return ()
        return convergence_findings(error, self._solver.method, self.step)

    def non_finite(self) -> NonFinite | None:
        return self.wrong_in("The solution", self.arrays["u"])

    def paint(self, dab: Dab) -> None:
        self._source.paint(dab)

    def underneath(self, dab: Dab, first: bool) -> Underneath:
        return self._source.underneath(dab)

    def put_back(self, under: Underneath) -> None:
        self._source.put_back(under)
