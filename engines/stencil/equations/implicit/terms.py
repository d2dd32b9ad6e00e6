"""Which part of a rate is diffusion that can be taken implicitly: D ∇²u or ∇·(D ∇u) of the field itself.

It may be written as ``D*laplacian(u)`` with D of parameters alone or as ``div(D*grad(u))`` with D of parameters and the
place, in sums, with signs and factors of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from engines.formulas.graph import Node, const, make, ordered
from engines.stencil.equations.language import System
from engines.stencil.equations.spatial import AXES, DIVERGENCE, OPS, combined, vectors_in

Part = tuple[Node | None, Node | None]
"""(D, the rest of a formula beside D ∇²u), None for nothing."""


def split(system: System) -> tuple[dict[str, Node], System]:
    """(D of each field that has such a diffusion, the equations without it)."""
    found: dict[str, Node] = {}
    rates = dict(system.rates)
    for name, rate in system.rates.items():
        diffusivity, rest = _parts(rate, name, system.parameters)
        if diffusivity is not None:
            found[name], rates[name] = diffusivity, const(0.0) if rest is None else rest
    return found, replace(system, rates=rates)


def _parts(rate: Node, field: str, parameters: Collection[str]) -> Part:
    numbers, placed = _of(parameters, rate), _of((*parameters, *AXES), rate)
    vectors = vectors_in(rate)
    made: dict[Node, Part] = {}
    for node in ordered([rate]):
        made[node] = _part(node, field, made, placed if node in vectors else numbers)
    return made[rate]


def _of(names: Collection[str], root: Node) -> set[Node]:
    """What is of these names and of constants alone."""
    found: set[Node] = set()
    for node in ordered([root]):
        leaf = node.op == "const" or (node.op == "symbol" and str(node.value) in names)
        if leaf or (node.args and node.op not in OPS and all(arg in found for arg in node.args)):
            found.add(node)
    return found


def _part(node: Node, field: str, made: dict[Node, Part], numbers: Collection[Node]) -> Part:
    """Of a node whose arguments are in ``made``; of a flux, D of D ∇u. numbers: what D may be multiplied by"""
    op, args = node.op, node.args
    if op in ("laplacian", "grad"):
        own = args[0].op == "symbol" and args[0].value == field
        return (const(1.0), None) if own else (None, node)
    if op in ("add", "sub"):
        return _each(lambda a, b: _sum(op, a, b), made[args[0]], made[args[1]])
    if op in ("mul", "div") and args[1] in numbers:
        return _each(lambda a, _: None if a is None else combined(op, a, args[1]), made[args[0]], (None, None))
    if op == "mul" and args[0] in numbers:
        return _each(lambda a, _: None if a is None else combined(op, args[0], a), made[args[1]], (None, None))
    if op == "neg":
        return _each(lambda a, _: None if a is None else combined(op, a), made[args[0]], (None, None))
    if op == DIVERGENCE and made[args[0]][0] is not None:
        diffusivity, rest = made[args[0]]
        return diffusivity, None if rest is None else make(DIVERGENCE, rest)
    return None, node


def _each(of: Callable[[Node | None, Node | None], Node | None], first: Part, second: Part) -> Part:
    return of(first[0], second[0]), of(first[1], second[1])


def _sum(op: str, a: Node | None, b: Node | None) -> Node | None:
    if b is None:
        return a
    if a is None:
        return b if op == "add" else combined("neg", b)
    return combined(op, a, b)
