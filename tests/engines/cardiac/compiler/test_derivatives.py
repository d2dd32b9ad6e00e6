"""Derivatives of the models' rates against finite differences."""

import numpy as np

from engines.formulas.derivatives import derivatives
from engines.formulas.emit_numpy import evaluate
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplify
from tests.engines.cardiac.compiler.conftest import random_states


def test_the_diagonal_of_a_model_is_that_of_finite_differences(model):
    """Central differences with a step of 1e-6 of the state: truncation (1e-6)² and rounding 2e-16/1e-6 of the rate's
    slopes, so 1e-5 of the largest slope bears a hundred cancelling terms. Kinks of choices within a step are left out.
    """
    states = random_states(model, 300)
    rates = remove_singularities(simplify(model.rates))
    names = [state.name for state in model.states]
    for k, name in enumerate(names):
        (slope,) = derivatives([rates[k]], name)
        values = dict(zip(names, states, strict=True))
        h = 1e-6 * np.maximum(np.abs(states[k]), 1e-3 * np.abs(states[k]).max())
        found = np.broadcast_to(evaluate([slope], values)[0], 300)
        sides = [evaluate([rates[k]], values | {name: states[k] + sign * h})[0] for sign in (1, 0, -1)]
        up, here, down = (np.broadcast_to(side, 300) for side in sides)
        forward, backward = (up - here) / h, (here - down) / h
        wanted = (up - down) / (2 * h)
        scale = np.abs(wanted).max() + 1e-12 * np.abs(here / h).max()
        smooth = np.abs(forward - backward) < 1e-3 * scale
        assert smooth.mean() > 0.9
        assert np.max(np.abs(found - wanted)[smooth]) < 1e-5 * scale, name
