"""The velocities that particles have at the start."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.peridynamics.parameters.loading.starting import AtRest, Expanding, Flying, Start


def start_velocities(start: Start, centers: Array, dimensions: int) -> Array | None:
    """(n, d) [m/s] of particles at ``centers: (n, 3)`` [mm]; None where all are at rest. Raises ProblemError.

    Expanding, with z along the axis and a half of the body's length: v_r = outward − slower (z/a)², v_z = lengthwise
    z/a, which is the field of Peridigm's fragmenting cylinder.
    """
    match start:
        case AtRest():
            return None
        case Flying():
            return np.tile(np.array(start.velocity[:dimensions]), (len(centers), 1))
        case Expanding():
            return _expanding(start, centers, dimensions)


def _expanding(start: Expanding, centers: Array, dimensions: int) -> Array:
    along = "xyz".index(start.axis)
    if dimensions == 2 and along != 2:
        raise ProblemError("A plate flies apart from an axis along z only: choose z.", ("start", "axis"))
    from_center = centers - np.array(start.center)
    height = from_center[:, along].copy()
    half = float(np.abs(height).max()) or 1.0
    part = height / half if dimensions == 3 else np.zeros(len(centers))
    from_center[:, along] = 0.0
    distance = np.linalg.norm(from_center, axis=1)
    outward = np.divide(from_center, distance[:, None], where=distance[:, None] > 0, out=np.zeros_like(from_center))
    velocity = (start.outward - start.slower_ends * part**2)[:, None] * outward
    velocity[:, along] = start.lengthwise * part
    if start.scatter:
        random = np.random.default_rng(start.seed).uniform(-1.0, 1.0, len(centers))
        velocity *= 1 + 0.01 * start.scatter * random[:, None]
    return velocity[:, :dimensions]
