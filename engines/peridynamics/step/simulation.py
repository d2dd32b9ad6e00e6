"""A body that breaks, as a simulation: fields of its particles, energies, the crack's tip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from engines.api import Array, FieldInfo, Finding, KernelTiming, Lines, NonFinite, Selection, Simulation, VectorInfo
from engines.api.abilities import Axes
from engines.api.charts import ChartData, Fact, Inspection, Links
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.placing import Path, Position
from engines.backend.fields.beyond import wrong_in
from engines.geometry.particles import Particles
from engines.peridynamics.contact.contact import Contact
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.balance import Balance
from engines.peridynamics.watch.crack_path import crack_path
from engines.peridynamics.watch.curve import LoadDisplacement
from engines.peridynamics.watch.energies import Tip, Watched
from engines.peridynamics.watch.gauges import Gauges
from engines.peridynamics.watch.left_behind import CRACK_AXES, crack_results
from engines.peridynamics.watch.links import links_of
from engines.peridynamics.watch.moment import Moment
from engines.peridynamics.watch.strain.solid import ROWS
from engines.peridynamics.watch.strain.strains import Strains
from engines.peridynamics.watch.totals.totals import totals_of
from engines.watching import Watcher, Watchers

MOST_STEPS = 256
"""Steps whose loads are worked out and moved to the device together."""
SAMPLE_STEPS = 10
SMALLER = "use a smaller time step."
DISPLACED = FieldInfo("displacement_vector", "Displacement", "mm", "cell", (0.0, 1.0), components=3)
VELOCITY = "velocity_vector"
UNCUT, GONE = "bonds of the uncut body", "part of the bonds that is gone"
"""Given by ``field`` beside what is shown."""
VECTORS = (
    VectorInfo("displacement", "Displacement", "mm", (DISPLACED.name,)),
    VectorInfo("velocity", "Velocity", "m/s", (VELOCITY,)),
)


class Integration(NamedTuple):
    """half_step: whether the first step is the half one of velocity Verlet; decay: what damping leaves of velocities in
    a step (``solver.decay_of``)."""

    half_step: bool
    decay: float


class PeridynamicSimulation(Simulation):
    """Time is in µs."""

    sample_steps = SAMPLE_STEPS
    displaced = DISPLACED
    hidden_by = "damage"
    lined = "Crack path"
    vectors = VECTORS
    _time_unit = "us"

    def __init__(
        self,
        backend: Backend,
        geometry: Particles,
        solver: Solver,
        loads: Loads,
        integration: Integration,
        watched: Watched,
        fields: tuple[FieldInfo, ...],
        gauges: Gauges,
        curve: LoadDisplacement | None,
        strains: Strains,
        contact: Contact | None = None,
    ) -> None:
        """``series`` and ``charts`` are those of its watchers, of which the curve is shown first if it tells most."""
        self.geometry, self.dt, self.step = geometry, solver.body.scales.time * 1e6, 0
        self.fields, self.traffic = fields, (solver.traffic,)
        self._backend, self._solver, self._loads, self._watched = backend, solver, loads, watched
        self._half_step, self._decay = integration
        self._contact, self._strains = contact, strains
        self._gauges, self._curve = gauges, curve
        self._acting: tuple[int, Array, Array] | None = None
        """A step, and what loads do in the one before it and in it (:meth:`_rows`)."""
        self._tip, self._totals = Tip(watched), totals_of(solver, watched.along, watched.threshold)
        self._everything = self.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))
        self._measured = self._damaged = self._strained = -1
        self._find_damage()
        self._start = self._totals.read()
        balance = self._balance()
        self._watchers = _present(contact, gauges, curve, balance)
        self.series = _present(balance, gauges, curve, contact).series
        first = (curve, balance) if curve and curve.telling else (balance, curve)
        self.charts = _present(*first, gauges, contact).charts

    def _balance(self) -> Watcher[Moment]:
        """Of energy, as this kind of run has it."""
        too_much = self._gauges.first_work(self._loads.table(0, 1)[0], self._decay) if self._half_step else 0.0
        return Balance(
            self._totals, self._start, self._solver.body.scales.energy, self._decay, too_much, self._tip,
            self._watched.rayleigh_speed, self._contact, self.dt,
        )  # fmt: skip

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
        return self.gather_later(name, handle)()

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        if name in (DISPLACED.name, VELOCITY):
            return self._vectors(name, handle)
        if name in ROWS:
            self._find_strains(name)
            return self._backend.gather_later(self._strains.values[ROWS[name]], handle, missing=float("nan"))
        return self._backend.gather_later(self._values(name), handle)

    def field(self, name: str) -> Array:
        return self.gather(name, self._everything)

    def on_device(self, name: str) -> Any | None:
        if name in (DISPLACED.name, VELOCITY):
            return None
        if name in ROWS:
            self._find_strains(name)
        values = self._strains.values[ROWS[name]] if name in ROWS else self._values(name)
        with self._backend.active():
            return values[self._backend.array(np.asarray(self._solver.body.places, np.int64))]

    def _values(self, name: str) -> Any:
        """(size) on the device, in the unit of the field."""
        solver, scales = self._solver, self._solver.body.scales
        if name == "damage":
            self._find_damage()
            with self._backend.active():
                return solver.lost_values()
        if name == UNCUT:
            return solver.whole
        if name == GONE:
            self._find_damage()
            return solver.damage_values
        if name == "energy":
            self._measure()
            with self._backend.active():
                per_volume = solver.energy_values / solver.volume
            return self._scaled(per_volume, scales.energy / self._watched.volume)
        if name == "displacement":
            return self._length(solver.arrays["u"], scales.length * 1e6)
        if name.startswith("displacement_"):
            return self._scaled(solver.arrays["u"]["xyz".index(name[-1])], scales.length * 1e6)
        if name == "velocity":
            return self._length(solver.arrays["v"], scales.velocity)
        raise KeyError(name)

    def _vectors(self, name: str, handle: Any) -> Callable[[], Array]:
        """(m, 3) float32 [mm] or [m/s]; z is 0 in a plate."""
        scales = self._solver.body.scales
        key, factor = ("u", 1e3 * scales.length) if name == DISPLACED.name else ("v", scales.velocity)
        begun = self._backend.gather_later(self._solver.arrays[key].T, handle)

        def gathered() -> Array:
            found = begun() * factor
            moved = np.zeros((len(found), 3), np.float32)
            moved[:, : found.shape[1]] = found
            return moved

        return gathered

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

    def _find_strains(self, name: str) -> None:
        if self._strains.widen(name) or self._strained != self.step:
            with self._backend.active():
                self._strains.find()
                place = self._strains.beyond()
            self._strained = self.step
            if place is not None and (at := self._particle_at(place)) is not None:
                self.beyond = self.beyond or NonFinite("The strain or stress", at, SMALLER)

    def observe(self) -> Mapping[str, float]:
        self._measure()
        self._find_damage()
        before, now = self._rows()
        self._look(Moment(self.step, self.time, self.time * 1e-6, before, now))
        return self._watchers.observe()

    def noticed(self) -> Sequence[Finding]:
        self.observe()
        return self._watchers.noticed()

    def _look(self, moment: Moment) -> None:
        """Every watcher in turn."""
        for watcher in self._watchers:
            watcher.look(moment)

    def _rows(self) -> tuple[Array | None, Array]:
        """(kinds, 4, d) of the loads in the step that was last, if there was one, and in the coming one."""
        if self._acting is None or self._acting[0] != self.step:
            table = self._loads.table(max(self.step - 1, 0), 2)
            self._acting = (self.step, table[0], table[min(self.step, 1)])
        step, before, now = self._acting
        return before if step else None, now

    def chart(self, name: str) -> ChartData:
        return self._watchers.chart(name)

    def results(self) -> Mapping[str, Array]:
        return self.results_of(self)

    def results_of(self, body: Simulation) -> Mapping[str, Array]:
        """Of ``body``, all of which this is, or a rank's part."""
        path, places = self.lines_of(body), body.geometry.positions
        left = crack_results(path, self._tip.passed, self._time_unit, places, body.field(UNCUT), body.field(GONE))
        return {**self._watchers.results(), **left}

    def result_axes(self) -> Mapping[str, Axes]:
        return {**self._watchers.axes(), **CRACK_AXES}

    def lines(self) -> Lines:
        return self.lines_of(self)

    def lines_of(self, body: Simulation) -> Lines:
        """The path of the crack; the notches are a part of it. ``body`` as for :meth:`results_of`."""
        places, spacing = np.asarray(body.geometry.positions), 2 * float(body.geometry.radii[0])
        watched = self._watched
        damaged = body.field("damage") >= watched.threshold
        return crack_path(places, body.field(DISPLACED.name), damaged, watched.axis, watched.backward, spacing)

    def shifts(self) -> Mapping[Path, Position]:
        """Of the penetrators."""
        return (
            {("penetrators", number): shift for number, shift in enumerate(self._contact.shifts())}
            if self._contact
            else {}
        )

    def inspect(self, element: int) -> Inspection | None:
        """On a rank of one of its own particles, which all ranks are asked for: numbers are those of the body."""
        solver = self._solver
        here = solver.own.among(np.array([element]))
        handle = self.select(Selection(here.astype(np.int32)))
        rows = [info for info in self.fields if info.name in ROWS]
        energy, *strains = (self.gather(name, handle) for name in ("energy", *(info.name for info in rows)))
        if not len(here):
            return None
        place = int(solver.body.places[here[0]])
        moved = [
            float(self._backend.gather(row, handle)[0]) * solver.body.scales.length * 1e6 for row in solver.arrays["u"]
        ]
        self._find_damage()
        gone = float(self._backend.gather(solver.damage_values, handle)[0])
        whole = float(solver.body.whole[place])
        links = links_of(solver, self.geometry.positions, int(here[0]), solver.body.scales.length * 1e3)
        return Inspection(
            f"Particle {element}",
            (
                Fact("Bonds that hold", round(whole * (1 - gone)), ""),
                Fact("Bonds of the uncut body", whole, ""),
                *(Fact(f"Displacement along {axis}", value, "um") for axis, value in zip("xyz", moved, strict=False)),
                Fact("Energy density", float(energy[0]), "J/m³"),
                *(Fact(info.title, float(values[0]), info.unit) for info, values in zip(rows, strains, strict=True)),
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
        points, followed = (self._curve.points, self._curve.followed) if self._curve is not None else ([], -1)
        return {"followed": np.array(followed), "points": np.array(points).reshape(-1, 2)}

    def restore(self, state: Mapping[str, Array]) -> None:
        self._solver.restore({name: state[name] for name in self._solver.arrays})
        if self._contact:
            self._contact.restore(state)
        self.step = int(state["step"])
        self._tip.passed = [(float(time), float(position)) for time, position in state["passed"]]
        if self._curve is not None:
            self._curve.followed = int(state["followed"])
            self._curve.points = [(float(x), float(force)) for x, force in state["points"]]
        self.forget_end()
        self.beyond = None
        self._measured = self._damaged = self._strained = -1

    def forget_end(self) -> None:
        if self.step % self.sample_steps:
            self._tip.passed = [entry for entry in self._tip.passed if entry[0] < self.time]
            if self._curve is not None and self._curve.followed == self.step:
                self._curve.followed -= 1
                self._curve.points.pop()

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        """Also of velocities and, where they are known at this moment, of energies, which are squares."""
        solver, scales = self._solver, self._solver.body.scales
        looked = [("The displacement", solver.arrays["u"], 1e6 * scales.length)]
        if solver.dtype == np.float64:
            looked.append(("The velocity", solver.arrays["v"], scales.velocity))
            if self._measured == self.step:
                with self._backend.active():
                    density = solver.energy_values / solver.volume
                looked.append(("The energy density", density, scales.energy / self._watched.volume))
        for told, values, unit in looked:
            found = wrong_in(self, self._backend, told, values, SMALLER, unit=unit, element=self._particle_at)
            if found is not None:
                return found
        return None

    def _particle_at(self, place: int) -> int | None:
        """None beyond the ends of a rank's part: its neighbour finds it."""
        found = np.flatnonzero(self._solver.body.places == place % self._solver.body.size)
        return int(found[0]) if len(found) else None

    def close(self) -> None:
        self._solver.arrays.clear()
        self._solver.followers.clear()
        del self._solver, self._everything, self._gauges, self._totals, self._contact
        del self._strains, self._watchers


def _present(*watchers: Watcher[Moment] | None) -> Watchers[Watcher[Moment]]:
    """Those that there are."""
    return Watchers(watcher for watcher in watchers if watcher is not None)


def _stretches(links: Links | None) -> tuple[Fact, ...]:
    """The largest stretch of a bond that holds, and the one at which it breaks."""
    if links is None or np.isnan(links.values).all():
        return ()
    largest = float(np.nanmax(links.values))
    part = largest / links.range[1]
    return (Fact("Largest stretch of a bond", largest, ""), Fact("Part of the critical one", part, ""))
