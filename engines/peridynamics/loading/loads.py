"""What acts on the particles: a table with a row for each combination of loads, for each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.peridynamics.body.bonded import Filled, chosen
from engines.peridynamics.body.regions import combinations
from engines.peridynamics.loading.histories import share, share_integral, table_of
from engines.peridynamics.parameters import (
    Displacement,
    Force,
    Gravity,
    Held,
    Load,
    Point,
    Region,
    SideRegion,
    Stress,
    Velocity,
)
from engines.peridynamics.parameters.loading.histories import FromFile, TypedHistory

MOST_KINDS = 255
ACCELERATION, HELD, DISPLACEMENT, VELOCITY = range(4)


@dataclass(frozen=True, eq=False)
class Loads:
    """kind: (n,) uint8, 0 for free particles; combinations: for each further kind the numbers of its loads;
    reached: for each load the particles of its region, in the order of the geometry; tables: for each load what the
    file of its history held when the run was made, whatever becomes of the file.

    dt [s], spacing [m], density [kg/m³], volume [m³] of a particle. heaviness: for each further kind the density of its
    particles over this one.
    """

    loads: tuple[Load, ...]
    kind: Array
    combinations: tuple[tuple[int, ...], ...]
    dimensions: int
    dt: float
    spacing: float
    density: float
    volume: float
    reached: tuple[Array, ...]
    tables: tuple[Array | None, ...]
    heaviness: tuple[float, ...]

    def table(self, first: int, steps: int) -> Array:
        """(steps, kinds, 4, d) of steps first, first + 1, …: acceleration, held, displacement and velocity after it.

        In spacings and steps; forces are those at the beginning of a step.
        """
        numbers = np.arange(first, first + steps)
        return self._between(numbers * self.dt, (numbers + 1) * self.dt)

    def standing(self, time: float) -> Array:
        """(kinds, 4, d) of the loads as they are at ``time`` [s], with nothing on the move: for a state of rest."""
        return self._between(*np.full((2, 1), time))[0]

    def _between(self, before: Array, after: Array) -> Array:
        """(steps, kinds, 4, d) of steps from ``before`` to ``after: (steps,)`` [s]."""
        table = np.zeros((len(before), len(self.combinations) + 1, 4, self.dimensions))
        for number, load in enumerate(self.loads):
            kinds = [row + 1 for row, combination in enumerate(self.combinations) if number in combination]
            if not isinstance(load, Held):
                pushed = self.share(number, before)[:, None] * self.acceleration(number)
                for kind in kinds:
                    weight = self.heaviness[kind - 1] if isinstance(load, Gravity) else 1.0
                    table[:, kind, ACCELERATION] += weight * pushed
                continue
            for axis, value in enumerate((load.x, load.y, load.z)[: self.dimensions]):
                if value is None:
                    continue
                place = self._path(number, load, value, after)
                moved = place - self._path(number, load, value, before)
                for kind in kinds:
                    table[:, kind, HELD, axis] = 1
                    table[:, kind, DISPLACEMENT, axis] = place
                    table[:, kind, VELOCITY, axis] = moved
        return table

    def acceleration(self, number: int) -> Array:
        """(d,) that a load that pushes gives each of its particles when all of it is there, in spacings per step²;
        gravity to those of the body's own density."""
        load = self.loads[number]
        if isinstance(load, Stress):  # force density σ/Δx
            value, each = load.stress, 1e6 / (self.density * self.spacing)
        elif isinstance(load, Force):
            value, each = load.force, 1 / (self.density * self.volume * len(self.reached[number]))
        elif isinstance(load, Gravity):
            value, each = load.acceleration, 1.0
        else:
            value, each = (0.0, 0.0, 0.0), 0.0
        return np.array(value[: self.dimensions]) * (each * self.dt**2 / self.spacing)

    def held(self, axis: int) -> Array:
        """(n,) bool: the particles that loads move along an axis."""
        held = np.zeros(len(self.kind), bool)
        for load, reached in zip(self.loads, self.reached, strict=True):
            if isinstance(load, Held) and (load.x, load.y, load.z)[axis] is not None:
                held[reached] = True
        return held

    def borne(self) -> list[int]:
        """Numbers of the loads that push nothing but particles which are held along that."""
        held = np.stack([self.held(axis) for axis in range(self.dimensions)], axis=1)
        pushed = [self.acceleration(number) != 0 for number in range(len(self.loads))]
        return [n for n, along in enumerate(pushed) if along.any() and held[self.reached[n]][:, along].all()]

    def unbalanced(self) -> list[int]:
        """Axes along which forces and stresses push a body on, which nothing holds there: by more than a twentieth
        of what they are together, for as long as all of them follow the same history."""
        pushing = [each for each in self.loads if not isinstance(each, Held)]
        alike = {each.history.model_dump_json() for each in pushing}
        if len(alike) != 1 or any(isinstance(each, Gravity) for each in pushing):
            return []
        particles = np.bincount(self.kind, minlength=len(self.combinations) + 1)
        for time in self.dt * 10.0 ** np.arange(8):  # some histories begin with nothing
            pushes = self.standing(time)[:, 0] * particles[:, None]
            whole = np.abs(pushes).sum(axis=0)
            if whole.any():
                on = np.abs(pushes.sum(axis=0)) > 0.05 * whole.max()
                return [axis for axis in np.flatnonzero(on).tolist() if not self.held(axis).any()]
        return []

    def share(self, number: int, time: Array) -> Array:
        """(n,) what there is of a load at ``time: (n,)`` [s]; 1 is all."""
        return share(self.loads[number].history, time, self.tables[number])

    def _path(self, number: int, load: Held, value: float, time: Array) -> Array:
        """Displacement at times [s], in spacings."""
        if isinstance(load, Displacement):
            return np.asarray(value * 1e-3 / self.spacing * self.share(number, time))
        return np.asarray(value / self.spacing * share_integral(load.history, time, self.tables[number]))


def loads_on(
    body: Filled,
    loads: list[Load],
    dt: float,
    spacing: float,
    density: float,
    volume: float | None = None,
    heaviness: Array | None = None,
) -> Loads:
    """``volume`` [m³] of a particle; none: a cube. heaviness: (n,) the density of each over ``density``.

    Raises ProblemError for a load that reaches no particle or is nothing, a history that cannot be read, and where two
    loads hold the same particles."""
    reached = np.zeros((len(body.cells), len(loads)), bool)
    for number, load in enumerate(loads):
        if isinstance(load, Gravity):
            reached[:, number] = True
        else:
            place = ("loads", number) if isinstance(load, Stress) else ("loads", number, "region")
            reached[:, number] = chosen(_region(load), body, place)
        with placed_at("loads", number):
            _check_pushes(load, body.dimensions)
    for name in "xyz"[: body.dimensions]:
        holding = [
            number for number, load in enumerate(loads) if isinstance(load, Held) and getattr(load, name) is not None
        ]
        twice = reached[:, holding].sum(axis=1) > 1
        if twice.any():
            last = max(number for number in holding if reached[twice, number].any())
            raise ProblemError(
                f"Two loads move the same particles along {name}: let their regions not overlap.", ("loads", last)
            )
    groups, densities = reached, np.ones(1)
    if heaviness is not None and any(isinstance(load, Gravity) for load in loads):  # kinds differ in weight too
        densities = np.unique(heaviness)
        groups = np.column_stack([reached, heaviness[:, None] == densities[1:]])
    ways, kind = combinations(groups)
    rows = [tuple(np.flatnonzero(row[: len(loads)]).tolist()) for row in ways]
    weights = [float(densities[row[len(loads) :] @ np.arange(1, len(densities))]) for row in ways]
    if rows and not rows[0]:  # free particles come first in order
        rows, weights = rows[1:], weights[1:]
    else:
        kind = kind + 1
    if len(rows) > MOST_KINDS:
        raise ProblemError(f"The loads overlap in {len(rows)} ways: use fewer.")
    return Loads(
        tuple(loads), kind.astype(np.uint8), tuple(rows), body.dimensions, dt, spacing, density,
        spacing**3 if volume is None else volume, tuple(np.flatnonzero(column) for column in reached.T),
        tuple(_table(load, number) for number, load in enumerate(loads)), tuple(weights),
    )  # fmt: skip


def _table(load: Load, number: int) -> Array | None:
    """What the file of its history holds, if it has one: it is read here, as formulas are, not in the
    middle of a run."""
    with placed_at("loads", number, "history"):
        if isinstance(load.history, TypedHistory):
            share(load.history, np.zeros(1))
        return table_of(load.history) if isinstance(load.history, FromFile) else None


def _region(load: Stress | Force | Velocity | Displacement) -> Region:
    return SideRegion(side=load.side) if isinstance(load, Stress) else load.region


def _check_pushes(load: Load, dimensions: int) -> None:
    if isinstance(load, Held):
        return
    value: Point
    if isinstance(load, Stress):
        value, what = load.stress, f"The stress on the {load.side} is zero: give it a value"
    elif isinstance(load, Force):
        value, what = load.force, "A force is zero: give it a value"
    else:
        value, what = load.acceleration, "Gravity is zero: give it a value"
    if not any(value[:dimensions]):
        raise ProblemError(f"{what}, or take the load away.")
