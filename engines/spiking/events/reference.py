"""The operator in float64, as slow as it is obvious."""

from __future__ import annotations

import numpy as np

from engines.api import Array


def product(weights: Array, events: Array) -> Array:
    """W s, for ``weights: (postsynaptic, presynaptic)`` and events of 0 and 1."""
    return np.asarray(np.asarray(weights, np.float64) @ np.asarray(events, np.float64))
