"""Where neurons stand: each population in a sheet of its own, one above the other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.geometry.particles import Particles

PITCH = 30.0
"""Between neurons of a sheet of the most numerous population [µm]."""
RADIUS = 0.38
"""Of a neuron, of its sheet's pitch."""
SCATTER = 0.22
"""How far neurons stand off a regular grid, of the pitch."""
APART = 0.28
"""Distance of sheets, of their side."""


@lru_cache(maxsize=4)
def sheets(numbers: tuple[int, ...]) -> Particles:
    """Neurons of populations of these sizes, one after the other; the same object for the same numbers."""
    side = PITCH * np.sqrt(max(numbers))
    generator = np.random.default_rng(0)
    places: list[Array] = []
    radii: list[Array] = []
    for height, number in enumerate(numbers):
        if not number:
            continue
        columns = int(np.ceil(np.sqrt(number)))
        pitch = side / columns
        spots = np.stack(np.divmod(np.arange(number), columns)[::-1], axis=1) + 0.5
        spots = (spots + generator.uniform(-SCATTER, SCATTER, spots.shape)) * pitch
        places.append(np.column_stack([spots, np.full(number, height * APART * side)]))
        radii.append(np.full(number, RADIUS * min(pitch, 1.5 * PITCH)))
    return Particles(np.concatenate(places), np.concatenate(radii))
