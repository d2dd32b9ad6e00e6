"""Models that come with the engine, and random states of them."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.compiler.model import MODELS, CellModel, shipped

NAMES = sorted(path.stem for path in MODELS.glob("*.mmt"))


def random_states(model: CellModel, n: int, seed: int = 0) -> np.ndarray:
    """(n_states, n): voltages from −95 to 50 mV, gates in (0, 1), others within half of their start."""
    rng = np.random.default_rng(seed)
    states = np.empty((len(model.states), n))
    for k, state in enumerate(model.states):
        if k == model.voltage:
            states[k] = rng.uniform(-95.0, 50.0, n)
        elif state.unit == "mM":
            states[k] = state.initial * rng.uniform(0.5, 1.5, n)
        else:
            states[k] = rng.uniform(0.0, 1.0, n)
    return states


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest) -> CellModel:
    return shipped(request.param)
