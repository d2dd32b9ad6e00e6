"""From rates of change to what variables are after a step, as Brian2 integrates.

exact              linear equations with constant coefficients: x' = x + P x + Q b, with P = e^(A dt) − 1 and
                   Q = P A⁻¹; b may differ from neuron to neuron and from step to step, and holds for a step
exponential Euler  each variable linear in itself, all others held: x' = x − (a/b − x)(e^(−b dt) − 1) of rates a − b x
Euler              x' = x + dt f(x)
Runge-Kutta        the classical method of order 4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from engines.api import Array
from engines.formulas.derivatives import derivatives
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, const, depends_on, make, ordered, rebuild, symbol
from engines.formulas.linear import linear_in
from engines.formulas.rules import simplified
from engines.spiking.typed.names import OUTSIDE, is_zero

Method = Literal["exact", "exponential euler", "euler", "rk4"]
METHODS: tuple[Method, ...] = ("exact", "exponential euler", "euler")
"""In the order in which they are tried where nobody chooses."""
STEP = symbol("dt")
READY = make("not", symbol("@waits"))


def numbers_of(roots: Sequence[Node], given: Mapping[str, float]) -> list[float]:
    """Of parameters; infinite or NaN where they have none."""
    return [float(value) for value in Program(roots)({name: np.float64(value) for name, value in given.items()})]


class Equations(Protocol):
    """Of neurons or synapses. held: variables that rest at times; moving: names that are no constants of a run"""

    @property
    def rates(self) -> Mapping[str, Node]: ...

    @property
    def variables(self) -> tuple[str, ...]: ...

    @property
    def held(self) -> frozenset[str]: ...

    @property
    def moving(self) -> frozenset[str]: ...


@dataclass(frozen=True, eq=False)
class Integrated:
    """``after``: what each variable is after a step, of variables, parameters, GIVEN names and @ready, a condition.
    ``linear``: the systems whose matrices these name, @P0.row.column and @Q0.row.column …"""

    method: Method
    after: Mapping[str, Node]
    linear: tuple[Linear, ...] = ()


@dataclass(frozen=True, eq=False)
class Linear:
    """Rates A x + b of ``variables``. rates: (n · n) formulas of parameters, by row; used: (n, n) bool, where e^(A dt)
    may differ from 1"""

    variables: tuple[str, ...]
    rates: tuple[Node, ...]
    used: Array = field(repr=False)

    def matrices(self, given: Mapping[str, float]) -> tuple[Array, Array]:
        """(P, Q), (n, n) each; NaN where parameters give no finite rates."""
        from scipy.linalg import expm

        n, dt = len(self.variables), given["dt"]
        a = np.array(numbers_of(self.rates, given)).reshape(n, n)
        both = np.zeros((2 * n, 2 * n))
        if not np.isfinite(a).all():
            return np.full((n, n), np.nan), np.full((n, n), np.nan)
        both[:n, :n], both[:n, n:] = a * dt, np.eye(n)
        q = dt * expm(both)[:n, n:]
        return a @ q, q


def matrices_of(systems: Sequence[Linear], given: Mapping[str, float]) -> dict[str, float]:
    """By the names that :class:`Integrated` has for them."""
    found: dict[str, float] = {}
    for k, linear in enumerate(systems):
        for letter, matrix in zip("PQ", linear.matrices(given), strict=True):
            found |= {f"@{letter}{k}.{r}.{c}": float(matrix[r, c]) for r, c in np.ndindex(matrix.shape)}
    return found


def able(model: Equations, method: Method, asked: bool = False) -> bool:
    """Whether the equations have the form that a method needs. Exactly solved are, where a person has ``asked`` for it,
    also those in which time only decides between formulas, as of a current that is switched on: what is added holds for
    a step. By itself Brian2 takes time nowhere, so that is never chosen."""
    if method == "exact":
        return _linear(model, model.variables, asked) is not None
    if method == "exponential euler":
        return all(linear_in(rate, name) is not None for name, rate in model.rates.items())
    return True


def chosen(model: Equations, wanted: Method | Literal["auto"]) -> Method:
    """The method that is taken; exponential Euler's is Euler's where no rate depends on its own variable."""
    return next(method for method in METHODS if able(model, method)) if wanted == "auto" else wanted


def integrated(model: Equations, method: Method, ready: Node) -> Integrated:
    """``ready``: the condition under which variables move that rest otherwise."""
    if method == "exact":
        return _exact(model, ready)
    step = {"exponential euler": _exponential, "euler": _euler, "rk4": _runge_kutta}[method]
    moved = step(model, ready)
    return Integrated(
        method,
        {
            name: make("select", ready, node, symbol(name)) if name in model.held else node
            for name, node in moved.items()
        },
    )


def _linear(model: Equations, variables: tuple[str, ...], switched: bool) -> Linear | None:
    """None where coefficients are not constant, a variable decides between formulas, or what is added hangs on time;
    ``switched``: otherwise than by conditions."""
    nodes = ordered(list(model.rates.values()))
    moving = set().union(*(depends_on(nodes, name) for name in model.variables))
    if any(node.op == "select" and node.args[0] in moving for node in nodes):
        return None
    if any(_unswitched(rate) if switched else depends_on([rate], "t") for rate in model.rates.values()):
        return None
    try:
        columns = [derivatives([model.rates[row] for row in variables], column) for column in variables]
    except ValueError:
        return None
    rates = tuple(rebuild([columns[c][r] for r in range(len(variables)) for c in range(len(variables))], simplified))
    if any(node.op == "symbol" and node.value in model.moving for node in ordered(rates)):
        return None
    used = np.array([node != const(0.0) for node in rates]).reshape(len(variables), -1) | np.eye(
        len(variables), dtype=bool
    )
    for _ in variables:
        used = used @ used
    return Linear(variables, rates, used)


def _unswitched(root: Node) -> bool:
    """Whether time is in a formula elsewhere than in conditions."""
    left, seen = [root], set()
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            left += node.args[1:] if node.op == "select" else node.args
    return symbol("t") in seen


def _exact(model: Equations, ready: Node) -> Integrated:
    """Of variables that rest, the others go on with what they rest at, where they hear of them."""
    whole = _linear(model, model.variables, True)
    assert whole is not None
    moved = _moved(model, whole, 0)
    systems = [whole]
    free = tuple(name for name in model.variables if name not in model.held)
    rows = [model.variables.index(name) for name in model.held]
    hears = [name for name in free if whole.used[model.variables.index(name), rows].any()]
    resting: Mapping[str, Node] = {}
    if hears:
        rest = _linear(model, free, True)
        assert rest is not None
        systems.append(rest)
        resting = _moved(model, rest, 1)
    after = {}
    for name, node in moved.items():
        other = symbol(name) if name in model.held else resting[name] if name in hears else node
        after[name] = node if other is node else make("select", ready, node, other)
    return Integrated("exact", after, tuple(systems))


def _moved(model: Equations, linear: Linear, number: int) -> dict[str, Node]:
    """x + ((P x + Q b) + others), others added from the left: as the kernel of leaky neurons does."""
    zero = {symbol(name): const(0.0) for name in linear.variables}
    added = rebuild([model.rates[name] for name in linear.variables], simplified, zero)
    found = {}
    for row, name in enumerate(linear.variables):
        own = make("mul", symbol(f"@P{number}.{row}.{row}"), symbol(name))
        shift: Node | None = None
        others: Node | None = None
        for column, other in enumerate(linear.variables):
            if not linear.used[row, column]:
                continue
            if not is_zero(added[column]):
                part = _scaled(symbol(f"@Q{number}.{row}.{column}"), added[column])
                shift = part if shift is None else make("add", shift, part)
            if column != row:
                part = make("mul", symbol(f"@P{number}.{row}.{column}"), symbol(other))
                others = part if others is None else make("add", others, part)
        change = own if shift is None else make("add", own, shift)
        found[name] = make("add", symbol(name), change if others is None else make("add", change, others))
    return found


def _scaled(factor: Node, added: Node) -> Node:
    """factor · added; the factor of a current from outside is a number of its own, so that parameters are one."""
    parts = linear_in(added, OUTSIDE)
    if parts is None or is_zero(parts[1]):
        return make("mul", factor, added)
    outside = make("mul", make("mul", factor, simplified("neg", parts[1])), symbol(OUTSIDE))
    return outside if is_zero(parts[0]) else make("add", make("mul", factor, parts[0]), outside)


def _euler(model: Equations, ready: Node) -> dict[str, Node]:
    return {name: make("add", symbol(name), make("mul", STEP, rate)) for name, rate in model.rates.items()}


def _exponential(model: Equations, ready: Node) -> dict[str, Node]:
    return relaxed(model.rates, STEP)


def relaxed(rates: Mapping[str, Node], time: Node) -> dict[str, Node]:
    """Each variable after some time, exact where its rate is linear in itself and all else holds."""
    found = {}
    for name, rate in rates.items():
        parts = linear_in(rate, name)
        assert parts is not None
        added, decay = rebuild(parts, simplified)
        if is_zero(decay):
            found[name] = make("add", symbol(name), make("mul", time, rate))
            continue
        # what both are divided by is left out of their ratio
        way = make("neg", time)
        if decay.op == "div":
            way, below = make("div", way, decay.args[1]), decay.args[1]
            added = added.args[0] if added.op == "div" and added.args[1] is below else make("mul", added, below)
            decay = decay.args[0]
        x, power = symbol(name), make("mul", way, decay)
        loss = make("expm1", power, make("exp", make("mul", const(0.5), power)))
        still = decay if decay.op == "const" else make("select", make("eq", decay, const(0.0)), const(1.0), decay)
        target = make("div", added, still)
        moved = make("sub", x, make("mul", make("sub", target, x), loss))
        if still is not decay:
            straight = make("sub", x, make("mul", way, added))
            moved = make("select", make("eq", decay, const(0.0)), straight, moved)
        found[name] = moved
    return found


def _runge_kutta(model: Equations, ready: Node) -> dict[str, Node]:
    zero = const(0.0)
    rates = {
        name: make("select", ready, rate, zero) if name in model.held else rate for name, rate in model.rates.items()
    }
    slopes: list[dict[str, Node]] = []
    for share in (0.0, 0.5, 0.5, 1.0):
        given = {}
        if share:
            way = make("mul", const(share), STEP)
            given = {symbol(n): make("add", symbol(n), make("mul", way, slopes[-1][n])) for n in rates}
            given[symbol("t")] = make("add", symbol("t"), way)
        slopes.append(dict(zip(rates, rebuild(list(rates.values()), make, given), strict=True)))
    sixth = make("mul", const(1 / 6), STEP)
    found = {}
    for name in rates:
        first, second, third, last = (each[name] for each in slopes)
        middle = make("mul", const(2.0), make("add", second, third))
        total = make("add", make("add", first, last), middle)
        found[name] = make("add", symbol(name), make("mul", sixth, total))
    return found
