"""Texts of formulas, and values of graphs."""

import numpy as np
from hypothesis import strategies as st

from engines.formulas.graph import CONDITIONS, OPERATIONS, ordered, symbol
from engines.formulas.parse import Language


def in_single(roots, values):
    """The graph's value with every operation rounded to float32."""
    found = {}
    with np.errstate(all="ignore"):
        for node in ordered(roots):
            if node.op == "const":
                found[node] = np.float32(node.number)
            elif node.op == "symbol":
                found[node] = np.asarray(values[node.value], np.float32)
            else:
                value = OPERATIONS[node.op](*(found[arg] for arg in node.args))
                found[node] = value if node.op in CONDITIONS else np.asarray(value, np.float32)
    return [found[root].astype(float) for root in roots]


NAMES = ("a", "b", "c")
LANGUAGE = Language({name: symbol(name) for name in NAMES})
CALLS = ("exp", "log", "sqrt", "tanh", "cosh", "sinh", "sin", "cos", "tan", "atan", "log10", "abs")


@st.composite
def numbers(draw, depth=4):
    """Texts of formulas over :data:`NAMES`."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*NAMES, "0.5", "2", "3.25", "1e-3"]))
    inner = numbers(depth=depth - 1)
    kinds = [*"+-*/+-*/", "power", "call", "minus", "minus", "choice", "where", "extreme", "bracket"]
    kind = draw(st.sampled_from(kinds))
    match kind:
        case "power":
            return f"({draw(inner)}) ** {draw(st.sampled_from(['2', '3', '0.5', '-1', 'b']))}"
        case "call":
            return f"{draw(st.sampled_from(CALLS))}({draw(inner)})"
        case "minus":
            return f"-{draw(inner)}"
        case "choice":
            return f"({draw(inner)} if {draw(truths(depth=depth - 1))} else {draw(inner)})"
        case "where":
            return f"where({draw(truths(depth=depth - 1))}, {draw(inner)}, {draw(inner)})"
        case "extreme":
            return f"{draw(st.sampled_from(['min', 'max']))}({draw(inner)}, {draw(inner)})"
        case "bracket":
            return f"({draw(inner)})"
    return f"{draw(inner)} {kind} {draw(inner)}"


@st.composite
def truths(draw, depth=2):
    """Texts of conditions."""
    inner = numbers(depth=max(depth, 0))
    if depth > 0 and draw(st.booleans()):
        left, right = draw(truths(depth=depth - 1)), draw(truths(depth=depth - 1))
        kind = draw(st.sampled_from(["and", "or", "not"]))
        return f"(not {left})" if kind == "not" else f"({left} {kind} {right})"
    compared = f" {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} "
    return "(" + compared.join(draw(st.lists(inner, min_size=2, max_size=3))) + ")"
