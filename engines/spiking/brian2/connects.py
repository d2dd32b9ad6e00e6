"""Parts of groups, pairs that are joined, and delays of a Brian2 text."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.typed.units import unit
from engines.spiking.brian2.arguments import formula_of
from engines.spiking.brian2.arrays import Numbers, numbers_of, pairs_of
from engines.spiking.brian2.objects import Connect, Group, Joint, Part
from engines.spiking.brian2.quantities import Quantity, brief, formula_value

if TYPE_CHECKING:
    from engines.spiking.brian2.walk import Walker

FEW = 2_000_000
"""Pairs that are written out where some of all are left out."""
_BOUND = re.compile(r"^\s*\(?\s*([ij])\s*(<=|<|>=|>|==)\s*([\w.+*/ ()-]+?)\s*\)?\s*$")
_EQUAL = re.compile(r"^\s*\(?\s*(?:i\s*==\s*j|j\s*==\s*i)\s*\)?\s*$")
_OTHERS = re.compile(r"^\s*\(?\s*(?:i\s*!=\s*j|j\s*!=\s*i)\s*\)?\s*$")


def part_of(walker: Walker, node: ast.Subscript) -> Part:
    """``P[:3200]``, ``P[5]``. Raises ProblemError."""
    held = walker.value(node.value)
    if isinstance(held, Group):
        held = Part(held, 0, held.number)
    if not isinstance(held, Part):
        raise ProblemError(f"'{brief(node)}' is no part of a group.")
    number = held.stop - held.first
    if isinstance(node.slice, ast.Slice):
        if node.slice.step is not None:
            raise ProblemError(f"'{brief(node)}' takes every few of them: neurons in a row can be taken.")
        ends = [None if each is None else int(walker.number(each)) for each in (node.slice.lower, node.slice.upper)]
        first, stop, _ = slice(*ends).indices(number)
    else:
        first = int(walker.number(node.slice))
        first += number * (first < 0)
        stop = first + 1
    if not 0 <= first < stop <= number:
        raise ProblemError(f"'{brief(node)}' has no neuron.")
    return Part(held.group, held.first + first, held.first + stop)


def connect_of(walker: Walker, joint: Joint, node: ast.Call) -> Connect:
    """Raises ProblemError."""
    given = dict(zip(("condition", "i", "j", "p"), node.args, strict=False))
    given |= {each.arg or "": each.value for each in node.keywords}
    if unknown := [name for name in given if name not in ("condition", "i", "j", "p", "namespace", "skip_if_invalid")]:
        raise ProblemError(f"'{unknown[0]}' is not known here.")
    ends, others = [joint.source, joint.target], False
    rule: dict[str, object] = {"kind": "all to all"}
    condition = walker.value(given["condition"]) if "condition" in given else None
    if isinstance(condition, str):
        joined, others = _conditions(walker, condition, ends)
        rule = {"kind": "one to one"} if joined else rule
    elif condition is not None and condition is not True:
        raise ProblemError("its condition is no string.")
    given = {name: each for name, each in given.items() if ast.unparse(each) != "None"}
    pairs = pairs_of(walker, ends, given) if condition is None else None
    if pairs is not None:
        rule, ends = _as_rule(pairs, ends)
    for side, name in enumerate("ij"):
        if name in given and pairs is None:
            own = _these(walker, given[name], ends[side], name)
            if own is None:
                rule = {"kind": "one to one"}
            else:
                ends[side] = own
    if "p" in given:
        p = walker.number(given["p"])
        if not 0 <= p <= 1:
            raise ProblemError(f"{p:g} is no probability.")
        if p < 1:
            if rule["kind"] != "all to all":
                raise ProblemError("one to one with a probability is not possible here.")
            rule = {"kind": "probability", "probability": p}
    if rule["kind"] == "one to one" and ends[0].stop - ends[0].first != ends[1].stop - ends[1].first:
        raise ProblemError("one to one is of as many senders as hearers.")
    equal = _of_one_number(ends, joint) if others else None
    if equal is not None and equal.any():
        if rule["kind"] == "all to all" and equal.ndim == 2:
            rule = {"kind": "pairs"}
            pairs = np.stack(np.nonzero(~equal)) + np.array([[end.first] for end in ends])
        else:
            alike = ends[0].group is ends[1].group and joint.source.first == joint.target.first
            whom = "neurons may be joined to themselves" if alike else "neurons of the same number may be joined"
            walker.script.tell(node.lineno, f": {whom} here, unlike there (i != j)")
    return Connect(node.lineno, ends[0], ends[1], rule, pairs)


def _as_rule(pairs: Array, ends: list[Part]) -> tuple[dict[str, object], list[Part]]:
    """Of neurons in a row, or one, a rule and parts; of others the pairs themselves. Raises ProblemError."""
    if not pairs.shape[1]:
        raise ProblemError("it joins no pairs.")
    found, rows = [], 0
    for end, row in zip(ends, pairs, strict=True):
        if len(row) > 1 and (np.diff(row) == 1).all():
            rows += 1
        elif (row != row[0]).any():
            return {"kind": "pairs"}, ends
        found.append(Part(end.group, int(row[0]), int(row[-1]) + 1))
    if not rows and pairs.shape[1] > 1:
        return {"kind": "pairs"}, ends
    return {"kind": "one to one" if rows == 2 else "all to all"}, found


def _of_one_number(ends: list[Part], joint: Joint) -> Array:
    """(senders, hearers) bool: which have the same number among those of their side of the synapses; of too many pairs
    (senders,): which have it of some hearer."""
    senders, hearers = (
        np.arange(end.first - side.first, end.stop - side.first)
        for end, side in zip(ends, (joint.source, joint.target), strict=True)
    )
    return np.equal.outer(senders, hearers) if len(senders) * len(hearers) <= FEW else np.isin(senders, hearers)


def _conditions(walker: Walker, text: str, ends: list[Part]) -> tuple[bool, bool]:
    """Narrows ``ends``; whether neurons of one number alone are joined, or all but these. Raises ProblemError."""
    same = others = False
    for each in re.split(r"\band\b|&", text):
        if _EQUAL.match(each):
            same = True
        elif _OTHERS.match(each):
            others = True
        elif match := _BOUND.match(each):
            side, op = "ij".index(match[1]), match[2]
            bound = formula_value(match[3], walker.numbers).value
            end = ends[side]
            number = end.stop - end.first
            low, high = {
                "<": (0, bound), "<=": (0, bound + 1), ">=": (bound, number), ">": (bound + 1, number),
                "==": (bound, bound + 1),
            }[op]  # fmt: skip
            first, stop = (end.first + min(max(round(each), 0), number) for each in (low, high))
            if first >= stop:
                raise ProblemError(f"'{each.strip()}' leaves nobody.")
            ends[side] = Part(end.group, first, stop)
        else:
            raise ProblemError(f"the condition '{each.strip()[:40]}' is not possible here: there are bounds of i or j.")
    if same and others:
        raise ProblemError("'i == j' and 'i != j' leave nobody.")
    return same, others


def _these(walker: Walker, node: ast.expr, end: Part, name: str) -> Part | None:
    """Neurons in a row by their numbers; None for those of the sender's number. Raises ProblemError."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value.strip() == ("i" if name == "j" else "j"):
            return None
        raise ProblemError(f"the rule '{node.value.strip()[:40]}' is not possible here: join them by a probability.")
    listed = numbers_of(walker, node)
    numbers = [int(walker.number(node))] if listed is None else [int(each) for each in listed.values]
    in_a_row = bool(numbers) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if not in_a_row or not 0 <= numbers[0] <= numbers[-1] < end.stop - end.first:
        raise ProblemError(f"{name} are no neurons in a row: join them by a condition or a probability.")
    return Part(end.group, end.first + numbers[0], end.first + numbers[-1] + 1)


def delay_of(walker: Walker, node: ast.expr) -> Quantity | Numbers | str:
    """One for all, those that are written out, or the formula of each. Raises ProblemError."""
    found: Any = numbers_of(walker, node)
    if found is None:
        text = formula_of(walker, node)
        called = {getattr(each.func, "id", "") for each in ast.walk(node) if isinstance(each, ast.Call)}
        if called & {"linspace", "arange"}:
            raise ProblemError("how many synapses there are is not known: write it as a formula of i and j.")
        try:
            found = formula_value(text, walker.numbers)
        except ProblemError:
            return text
    values = found.values if isinstance(found, Numbers) else np.array([found.value])
    if len(values) == 1:
        found = Quantity(float(values[0]), found.dimension, float(values[0]), "ms")
    if found.dimension != unit("ms")[0] or not (values >= 0).all():
        raise ProblemError("it is no time.")
    return found


def mean_delay_of(walker: Walker, node: ast.expr, line: int) -> Quantity:
    """One for all; of drawn ones the mean. Raises ProblemError."""
    found = delay_of(walker, node)
    if isinstance(found, str):
        mean = re.sub(r"\brandn\s*\(\s*\)", "0.0", re.sub(r"\brand\s*\(\s*\)", "0.5", found))
        if mean != found:
            walker.script.tell(line, ": delays of hearers' spikes that are drawn are the mean of all here")
        found = formula_value(mean, walker.numbers)
    if not isinstance(found, Quantity):
        raise ProblemError("spikes of hearers have one delay.")
    return found
