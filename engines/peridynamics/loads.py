"""What acts on the particles: a table with a row for each combination of loads, for each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.errors import ProblemError
from engines.peridynamics.body import Filled, chosen
from engines.peridynamics.parameters import Displacement, Load, SideRegion, Stress
from engines.peridynamics.regions import combinations

MOST_KINDS = 255
ACCELERATION, HELD, DISPLACEMENT, VELOCITY = range(4)


def smooth(share: Array) -> Array:
    """0 before 0, 1 after 1, with slope and curvature 0 at both ends."""
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x * x * x * (10 - 15 * x + 6 * x * x))


def smooth_integral(share: Array) -> Array:
    """The integral of :func:`smooth` from 0."""
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**4 * (2.5 - 3 * x + x * x) + np.maximum(share - 1.0, 0.0))


@dataclass(frozen=True, eq=False)
class Loads:
    """kind: (n,) uint8, 0 for free particles; combinations: for each further kind the numbers of its loads.

    dt [s], spacing [m], density [kg/m³].
    """

    loads: tuple[Load, ...]
    kind: Array
    combinations: tuple[tuple[int, ...], ...]
    dimensions: int
    dt: float
    spacing: float
    density: float

    def table(self, first: int, steps: int) -> Array:
        """(steps, kinds, 4, d) of steps first, first + 1, …: acceleration, held, displacement and velocity after it.

        In spacings and steps; forces are those at the beginning of a step.
        """
        table = np.zeros((steps, len(self.combinations) + 1, 4, self.dimensions))
        numbers = np.arange(first, first + steps)
        for number, load in enumerate(self.loads):
            kinds = [row + 1 for row, combination in enumerate(self.combinations) if number in combination]
            if isinstance(load, Stress):
                share = smooth(numbers * self.dt / (load.rise * 1e-6)) if load.rise else np.ones(steps)
                per_step = self.dt**2 / (self.density * self.spacing**2)  # force density σ/Δx to spacings per step²
                for axis, stress in enumerate(load.stress[: self.dimensions]):
                    for kind in kinds:
                        table[:, kind, ACCELERATION, axis] += share * (stress * 1e6 * per_step)
                continue
            for axis, value in enumerate((load.x, load.y, load.z)[: self.dimensions]):
                if value is None:
                    continue
                after = self._path(load, value, numbers + 1)
                moved = after - self._path(load, value, numbers)
                for kind in kinds:
                    table[:, kind, HELD, axis] = 1
                    table[:, kind, DISPLACEMENT, axis] = after
                    table[:, kind, VELOCITY, axis] = moved
        return table

    def _path(self, load: Load, value: float, numbers: Array) -> Array:
        """Displacement after so many steps, in spacings."""
        time, rise = numbers * self.dt, load.rise * 1e-6
        if isinstance(load, Displacement):
            return np.asarray(value * 1e-3 / self.spacing * smooth(time / rise))
        lasted = rise * smooth_integral(time / rise) if rise else time
        return np.asarray(value / self.spacing * lasted)


def loads_on(body: Filled, loads: list[Load], dt: float, spacing: float, density: float) -> Loads:
    """Raises ProblemError for a load that reaches no particle, and where two hold the same particles."""
    reached = np.zeros((len(body.cells), len(loads)), bool)
    for number, load in enumerate(loads):
        region = SideRegion(side=load.side) if isinstance(load, Stress) else load.region
        place = ("loads", number) if isinstance(load, Stress) else ("loads", number, "region")
        reached[:, number] = chosen(region, body, place)
        if isinstance(load, Stress) and not any(load.stress[: body.dimensions]):
            raise ProblemError(f"The stress on the {load.side} is zero: give it a value, or take the load away.")
    for name in "xyz"[: body.dimensions]:
        holding = [
            number
            for number, load in enumerate(loads)
            if not isinstance(load, Stress) and getattr(load, name) is not None
        ]
        if (reached[:, holding].sum(axis=1) > 1).any():
            raise ProblemError(f"Two loads move the same particles along {name}: let their regions not overlap.")
    ways, kind = combinations(reached)
    rows = [tuple(np.flatnonzero(row).tolist()) for row in ways]
    if rows and not rows[0]:  # free particles come first in order
        rows = rows[1:]
    else:
        kind = kind + 1
    if len(rows) > MOST_KINDS:
        raise ProblemError(f"The loads overlap in {len(rows)} ways: use fewer.")
    return Loads(tuple(loads), kind.astype(np.uint8), tuple(rows), body.dimensions, dt, spacing, density)
