"""Typed formulas of time that come and go faster than steps: what these leave of them, told before the run.

Looked at are the largest parts of a formula that hang on t and on what is known besides: what they add up to in steps,
as a method takes them, beside their integral. What is added to them and rests is left out: zero is anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Literal, NamedTuple

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import CONDITIONS, OPERATIONS, Node, const, depends_on, make, ordered
from engines.formulas.linear import linear_in

APART = 0.11
"""Of what a formula adds up to, as much as steps may be off: that of Euler's steps of a fifth of a time constant."""
STEPS, BEFORE, AFTER, FINE = 400, 3, 40, 64
"""Steps that are looked at from the start on, and before and after each time that a formula names; times in each."""
LONGEST, LATEST = 500, 1e9
"""Steps between two such times that are all looked at, at most; the last step that is."""
CLOSER = 2.0 ** -np.arange(1, 24)
"""Of a step: how near to a time that a formula names it is looked at."""
NAMED = 30
"""Times that a formula names, at most."""
SUMS = ("add", "sub")
SCALED = (("mul", True, False), ("mul", False, True), ("div", True, False), ("neg", True))
"""Operations that scale an argument that moves."""
TURNING = ("lt", "le", "eq", "min", "max")
"""What turns where both arguments are equal."""

Numbers = tuple[tuple[str, float], ...]
Taken = Literal["begin", "begin and before", "begin, middle and end", "once"]
"""The times of a step at which a method takes a formula: as Euler's, Adams and Bashforth's of order 2, Runge-Kutta's;
once: as at the beginning, of conditions that have done all they do where one step finds them true."""


class Formula(NamedTuple):
    """A formula, whose it is in words, and its place in the parameters.

    known:  numbers by name besides t, of a few cells or neurons
    within: formulas that it is made of: one that is too fast by itself is named instead
    """

    node: Node
    whose: str
    place: tuple[str | int, ...]
    taken: Taken
    known: Sequence[Mapping[str, float]]
    within: tuple[Formula, ...] = ()

    def off(self, dt: float) -> float:
        """Of its worst part, over the most that this adds up to."""
        parts = parts_of_time(self.node, self.known[0]) if self.known else []
        return max(
            (_off(part, self.taken, dt, known) for part in map(_moving, parts) for known in _cases(part, self.known)),
            default=0.0,
        )


def told_of_forcing(formulas: Sequence[Formula], dt: float, shorter: Iterable[float], unit: str) -> Iterator[Finding]:
    """Of the formula that is most off. dt: the step; shorter: those that may be proposed, one after the other; both in
    ``unit``, as t is"""
    timed = [each for each in formulas if depends_on([each.node], "t")]
    off = [each.off(dt) for each in timed]
    if not off or max(off) <= APART:
        return
    formula = timed[int(np.argmax(off))]
    formula = next((each for each in formula.within if each.off(dt) > APART), formula)
    told = f"{formula.whose} changes with t so fast that steps of {dt:.3g} {unit} do not follow it"
    for step in shorter:
        if all(each.off(step) <= APART for each in timed):
            remedy = Remedy(f"Use steps of {step:g} {unit}", {("numerics", "step"): step})
            yield Finding(
                f"{told}: {step:g} {unit} are short enough.", place=formula.place, remedy=remedy, distorts=True
            )
            return
    yield Finding(f"{told}. Let it change slower.", place=formula.place, distorts=True)


def parts_of_time(root: Node, given: Collection[str]) -> list[Node]:
    """The largest parts that depend on t, and besides it on what is ``given`` alone."""
    known, nodes = {"t", *given}, ordered([root])
    pure, timed = set[Node](), depends_on([root], "t")
    for node in nodes:
        alone = node.value in known if node.op == "symbol" else node.op == "const" or node.op in OPERATIONS
        if alone and pure.issuperset(node.args):
            pure.add(node)
    used = {root, *(arg for node in nodes if node not in pure for arg in node.args)}
    parts = used & pure & timed
    return [node for node in nodes if node in parts]


def _cases(part: Node, known: Sequence[Mapping[str, float]]) -> set[Numbers]:
    """What it takes of them, each once."""
    names = [str(node.value) for node in ordered([part]) if node.op == "symbol" and node.value in known[0]]
    return {tuple((name, float(each[name])) for name in names) for each in known}


def _moving(part: Node) -> Node:
    """Without what is added and rests: 5 sin(t) of (-70 + 5 sin(t))."""
    timed = depends_on([part], "t")
    found: dict[Node, Node] = {}
    for node in ordered([part]):
        moves = [arg in timed for arg in node.args]
        found[node] = node
        if any(moves) and node.op in SUMS:
            found[node] = make(node.op, *(found[arg] if arg in timed else const(0.0) for arg in node.args))
        elif (node.op, *moves) in SCALED:
            found[node] = make(node.op, *(found[arg] for arg in node.args))
    return found[part]


def _turns(part: Node) -> list[Node]:
    """Times at which it may turn: where what is compared is equal, where the arguments of functions are 0; then all
    else in it that rests."""
    timed = depends_on([part], "t")
    nodes = [node for node in ordered([part]) if node in timed and node.args]
    equal = [make("sub", *node.args) for node in nodes if node.op in TURNING]
    args = [arg for node in nodes if node.op not in (*TURNING, *SUMS, "neg") for arg in node.args if arg in timed]
    lines = [linear_in(each, "t") for each in dict.fromkeys((*equal, *args)) if each.op not in CONDITIONS]
    zeros = [make("div", *each) for each in lines if each is not None and each[1] != const(0.0)]
    rests = [arg for node in nodes for arg in node.args if arg not in timed and arg.op not in CONDITIONS]
    return list(dict.fromkeys((*zeros, *rests)))[:NAMED]


@lru_cache(maxsize=1024)  # forms ask again and again, and populations have lines in common
def _off(part: Node, taken: Taken, dt: float, numbers: Numbers) -> float:
    """The largest error on the way of what it adds up to, over the most that it adds up to, where that is more than a
    step before or after; or half of the errors of all steps over all that it does, which steps that see some of each
    period by luck have too."""
    known = dict(numbers)
    turns = [abs(float(each)) for each in evaluate(_turns(part), known)]
    named = sorted({time for time in turns if time < LATEST * dt})
    at_named = [int(time / dt) for time in named]
    around = [range(max(number - BEFORE, 0), number + AFTER + 1) for number in at_named]
    between = [range(*pair) for pair in pairwise(at_named) if pair[1] - pair[0] <= LONGEST]
    steps = np.unique([*range(STEPS), *chain.from_iterable(around + between)])
    times = (steps[:, None] + np.arange(FINE + 1) / FINE) * dt
    rows = [(row, time) for time in named for row in np.flatnonzero(steps == int(time / dt))]

    def at(t: Array) -> Array:
        return np.broadcast_to(evaluate([part], {**known, "t": t})[0], t.shape).astype(float)

    values = at(times)
    exact = np.trapezoid(values, times, axis=1)
    for row, time in rows:
        near = np.concatenate([times[row], time - CLOSER * dt, [time], time + CLOSER * dt])
        near = np.unique(near[(near >= times[row, 0]) & (near <= times[row, -1])])
        exact[row] = np.trapezoid(at(near), near)
    begin, middle, end = values[:, 0], values[:, FINE // 2], values[:, -1]
    if taken == "once" and part.op in CONDITIONS:
        return float(((exact > 0) & (begin == 0) & (end == 0)).any())
    if taken == "begin, middle and end":
        sampled = (begin + 4 * middle + end) / 6
    elif taken != "begin and before":
        sampled = begin
    else:  # what the step before has found goes on, but for the first
        sampled = np.where(steps > 0, 1.5 * begin - 0.5 * at(np.maximum(times[:, 0] - dt, 0.0)), begin)
    if not (np.isfinite(exact).all() and np.isfinite(sampled).all()):  # the run says so
        return 0.0
    error, size = dt * sampled - exact, np.trapezoid(np.abs(values), times, axis=1)
    size[[row for row, _ in rows]] = np.abs(exact[[row for row, _ in rows]])
    way, right = np.cumsum(dt * sampled), np.concatenate([[0.0], np.cumsum(exact)])
    right = np.stack([right[:-1], right[1:], np.append(right[2:], right[-1])])
    missed = np.maximum(way - right.max(axis=0), right.min(axis=0) - way).clip(min=0.0)
    sums = (missed.max(), np.abs(right).max()), (0.5 * np.abs(error).sum(), size.sum())
    return max(float(wrong / most if most > 0 else wrong > 0) for wrong, most in sums)
