"""Formulas of time, in lines and at sides, that come and go faster than steps: what these leave of them, told before.

Looked at are the largest parts of a formula that hang on t and on parameters and places besides: what they add up to in
steps, as the method takes them, beside their integral.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import OPERATIONS, Node, ordered
from engines.stencil.equations.accuracy import APART
from engines.stencil.equations.language import System
from engines.stencil.equations.laws import Laws
from engines.stencil.equations.passes import Method

STEPS, AROUND, FINE = 400, 3, 64
"""Steps that are looked at from the start on, and on both sides of each time that a formula names; times in each."""
LONGEST, LATEST = 500, 1e9
"""Steps between two such times that are all looked at, at most; the last step that is."""
CLOSER = 2.0 ** -np.arange(1, 24)
"""Of a step: how near to a time that a formula names it is looked at."""
NAMED = 30
"""Numbers of a formula that are taken for times, at most."""
SHORTER, TRIED = 1.5, 24
"""Between two steps that are tried, and how many."""


class Formula(NamedTuple):
    """A formula, whose it is in words, and its place in the parameters."""

    node: Node
    whose: str
    place: tuple[str | int, ...]


def formulas_of(system: System, laws: Laws, place_of: Callable[[str, str], tuple[str | int, ...]]) -> Iterator[Formula]:
    """All lines, and what hangs on t at sides; ``place_of`` a field and a part of it."""
    for name, _, node in system.typed:
        yield Formula(node, f"The line of '{name}'", ("equation", "lines"))
    for name, axes in zip((*system.fields, *system.stored), laws, strict=True):
        for letter, pair in zip("xyz", axes, strict=False):
            for end, law in zip(("low", "high"), pair, strict=True):
                if law.uses("t"):
                    whose = f"What holds for '{name}' at {letter} {end}"
                    yield from (Formula(node, whose, place_of(name, "sides")) for node in (law.scale, law.shift))


def told_of_forcing(
    formulas: Sequence[Formula], method: Method, dt: float, given: Mapping[str, float], places: Array
) -> Iterator[Finding]:
    """Of the formula that is most off. given: parameters and sizes; places: (n, 3) [mm] of a few cells."""
    parts = [(each, part) for each in formulas for part in parts_of_time(each.node, given)]
    off = [_off(part, method, dt, given, places) for _, part in parts]
    if not off or max(off) <= APART:
        return
    formula, _ = parts[int(np.argmax(off))]
    told, shorter = f"{formula.whose} changes with t so fast that steps of {dt:.3g} s do not follow it", dt
    for _ in range(TRIED):
        shorter = float(f"{shorter / SHORTER:.2g}")
        if all(_off(part, method, shorter, given, places) <= APART for _, part in parts):
            remedy = Remedy(f"Use steps of {shorter:g} s", {("numerics", "step"): shorter})
            yield Finding(f"{told}: {shorter:g} s are short enough.", place=formula.place, remedy=remedy, distorts=True)
            return
    yield Finding(f"{told}. Let it change slower.", place=formula.place, distorts=True)


def parts_of_time(root: Node, given: Collection[str]) -> list[Node]:
    """The largest parts that depend on t, and besides it on what is ``given`` and on places alone."""
    known, timed, parts = {"t", "x", "y", "z", *given}, set[Node](), set[Node]()
    pure: set[Node] = set()
    for node in ordered([root]):
        alone = node.value in known if node.op == "symbol" else node.op == "const" or node.op in OPERATIONS
        if alone and pure.issuperset(node.args):
            pure.add(node)
            if node.value == "t" or timed.intersection(node.args):
                timed.add(node)
                parts -= set(node.args)
                parts.add(node)
    return [node for node in ordered([root]) if node in parts]


def _off(part: Node, method: Method, dt: float, given: Mapping[str, float], places: Array) -> float:
    """The largest error on the way of what it adds up to, over the most that it adds up to; or half of the errors of
    all steps over all that it does, which steps that see some of each period by luck have too. Of the worst place."""
    named = sorted({abs(node.number) for node in ordered([part]) if node.op == "const"})[:NAMED]
    at_named = [int(time / dt) for time in named if time < LATEST * dt]
    around = [range(max(number - AROUND, 0), number + AROUND + 1) for number in at_named]
    between = [range(*pair) for pair in pairwise(at_named) if pair[1] - pair[0] <= LONGEST]
    steps = np.unique([*range(STEPS), *chain.from_iterable(around + between)])
    times = (steps[:, None] + np.arange(FINE + 1) / FINE) * dt
    rows = [(row, time) for time in named for row in np.flatnonzero(steps == int(time / dt))]
    worst = 0.0
    for place in places:
        known = {**given, **dict(zip("xyz", place, strict=True))}

        def at(t: Array, known: Mapping[str, float] = known) -> Array:
            return np.broadcast_to(evaluate([part], {**known, "t": t})[0], t.shape).astype(float)

        values = at(times)
        exact = np.trapezoid(values, times, axis=1)
        for row, time in rows:
            near = np.concatenate([times[row], time - CLOSER * dt, [time], time + CLOSER * dt])
            near = np.unique(near[(near >= times[row, 0]) & (near <= times[row, -1])])
            exact[row] = np.trapezoid(at(near), near)
        begin, middle, end = values[:, 0], values[:, FINE // 2], values[:, -1]
        if method == "RK4":
            taken = (begin + 4 * middle + end) / 6
        elif method == "Euler":
            taken = begin
        else:  # what the step before has found goes on, but for the first
            taken = np.where(steps > 0, 1.5 * begin - 0.5 * at(np.maximum(times[:, 0] - dt, 0.0)), begin)
        error, size = dt * taken - exact, np.trapezoid(np.abs(values), times, axis=1)
        if not np.isfinite(error).all():  # the run says so
            continue
        size[[row for row, _ in rows]] = np.abs(exact[[row for row, _ in rows]])
        for wrong, most in (
            (np.abs(np.cumsum(error)).max(), np.abs(np.cumsum(exact)).max()),
            (0.5 * np.abs(error).sum(), size.sum()),
        ):
            worst = max(worst, wrong / most if most > 0 else float(wrong > 0))
    return float(worst)
