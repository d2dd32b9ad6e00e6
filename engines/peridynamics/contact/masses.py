"""The masses of the particles that contact pushes."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.peridynamics.step.solver import Solver


def light_of(solver: Solver) -> Any:
    """1 over the mass of particles, on the device: (size) where materials differ in it, else one number."""
    mass = solver.backend.to_host(solver.mass) if np.ndim(solver.mass) else np.atleast_1d(solver.mass)
    return solver.backend.array((1 / mass).astype(solver.dtype))
