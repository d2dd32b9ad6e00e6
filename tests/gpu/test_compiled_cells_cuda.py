"""Compiled cells on an NVIDIA GPU: one step of random states against the graph's value."""

import numpy as np
import pytest

from engines.cardiac.compiler.model import MODELS
from engines.cardiac.compiler.schemes import STEP, STIMULUS
from engines.cardiac.compiler.tissue import make_compiled_tissue, shipped_step
from engines.formulas.emit_numpy import evaluate
from engines.formulas.rounding import bounds
from tests.engines.cardiac.compiler.conftest import random_states

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("scheme", ["LRL", "RL", "GRL1", "GRL2"])
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.json")))
def test_a_step_is_what_the_graph_says(gpu, name, precision, scheme):
    """float64: 1e-11 of the largest value. float32: within the bounds that rounding and the hardware's functions set
    for each cell, which the graph gives; half of the cells have bounds closer than 1e-5 of the largest value."""
    n, dt = 10_007, 0.02
    compiled = shipped_step(name, precision, scheme)
    model = compiled.model
    start = random_states(model, n, seed=11)
    given = (start - np.array(compiled.offsets)[:, None]).astype(precision)
    tissue = make_compiled_tissue(gpu, compiled, n)
    padded = np.zeros((len(model.states), tissue.n_padded), precision)
    padded[:, :n] = given
    tissue.states = gpu.array(np.delete(padded, model.voltage, axis=0))
    voltage, before = gpu.array(padded[model.voltage].copy()), gpu.array(padded[model.voltage].copy())
    with gpu.active():
        tissue.step(voltage, before, 0, dt)
    values = {state.name: row.astype(float) for state, row in zip(model.states, given, strict=True)}
    values |= {STEP: float(np.dtype(precision).type(dt)), STIMULUS: 0.0}
    wanted = np.array([np.broadcast_to(row, n) for row in evaluate(compiled.after, values)])
    states = gpu.to_host(tissue.states)[:, :n].astype(float)
    found = np.insert(states, model.voltage, gpu.to_host(voltage)[:n], axis=0)
    scale = np.maximum(np.abs(wanted), np.abs(wanted - given)).max(axis=1, keepdims=True)
    if precision == "float64":
        assert np.max(np.abs(found - wanted) / scale) < 1e-11
        return
    sides = zip(*bounds(compiled.after, values), strict=True)
    low, high = (np.array([np.broadcast_to(side, n) for side in part]) for part in sides)
    assert ((low <= found) & (found <= high)).all()
    assert (np.median((high - low) / scale, axis=1) < 1e-5).all()
