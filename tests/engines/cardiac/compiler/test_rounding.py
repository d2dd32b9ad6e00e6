"""Bounds of float32 arithmetic: that a step of a model loses no more than they say."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend import open_backend
from engines.cardiac.compiler.schemes import STEP, STIMULUS, Step, step
from engines.cardiac.compiler.single import Pulse, run
from engines.cardiac.compiler.tissue import make_compiled_tissue, shipped_step
from engines.formulas.emit_numpy import evaluate
from engines.formulas.rounding import bounds
from tests.engines.cardiac.compiler.conftest import random_states
from tests.engines.formulas.conftest import in_single


def inside(step: Step, n: int, found: np.ndarray, values: dict) -> np.ndarray:
    """Widths of the bounds (states, n), after asserting that all values lie in them."""
    sides = zip(*bounds(step.after, values), strict=True)
    low, high = (np.array([np.broadcast_to(side, n) for side in part]) for part in sides)
    assert ((low <= found) & (found <= high)).all()
    return high - low


@pytest.mark.parametrize("scheme", ["RL", "GRL1"])
def test_a_step_in_float32_is_known_to_five_digits(model, scheme):
    """Rounded NumPy at random states lies in the bounds, and those are closer than 1e-5 of each state's largest value,
    but for two gates of Courtemanche's that GRL differentiates (4e-5)."""
    n, compiled = 500, step(model, scheme, "float32")
    given = (random_states(model, n, seed=11) - np.array(compiled.offsets)[:, None]).astype(np.float32)
    values = {state.name: row.astype(float) for state, row in zip(model.states, given, strict=True)}
    values |= {STEP: float(np.float32(0.02)), STIMULUS: 0.0}
    found = np.array([np.broadcast_to(row, n) for row in in_single(compiled.after, values)])
    wanted = np.array([np.broadcast_to(row, n) for row in evaluate(compiled.after, values)])
    widths = inside(compiled, n, found, values)
    scale = np.maximum(np.abs(wanted), np.abs(wanted - given)).max(axis=1, keepdims=True)
    assert np.max(widths / scale) < (1e-5 if scheme == "RL" else 1e-4)


def test_the_cpu_kernel_lies_in_the_bounds():
    """Bueno-Orovio in float32: its slow gates were 2e-5 off while their steps were differences of exponentials."""
    backend = open_backend("cpu")
    n, compiled = 200, shipped_step("bueno_orovio_2008", "float32")
    tissue = make_compiled_tissue(backend, compiled, n)
    model = compiled.model
    padded = np.zeros((len(model.states), tissue.n_padded), np.float32)
    padded[:, :n] = random_states(model, n, seed=5) - np.array(compiled.offsets)[:, None]
    tissue.states = np.delete(padded, model.voltage, axis=0).copy()
    voltage = padded[model.voltage].copy()
    with backend.active():
        tissue.step(voltage, voltage.copy(), 0, 0.02)
    backend.close()
    values = {state.name: row[:n].astype(float) for state, row in zip(model.states, padded, strict=True)}
    values |= {STEP: float(np.float32(0.02)), STIMULUS: 0.0}
    inside(compiled, n, np.insert(tissue.states, model.voltage, voltage, axis=0)[:, :n].astype(float), values)


@pytest.mark.slow
def test_a_beat_in_float32_is_that_in_float64():
    """500 ms of Courtemanche, whose release depends on a difference of fluxes: 0.01 mV (measured: 4e-4)."""
    beats = [
        run(shipped_step("courtemanche_1998", precision), 0.02, 25_000, 1, Pulse(52.0, 0.0, 1.0))[0]
        for precision in ("float32", "float64")
    ]
    assert np.max(np.abs(beats[0] - beats[1])) < 0.01
