"""One time step of a cell as graphs: what the kernels compute.

- ``"FE"``: forward Euler for every state (thesis, eq. 3.16).
- ``"RL"``: Rush-Larsen. A state x whose rate is A − B·x with A and B free of x and B positive takes
  x∞ + (x − x∞)·exp(−B·dt), x∞ = A/B, exact for fixed A and B (eq. 3.21); all others and the voltage forward Euler.
- ``"LRL"``: the thesis' lightweight Rush-Larsen (3.4.1; Mirin et al., Marsh et al. 2012): an exponential step for
  states that are stiff (:func:`engines.cardiac.compiler.relaxation.stiff`), forward Euler for all others. TT06: the
  gate m.
- ``"GRL1"``: generalised Rush-Larsen of first order (Sundnes et al. 2009, doi 10.1109/TBME.2009.2014739): every state
  and the voltage take x + f·(exp(a·dt) − 1)/a with f the rate and a = ∂f/∂x; RL's own form where that is exact.
- ``"GRL2"``: that of second order: half a step of GRL1 for all, then a whole one for each x with its f and a at the
  middle of all other states and at the start of x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engines.backend.precision import FloatType
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.relaxation import positive, random_states, stiff
from engines.formulas.derivatives import derivatives
from engines.formulas.graph import Node, const, make, rebuild, symbol
from engines.formulas.linear import linear_in
from engines.formulas.passes.chains import Cost
from engines.formulas.passes.quotients import merge_quotients, share_reciprocals
from engines.formulas.passes.sharing import share_exponentials
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import add, divide, multiply, negate, simplified, simplify, subtract

Scheme = Literal["FE", "LRL", "RL", "GRL1", "GRL2"]
SCHEMES: tuple[Scheme, ...] = ("FE", "LRL", "RL", "GRL1", "GRL2")
STEP, STIMULUS = "dt [ms]", "stimulus [mV/ms]"
"""Symbols of a step beside the states."""
LONGEST_POWER = {"float32": 32, "float64": 128}
"""Products add rounding errors: 32 of 6e-8 are 2e-6 of a rate in float32."""
LARGEST_VOLTAGE = 150.0
"""Bound on the voltage [mV] in judging which exponentials may be split in float32."""
TYPICAL_STEP = 0.02
"""Step [ms] at which products are tried for their range."""
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
    precision: FloatType
    after: tuple[Node, ...]
    offsets: tuple[float, ...]
    exponential: tuple[str, ...]


@dataclass(frozen=True)
class _Rule:
    """How one state is stepped: its rate; what is taken off it in memory; A and B if it takes RL's form; else
    ∂rate/∂x if it takes GRL's."""

    rate: Node
    offset: float
    linear: tuple[Node, Node] | None = None
    slope: Node | None = None

    def after(self, x: Node, dt: Node, precision: FloatType, given: Mapping[Node, Node] | None = None) -> Node:
        """x after dt; ``given``: what symbols of other states stand for."""
        parts = [self.rate, *(self.linear or ()), *([self.slope] if self.slope is not None else [])]
        rate, *more = rebuild(parts, simplified, given) if given else parts
        if self.linear is not None:
            limit, z = divide(more[0], more[1]), negate(multiply(more[1], dt))
            if precision == "float32":
                # For a gate of 100 ms, 1 − exp(−0.0002) has three digits in float32, the same wrong ones in every step.
                change = make("expm1", z, make("exp", multiply(const(0.5), z)))
                return make("add", x, multiply(subtract(x, limit), change))
            return add(limit, multiply(subtract(x, limit), make("exp", z)))
        change = multiply(dt, rate)
        if self.slope is not None:
            z = multiply(more[0], dt)
            change = multiply(change, make("growth", z, make("exp", multiply(const(0.5), z))))
        return make("add", x, change)


def optimised(
    roots: Sequence[Node], voltage: str | Sequence[str], cost: Cost | None = None, precision: FloatType = "float64"
) -> tuple[Node, ...]:
    """All passes over some expressions of a model; the same values but for rounding. ``voltage``: the name of that
    symbol, or of several."""
    clean = remove_singularities(simplify(roots))
    voltages = (voltage,) if isinstance(voltage, str) else voltage
    return share_exponentials(clean, dict.fromkeys(voltages, LARGEST_VOLTAGE), cost, LONGEST_POWER[precision])


def step(model: CellModel, scheme: Scheme = "RL", precision: FloatType = "float64", optimise: bool = True) -> Step:
    """A step of the model; ``optimise=False`` leaves the expressions as the file has them, for comparison."""
    names = [state.name for state in model.states]
    rules = _rules(model, scheme, optimise)
    offsets = tuple(rule.offset for rule in rules)
    x, dt = [symbol(name) for name in names], symbol(STEP)
    half = [symbol(f"{name} after half a step") for name in names]
    middle: list[Node] = []
    if scheme == "GRL2":
        middle = [rule.after(x[k], multiply(const(0.5), dt), precision) for k, rule in enumerate(rules)]
        others = [{x[j]: half[j] for j in range(len(x)) if j != k} for k in range(len(x))]
        after = [rule.after(x[k], dt, precision, others[k]) for k, rule in enumerate(rules)]
    else:
        after = [rule.after(x[k], dt, precision) for k, rule in enumerate(rules)]
    physical = {x[k]: add(x[k], const(offset)) for k, offset in enumerate(offsets) if offset}
    # x + change(x) with x = stored + offset is, stored, stored + change(stored + offset).
    after = [
        make("add", x[k], rebuild([root.args[1]], make, physical)[0])
        if x[k] in physical
        else rebuild([root], make, physical)[0]
        for k, root in enumerate(after)
    ]
    middle = list(rebuild(middle, make, physical))
    if optimise:
        # Half a step's results are symbols here, of which the passes know as much as of the states.
        voltages = (names[model.voltage], str(half[model.voltage].value))
        found = optimised([*after, *middle], voltages, precision=precision)
        after, middle = list(found[: len(x)]), list(found[len(x) :])
    if middle:
        after = list(rebuild(after, make, dict(zip(half, middle, strict=True))))
    if optimise and precision == "float64":
        offset = dict(zip(names, offsets, strict=True))
        samples = {name: values - offset.get(name, 0.0) for name, values in random_states(model).items()}
        samples |= {STEP: np.asarray(TYPICAL_STEP), STIMULUS: np.asarray(0.0)}
        after = list(share_reciprocals(merge_quotients(after, samples), samples))
    exponential = tuple(
        name for name, rule in zip(names, rules, strict=True) if rule.linear is not None or rule.slope is not None
    )
    return Step(model, scheme, precision, tuple(after), offsets, exponential)


def _rules(model: CellModel, scheme: Scheme, optimise: bool) -> list[_Rule]:
    """How each state is stepped."""
    prepared = remove_singularities(simplify(model.rates)) if optimise else model.rates
    rules = []
    for k, (state, rate) in enumerate(zip(model.states, prepared, strict=True)):
        if k == model.voltage:
            rate = add(rate, symbol(STIMULUS))
        linear = None if k == model.voltage else linear_in(rate, state.name)
        far = linear is None and k != model.voltage and abs(state.initial) >= OFFSET_FROM
        rule = _Rule(rate, state.initial if far else 0.0)
        if scheme != "FE" and linear is not None and positive(linear[1], model):
            if scheme != "LRL" or stiff(linear[1], model):
                rule = replace(rule, linear=linear)
        elif scheme not in ("FE", "RL"):
            (slope,) = derivatives([rate], state.name)
            flat = slope.op == "const" and slope.number == 0.0
            if not flat and (scheme != "LRL" or stiff(negate(slope), model)):
                rule = replace(rule, slope=slope)
        rules.append(rule)
    return rules
