"""A body as particles on a lattice: which points belong to it, which bonds its notches cut, where bonds cannot
break."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from engines.api import Array
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.peridynamics.cuts import Cut
from engines.peridynamics.family import WORD, Family, family
from engines.peridynamics.layout import Layout
from engines.peridynamics.parameters import (
    Block,
    Body,
    Notch,
    PeridynamicParameters,
    Plate,
    Region,
    SideRegion,
)

MOST_PARTICLES = 200_000_000
SIDES = {"left": (0, 0), "right": (0, 1), "bottom": (1, 0), "top": (1, 1), "front": (2, 0), "back": (2, 1)}
"""Axis of a side, and whether it is the far one."""
DRAWN_RADIUS = 0.5
"""Of a particle, in spacings."""


@dataclass(frozen=True, eq=False)
class Filled:
    """cells: (n, 3) lattice points (x, y, z) of the particles in the order of the geometry; counts: (nx, ny, nz)."""

    geometry: Particles
    cells: Array
    counts: tuple[int, int, int]
    spacing: float
    dimensions: int

    @property
    def centers(self) -> Array:
        """(n, 3) in mm; z = 0 in a plate."""
        return np.asarray(self.geometry.positions)


def filled(parameters: PeridynamicParameters) -> Filled:
    """The same object for the same body and spacing: viewers compare geometries by identity. Raises ProblemError."""
    return _filled(parameters.body.model_dump_json(), parameters.bonds.spacing)


@lru_cache(maxsize=8)
def _filled(body_json: str, spacing: float) -> Filled:
    body: Plate | Block = TypeAdapter(Body).validate_json(body_json)
    sizes = (body.size_x, body.size_y) if isinstance(body, Plate) else (body.size_x, body.size_y, body.size_z)
    numbers = [round(size / spacing) for size in sizes]
    if min(numbers) < 2:
        raise ProblemError(
            f"The body is less than two particles wide at a spacing of {spacing:g} mm: use a smaller spacing."
        )
    if math.prod(numbers) > MOST_PARTICLES:
        raise ProblemError(f"The body would have {math.prod(numbers):,} particles: use a greater spacing.")
    nx, ny, nz = (*numbers, 1)[:3]
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    cells = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1).astype(np.int32)
    positions = (cells + 0.5) * spacing
    if isinstance(body, Plate):
        positions[:, 2] = 0.0
    inside = np.ones(len(cells), bool)
    for hole in body.holes:
        inside &= ((positions[:, :2] - np.array(hole.center)) ** 2).sum(axis=1) >= hole.radius**2
    if not inside.any():
        raise ProblemError("The holes leave nothing of the body: make them smaller.")
    positions, cells = positions[inside], cells[inside]
    geometry = Particles(positions, np.full(len(positions), DRAWN_RADIUS * spacing), "mm", cells)
    return Filled(geometry, cells, (nx, ny, nz), spacing, len(numbers))


def chosen(region: Region, body: Filled) -> Array:
    """(n,) bool: the particles of a region. Raises ProblemError if there are none."""
    found: Any
    if isinstance(region, SideRegion):
        axis, far = SIDES[region.side]
        if axis >= body.dimensions:
            raise ProblemError(f"A plate has no {region.side}: choose left, right, bottom or top.")
        row = body.cells[:, axis]
        found = np.asarray(row >= body.counts[axis] - region.rows if far else row < region.rows, bool)
    else:
        d = body.dimensions
        places = body.centers[:, :d]
        found = ((places >= np.array(region.low[:d])) & (places <= np.array(region.high[:d]))).all(axis=1)
    if not found.any():
        raise ProblemError("A region holds no particle: move it into the body, or make it larger than the spacing.")
    return np.asarray(found)


def cut_of(notch: Notch, body: Filled) -> Cut:
    """In lattice spacings from the first particle. Raises ProblemError."""
    start, end = (np.array(place) / body.spacing - 0.5 for place in (notch.start, notch.end))
    if np.linalg.norm(end - start) < 1e-6:
        raise ProblemError("A notch begins where it ends: move one of its ends.")
    if body.dimensions == 2:
        return Cut(start, (end - start)[None])
    if notch.high_z <= notch.low_z:
        raise ProblemError("The highest z of a notch is not above the lowest: exchange them.")
    low, high = (value / body.spacing - 0.5 for value in (notch.low_z, notch.high_z))
    # far beyond the body the end of the notch decides nothing, and huge numbers would only lose digits
    low, high = max(low, -10.0), min(high, body.counts[2] + 10.0)
    return Cut(np.array([*start, low]), np.array([[*(end - start), 0.0], [0.0, 0.0, high - low]]))


@dataclass(frozen=True, eq=False)
class Bonded:
    """The bonds of a body. layout, places: where its particles lie; words, breakable: (words, size) uint32;
    whole: (size,) bonds before any cut."""

    layout: Layout
    family: Family
    places: Array
    words: Array
    breakable: Array
    whole: Array


def bonded(parameters: PeridynamicParameters, body: Filled) -> Bonded:
    """Raises ProblemError."""
    kin = family(body.dimensions, parameters.bonds.reach)
    layout = Layout(body.counts, kin.reach, body.dimensions)
    places, steps = layout.places(body.cells), layout.steps(kin.offsets)
    exists, safe = np.zeros(layout.size, bool), np.zeros(layout.size, bool)
    exists[places] = True
    for region in parameters.unbreakable:
        safe[places] |= chosen(region, body)
    words, breakable = (np.zeros((kin.words, layout.size), np.uint32) for _ in range(2))
    whole = np.zeros(layout.size)
    cuts = [cut_of(notch, body) for notch in parameters.notches]
    points = body.cells[:, : body.dimensions].astype(float)
    heights = [np.abs(cut.height(points)) for cut in cuts]
    for bit, (offset, step) in enumerate(zip(kin.offsets, steps, strict=True)):
        there = places + step
        mine = exists[there]
        whole[places] += mine
        for cut, height in zip(cuts, heights, strict=True):
            near = np.flatnonzero(mine & (height <= kin.reach + 1))
            crossed = cut.crosses(points[near], points[near] + offset[: body.dimensions])
            mine[near[crossed]] = False
        value = np.uint32(1 << bit % WORD)
        words[bit // WORD, places[mine]] |= value
        breakable[bit // WORD, places[mine & ~safe[places] & ~safe[there]]] |= value
    return Bonded(layout, kin, places, words, breakable, whole)
