"""Penetrators as numbers for a device: where they are, how they move, how stiff they meet particles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from pydantic import TypeAdapter

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.peridynamics.body.bonded import Filled
from engines.peridynamics.contact.rows import SHAPE, ShapeRow
from engines.peridynamics.contact.shapes import BALL, CUBOID, CYLINDER, Solid, solid_of
from engines.peridynamics.loading.histories import smooth, smooth_integral
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.parameters.contact import Driven, Form, Free, Motion, Penetrator, Shifted

TOUCHING = 1e-6
"""Spacings that a penetrator may reach into the body at the start: rounding of its place."""


@dataclass(frozen=True, eq=False)
class Rigid:
    """In spacings from the first point of the lattice, and steps.

    shapes: (bodies, SHAPE); places, velocities: (bodies, 3) at the start, velocities of free ones. dt [s], spacing [m].
    origin: (3,) [mm] of lattice point 0. solids are in mm.
    """

    solids: tuple[Solid, ...]
    motions: tuple[Motion, ...]
    shapes: Array
    places: Array
    velocities: Array
    dt: float
    spacing: float
    origin: Array

    def path(self, first: int, steps: int) -> Array:
        """(steps, bodies, 9) after steps first, first + 1, …: place, velocity half a step ago and in half a step.

        Nothing for free ones."""
        table = np.zeros((steps, len(self.solids), 9))
        for number, motion in enumerate(self.motions):
            if isinstance(motion, Free):
                continue
            moved = self._moved(motion, np.arange(first, first + steps + 2), self.solids[number].dimensions)
            table[:, number, :3] = self.places[number] + moved[1:-1]
            table[:, number, 3:6] = moved[1:-1] - moved[:-2]
            table[:, number, 6:] = moved[2:] - moved[1:-1]
        return table

    def _moved(self, motion: Motion, numbers: Array, dimensions: int) -> Array:
        """(n, 3) spacings after so many steps."""
        time = numbers * self.dt
        share, along = np.zeros(len(numbers)), np.zeros(3)
        if isinstance(motion, Driven):
            rise = motion.rise * 1e-6
            share = rise * smooth_integral(time / rise) if rise else time
            along = np.array(motion.velocity) / self.spacing
        elif isinstance(motion, Shifted):
            share = smooth(time / (motion.rise * 1e-6))
            along = np.array(motion.displacement) * 1e-3 / self.spacing
        along[dimensions:] = 0.0
        return np.asarray(share[:, None] * along)


def rigid_on(body: Filled, penetrators: list[Penetrator], lattice: Lattice, dt: float) -> Rigid:
    """Raises ProblemError for one that starts inside the body, and for a free one that is too light."""
    spacing, d = lattice.spacing, body.dimensions
    per_mm = 1e-3 / spacing
    origin = body.centers[0] - body.cells[0] * body.spacing
    solids, shapes = [], np.zeros((len(penetrators), SHAPE))
    places, velocities = np.zeros((len(penetrators), 3)), np.zeros((len(penetrators), 3))
    mass = lattice.scales(dt).mass
    for number, penetrator in enumerate(penetrators):
        place = ("penetrators", number)
        with placed_at(*place, "form"):
            solid = solid_of(penetrator.form, d)
        inside = 0.5 * body.spacing - least_distance(body, penetrator.form.model_dump_json())
        if inside > TOUCHING * body.spacing:
            raise ProblemError(
                f"Penetrator {number + 1} starts inside the body: move it away by at least {inside:.3g} mm.", place
            )
        stiffness = penetrator.stiffness * stiffness_rate(lattice) * dt**2
        ratio = 0.0
        if isinstance(penetrator.motion, Free):
            least = stiffness * mass * _touched(solid, body) * 1e3
            if penetrator.motion.mass < least:
                what = "has no mass" if penetrator.motion.mass == 0 else "is too light to be followed"
                raise ProblemError(
                    f"Penetrator {number + 1} {what}: give it at least {_upwards(least):g} g.", (*place, "motion")
                )
            ratio = mass / (penetrator.motion.mass * 1e-3)
            velocities[number, :d] = np.array(penetrator.motion.velocity)[:d] * dt / spacing
        solids.append(solid)
        shapes[number, : ShapeRow.RATIO + 1] = (
            solid.kind,
            *solid.axis,
            *(solid.sizes * per_mm),
            stiffness,
            penetrator.friction,
            ratio,
        )
        places[number, :d] = ((solid.center - origin) * per_mm)[:d]
    motions = tuple(penetrator.motion for penetrator in penetrators)
    return Rigid(tuple(solids), motions, shapes, places, velocities, dt, spacing, origin)


def stiffness_rate(lattice: Lattice) -> float:
    """E/(ρ Δx²) [1/s²]: of a column of the body, one spacing long, over the mass of a particle."""
    return lattice.young / (lattice.density * lattice.spacing**2)


_FORM: TypeAdapter[Form] = TypeAdapter(Form)


@lru_cache(maxsize=32)
def least_distance(body: Filled, form: str) -> float:
    """[mm] from the surface to the nearest centre of a particle; negative inside."""
    solid = solid_of(_FORM.validate_json(form), body.dimensions)
    pieces = np.array_split(np.arange(len(body.cells)), -(-len(body.cells) // 1_000_000))
    return min(float(solid.distance(body.centers[piece])[0].min()) for piece in pieces)


def _touched(solid: Solid, body: Filled) -> float:
    """How many particles it may touch at once, at most: those that its cross-section covers, or a side of the body."""
    sides = sorted(body.counts[: body.dimensions])[1:]
    whole = float(math.prod(sides))
    sizes = solid.sizes / body.spacing
    if solid.kind == BALL:
        own = 2 * sizes[0] if body.dimensions == 2 else math.pi * sizes[0] ** 2
    elif solid.kind == CYLINDER:
        own = max(4 * sizes[0] * sizes[1], math.pi * sizes[0] ** 2)
    elif solid.kind == CUBOID:
        own = math.prod(2 * edge for edge in sorted(sizes[: body.dimensions])[1:])
    else:
        own = whole
    return float(min(max(own, 1.0), whole))


def _upwards(value: float) -> float:
    """Three digits, not less than ``value``."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.ceil(value / unit) * unit
