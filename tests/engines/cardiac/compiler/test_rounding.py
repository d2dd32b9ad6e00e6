"""Bounds of float32 arithmetic, and that a step loses no more than they say."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend import open_backend
from engines.cardiac.compiler.graph import OPERATIONS, const, evaluate, make, ordered, symbol
from engines.cardiac.compiler.rounding import bounds
from engines.cardiac.compiler.schemes import STEP, STIMULUS, Step, step
from engines.cardiac.compiler.single import Pulse, run
from engines.cardiac.compiler.tissue import make_compiled_tissue, shipped_step
from tests.engines.cardiac.compiler.conftest import random_states

X = symbol("x")
CONDITIONS = ("lt", "le", "eq", "and", "or", "not")
SMALL = np.concatenate([np.linspace(-3, 3, 101), [0.0, 1e-6, -1e-6, 0.5, -0.5]]).astype(np.float32)


def in_single(roots, values):
    """The graph's value with every operation rounded to float32."""
    found = {}
    with np.errstate(all="ignore"):
        for node in ordered(roots):
            if node.op == "const":
                found[node] = np.float32(node.number)
            elif node.op == "symbol":
                found[node] = np.asarray(values[node.value], np.float32)
            else:
                value = OPERATIONS[node.op](*(found[arg] for arg in node.args))
                found[node] = value if node.op in CONDITIONS else np.asarray(value, np.float32)
    return [found[root].astype(float) for root in roots]


def inside(step: Step, n: int, found: np.ndarray, values: dict) -> np.ndarray:
    """Widths of the bounds (states, n), after asserting that all values lie in them."""
    sides = zip(*bounds(step.after, values), strict=True)
    low, high = (np.array([np.broadcast_to(side, n) for side in part]) for part in sides)
    assert ((low <= found) & (found <= high)).all()
    return high - low


def half(x):
    return make("exp", make("mul", const(0.5), x))


@pytest.mark.parametrize(
    "root",
    [
        make("expm1", X, half(X)),
        make("growth", X, half(X)),
        make("goldman", X, make("exp", X)),
        make("goldman_slope", X, make("exp", X)),
        make("log", make("add", const(4.0), make("mul", X, X))),
        make("sqrt", make("add", const(4.0), X)),
        make("select", make("lt", X, const(0.1)), make("neg", X), make("div", X, const(3.0))),
    ],
)
def test_operations_stay_in_their_bounds(root):
    """And the bounds are useful: no wider than 2e-5 of the largest value."""
    ((low, high),) = bounds([root], {"x": SMALL})
    for value in (in_single([root], {"x": SMALL})[0], evaluate([root], {"x": SMALL})[0]):
        assert ((low <= value) & (value <= high)).all()
    assert np.max(high - low) < 2e-5 * np.abs(value).max()


def test_a_cancellation_is_seen():
    """1 − exp(−x) of x = 1e-5 has two digits; by ``expm1`` it has six."""
    z = make("neg", X)
    lost, kept = make("sub", const(1.0), make("exp", z)), make("expm1", z, half(z))
    widths = [(high - low)[0] / 1e-5 for low, high in bounds([lost, kept], {"x": np.array([1e-5])})]
    assert widths[0] > 1e-2
    assert widths[1] < 1e-5


def test_a_steep_function_of_a_difference_is_uncertain():
    """1/(1 + exp(1e8·(x − x²/x))): anything between 0 and 1; and what may be true or not has both its cases."""
    difference = make("sub", X, make("div", make("mul", X, X), X))
    sigmoid = make("div", const(1.0), make("add", const(1.0), make("exp", make("mul", const(1e8), difference))))
    choice = make("select", make("lt", difference, const(0.0)), const(2.0), const(3.0))
    (low, high), (least, most) = bounds([sigmoid, choice], {"x": np.array([1.7])})
    assert low[0] < 1e-6
    assert high[0] > 0.5
    assert (least[0], most[0]) == (2.0, 3.0)


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
