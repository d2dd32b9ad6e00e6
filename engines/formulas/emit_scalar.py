"""A graph as LLVM instructions for one float64 of each symbol, written into the code that Numba compiles.

By Numba's own functions, and a product is rounded before it is added: the bits of the same formula in Python. Of a
choice, what only one case needs is worked out where that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engines.formulas.emit_numba import ONE_BY_ONE, arithmetic
from engines.formulas.graph import Node, ordered

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **ONE_BY_ONE,
    "exp": lambda x: math.exp(x),
    "log": lambda x: np.log(x),  # of 0 it is infinite
    "sqrt": lambda x: math.sqrt(x),
}
Side = tuple[Node, int]
"""A choice and which of its arguments is the case: 1 or 2."""


def instructions(context: Any, builder: ir.IRBuilder, root: Node, symbols: Mapping[str, ir.Value]) -> ir.Value:
    """Writes what computes the root; returns its value. What is divided by zero is infinite."""
    within = _sides(root)
    of_side: dict[Side | None, list[Node]] = {}
    for node in ordered([root]):
        of_side.setdefault(within[node], []).append(node)
    values: dict[Node, ir.Value] = {}
    ends: dict[Side, ir.Block] = {}

    def plain(node: Node) -> ir.Value:
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            return ir.Constant(ir.DoubleType(), node.number)
        if node.op == "symbol":
            return symbols[str(node.value)]
        if node.op in FUNCTIONS:
            signature = types.float64(*[types.float64] * len(args))
            return context.compile_internal(builder, FUNCTIONS[node.op], signature, args)
        return arithmetic(builder, node.op, args)

    def begin(choice: Node) -> list[Callable[[], None]]:
        """Two blocks, and what is still to be written: both, and the value where they meet."""
        cases, after = [builder.append_basic_block(case) for case in ("yes", "no")], builder.append_basic_block("then")
        builder.cbranch(values[choice.args[0]], *cases)

        def enter(block: ir.Block) -> Callable[[], None]:
            return lambda: builder.position_at_end(block)

        def leave(side: Side) -> Callable[[], None]:
            def written() -> None:
                ends[side] = builder.block
                builder.branch(after)

            return written

        def meet() -> None:
            builder.position_at_end(after)
            values[choice] = builder.phi(ir.DoubleType())
            for case in (1, 2):
                values[choice].add_incoming(values[choice.args[case]], ends[choice, case])

        steps: list[Callable[[], None]] = []
        for case, block in zip((1, 2), cases, strict=True):
            steps += [enter(block), *map(write, of_side.get((choice, case), [])), leave((choice, case))]
        return [*steps, meet]

    def write(node: Node) -> Callable[[], None]:
        def written() -> None:
            if node.op == "select" and any((node, case) in of_side for case in (1, 2)):
                left.extend(reversed(begin(node)))
            else:
                values[node] = plain(node)

        return written

    left = [write(node) for node in reversed(of_side[None])]
    while left:
        left.pop()()
    return values[root]


def _sides(root: Node) -> dict[Node, Side | None]:
    """The innermost case that everything that needs a node is in; None: it is needed whatever is chosen."""
    nodes = ordered([root])
    within: dict[Node, Side | None] = {root: None}
    depth: dict[Side | None, int] = {None: 0}

    def common(a: Side | None, b: Side | None) -> Side | None:
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            assert a is not None
            a = within[a[0]]
        return a

    for node in reversed(nodes):
        here = within[node]
        for place, arg in enumerate(node.args):
            side = here
            if node.op == "select" and place:
                side = node, place
                depth[side] = depth[here] + 1
            within[arg] = common(within[arg], side) if arg in within else side
    return within
