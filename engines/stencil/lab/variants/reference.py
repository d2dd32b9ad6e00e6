"""References of the studies: plain NumPy in float64, whole or by rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Inputs

Reference = Callable[[Inputs, int], Array]


def uniform(case: Case, generator: np.random.Generator) -> Inputs:
    """``x``: numbers between -1 and 1, float32, in the shape of the case."""
    return {"x": generator.random(case.size, np.float32) * np.float32(2) - np.float32(1)}


def laplacian(x: Array) -> Array:
    """Second differences of a periodic field along all its axes, in float64: neighbours minus 2 d times itself."""
    u = x.astype(np.float64)
    neighbours = sum(np.roll(u, shift, axis) for axis in range(u.ndim) for shift in (1, -1))
    return np.asarray(neighbours - 2 * u.ndim * u)


def periodic_rows(reference: Reference) -> Callable[[Inputs, int, int, int], Array]:
    """``reference_rows`` of a periodic reference that reaches one row per step.

    It is given the rows and ``steps`` more at each end; what its own wrap spoils are just those.
    """

    def rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
        (x,) = inputs.values()
        wanted = np.arange(first - steps, stop + steps) % len(x)
        (name,) = inputs
        return reference({name: x[wanted]}, steps)[steps : steps + stop - first]

    return rows


def walled_rows(reference: Reference) -> Callable[[Inputs, int, int, int], Array]:
    """The same for a reference whose first and last row are borders that stay: more rows only where there are any.

    A row that is a border of the piece and not of the field is wrong from the first step on, its neighbour from the
    second: ``steps`` rows more are just enough.
    """

    def rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
        (x,) = inputs.values()
        (name,) = inputs
        low, high = max(first - steps, 0), min(stop + steps, len(x))
        return reference({name: x[low:high]}, steps)[first - low : stop - low]

    return rows
