"""Kinds of cells on an NVIDIA GPU: what a modeller changed reaches the kernel, for TT06 and for a compiled model."""

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.tt06_tissue import TT06_CELLS
from engines.cardiac.compiler.model import shipped
from engines.cardiac.compiler.schemes import STEP, STIMULUS, step
from engines.cardiac.compiler.tissue import Kinds, make_compiled_tissue
from engines.formulas.emit_numpy import evaluate
from tests.engines.cardiac.cells.conftest import changes_of, random_cells_of, random_kinds

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("precision", "dt"), [("float64", 1.0), ("float32", 0.02)])
def test_66_kinds_equal_the_reference(gpu, precision, dt):
    """Tolerances as for the three types: 1e-10 of the change, or a few roundings of what is stored and of it."""
    n, of = 66 * 40, random_kinds(66)
    state, _ = random_cells_of(n, seed=3)
    kinds = (np.random.default_rng(1).permutation(n) % 66).astype(np.uint8)
    types = (kinds % 3).astype(np.uint8)
    tissue = TT06_CELLS.open(gpu, kinds, of=of, precision=precision)
    stored = np.zeros((18, tissue.n_padded), tissue.dtype)
    stored[:, :n] = state[1:] - tt06.offsets(types)
    tissue.states = gpu.array(stored)
    host_voltage = np.zeros(tissue.n_padded, tissue.dtype)
    host_voltage[:n] = state[0]
    voltage, before = gpu.array(host_voltage), gpu.array(host_voltage)
    state = np.array([host_voltage[:n].astype(float), *(stored[:, :n].astype(float) + tt06.offsets(types))])
    with gpu.timed("reaction"):
        tissue.step(voltage, before, 0, dt)
    expected = reference.step(state, types, dt, changes=changes_of(of, kinds))
    got = np.array([gpu.to_host(voltage)[:n].astype(float), *(tissue.state(name) for name in tt06.ROWS)])
    relative, rounding = (1e-10, 4e-16) if precision == "float64" else (5e-5, 3e-7)
    for k, name in enumerate(tt06.STATES):
        size = np.abs(state[k]).max() if precision == "float64" or k == 0 else np.abs(stored[k - 1]).max()
        tolerance = relative * np.abs(expected[k] - state[k]).max() + rounding * size
        np.testing.assert_allclose(got[k], expected[k], rtol=0, atol=tolerance, err_msg=name)


def test_compiled_cells_take_their_own_parameters(gpu):
    """float64: 1e-11 of the largest value of each state, as for cells that are alike."""
    model = shipped("mitchell_schaeffer_2003")
    model = model.open([model.parameters[0].name, model.parameters[3].name])
    compiled = step(model, "RL", "float64")
    n, rng = 3000, np.random.default_rng(5)
    of = rng.integers(0, 70, n).astype(np.uint8)
    published = {each.name: each.value for each in model.parameters}
    values = np.array([[published[name] for name in model.opened]]) * rng.uniform(0.5, 2.0, (70, 2))
    starts = rng.uniform(0.2, 0.8, (70, 2))
    starts[:, model.voltage] = rng.uniform(-80, 20, 70)
    tissue = make_compiled_tissue(gpu, compiled, n, None, 0.0, Kinds(of, values, starts))
    voltage, before = tissue.new_voltage(), tissue.new_voltage()
    symbols = {state.name: starts[of, k] for k, state in enumerate(model.states)}
    symbols |= {name: values[of, k] for k, name in enumerate(model.opened)}
    wanted = np.array(evaluate(compiled.after, symbols | {STEP: 0.05, STIMULUS: 0.0}))
    with gpu.active():
        tissue.step(voltage, before, 0, 0.05)
    rows = gpu.to_host(tissue.states)[:, :n]
    found = np.insert(rows, model.voltage, gpu.to_host(voltage)[:n], axis=0)
    assert (np.abs(found - wanted) <= 1e-11 * np.abs(wanted).max(axis=1, keepdims=True)).all()
