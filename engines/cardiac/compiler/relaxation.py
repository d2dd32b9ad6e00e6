"""Which states of a model relax fast, and whether they surely relax: what exponential steps are for."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.cardiac.compiler.model import CellModel
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import Node

SLOWEST = 1e-9
"""Rate [1/ms] below which a state is not taken for a gate: 12 days."""
STIFF = 16.0
"""Rate of relaxation [1/ms] from which a state is stiff: forward Euler would not be stable at 0.125 ms, up to which the
thesis finds its lightweight scheme stable (table 3.2)."""
SAMPLES = 1000
VOLTAGES = (-100.0, 50.0)
"""Range of the voltage [mV] in which stiffness is looked for."""


def positive(slope: Node, model: CellModel) -> bool:
    """Whether B is above :data:`SLOWEST` at a thousand states drawn at random. Where B may vanish, x∞ = A/B does not
    exist."""
    (found,) = evaluate([slope], random_states(model))
    return bool(np.all(found > SLOWEST))


def random_states(model: CellModel) -> dict[str, Array]:
    """(:data:`SAMPLES`,) values of each state, the same every time, wider than any that a cell comes to, and the file's
    of the parameters that are open.

    Voltages are drawn from −150 to 100 mV, what starts negative from all signs, other states up to ten times their
    start and one.
    """
    rng = np.random.default_rng(1)
    values = opened(model)
    for k, state in enumerate(model.states):
        largest = 10.0 * abs(state.initial) + 1.0
        low = -150.0 if k == model.voltage else 0.0 if state.initial >= 0.0 else -largest
        values[state.name] = rng.uniform(low, 100.0 if k == model.voltage else largest, SAMPLES)
    return values


def opened(model: CellModel) -> dict[str, Array]:
    """The file's values of the parameters that are symbols in the rates."""
    return {each.name: np.asarray(each.value) for each in model.parameters if each.name in model.opened}


def stiff(slope: Node, model: CellModel) -> bool:
    """Whether a state whose rate has the derivative −``slope`` by itself relaxes faster than :data:`STIFF` at some
    voltage, all other states being at their start."""
    values = opened(model) | {state.name: np.full(SAMPLES, state.initial) for state in model.states}
    values[model.states[model.voltage].name] = np.linspace(*VOLTAGES, SAMPLES)
    (found,) = evaluate([slope], values)
    return bool(np.max(found) > STIFF)
