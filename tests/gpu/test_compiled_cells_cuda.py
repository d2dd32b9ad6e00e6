"""Compiled cells on an NVIDIA GPU: one step of random states against the graph's float64 value."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.compiler.graph import evaluate
from engines.cardiac.compiler.model import MODELS
from engines.cardiac.compiler.schemes import STEP, STIMULUS
from engines.cardiac.compiler.tissue import make_compiled_tissue, shipped_step

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.json")))
def test_a_step_is_what_the_graph_says(gpu, name, precision):
    """float64: 1e-11 of the largest value; float32: 1e-5 of it, for the hardware's functions."""
    n, dt = 10_007, 0.02
    compiled = shipped_step(name, precision)
    model = compiled.model
    rng = np.random.default_rng(11)
    start = np.array([state.initial * rng.uniform(0.5, 1.5, n) for state in model.states])
    start[model.voltage] = rng.uniform(-95.0, 50.0, n)
    given = (start - np.array(compiled.offsets)[:, None]).astype(precision)
    tissue = make_compiled_tissue(gpu, compiled, n)
    padded = np.zeros((len(model.states), tissue.n_padded), precision)
    padded[:, :n] = given
    tissue.states = gpu.array(np.delete(padded, model.voltage, axis=0))
    voltage, before = gpu.array(padded[model.voltage].copy()), gpu.array(padded[model.voltage].copy())
    with gpu.active():
        tissue.step(voltage, before, 0, dt)
    values = {state.name: row.astype(float) for state, row in zip(model.states, given, strict=True)}
    wanted = np.array([np.broadcast_to(row, n) for row in evaluate(compiled.after, values | {STEP: dt, STIMULUS: 0.0})])
    states = gpu.to_host(tissue.states)[:, :n].astype(float)
    found = np.insert(states, model.voltage, gpu.to_host(voltage)[:n], axis=0)
    scale = np.maximum(np.abs(wanted), np.abs(wanted - given)).max(axis=1, keepdims=True)
    assert np.max(np.abs(found - wanted) / scale) < (1e-11 if precision == "float64" else 1e-5)
