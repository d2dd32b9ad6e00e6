"""The reference against the published expressions, which are parsed here: a slip of the pen in one of them shows.

``tt06_published.json`` has the rate expressions of the CellML model as text. They are read with Python's parser and
walked with a whitelist of nodes, then compared with ``reference.py`` at random states to 1e-12 (round-off of some 50
operations).
"""

from __future__ import annotations

import ast
import json
import operator
import re
from pathlib import Path

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06

PUBLISHED = json.loads(Path(__file__).with_name("tt06_published.json").read_text("utf-8"))
EXPRESSIONS: dict[str, str] = PUBLISHED["rate_expressions"]
FUNCTIONS = {"exp": np.exp, "ln": np.log, "sqrt": np.sqrt}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def evaluate(text: str, values: dict[str, np.ndarray]) -> np.ndarray:
    """The value of an expression in numbers, names, + - * / ^, parentheses and exp, ln, sqrt."""

    def walk(node: ast.expr):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return np.float64(node.value)
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return FUNCTIONS[node.func.id](*map(walk, node.args))
        raise ValueError(f"{ast.dump(node)} is not part of an expression")

    return walk(ast.parse(text.strip().replace("^", "**"), mode="eval").body)


def published(state: np.ndarray, kinds: np.ndarray) -> dict[str, np.ndarray]:
    """Every named expression at the given states; branches and cell types as their names say."""
    values = dict(zip(tt06.STATES, state, strict=True))
    for name in tt06.PARAMETERS[tt06.CellType.EPI]:
        values[name] = np.array([tt06.PARAMETERS[kind][name] for kind in tt06.CellType])[kinds]
    conditions = {
        "V<-40": values["V"] < -40, "V>=-40": values["V"] >= -40,
        "epi,M": kinds != tt06.CellType.ENDO, "endo": kinds == tt06.CellType.ENDO,
    }  # fmt: skip
    for key, text in EXPRESSIONS.items():
        if key.startswith("dV/dt"):
            continue
        # A remark in brackets ends some lines; other brackets are parentheses.
        text = re.sub(r"\s+\[[a-z].*\]$", "", text).replace("[", "(").replace("]", ")")
        name, condition = re.fullmatch(r"([\w=/]+)(?: \((.*)\))?", key).groups()
        with np.errstate(over="ignore"):
            value = evaluate(text, values | {"i_stim": np.float64(0)})
        for alias in name.split("="):
            if condition is None:
                values[alias] = value
            else:
                values[alias] = np.where(conditions[condition], value, values.get(alias, np.nan))
    return values


@pytest.fixture(scope="module")
def cells(random_cells):
    return random_cells(500, seed=20)


def test_every_expression_is_used(cells):
    values = published(*cells)
    assert len(EXPRESSIONS) == 60
    assert all(np.isfinite(value).all() for value in values.values())


def test_gates(cells):
    state, kinds = cells
    values = published(state, kinds)
    names = {"Xr1": "xr1", "Xr2": "xr2", "Xs": "xs"}
    for gate, (limit, tau) in reference.gate_limits(state[0], values["Ca_ss"], kinds).items():
        symbol = names.get(gate, gate)
        np.testing.assert_allclose(limit, values[f"{symbol}_inf"], rtol=1e-12, err_msg=gate)
        np.testing.assert_allclose(tau, values[f"tau_{symbol}"], rtol=1e-12, err_msg=gate)


def test_gates_of_the_exponential_schemes_are_those_published():
    assert set(reference.GATES) == set(PUBLISHED["rush_larsen_states"])


def test_currents(cells):
    values = published(*cells)
    for name, current in reference.currents(*cells).items():
        np.testing.assert_allclose(current, values[name], rtol=1e-11, atol=1e-14, err_msg=name)


def test_rates(cells):
    state, kinds = cells
    values = published(state, kinds)
    rates = dict(zip(tt06.STATES, reference.rates(state, kinds), strict=True))
    for gate in reference.GATES:
        symbol = gate.lower() if gate.startswith("X") else gate
        expected = (values[f"{symbol}_inf"] - values[gate]) / values[f"tau_{symbol}"]
        np.testing.assert_allclose(rates[gate], expected, rtol=1e-10, atol=1e-14, err_msg=gate)
    for name in ("R_prime", "Ca_i", "Ca_SR", "Ca_ss", "Na_i", "K_i"):
        expected = values[f"d{name}/dt"]
        # Differences of fluxes: relative to the largest rate, 1e-12 where fluxes cancel.
        np.testing.assert_allclose(rates[name], expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max(), err_msg=name)
    total = sum(values[name] for name in reference.currents(state, kinds))
    np.testing.assert_allclose(rates["V"], -total, rtol=1e-10, atol=1e-10)


def test_stimulus_sign_and_potassium(cells):
    state, kinds = cells
    quiet = reference.rates(state, kinds)
    outside = reference.rates(state, kinds, 52.0)
    inside = reference.rates(state, kinds, 52.0, stimulus_moves_potassium=True)
    V, K_i = tt06.STATES.index("V"), tt06.STATES.index("K_i")
    np.testing.assert_allclose(outside[V] - quiet[V], 52.0, rtol=1e-12)
    assert (outside[K_i] == quiet[K_i]).all()
    p = tt06.COMMON
    np.testing.assert_allclose(inside[K_i] - quiet[K_i], 52.0 * p["Cm"] / (p["V_c"] * p["F"]), rtol=1e-10)
