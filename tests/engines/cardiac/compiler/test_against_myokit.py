"""Rates of every shipped model, before and after the passes, against Myokit's own evaluation of its file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.compiler.importing import import_model
from engines.cardiac.compiler.model import MODELS, CellModel, shipped
from engines.cardiac.compiler.schemes import optimised
from engines.formulas.emit_numpy import evaluate
from tests.engines.cardiac.compiler.conftest import NAMES, random_states

myokit = pytest.importorskip("myokit")
TOLERANCE = 1e-10
"""Of each rate's largest size: the requirement. Measured: 5e-14 at most."""


def myokit_rates(name: str, states: np.ndarray) -> np.ndarray:
    """Rates by Myokit's own expressions as NumPy functions, in Myokit's order of solution."""
    model = myokit.load_model(str(MODELS / f"{name}.mmt"))
    known = {str(state.qname()): row for state, row in zip(model.states(), states, strict=True)}
    writer = myokit.numpy_writer()
    known["engine.time"] = known["engine.pace"] = np.zeros(states.shape[1])
    for equations in model.solvable_order().values():
        for equation in equations:
            target = str(equation.lhs)
            if target in known:
                continue
            # The function's arguments have the names that Myokit's own writer gives to what is referred to.
            arguments = {writer.ex(part): known[str(part)] for part in equation.rhs.references()}
            value = equation.rhs.pyfunc(use_numpy=True)(**arguments)
            known[target] = np.broadcast_to(value, states.shape[1])
    return np.array([known[f"dot({state.qname()})"] for state in model.states()])


def rates(model: CellModel, roots: tuple, states: np.ndarray) -> np.ndarray:
    values = {state.name: row for state, row in zip(model.states, states, strict=True)}
    return np.array([np.broadcast_to(row, states.shape[1]) for row in evaluate(roots, values)])


@pytest.mark.parametrize("name", NAMES)
def test_rates_equal_myokits_at_a_thousand_states(name, model_of):
    model = model_of(name)
    states = random_states(model, 1000)
    wanted = myokit_rates(name, states)
    scale = np.abs(wanted).max(axis=1, keepdims=True)
    assert (scale > 0).all()
    voltage = model.states[model.voltage].name
    for roots in (model.rates, optimised(model.rates, voltage)):
        assert np.max(np.abs(rates(model, roots, states) - wanted) / scale) < TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_model_is_what_its_file_says(name, model_of):
    """All but the limits of its steps, which are measured."""
    model = replace(model_of(name), limits=shipped(name).limits)
    assert (MODELS / f"{name}.json").read_text("utf-8") == model.dumps()


def test_rates_at_rest_equal_myokits_slow_evaluation(model_of):
    """The evaluator that the vectorised one above stands for."""
    for name in NAMES:
        model = model_of(name)
        start = np.array([[state.initial] for state in model.states])
        wanted = np.array(myokit.load_model(str(MODELS / f"{name}.mmt")).evaluate_derivatives())
        np.testing.assert_allclose(rates(model, model.rates, start)[:, 0], wanted, rtol=1e-10, atol=1e-15)


def test_ten_tusscher_equals_the_engines_own_reference(model_of):
    """Two tellings of the same paper: the file, and ``cells/reference.py``."""
    model = model_of("ten_tusscher_panfilov_2006")
    assert [state.name for state in model.states] == [f"cell.{name}" for name in tt06.STATES]
    states = random_states(model, 1000)
    wanted = reference.rates(states, np.zeros(1000, np.uint8))
    found = rates(model, optimised(model.rates, "cell.V"), states)
    assert np.max(np.abs(found - wanted) / np.abs(wanted).max(axis=1, keepdims=True)) < TOLERANCE


@pytest.fixture(scope="module")
def model_of():
    kept = {}

    def load(name: str) -> CellModel:
        if name not in kept:
            kept[name] = import_model(MODELS / f"{name}.mmt")
        return kept[name]

    return load
