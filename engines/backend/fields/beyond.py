"""Values that are no numbers any more, or too large for float32, in which fields are handed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api import NonFinite, Simulation
from engines.api.device import Backend

LARGEST = float(np.finfo(np.float32).max)


def wrong_in(
    simulation: Simulation,
    backend: Backend,
    told: str,
    values: Any,
    advice: str,
    *,
    unit: float = 1.0,
    element: Callable[[int], int | None] = int,
) -> NonFinite | None:
    """Where ``values`` on the device, which a sentence calls ``told``, are no numbers.

    What is too large for float32 once it is multiplied by ``unit``, as viewers get it, is noted in
    ``simulation.beyond``, the first of a run alone. ``element``: that of a place in ``values``, in C order; None for
    one that is not this simulation's own.
    """
    if values.dtype.kind == "f" and LARGEST / unit < float(np.finfo(values.dtype).max):
        large = backend.first_beyond(values, LARGEST / unit)
        if large is None:
            return None
        place = backend.first_non_finite(values)
    else:
        large, place = None, backend.first_non_finite(values)
    first = large if place is None else place
    at = None if first is None else element(first)
    found = None if at is None else NonFinite(told, at, advice)
    if place is not None:
        return found
    simulation.beyond = simulation.beyond or found
    return None
