"""A graph as CUDA: one statement for each operation, by functions that the kernel's header has.

``cardiac/cells/cell_math.cuh`` is such a header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.formulas.graph import CONDITIONS, Node, ordered

_TEXT = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "divide({}, {})",
    "neg": "-{}",
    "exp": "exponential({})",
    "log": "logarithm({})",
    "sqrt": "root({})",
    "pow": "power({}, {})",
    "goldman": "goldman({}, {})",
    "goldman_slope": "goldman_slope({}, {})",
    "growth": "growth({}, {})",
    "expm1": "less_one({}, {})",
    "lt": "{} < {}",
    "le": "{} <= {}",
    "eq": "{} == {}",
    "and": "{} && {}",
    "or": "{} || {}",
    "not": "!{}",
    "select": "{} ? {} : {}",
}


def statements(roots: Sequence[Node], symbols: Mapping[str, str]) -> Iterator[tuple[Node, str, str | None]]:
    """Each node that the roots need, after its arguments: (node, what it is called, its definition; None for a number
    or a symbol). ``symbols``: what those are called. No text of a formula is in it, but what ``symbols`` give."""
    names: dict[Node, str] = {}
    for node in ordered(roots):
        definition = None
        if node.op == "const":
            names[node] = f"R({node.number!r})"
        elif node.op == "symbol":
            names[node] = symbols[str(node.value)]
        else:
            names[node] = f"v{len(names)}"
            kind = "bool" if node.op in CONDITIONS else "REAL"
            value = _TEXT[node.op].format(*(names[arg] for arg in node.args))
            definition = f"const {kind} {names[node]} = {value};"
        yield node, names[node], definition
