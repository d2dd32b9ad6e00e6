"""A graph as CUDA: one statement for each operation, by functions that the kernel's header has.

``functions.cuh`` is such a header, by CUDA's library; ``cardiac/cells/cell_math.cuh`` has shorter functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.formulas.graph import CONDITIONS, Node, ordered, uses

TEXT: Mapping[str, str] = {
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
    "log10": "log10({})",
    "sinh": "sinh({})",
    "cosh": "cosh({})",
    "tanh": "tanh({})",
    "sin": "sin({})",
    "cos": "cos({})",
    "tan": "tan({})",
    "atan": "atan({})",
    "abs": "fabs({})",
    "floor": "floor({})",
    "min": "least({}, {})",
    "max": "largest({}, {})",
    "lt": "{} < {}",
    "le": "{} <= {}",
    "eq": "{} == {}",
    "and": "{} && {}",
    "or": "{} || {}",
    "not": "!{}",
    "select": "{} ? {} : {}",
}
"""Of each operation."""
ROUNDED: Mapping[str, str] = {**TEXT, "add": "add({}, {})", "sub": "subtract({}, {})", "mul": "multiply({}, {})"}
"""Sums and products by functions of the header that no compiler joins."""


def statements(
    roots: Sequence[Node], symbols: Mapping[str, str], text: Mapping[str, str] = TEXT
) -> Iterator[tuple[Node, str, str | None]]:
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
            value = text[node.op].format(*(names[arg] for arg in node.args))
            definition = f"const {kind} {names[node]} = {value};"
        yield node, names[node], definition


def rounded_statements(
    roots: Sequence[Node], symbols: Mapping[str, str]
) -> Iterator[tuple[Node, str, str | None]]:  # fmt: skip
    """As :func:`statements`, with the same bits in every kernel: a compiler joins products with sums as it likes, here
    ``multiply_add`` takes one part of a sum that is a product and needed nowhere else, the first of two."""
    needed, names = uses(roots), dict[Node, str]()
    joined: dict[Node, tuple[str, Node, Node]] = {}
    for node in ordered(roots):
        if node.op in ("add", "sub"):
            first, second = node.args
            if first.op == "mul" and needed[first] == 1:
                joined[node] = "{}, {}, {}" if node.op == "add" else "{}, {}, -{}", first, second
            elif second.op == "mul" and needed[second] == 1:
                joined[node] = "{}, {}, {}" if node.op == "add" else "-{}, {}, {}", second, first
    products = {product for _, product, _ in joined.values()}
    for node, name, definition in statements(roots, symbols, ROUNDED):
        names[node] = name
        if node in joined:
            text, product, added = joined[node]
            parts = text.format(*(names[each] for each in (*product.args, added)))
            definition = f"const REAL {name} = multiply_add({parts});"
        if node not in products:
            yield node, name, definition


ROWS = """\
// variants: -DREAL=float; -DREAL=double
//
// inputs: (symbols, n); outputs: (roots, n)
#include "formulas/functions.cuh"

extern "C" __global__ void formula_rows(const REAL* __restrict__ inputs, REAL* __restrict__ outputs, long long n) {{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
{body}}}
"""


def rows_source(roots: Sequence[Node], names: Sequence[str]) -> str:
    """The text of a kernel ``formula_rows`` that works out the roots for each column of the symbols ``names``."""
    symbols = {name: f"inputs[{k} * n + i]" for k, name in enumerate(names)}
    found: dict[Node, str] = {}
    lines = []
    for node, name, definition in statements(roots, symbols):
        found[node] = name
        lines += [definition] if definition is not None else []
    lines += [f"outputs[{k} * n + i] = {found[root]};" for k, root in enumerate(roots)]
    return ROWS.format(body="".join(f"    {line}\n" for line in lines))
