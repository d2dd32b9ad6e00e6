"""The balance of energy, and how far the crack is: over time, and of a body that goes from rest to rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engines.api import Finding, Remedy, SeriesInfo
from engines.api.charts import ChartInfo
from engines.peridynamics.contact.contact import ENERGIES as CONTACT_ENERGIES
from engines.peridynamics.contact.contact import Contact, ContactEnergies
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.curve import CHART, LoadDisplacement
from engines.peridynamics.watch.energies import Tip, energies
from engines.peridynamics.watch.gauges import Gauges
from engines.peridynamics.watch.moment import Moment
from engines.peridynamics.watch.totals.totals import Sums, Totals
from engines.quantities import percent
from engines.watching import Watcher

STEP = ("numerics", "step")
MISSED = 0.1
"""[%] of the energies that may be missing without a word."""


class Balance(Watcher[Moment]):
    """Through time, with the speed of the crack. Looks after contact."""

    series = (
        SeriesInfo("work", "Work", "mJ"),
        SeriesInfo("kinetic", "Kinetic", "mJ"),
        SeriesInfo("elastic", "Elastic", "mJ"),
        SeriesInfo("broken", "Broken", "mJ"),
        SeriesInfo("damped", "Damped", "mJ"),
        SeriesInfo("imbalance", "Energy that is missing", "%"),
        SeriesInfo("bonds", "Bonds broken", ""),
        SeriesInfo("tip", "Crack tip", "mm"),
        SeriesInfo("speed", "Crack speed", "m/s"),
        SeriesInfo("fraction", "Crack speed over Rayleigh's", ""),
    )
    charts: tuple[ChartInfo, ...] = (
        ChartInfo(
            "energy", "Energy", "mJ", series=("elastic", "kinetic", "broken", "damped"), lines=("work",), kind="area"
        ),
        ChartInfo("tip", "Crack tip", "mm", series=("tip",), comparable=True, y_title="Position"),
        ChartInfo("speed", "Crack speed over Rayleigh's", "", series=("fraction",)),
        ChartInfo("bonds", "Bonds broken", "", series=("bonds",)),
        ChartInfo("imbalance", "Energy that is missing", "%", series=("imbalance",)),
    )

    def __init__(
        self,
        totals: Totals,
        start: Sums,
        unit: float,
        decay: float,
        too_much: float,
        tip: Tip,
        rayleigh_speed: float,
        contact: Contact | None,
        step: float,
    ) -> None:
        """start: sums at the start; unit [J] of energies on the device; decay, too_much: as ``energies`` takes them;
        step: Δt [µs]"""
        self._totals, self._unit, self._decay, self._too_much = totals, unit, decay, too_much
        self._tip, self._rayleigh_speed, self._contact, self._step = tip, rayleigh_speed, contact, step
        self._intact, self._brought = start.intact, energies(start, unit, 1.0, 0.0).kinetic
        self.charts = tuple(_with_energies(info, decay < 1, contact is not None) for info in self.charts)
        self._seen: Mapping[str, float] = {}

    def look(self, moment: Moment) -> None:
        contact = self._contact.found if self._contact else ContactEnergies()
        begun = moment.before is not None
        sums, too_much = self._totals.read(moment.now if begun else None, self._decay), self._too_much if begun else 0.0
        found = energies(sums, self._unit, self._decay, too_much, contact, self._brought)
        tip = sums.tip
        self._tip.seen(tip, moment.time)
        speed = self._tip.speed(moment.time)
        self._seen = {
            "work": found.work * 1e3,
            "kinetic": found.kinetic * 1e3,
            "elastic": found.elastic * 1e3,
            "broken": found.broken * 1e3,
            "damped": found.damped * 1e3,
            "imbalance": found.imbalance * 100,
            "bonds": (self._intact - sums.intact) / 2,
            "tip": tip,
            "speed": speed,
            "fraction": speed / self._rayleigh_speed,
        }

    def observe(self) -> Mapping[str, float]:
        return self._seen

    def noticed(self) -> Sequence[Finding]:
        """A sentence where steps are too long for what happens in them, contact above all."""
        missed = self._seen.get("imbalance", 0.0)
        if missed <= MISSED:
            return ()
        shorter = float(f"{(0.9 * MISSED / missed) ** 0.5 * self._step:.2g}")
        return (
            Finding(
                f"{percent(missed / 100)} of the energy is missing, and {MISSED:g} % is what a good run misses: "
                "forces, those of contact above all, change faster than the steps follow. It falls with the square of "
                f"the step: take one of {(0.9 * MISSED / missed) ** 0.5:.2g} times this.",
                place=STEP,
                remedy=Remedy(f"Make the step {shorter:g} µs", {STEP: shorter}),
            ),
        )


class RestBalance(Watcher[Moment]):
    """From rest to rest: ``kept`` is what the energies, loads and gauges were when the body was last at rest. Looks
    after the gauges.

    ``work`` is the area under forces and displacements of the loads between states at rest; what of it is neither
    elastic nor in broken bonds was freed while cracks ran between them, and a real body would have shaken with it.
    """

    series = (
        SeriesInfo("work", "Work", "mJ"),
        SeriesInfo("elastic", "Elastic", "mJ"),
        SeriesInfo("broken", "Broken", "mJ"),
        SeriesInfo("freed", "Freed while cracks ran", "mJ"),
        SeriesInfo("load_step", "Load step", ""),
        SeriesInfo("residual", "Out of balance", "%"),
        SeriesInfo("bonds", "Bonds broken", ""),
        SeriesInfo("tip", "Crack tip", "mm"),
    )
    charts = (
        ChartInfo("energy", "Energy", "mJ", series=("elastic", "broken", "freed"), lines=("work",), kind="area"),
        ChartInfo("load_step", "Load steps done", "", series=("load_step",)),
        ChartInfo("residual", "Forces out of balance", "%", series=("residual",)),
        ChartInfo("bonds", "Bonds broken", "", series=("bonds",)),
    )
    of_now = ("bonds", "tip")
    """Series that are not those of the body at rest."""

    def __init__(self, solver: Solver, gauges: Gauges) -> None:
        self._solver, self._gauges = solver, gauges
        own = (info for info in self.series if info.name not in self.of_now)
        self.kept = {info.name: 0.0 for info in (*own, *gauges.series)}

    def look(self, moment: Moment) -> None:
        read, known, work = moment.read, self.kept, self.kept["work"]
        for each in self._gauges.acting:
            force, moved = f"force_{each.name}", f"displacement_{each.name}"
            work += 0.5 * (read[force] + known[force]) * (read[moved] - known[moved]) * 1e-3
        unit = self._solver.body.scales.energy
        with self._solver.backend.active():
            sums = [float(self._solver.energy_values.sum(dtype=np.float64)), float(self._solver.arrays["loss"].sum())]
        elastic, broken = (self._solver.own.total(np.array(sums)) * unit * 1e3).tolist()
        energies = {"work": work, "elastic": elastic, "broken": broken, "freed": work - elastic - broken}
        self.kept = {**known, **{info.name: read[info.name] for info in self._gauges.series}, **energies}

    def observe(self) -> Mapping[str, float]:
        return self.kept


def taken_names() -> set[str]:
    """Names of series and charts, which gauges cannot have."""
    own = (Balance.series, Balance.charts, RestBalance.series, RestBalance.charts, LoadDisplacement.series)
    return {CHART, "forces", "gauges", *(info.name for group in own for info in group)}


def _with_energies(info: ChartInfo, damped: bool, touching: bool) -> ChartInfo:
    """The chart of energies with those that this problem has: damping, springs and friction of contact."""
    if "damped" not in info.series:
        return info
    kept = tuple(name for name in info.series if damped or name != "damped")
    return replace(info, series=(*kept, *(each.name for each in CONTACT_ENERGIES * touching)))
