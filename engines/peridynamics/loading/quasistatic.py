"""A body that is loaded slowly, as a simulation: time counts iterations, series are those of a body at rest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array, FieldInfo, SeriesInfo
from engines.api.charts import ChartInfo
from engines.api.device import Backend
from engines.geometry.particles import Particles
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.loading.relaxation import Relaxation
from engines.peridynamics.parameters.loading.relaxation import Relaxation as Settings
from engines.peridynamics.step.simulation import PeridynamicSimulation
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.curve import LoadDisplacement
from engines.peridynamics.watch.energies import Watched
from engines.peridynamics.watch.gauges import Instruments
from engines.peridynamics.watch.strain.strains import Strains


class QuasiStaticSimulation(PeridynamicSimulation):
    """Time is in iterations of :class:`Relaxation`; the run ends with the last load step.

    ``work`` is the area under forces and displacements of the loads between states at rest; what of it is neither
    elastic nor in broken bonds was freed while cracks ran between them, and a real body would have shaken with it.
    """

    _energies = (
        SeriesInfo("work", "Work", "mJ"),
        SeriesInfo("elastic", "Elastic", "mJ"),
        SeriesInfo("broken", "Broken", "mJ"),
        SeriesInfo("freed", "Freed while cracks ran", "mJ"),
        SeriesInfo("load_step", "Load step", ""),
        SeriesInfo("residual", "Out of balance", "%"),
    )
    _crack = (SeriesInfo("bonds", "Bonds broken", ""), SeriesInfo("tip", "Crack tip", "mm"))
    _charts = (
        ChartInfo("energy", "Energy", "mJ", series=("elastic", "broken", "freed"), lines=("work",), kind="area"),
        ChartInfo("load_step", "Load steps done", "", series=("load_step",)),
        ChartInfo("residual", "Forces out of balance", "%", series=("residual",)),
        ChartInfo("bonds", "Bonds broken", "", series=("bonds",)),
    )

    def __init__(
        self,
        backend: Backend,
        geometry: Particles,
        solver: Solver,
        loads: Loads,
        watched: Watched,
        fields: tuple[FieldInfo, ...],
        instruments: Instruments,
        curve: LoadDisplacement | None,
        strains: Strains,
        settings: Settings,
    ) -> None:
        super().__init__(backend, geometry, solver, loads, False, watched, fields, 1.0, instruments, curve, strains)
        self.dt = 1.0
        self._load_steps = settings.load_steps
        self._relaxation = Relaxation(solver, loads, settings)
        self._at_rest = {info.name: 0.0 for info in (*self._energies, *instruments.series)}
        """The series when the body was last at rest."""

    def advance(self, steps: int) -> None:
        """Takes no further iterations once it is ``finished``."""
        end, relaxation = self.step + steps, self._relaxation
        while self.step < end and not self.finished:
            if not relaxation.at_rest:
                self.step += relaxation.advance(end - self.step)
                continue
            self._keep()
            broke = relaxation.breaks()
            self.step += 1
            if not broke:
                relaxation.next_load_step()

    def _keep(self) -> None:
        """The body is at rest: what its loads, gauges and energies are."""
        self._measure()
        scales, known = self._solver.body.scales, self._at_rest
        table = self._loads.standing(self._relaxation.time)
        read = self._instruments.read(table, table, self._relaxation.time)
        work = known["work"]
        for each in self._instruments.acting:
            force, moved = f"force_{each.name}", f"displacement_{each.name}"
            work += 0.5 * (read[force] + known[force]) * (read[moved] - known[moved]) * 1e-3
        with self._backend.active():
            elastic = float(self._solver.energy_values.sum(dtype=np.float64)) * scales.energy * 1e3
            broken = float(self._solver.arrays["loss"].sum()) * scales.energy * 1e3
        energies = {"work": work, "elastic": elastic, "broken": broken, "freed": work - elastic - broken}
        self._at_rest = {**known, **read, **energies}
        self._follow(read)

    def observe(self) -> Mapping[str, float]:
        """As the body was last at rest; bonds, tip and residual are those of now."""
        self._find_damage()
        residual, sums = self._relaxation.rest.worst, self._totals.read()
        return {
            **self._at_rest,
            "load_step": self._relaxation.done,
            "residual": 100 * min(residual, 1.0),
            "bonds": (self._start - sums.intact) / 2,
            "tip": sums.tip,
            **(self._curve.observed() if self._curve is not None else {}),
        }

    @property
    def finished(self) -> bool:
        return self._relaxation.finished

    @property
    def ending(self) -> str:
        if self._relaxation.failed:
            return (
                f"The body does not come to rest in load step {self._relaxation.done + 1} of {self._load_steps} "
                f"(forces are out of balance by {self._relaxation.rest.worst:.2g} of the loads): it has failed, or the "
                "tolerance is below what these numbers can tell."
            )
        if not self.finished:
            return ""
        done = f"All {self._load_steps} load steps are done"
        if self._curve is None:
            return f"{done}."
        force, x = self._curve.peak
        return f"{done}: the peak load is {force:.4g} N at {x:.4g} µm."

    def state(self) -> dict[str, Array]:
        at_rest = np.array([self._at_rest[name] for name in sorted(self._at_rest)])
        return {**super().state(), **self._relaxation.state(), "at_rest": at_rest}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._relaxation.restore(state)
        self._at_rest = dict(zip(sorted(self._at_rest), state["at_rest"].tolist(), strict=True))
