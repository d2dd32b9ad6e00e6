"""Spheres side by side: the geometry of whatever lives in particles."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array


@dataclass(frozen=True, eq=False)
class Particles:
    """Spheres; each is one element, numbered as in ``positions``.

    positions: (n, 3) centres, radii: (n,), in ``length_unit``

    What varies inside a sphere is a field with components: one per shell of equal thickness from the centre to the
    surface, so that a viewer has the profile of each sphere that it cuts open in one row. What a sphere has one of
    (its surface, its flux) is a field with one component. Two geometries are equal only if they are the same object.
    ``cells: (n, 3)`` integers place particles on a lattice whose spacing is twice their (one) radius: together they
    fill a body without gaps, and are drawn as its squares or cubes. ``labels``: names of parts (an electrode, a
    population) with points (k, 3) at their rim, beside one of which a viewer writes them.
    """

    positions: Array
    radii: Array
    length_unit: str = "um"
    cells: Array | None = None
    labels: tuple[tuple[str, Array], ...] = ()

    def __post_init__(self) -> None:
        if self.cells is not None and self.cells.shape != self.positions.shape:
            raise ValueError(f"{len(self.radii)} particles in cells of shape {self.cells.shape}")
        if self.positions.shape != (len(self.radii), 3):
            raise ValueError(f"{len(self.radii)} radii and positions of shape {self.positions.shape}")
        if not (self.radii > 0).all():
            raise ValueError("the radius of a particle is positive")

    @property
    def n_cells(self) -> int:
        """Number of spheres."""
        return len(self.radii)

    @property
    def centroids(self) -> Array:
        """(n, 3): the same as ``positions``, by the name that meshes have."""
        return self.positions

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner of the box around all spheres, (3,) each."""
        around = self.radii[:, None]
        return (self.positions - around).min(axis=0), (self.positions + around).max(axis=0)

    def centers(self, elements: Array) -> Array:
        """(n, 3) float64: where the centres of the spheres ``elements: (n,)`` are."""
        return np.asarray(self.positions[np.asarray(elements, np.int64)], float)

    def nearest(self, positions: Array) -> Array:
        """(n,) int64: the sphere whose surface is nearest to each of ``positions: (n, 3)``, or around it."""
        places = np.atleast_2d(np.asarray(positions, float))
        found = [np.argmin(np.linalg.norm(self.positions - place, axis=1) - self.radii) for place in places]
        return np.array(found, np.int64)


ASPECT = 1.6
"""Width over height of a grid of pairs."""

_recent: deque[Particles] = deque(maxlen=8)


def interned(particles: Particles) -> Particles:
    """One of the last few that went through here if it has the same spheres: viewers compare geometries by identity."""
    for known in list(_recent):
        spheres = ((each.radii, each.positions) for each in (known, particles))
        if known.length_unit == particles.length_unit and all(map(np.array_equal, *spheres)):
            return known
    _recent.append(particles)
    return particles


def named_parts(particles: Particles, names: Sequence[str], counts: Sequence[int]) -> Particles:
    """The same with labels: ``counts`` elements one after the other are of a part each, whose rim is the box around."""
    ends, labels = np.cumsum(counts), []
    for name, end, count in zip(names, ends, counts, strict=True):
        if count:
            part = Particles(particles.positions[end - count : end], particles.radii[end - count : end])
            low, high = part.bounds
            x, y, z = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
            labels.append((name, np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)))
    return replace(particles, labels=tuple(labels))


def paired_rows(first: Array, second: Array, gap: float = 0.25) -> Particles:
    """Two particles for each of n cells: the n of radii ``first``, then the n of ``second`` (elements n to 2n).

    Pairs stand in a grid in the plane z = 0, left and right, with ``gap`` of the largest radius between them; the grid
    is wider than high, as pictures are.
    """
    n, largest = len(first), float(max(first.max(), second.max()))
    columns = max(1, round(np.sqrt(ASPECT * n / 2)))
    pitch = (2 + gap) * largest
    column, row = np.arange(n) % columns, np.arange(n) // columns
    left = np.stack([(2 * column + 0.5) * pitch + column * gap * largest, (row + 0.5) * pitch, np.zeros(n)], axis=1)
    return Particles(np.concatenate([left, left + np.array([pitch, 0.0, 0.0])]), np.concatenate([first, second]))
