"""A body that breaks, as a simulation: fields of its particles, energies, the crack's tip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from engines.api import (
    Array,
    FieldInfo,
    KernelTiming,
    Lines,
    NonFinite,
    Selection,
    SeriesInfo,
    Simulation,
)
from engines.api.charts import ChartData, ChartInfo, Fact, Inspection, Links
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.placing import Path, Position
from engines.geometry.particles import Particles
from engines.peridynamics.contact.contact import ENERGIES as CONTACT_ENERGIES
from engines.peridynamics.contact.contact import Contact, ContactEnergies
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.crack_path import crack_path
from engines.peridynamics.watch.curve import CHART, LoadDisplacement
from engines.peridynamics.watch.energies import Tip, Watched, energies
from engines.peridynamics.watch.gauges import Instruments
from engines.peridynamics.watch.links import links_of
from engines.peridynamics.watch.strain.solid import ROWS
from engines.peridynamics.watch.strain.strains import Strains
from engines.peridynamics.watch.totals.totals import make_totals

MOST_STEPS = 256
"""Steps whose loads are worked out and moved to the device together."""
SAMPLE_STEPS = 10
DISPLACED = FieldInfo("displacement_vector", "Displacement", "mm", "cell", (0.0, 1.0), components=3)
ENERGIES = (
    SeriesInfo("work", "Work", "mJ"),
    SeriesInfo("kinetic", "Kinetic", "mJ"),
    SeriesInfo("elastic", "Elastic", "mJ"),
    SeriesInfo("broken", "Broken", "mJ"),
    SeriesInfo("damped", "Damped", "mJ"),
    SeriesInfo("imbalance", "Energy that is missing", "%"),
)
CRACK = (
    SeriesInfo("bonds", "Bonds broken", ""),
    SeriesInfo("tip", "Crack tip", "mm"),
    SeriesInfo("speed", "Crack speed", "m/s"),
    SeriesInfo("fraction", "Crack speed over Rayleigh's", ""),
)
CHARTS = (
    ChartInfo(
        "energy", "Energy", "mJ", series=("elastic", "kinetic", "broken", "damped"), lines=("work",), kind="area"
    ),
    ChartInfo("tip", "Crack tip", "mm", series=("tip",), comparable=True),
    ChartInfo("speed", "Crack speed over Rayleigh's", "", series=("fraction",)),
    ChartInfo("bonds", "Bonds broken", "", series=("bonds",)),
    ChartInfo("imbalance", "Energy that is missing", "%", series=("imbalance",)),
)


class PeridynamicSimulation(Simulation):
    """Time is in µs."""

    _energies: ClassVar[tuple[SeriesInfo, ...]] = ENERGIES
    _crack: ClassVar[tuple[SeriesInfo, ...]] = CRACK
    _charts: ClassVar[tuple[ChartInfo, ...]] = CHARTS

    sample_steps = SAMPLE_STEPS
    displaced = DISPLACED
    hidden_by = "damage"
    lined = "Crack path"

    def __init__(
        self,
        backend: Backend,
        geometry: Particles,
        solver: Solver,
        loads: Loads,
        half_step: bool,
        watched: Watched,
        fields: tuple[FieldInfo, ...],
        decay: float,
        instruments: Instruments,
        curve: LoadDisplacement | None,
        strains: Strains,
        contact: Contact | None = None,
    ) -> None:
        """``series`` and ``charts`` are those of the instruments and the curve, and what all bodies have."""
        self.geometry, self.dt, self.step = geometry, solver.body.scales.time * 1e6, 0
        self.fields, self.traffic = fields, (solver.traffic,)
        self._backend, self._solver, self._loads, self._watched = backend, solver, loads, watched
        self._half_step, self._decay, self._contact, self._strains = half_step, decay, contact, strains
        self._instruments, self._curve = instruments, curve
        self._followed = -1
        """The step up to which the curve has been followed."""
        self._acting: tuple[int, Array, Array] | None = None
        """A step, and what loads do in the one before it and in it (:meth:`_rows`)."""
        shown = (curve.info,) if curve else ()
        self.series = (*self._energies, *self._crack, *instruments.series, *(curve.series if curve else ()))
        own = tuple(_with_energies(info, decay < 1, contact is not None) for info in self._charts)
        own = (*shown, *own) if curve and curve.telling else (*own, *shown)
        self.charts = (*own, *instruments.charts)
        if contact:
            self.series, self.charts = (*self.series, *contact.series), (*self.charts, *contact.charts)
        self._first_work = instruments.first_work(loads.table(0, 1)[0], decay) if half_step else 0.0
        self._tip, self._totals = Tip(watched), make_totals(solver, watched.along, watched.threshold)
        self._everything = self.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))
        self._measured = self._damaged = self._strained = -1
        self._find_damage()
        start = self._totals.read()
        self._start, self._brought = start.intact, energies(start, solver.body.scales.energy, 1.0, 0.0).kinetic

    @classmethod
    def taken_names(cls) -> set[str]:
        """Names of series and charts, which gauges cannot have."""
        own = (ENERGIES, CRACK, CHARTS, cls._energies, cls._charts, LoadDisplacement.series)
        return {CHART, "forces", "gauges", *(info.name for group in own for info in group)}

    # Steps.

    def advance(self, steps: int) -> None:
        done = 0
        while done < steps:
            batch = min(steps - done, MOST_STEPS)
            table = self._loads.table(self.step, batch + 1)  # the last row is for who looks afterwards
            with self._backend.timed("bonds", launches=batch):
                for follower in self._solver.followers:
                    follower.prepare(self.step, batch)
                self._solver.advance(table[:-1], self._half_step and self.step == 0, self._decay)
            self.step += batch
            self._acting = (self.step, table[-2], table[-1])
            done += batch

    def synchronize(self) -> None:
        self._backend.synchronize()

    # What viewers ask.

    def select(self, selection: Selection) -> Any:
        places = self._solver.body.places[selection.elements]
        return self._backend.select(Selection(np.ascontiguousarray(places, np.int32), selection.offsets))

    def gather(self, name: str, handle: Any) -> Array:
        if name == DISPLACED.name:
            return self._displacements(handle)
        if name in ROWS:
            self._find_strains()
            return self._backend.gather(self._strains.values[ROWS[name]], handle, missing=float("nan"))
        return self._backend.gather(self._values(name), handle)

    def field(self, name: str) -> Array:
        return self.gather(name, self._everything)

    def _values(self, name: str) -> Any:
        """(size) on the device, in the unit of the field."""
        solver, scales = self._solver, self._solver.body.scales
        if name == "damage":
            self._find_damage()
            with self._backend.active():
                return solver.lost_values()
        if name == "energy":
            self._measure()
            with self._backend.active():
                per_volume = solver.energy_values / solver.volume
            return self._scaled(per_volume, scales.energy / self._watched.volume)
        if name == "displacement":
            return self._length(solver.arrays["u"], scales.length * 1e6)
        if name == "velocity":
            return self._length(solver.arrays["v"], scales.velocity)
        raise KeyError(name)

    def _displacements(self, handle: Any) -> Array:
        """(m, 3) float32 [mm]; z is 0 in a plate."""
        found = self._backend.gather(self._solver.arrays["u"].T, handle) * self._solver.body.scales.length * 1e3
        moved = np.zeros((len(found), 3), np.float32)
        moved[:, : found.shape[1]] = found
        return moved

    def _scaled(self, values: Any, factor: float) -> Any:
        with self._backend.active():
            return values * self._solver.dtype.type(factor)

    def _length(self, vectors: Any, factor: float) -> Any:
        with self._backend.active():
            squares = 0.0
            for vector in vectors:
                scaled = vector * self._solver.dtype.type(factor)
                squares = squares + scaled * scaled
            return squares**0.5

    def _measure(self) -> None:
        if self._measured != self.step:
            with self._backend.active():
                self._solver.measure()
            self._measured = self.step

    def _find_damage(self) -> None:
        if self._damaged != self.step:
            with self._backend.active():
                self._solver.find_damage()
            self._damaged = self.step

    def _find_strains(self) -> None:
        if self._strained != self.step:
            with self._backend.active():
                self._strains.find()
            self._strained = self.step

    def observe(self) -> Mapping[str, float]:
        self._measure()
        self._find_damage()
        (before, now), begun = self._rows(), self.step > 0
        contact = self._contact.energies() if self._contact else ContactEnergies()
        sums = self._totals.read(now if begun else None, self._decay)
        too_much, unit = self._first_work if begun else 0.0, self._solver.body.scales.energy
        found = energies(sums, unit, self._decay, too_much, contact, self._brought)
        tip = sums.tip
        self._tip.seen(tip, self.time)
        speed = self._tip.speed(self.time)
        read = self._instruments.read(now, before, self.time * 1e-6)
        touched = self._contact.observe(contact) if self._contact else {}
        return {
            "work": found.work * 1e3,
            "kinetic": found.kinetic * 1e3,
            "elastic": found.elastic * 1e3,
            "broken": found.broken * 1e3,
            "damped": found.damped * 1e3,
            "imbalance": found.imbalance * 100,
            "bonds": (self._start - sums.intact) / 2,
            "tip": tip,
            "speed": speed,
            "fraction": speed / self._watched.rayleigh_speed,
            **touched,
            **read,
            **self._follow({**touched, **read}),
        }

    def _rows(self) -> tuple[Array | None, Array]:
        """(kinds, 4, d) of the loads in the step that was last, if there was one, and in the coming one."""
        if self._acting is None or self._acting[0] != self.step:
            table = self._loads.table(max(self.step - 1, 0), 2)
            self._acting = (self.step, table[0], table[min(self.step, 1)])
        step, before, now = self._acting
        return before if step else None, now

    def _follow(self, read: Mapping[str, float]) -> Mapping[str, float]:
        """Put what was read on the curve of load and displacement, once a step; its series."""
        if self._curve is None:
            return {}
        if self.step > self._followed:
            self._curve.seen(read)
            self._followed = self.step
        return self._curve.observed()

    def chart(self, name: str) -> ChartData:
        if name == CHART and self._curve is not None:
            return self._curve.chart
        return super().chart(name)

    def results(self) -> Mapping[str, Array]:
        return self._curve.results() if self._curve is not None else {}

    def lines(self) -> Lines:
        """The path of the crack; the notches are a part of it."""
        places, spacing = np.asarray(self.geometry.positions), 2 * float(self.geometry.radii[0])
        watched = self._watched
        damaged = self.field("damage") >= watched.threshold
        return crack_path(places, self.field(DISPLACED.name), damaged, watched.axis, watched.backward, spacing)

    def shifts(self) -> Mapping[Path, Position]:
        """Of the penetrators."""
        return (
            {("penetrators", number): shift for number, shift in enumerate(self._contact.shifts())}
            if self._contact
            else {}
        )

    def inspect(self, element: int) -> Inspection | None:
        handle = self.select(Selection(np.array([element], np.int32)))
        solver, place = self._solver, int(self._solver.body.places[element])
        moved = [
            float(self._backend.gather(row, handle)[0]) * solver.body.scales.length * 1e6 for row in solver.arrays["u"]
        ]
        self._find_damage()
        gone = float(self._backend.gather(solver.damage_values, handle)[0])
        whole = float(solver.body.whole[place])
        links = links_of(solver, self.geometry.positions, element, solver.body.scales.length * 1e3)
        return Inspection(
            f"Particle {element}",
            (
                Fact("Bonds that hold", round(whole * (1 - gone)), ""),
                Fact("Bonds of the uncut body", whole, ""),
                *(Fact(f"Displacement along {axis}", value, "um") for axis, value in zip("xyz", moved, strict=False)),
                Fact("Energy density", float(self.gather("energy", handle)[0]), "J/m³"),
                *(
                    Fact(info.title, float(self.gather(info.name, handle)[0]), info.unit)
                    for info in self.fields
                    if info.name in ROWS
                ),
                *_stretches(links),
            ),
            links=links,
        )

    # Changes and checkpoints.

    def set_control(self, name: str, value: Any) -> None:
        raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")

    def state(self) -> dict[str, Array]:
        held = {name: self._backend.to_host(values) for name, values in self._solver.arrays.items()}
        return {
            "step": np.array(self.step),
            "passed": np.array(self._tip.passed).reshape(-1, 2),
            **held,
            **self._followed_so_far(),
            **(self._contact.state() if self._contact else {}),
        }

    def _followed_so_far(self) -> dict[str, Array]:
        points = self._curve.points if self._curve is not None else []
        return {"followed": np.array(self._followed), "points": np.array(points).reshape(-1, 2)}

    def restore(self, state: Mapping[str, Array]) -> None:
        self._solver.restore({name: state[name] for name in self._solver.arrays})
        if self._contact:
            self._contact.restore(state)
        self.step = int(state["step"])
        self._tip.passed = [(float(time), float(position)) for time, position in state["passed"]]
        self._followed = int(state["followed"])
        if self._curve is not None:
            self._curve.points = [(float(x), float(force)) for x, force in state["points"]]
        self._measured = self._damaged = self._strained = -1

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        place = self._backend.first_non_finite(self._solver.arrays["u"])
        if place is None:
            return None
        size = self._solver.body.size
        element = int(np.argmax(self._solver.body.places == place % size))
        return NonFinite("The displacement", element, "use a smaller time step.")

    def close(self) -> None:
        self._solver.arrays.clear()
        self._solver.followers.clear()
        del self._solver, self._everything, self._instruments, self._totals, self._contact
        del self._strains


def _with_energies(info: ChartInfo, damped: bool, touching: bool) -> ChartInfo:
    """The chart of energies with those that this problem has: damping, springs and friction of contact."""
    if "damped" not in info.series:
        return info
    kept = tuple(name for name in info.series if damped or name != "damped")
    return replace(info, series=(*kept, *(each.name for each in CONTACT_ENERGIES * touching)))


def _stretches(links: Links | None) -> tuple[Fact, ...]:
    """The largest stretch of a bond that holds, and the one at which it breaks."""
    if links is None or np.isnan(links.values).all():
        return ()
    largest = float(np.nanmax(links.values))
    part = largest / links.range[1]
    return (Fact("Largest stretch of a bond", largest, ""), Fact("Part of the critical one", part, ""))
