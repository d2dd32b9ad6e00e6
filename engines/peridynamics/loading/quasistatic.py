"""A body that is loaded slowly, as a simulation: time counts iterations, series are those of a body at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array, FieldInfo, Finding, Remedy
from engines.api.device import Backend
from engines.geometry.particles import Particles
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.loading.relaxation import Relaxation
from engines.peridynamics.parameters.loading.relaxation import Relaxation as Settings
from engines.peridynamics.step.simulation import Integration, PeridynamicSimulation
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.balance import RestBalance
from engines.peridynamics.watch.curve import LoadDisplacement, in_full
from engines.peridynamics.watch.energies import Watched
from engines.peridynamics.watch.gauges import Gauges
from engines.peridynamics.watch.moment import Moment
from engines.peridynamics.watch.strain.strains import Strains


class QuasiStaticSimulation(PeridynamicSimulation):
    """Time is in iterations of :class:`Relaxation`; the run ends with the last load step."""

    _time_unit = "iterations"

    def __init__(
        self,
        backend: Backend,
        geometry: Particles,
        solver: Solver,
        loads: Loads,
        watched: Watched,
        fields: tuple[FieldInfo, ...],
        gauges: Gauges,
        curve: LoadDisplacement | None,
        strains: Strains,
        settings: Settings,
    ) -> None:
        integration = Integration(half_step=False, decay=1.0)
        super().__init__(backend, geometry, solver, loads, integration, watched, fields, gauges, curve, strains)
        self.dt = 1.0
        self._load_steps = settings.load_steps
        self._relaxation = Relaxation(solver, loads, settings)

    def _balance(self) -> RestBalance:
        self._rest = RestBalance(self._solver, self._gauges)
        return self._rest

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
        time = self._relaxation.time
        table = self._loads.standing(time)
        self._look(Moment(self.step, self.time, time, table, table))

    def observe(self) -> Mapping[str, float]:
        """As the body was last at rest; bonds, tip and residual are those of now."""
        self._find_damage()
        residual, sums = self._relaxation.rest.worst, self._totals.read()
        return {
            **self._watchers.observe(),
            "load_step": self._relaxation.done,
            "residual": 100 * min(residual, 1.0),
            "bonds": (self._start.intact - sums.intact) / 2,
            "tip": sums.tip,
        }

    def noticed(self) -> Sequence[Finding]:
        """Of a body that an end which was set has stopped on its way."""
        relaxation, found = self._relaxation, super().noticed()
        if self.finished:
            return found
        text = (
            f"Load step {relaxation.done + 1} of {self._load_steps} is not at rest yet (forces are out of balance by "
            f"{min(relaxation.rest.worst, 1.0):.2g} of the loads): fields are on the way to equilibrium, and no load "
            "beyond it is known. Run on; iterations are no time, and all load steps are done where no end is set."
        )
        remedy = Remedy("Run to the last load step", without_end=True)
        return (*found, Finding(text, "warning", ("numerics", "relaxation", "load_steps"), remedy, distorts=True))

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
        return f"{done}: the peak load is {in_full(force)} N at {in_full(x)} µm."

    def state(self) -> dict[str, Array]:
        at_rest = np.array([self._rest.kept[name] for name in sorted(self._rest.kept)])
        return {**super().state(), **self._relaxation.state(), "at_rest": at_rest}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._relaxation.restore(state)
        self._rest.kept = dict(zip(sorted(self._rest.kept), state["at_rest"].tolist(), strict=True))
