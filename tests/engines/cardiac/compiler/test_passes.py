"""The passes on the models that come with the engine: what they find, and that values stay."""

import numpy as np
import pytest

from engines.cardiac.compiler.model import shipped
from engines.cardiac.compiler.report import saving
from engines.cardiac.compiler.schemes import STEP, STIMULUS, step
from engines.formulas.emit_numpy import evaluate
from tests.engines.cardiac.compiler.conftest import random_states


@pytest.mark.parametrize("scheme", ["FE", "RL", "GRL1", pytest.param("GRL2", marks=pytest.mark.slow)])
def test_a_step_keeps_its_value(model, scheme):
    """Optimised against as the file has it: to 1e-10 of the largest change in 0.01 ms, and 1e-9 in GRL2, where
    Courtemanche's release at the half step has exponents of a million, each rounded to 1e-16 of itself."""
    plain, fast = step(model, scheme, optimise=False), step(model, scheme)
    assert plain.exponential == fast.exponential
    assert plain.offsets == fast.offsets
    before = random_states(model, 500, seed=3) - np.array(fast.offsets)[:, None]
    values = {state.name: row for state, row in zip(model.states, before, strict=True)}
    values |= {STEP: np.float64(0.01), STIMULUS: np.float64(3.0)}
    wanted, found = (np.array([np.broadcast_to(r, 500) for r in evaluate(s.after, values)]) for s in (plain, fast))
    change = np.abs(wanted - before).max(axis=1, keepdims=True)
    assert np.max(np.abs(found - wanted) / change) < (1e-9 if scheme == "GRL2" else 1e-10)


def test_gates_are_found():
    """The twelve gates of TT06 and R', which is linear too; nothing with a concentration's balance."""
    found = step(shipped("ten_tusscher_panfilov_2006")).exponential
    gates = "Xr1 Xr2 Xs m h j d f f2 fCass s r R_prime"
    assert set(found) == {f"cell.{name}" for name in gates.split()}
    assert "gate.h" in step(shipped("mitchell_schaeffer_2003")).exponential
    assert step(shipped("aliev_panfilov_1996")).exponential == ()


def test_the_report_of_ten_tusscher():
    """Forward Euler: the thesis counts 1774 and 1242 below −40 mV by another compiler's common subexpressions."""
    found = saving(shipped("ten_tusscher_panfilov_2006"), "FE")
    assert found.before.exponentials == 51
    assert found.after.exponentials <= 25
    assert found.after.total <= 0.5 * found.before.total
