"""One time step of a cell as graphs: what the kernels compute.

``"FE"`` is forward Euler for every state. ``"RL"`` is Rush-Larsen: a state x whose rate is A − B·x with A and B free of
x and B positive takes x∞ + (x − x∞)·exp(−B·dt), x∞ = A/B, which is exact for fixed A and B (thesis, eq. 3.21); all
others and the voltage take a forward Euler step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engines.cardiac.compiler.chains import Cost
from engines.cardiac.compiler.graph import Node, const, depends_on, evaluate, make, rebuild, symbol
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.rules import add, divide, multiply, negate, simplify, subtract
from engines.cardiac.compiler.sharing import share_exponentials
from engines.cardiac.compiler.singularities import remove_singularities

Scheme = Literal["FE", "RL"]
Precision = Literal["float32", "float64"]
STEP, STIMULUS = "dt [ms]", "stimulus [mV/ms]"
"""Symbols of a step beside the states."""
LONGEST_POWER = {"float32": 32, "float64": 128}
"""Products add rounding errors: 32 of 6e-8 are 2e-6 of a rate in float32."""
SLOWEST = 1e-9
"""Rate [1/ms] below which a state is not taken for a gate: 12 days."""
SAMPLES = 1000
OFFSET_FROM = 1.0
"""A nonlinear state that starts at this size or above is stored as the difference from its start: float32 would lose
the small changes of a concentration of 100 mM."""


@dataclass(frozen=True)
class Step:
    """``after[k]`` is what is stored of state k after a step, over the symbols of what is stored, step and stimulus.

    What is stored is the state less ``offsets[k]``. ``exponential`` names the states that take an exponential step.
    """

    model: CellModel
    scheme: Scheme
    precision: Precision
    after: tuple[Node, ...]
    offsets: tuple[float, ...]
    exponential: tuple[str, ...]


def optimised(
    roots: Sequence[Node], voltage: str, cost: Cost | None = None, precision: Precision = "float64"
) -> tuple[Node, ...]:
    """All passes over some expressions of a model; the same values but for rounding."""
    clean = remove_singularities(simplify(roots))
    return share_exponentials(clean, voltage, cost, LONGEST_POWER[precision])


def step(model: CellModel, scheme: Scheme = "RL", precision: Precision = "float64", optimise: bool = True) -> Step:
    """A step of the model; ``optimise=False`` leaves the expressions as the file has them, for comparison."""
    names = [state.name for state in model.states]
    dt = symbol(STEP)
    prepared = remove_singularities(simplify(model.rates)) if optimise else model.rates
    after: list[Node] = []
    offsets = [0.0] * len(names)
    exponential = []
    for k, (name, rate) in enumerate(zip(names, prepared, strict=True)):
        x = symbol(name)
        linear = None if k == model.voltage else linear_in(rate, name)
        if linear is not None and scheme == "RL" and positive(linear[1], model):
            free, slope = linear
            limit = divide(free, slope)
            after.append(add(limit, multiply(subtract(x, limit), make("exp", negate(multiply(slope, dt))))))
            exponential.append(name)
            continue
        if k == model.voltage:
            rate = add(rate, symbol(STIMULUS))
        elif linear is None and abs(model.states[k].initial) >= OFFSET_FROM:
            offsets[k] = model.states[k].initial
        after.append(add(x, multiply(dt, rate)))
    physical = {
        symbol(name): add(symbol(name), const(offset)) for name, offset in zip(names, offsets, strict=True) if offset
    }
    # x + dt·rate(x) with x = stored + offset is, stored, stored + dt·rate(stored + offset).
    stored = [_stored(root, symbol(name), physical) for root, name in zip(after, names, strict=True)]
    if optimise:
        stored = list(optimised(stored, names[model.voltage], precision=precision))
    return Step(model, scheme, precision, tuple(stored), tuple(offsets), tuple(exponential))


def _stored(root: Node, x: Node, physical: dict[Node, Node]) -> Node:
    if x in physical:
        change = root.args[1] if root.args[0] is x else root.args[0]
        return make("add", x, rebuild([change], make, physical)[0])
    return rebuild([root], make, physical)[0]


def _is_zero(node: Node) -> bool:
    return node.op == "const" and node.number == 0.0


def linear_in(rate: Node, name: str) -> tuple[Node, Node] | None:
    """(A, B) with rate = A − B·x where neither depends on x; None if the rate is not of this form."""
    dependent = depends_on([rate], name)
    zero = const(0.0)

    def parts(node: Node) -> tuple[Node, Node] | None:
        """(A, C) with node = A + C·x."""
        if node not in dependent:
            return node, zero
        if node.op == "symbol":
            return zero, const(1.0)
        if node.op == "select" and node.args[0] not in dependent:
            yes, no = parts(node.args[1]), parts(node.args[2])
            if yes is None or no is None:
                return None
            return _chosen(node.args[0], yes[0], no[0]), _chosen(node.args[0], yes[1], no[1])
        if node.op not in ("add", "sub", "mul", "div", "neg"):
            return None
        found = [parts(arg) for arg in node.args]
        if any(part is None for part in found):
            return None
        (a, c), (b, d) = found[0], found[-1]  # type: ignore[misc]  # none of them is None here
        if node.op == "neg":
            return negate(a), negate(c)
        if node.op in ("add", "sub"):
            combine = add if node.op == "add" else subtract
            return combine(a, b), combine(c, d)
        if node.op == "mul":
            if _is_zero(d):
                return multiply(a, b), multiply(c, b)
            return (multiply(a, b), multiply(a, d)) if _is_zero(c) else None
        return (divide(a, b), divide(c, b)) if _is_zero(d) else None

    found = parts(rate)
    return None if found is None else (found[0], negate(found[1]))


def positive(slope: Node, model: CellModel) -> bool:
    """Whether B is above :data:`SLOWEST` at a thousand states drawn at random.

    Voltages are drawn from −150 to 100 mV, what starts negative from all signs, other states up to ten times their
    start. Where B may vanish, x∞ = A/B does not exist.
    """
    rng = np.random.default_rng(1)
    values: dict[str, Any] = {parameter.name: parameter.value for parameter in model.parameters}
    for k, state in enumerate(model.states):
        largest = 10.0 * abs(state.initial) + 1.0
        low = -150.0 if k == model.voltage else 0.0 if state.initial >= 0.0 else -largest
        values[state.name] = rng.uniform(low, 100.0 if k == model.voltage else largest, SAMPLES)
    (found,) = evaluate([slope], values)
    return bool(np.all(found > SLOWEST))


def _chosen(condition: Node, yes: Node, no: Node) -> Node:
    return yes if yes is no else make("select", condition, yes, no)
