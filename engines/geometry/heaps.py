"""Heaps of spheres: the geometry of electrodes that are made of many particles."""

from __future__ import annotations

import numpy as np
from numba import njit

from engines.api import Array
from engines.geometry.particles import Particles

DENSITY = 0.45
"""Share of a heap that its spheres fill, about: it gives the heap its shape, not its spheres their places."""
TRIES = 24
"""Places that are tried for a sphere; the lowest is taken. Fewer in heaps of more than MANY spheres, down to 2."""
MANY = 10_000
DEPTH = 32
"""Spheres that were dropped last in a cell of the floor and may hold the next one."""
MOST_CELLS = 2_000
"""Along a side of the floor: more are empty, as where one electrode's particles are a thousandth of the other's."""


def facing_heaps(first: Array, second: Array, gap: float = 2.0) -> Particles:
    """Two heaps of spheres that face each other along x: those of radii ``first``, then those of ``second``.

    Each is some twice as high and wide as it is thick, piled up from its outer side (x) towards the other, with
    ``gap`` of the largest radius between them. The same radii always give the same places.
    """
    width = 2 ** (1 / 3) * max(_volume(first), _volume(second)) ** (1 / 3)
    left, right = (_heap(radii, width, seed) for seed, radii in enumerate((first, second)))
    largest = float(max(first.max(), second.max()))
    left[:, 0] -= (left[:, 0] + first).max() + gap * largest / 2
    right[:, 0] = (right[:, 0] + second).max() + gap * largest / 2 - right[:, 0]
    return Particles(np.concatenate([left, right]), np.concatenate([first, second]))


def _volume(radii: Array) -> float:
    return float(4 / 3 * np.pi * (radii**3).sum()) / DENSITY


def _heap(radii: Array, width: float, seed: int) -> Array:
    """(n, 3) centres of a heap on the floor x = 0, its other two coordinates around 0 and within ``width``."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(radii))
    largest = float(radii.max())
    side = max(width, 2 * largest)
    cells = max(1, int(min(side / (2 * largest), MOST_CELLS)))
    places = np.empty((len(radii), 3))
    tries = generator.random((len(radii), min(TRIES, max(2, TRIES * MANY // len(radii))), 2))
    _drop(radii.astype(float), order, tries, side, cells, places)
    places[:, 1:] -= side / 2
    return places


@njit(cache=True, nogil=True)
def _drop(radii, order, tries, side, cells, places):
    """Drop the spheres one after the other, straight down along x, each where it comes to lie lowest."""
    newest = np.full((cells, cells), -1)
    before = np.full(len(radii), -1)  # the sphere that was dropped before this one in the same cell
    for sphere in order:
        r, best = radii[sphere], np.inf
        for k in range(tries.shape[1]):
            y = r + tries[sphere, k, 0] * (side - 2.0 * r)
            z = r + tries[sphere, k, 1] * (side - 2.0 * r)
            row, column = min(int(y / side * cells), cells - 1), min(int(z / side * cells), cells - 1)
            height = r
            for a in range(max(row - 1, 0), min(row + 2, cells)):
                for b in range(max(column - 1, 0), min(column + 2, cells)):
                    other, seen = newest[a, b], 0
                    while other >= 0 and seen < DEPTH and height < best:
                        reach = r + radii[other]
                        apart = (y - places[other, 1]) ** 2 + (z - places[other, 2]) ** 2
                        if apart < reach * reach:
                            height = max(height, places[other, 0] + np.sqrt(reach * reach - apart))
                        other, seen = before[other], seen + 1
            if height < best:
                best = height
                places[sphere, 0], places[sphere, 1], places[sphere, 2] = height, y, z
        row = min(int(places[sphere, 1] / side * cells), cells - 1)
        column = min(int(places[sphere, 2] / side * cells), cells - 1)
        before[sphere], newest[row, column] = newest[row, column], sphere
