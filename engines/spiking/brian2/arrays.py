"""Arrays that a Brian2 text writes out, one value for each synapse, and the tables of pairs that they make."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.typed.units import NONE
from engines.spiking.brian2.objects import Connect, Joint, Part
from engines.spiking.brian2.quantities import Numbers, Quantity, brief

if TYPE_CHECKING:
    from engines.spiking.brian2.walk import Walker

MAKES = ("array", "asarray", "list", "tuple")
MOST = 10_000_000
"""Pairs of a rule that are written out, as an array says something of each."""


def numbers_of(walker: Walker, node: ast.expr) -> Numbers | None:
    """``[1, 2]``, ``array([1, 2])*ms``, ``arange(10)``, or the name of one; None of others. Raises ProblemError."""
    if isinstance(node, ast.List | ast.Tuple):
        each = [_one(walker, one) for one in node.elts]
        dimensions = {one.dimension for one in each}
        if len(dimensions) > 1:
            raise ProblemError(f"'{brief(node)}' has values of several units.")
        return Numbers(np.array([one.value for one in each], float), dimensions.pop() if each else NONE)
    if isinstance(node, ast.Name):
        held = walker.held(node.id)
        return held if isinstance(held, Numbers) else None
    if isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called in MAKES and len(node.args) == 1:
            return numbers_of(walker, node.args[0])
        if called in ("range", "arange"):
            ends = [int(walker.number(one)) for one in node.args]
            return Numbers(np.array(range(*ends)[:MOST], float), NONE)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        left, right = numbers_of(walker, node.left), numbers_of(walker, node.right)
        sign = 1 if isinstance(node.op, ast.Mult) else -1
        if left is not None and right is None:
            return _scaled(left, walker.value(node.right), sign)
        if right is not None and left is None and sign > 0:
            return _scaled(right, walker.value(node.left), sign)
    return None


def _one(walker: Walker, node: ast.expr) -> Quantity:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):  # of many, which are read at once
        return Quantity(float(value), NONE, float(value), "1")
    found = walker.value(node)
    if not isinstance(found, Quantity):
        raise ProblemError(f"'{brief(node)}' is no number.")
    return found


def _scaled(numbers: Numbers, by: object, sign: int) -> Numbers:
    if not isinstance(by, Quantity):
        raise ProblemError("An array is multiplied with what is no number.")
    dimension = tuple(a + sign * b for a, b in zip(numbers.dimension, by.dimension, strict=True))
    return Numbers(numbers.values * by.value**sign, dimension)


def pairs_of(walker: Walker, ends: Sequence[Part], given: Mapping[str, ast.expr]) -> Array | None:
    """(2, k) the neurons of both groups that ``i=[0, 1], j=[2, 2]`` joins, one to one; None where these are no arrays.
    Raises ProblemError."""
    if not {"i", "j"} <= set(given):
        return None
    sides = []
    for name in "ij":
        found = numbers_of(walker, given[name])
        if found is None and walker.is_text(given[name]):
            return None
        found = found or Numbers(np.array([walker.number(given[name])]), NONE)
        sides.append(found.values)
    if 1 not in (len(sides[0]), len(sides[1])) and len(sides[0]) != len(sides[1]):
        raise ProblemError(f"i has {len(sides[0]):,} neurons and j {len(sides[1]):,}: they are joined one to one.")
    whole = np.stack(np.broadcast_arrays(*sides))
    for name, row, part in zip("ij", whole, ends, strict=True):
        bad = np.flatnonzero((row < 0) | (row >= part.stop - part.first) | (row != np.floor(row)))
        if len(bad):
            raise ProblemError(f"{name} has {row[bad[0]]:g}, and there are {part.stop - part.first:,} neurons, from 0.")
    return np.asarray(whole.astype(np.int64) + [[part.first] for part in ends])


def written_out(joint: Joint) -> Array:
    """(2, k) all pairs of the synapses, in Brian2's order. Raises ProblemError for those that are drawn."""
    found = [np.zeros((2, 0), np.int64)]
    for each in joint.connects:
        found.append(_pairs(each) if each.pairs is None else each.pairs)
    return np.concatenate(found, axis=1)


def _pairs(connect: Connect) -> Array:
    (source, senders), (target, hearers) = (
        (part.first, part.stop - part.first) for part in (connect.source, connect.target)
    )
    if connect.rule["kind"] == "one to one":
        return np.arange(senders) + np.array([[source], [target]])
    if connect.rule["kind"] != "all to all" or senders * hearers > MOST:
        raise ProblemError("pairs that are drawn, or too many, have no values of each: list them by i and j.")
    return np.stack(np.divmod(np.arange(senders * hearers), hearers)) + np.array([[source], [target]])
