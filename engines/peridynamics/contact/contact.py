"""What a simulation knows of contact: followers of its solver, their energies, forces and places over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartInfo
from engines.api.figures import triple
from engines.peridynamics.body.bonded import Filled
from engines.peridynamics.contact import repulsion
from engines.peridynamics.contact.limits import repulsion_rate
from engines.peridynamics.contact.penetrators import PENETRATORS, Penetrators
from engines.peridynamics.contact.repulsion import REPULSION, Repulsion
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.contact.rows import NOWHERE
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.step.solver import Solver
from engines.peridynamics.watch.moment import Moment
from engines.watching import Watcher

"""Where places without a particle are."""
ALWAYS = 1 << 16
"""Particles that there is memory for in any case: a small body is all surface."""
ENERGIES = (SeriesInfo("contact", "Contact", "mJ"), SeriesInfo("friction", "Friction", "mJ"))


@dataclass(frozen=True)
class ContactEnergies:
    """[J]: what penetrators have done, what is in the springs of contact, what friction has taken."""

    work: float = 0.0
    stored: float = 0.0
    friction: float = 0.0


class Contact(Watcher[Moment]):
    """Either part may be None. ``axes`` are those that forces and places are told of."""

    def __init__(self, solver: Solver, penetrators: Penetrators | None, particles: Repulsion | None, axes: str) -> None:
        self._solver, self.penetrators, self.particles, self._axes = solver, penetrators, particles, axes
        numbers = range(1, penetrators.bodies + 1) if penetrators else range(0)
        quantities = (("force", "force", "N"), ("place", "place", "mm"), ("velocity", "velocity", "m/s"))
        told = {
            name: [
                SeriesInfo(f"penetrator_{number}_{name}_{axis}", f"Penetrator {number}: {word} along {axis}", unit)
                for number in numbers
                for axis in axes
            ]
            for name, word, unit in quantities
        }
        self.series = (*ENERGIES, *(info for infos in told.values() for info in infos))
        self.charts = tuple(
            ChartInfo(f"penetrator_{name}", title, unit, series=tuple(info.name for info in told[name]))
            for name, title, unit in (
                ("force", "Force on the penetrators", "N"),
                ("velocity", "Velocity of the penetrators", "m/s"),
            )
            if told[name]
        )
        self.found = ContactEnergies()
        """At the last look."""
        self._read: dict[str, float] = {}

    def look(self, moment: Moment) -> None:
        self.found = self.energies()
        self._read = self._told(self.found)
        moment.read.update(self._read)

    def observe(self) -> Mapping[str, float]:
        return self._read

    def energies(self) -> ContactEnergies:
        """At this moment."""
        seen = self.penetrators.seen() if self.penetrators else None
        stored = self.particles.stored() if self.particles else 0.0
        if seen is None:
            return ContactEnergies(stored=stored)
        return ContactEnergies(seen.work, seen.stored + stored, seen.friction)

    def _told(self, energies: ContactEnergies) -> dict[str, float]:
        """The present value of each of ``series``."""
        found = {"contact": energies.stored * 1e3, "friction": energies.friction * 1e3}
        if self.penetrators:
            seen = self.penetrators.seen()
            for number in range(self.penetrators.bodies):
                for axis, name in enumerate(self._axes):
                    key = f"penetrator_{number + 1}_{{}}_{name}"
                    found[key.format("force")] = float(seen.forces[number, axis])
                    found[key.format("place")] = float(seen.places[number, axis])
                    found[key.format("velocity")] = float(seen.velocities[number, axis])
        return found

    def shifts(self) -> tuple[tuple[float, float, float], ...]:
        """How far each penetrator has moved since the start [mm]."""
        if not self.penetrators:
            return ()
        return tuple(triple(shift) for shift in self.penetrators.places() - self.penetrators.started)

    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs, on the host."""
        held = {f"{part}.{name}": values for part, each in self._parts() for name, values in each.state().items()}
        return {**held, "pushes": self._solver.backend.to_host(self._solver.pushes)}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Into the solver's pushes, too. In older checkpoints velocities have them, and they are found again."""
        solver = self._solver
        with solver.backend.active():
            solver.pushes.fill(0)
        for part, each in self._parts():
            begin = f"{part}."
            each.restore({name.removeprefix(begin): state[name] for name in state if name.startswith(begin)})
        if "pushes" in state:
            if state["pushes"].shape != solver.pushes.shape:
                raise ValueError(f"pushes of {state['pushes'].shape}, not {solver.pushes.shape}")
            solver.pushes = solver.backend.array(state["pushes"])
            return
        if self.particles:
            self.particles.push_again()
        with solver.backend.active():
            solver.arrays["v"] -= solver.pushes

    def _parts(self) -> list[tuple[str, Penetrators | Repulsion]]:
        both = (("penetrators", self.penetrators), ("particles", self.particles))
        return [(name, part) for name, part in both if part is not None]


def rest_places(cells: Array, places: Array, size: int, dtype: Any) -> Array:
    """(d, size) of the particles at lattice points ``cells: (n, d)``, NOWHERE where there is none."""
    rest = np.full((cells.shape[1], size), NOWHERE, dtype)
    rest[:, places] = cells.T
    return rest


def capacity_for(parameters: PeridynamicParameters, particles: int) -> int:
    """How many particles may take part in contact with each other."""
    if parameters.contact.kind == "none":
        return 0
    return max(round(parameters.contact.share * particles), min(particles, ALWAYS))


def bytes_of(parameters: PeridynamicParameters, particles: int, size: int, dimensions: int, value_bytes: int) -> int:
    """Device memory of contact."""
    capacity, total = capacity_for(parameters, particles), 0
    if parameters.penetrators:
        total += particles * 4
        if any(each.friction for each in parameters.penetrators):
            total += len(parameters.penetrators) * size * dimensions * value_bytes
    if capacity:
        total += repulsion.bytes_of(capacity, dimensions, value_bytes)
    return total + size * dimensions * value_bytes if total else 0


def contact_on(
    solver: Solver, body: Discretised, filled: Filled, parameters: PeridynamicParameters, rigid: Rigid, lattice: Lattice
) -> Contact | None:
    """What ``parameters`` ask for, put behind ``solver``; None where that is nothing."""
    capacity = capacity_for(parameters, len(filled.cells))
    if not parameters.penetrators and not capacity:
        return None
    backend = solver.backend
    cells = solver.own.part_of(filled.cells)[:, : filled.dimensions]
    rest = backend.array(rest_places(cells, body.places, body.size, solver.dtype))
    penetrators = PENETRATORS.on(backend)(solver, rigid, rest) if parameters.penetrators else None
    particles = None
    if capacity:
        stiffness = repulsion_rate(parameters, lattice) * rigid.dt**2
        particles = REPULSION.on(backend)(solver, body, rest, stiffness, parameters.contact.radius, capacity)
    solver.followed_by(part for part in (penetrators, particles) if part is not None)
    return Contact(solver, penetrators, particles, "xyz"[: filled.dimensions])
