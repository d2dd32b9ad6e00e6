"""Where to put many spheres: side by side if they are few, loosely packed in a box if they are many.

No two overlap, and the same radii give the same places. Spheres are put down at random, the largest first, each where
it meets none; beyond 100,000 the box is made of equal tiles, whose places each take one sphere of about the same size.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from engines.api import Array
from engines.geometry.particles import Particles

FEW = 50
"""Up to so many spheres stand side by side; more of them fill a box."""
GAP = 0.15
"""Between spheres that stand side by side, of the largest radius."""
CLEARANCE = 1.02
"""Spheres are packed as if they were larger by this, so that none touch."""
MOST_PLACES = 100_000
"""In a tile: packed in 0.3 s."""
FILLED = 0.28
"""Of the box, at first; spheres of one size put down at random jam at 0.38."""
HEIGHT = 0.62
"""Of a box over its other sides: an electrode is a layer."""
TRIALS = 10_000


def packed(radii: Array) -> Particles:
    """All spheres apart from each other; ``radii: (n,)`` in µm."""
    radii = np.asarray(radii, float)
    return Particles(_side_by_side(radii) if len(radii) <= FEW else _in_a_box(radii), radii)


def _side_by_side(radii: Array) -> Array:
    """(n, 3) in rows, the first at the top left."""
    n, pitch = len(radii), (2 + GAP) * float(radii.max())
    columns = math.ceil(math.sqrt(1.5 * n)) if n > 4 else n
    column, row = np.arange(n) % columns, np.arange(n) // columns
    return np.stack([(column + 0.5) * pitch, (row.max() - row + 0.5) * pitch, np.zeros(n)], axis=1)


def _in_a_box(radii: Array) -> Array:
    """(n, 3) in ``k³`` tiles that continue each other."""
    n = len(radii)
    k = math.ceil((n / MOST_PLACES) ** (1 / 3) - 1e-9)
    tiles = k**3
    order = np.argsort(-radii, kind="stable")
    places, sides = _tile(CLEARANCE * radii[order[::tiles]])
    place, tile = np.divmod(np.arange(n), tiles)
    # Which of its spheres a place has in a tile differs from place to place.
    tile = (tile + np.random.default_rng(n).integers(tiles, size=len(places))[place]) % tiles
    corner = np.stack([tile % k, tile // k % k, tile // k**2], axis=1)
    out = np.empty((n, 3))
    out[order] = places[place] + corner * sides
    return out


def _tile(radii: Array) -> tuple[Array, Array]:
    """Places (m, 3) in a box that continues itself on all sides, and its sides (3,); ``radii`` fall."""
    filled = FILLED
    while True:
        side = (4 / 3 * math.pi * (radii**3).sum() / filled / HEIGHT) ** (1 / 3)
        sides = np.array([side, side, HEIGHT * side])
        if (sides > 4 * radii[0]).all():
            cell = 2 * float(np.median(radii))
            counts = np.maximum((sides / cell).astype(np.int64), 1)
            places = np.empty((len(radii), 3))
            if _put_down(radii, sides, counts, places):
                return places, sides
        filled *= 0.9


@numba.njit(cache=True, nogil=True)
def _put_down(radii: Array, sides: Array, counts: Array, places: Array) -> bool:
    """Random sequential addition; False where a sphere finds no place.

    A sphere is listed in each cell of a lattice that the box around it meets, so two that overlap meet in a cell.
    """
    nx, ny, nz = counts
    size = sides / counts
    entries = 0
    for radius in radii:
        entries += (
            min(int(2 * radius / size[0]) + 2, nx)
            * min(int(2 * radius / size[1]) + 2, ny)
            * min(int(2 * radius / size[2]) + 2, nz)
        )
    head = np.full(nx * ny * nz, -1, np.int32)
    following, sphere = np.empty(entries, np.int32), np.empty(entries, np.int32)
    used = 0
    number = np.uint64(88172645463325252)  # xorshift64, Marsaglia 2003
    at, low, span = np.empty(3), np.empty(3, np.int64), np.empty(3, np.int64)
    for row in range(len(radii)):
        radius = radii[row]
        placed = False
        for _ in range(TRIALS):
            for axis in range(3):
                number ^= number << np.uint64(13)
                number ^= number >> np.uint64(7)
                number ^= number << np.uint64(17)
                at[axis] = sides[axis] * (number >> np.uint64(11)) * 2.0**-53
                low[axis] = int(np.floor((at[axis] - radius) / size[axis]))
                span[axis] = min(int(np.floor((at[axis] + radius) / size[axis])) - low[axis] + 1, counts[axis])
            free = True
            for i in range(span[0] * span[1] * span[2]):
                x = (low[0] + i % span[0]) % nx
                y = (low[1] + i // span[0] % span[1]) % ny
                z = (low[2] + i // (span[0] * span[1])) % nz
                entry = head[(z * ny + y) * nx + x]
                while entry >= 0 and free:
                    other = sphere[entry]
                    square = 0.0
                    for axis in range(3):
                        apart = abs(at[axis] - places[other, axis])
                        apart = min(apart, sides[axis] - apart)
                        square += apart * apart
                    free = square >= (radius + radii[other]) ** 2
                    entry = following[entry]
                if not free:
                    break
            if free:
                placed = True
                break
        if not placed:
            return False
        places[row] = at
        for i in range(span[0] * span[1] * span[2]):
            x = (low[0] + i % span[0]) % nx
            y = (low[1] + i // span[0] % span[1]) % ny
            z = (low[2] + i // (span[0] * span[1])) % nz
            cell = (z * ny + y) * nx + x
            following[used], sphere[used] = head[cell], row
            head[cell] = used
            used += 1
    return True
