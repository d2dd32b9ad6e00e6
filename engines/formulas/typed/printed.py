"""Typed equations as print has them, in the few marks of HTML that any rich text knows: subscripts, powers, ∂, ∇ and
Greek.

From the graph that a line is read into, so that what is shown is what was understood. Without recursion, for lines
may be deep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from engines.formulas.graph import Node, ordered, symbol

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Omega": "Ω",
}  # fmt: skip
"""Letters that names stand for."""
SUM, PRODUCT, SIGN, POWER, ATOM = range(5)
"""How tightly a piece holds together."""
Piece = tuple[str, int]
Operators = Mapping[str, Callable[[list[Piece]], Piece]]
_SIGNS = {"lt": "&lt;", "le": "≤", "eq": "=", "and": "and", "or": "or"}
LONGEST = 3_000
"""Characters of a line that are shown."""


class Anything(dict[str, Node]):
    """Names of parameters are not known here: any name is one."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Node:
        return symbol(name)


def printed(root: Node, more: Operators = {}) -> str:  # noqa: B006  # read alone
    """A formula as HTML; ``more``: operations of a language of its own."""
    made: dict[Node, Piece] = {}
    for node in ordered([root]):
        made[node] = _piece(node, [made[arg] for arg in node.args], more)
        if len(made[node][0]) > LONGEST:
            return "…" * LONGEST + "…"
    return made[root][0]


def _piece(node: Node, args: list[Piece], more: Operators) -> Piece:
    op = node.op
    if op in more:
        return more[op](args)
    if op == "const":
        return _number(node.number)
    if op == "symbol":
        return name_of(str(node.value)), ATOM
    if op in _OPERATORS:
        return _OPERATORS[op](args)
    if op in _SIGNS:
        return f" {_SIGNS[op]} ".join(held(arg, SUM) for arg in args), SUM - 1
    return f"{escape(op)}({', '.join(text for text, _ in args)})", ATOM


def _number(value: float) -> Piece:
    text = f"{value:g}".replace("-", "−")
    digits, marked, exponent = text.partition("e")
    if marked:
        return f"{digits}·10<sup>{str(int(exponent.replace('−', '-'))).replace('-', '−')}</sup>", PRODUCT
    return text, SIGN if value < 0 else ATOM


def name_of(name: str) -> str:
    """Greek letters, and what stands behind ``_`` or is digits at the end as a subscript."""
    stem, _, below = name.partition("_")
    if not below and stem.rstrip("0123456789"):
        short = stem.rstrip("0123456789")
        stem, below = short, stem[len(short) :]
    shown = f"<i>{escape(GREEK.get(stem, stem))}</i>"
    return f"{shown}<sub>{escape(GREEK.get(below, below))}</sub>" if below else shown


def held(piece: Piece, tight: int) -> str:
    text, own = piece
    return text if own >= tight else f"({text})"


def operand(piece: Piece) -> str:
    return held(piece, POWER)


def _product(args: list[Piece]) -> Piece:
    # what begins with a sign or a derivative would seem to go on over what is behind it
    left, right = args[0][0] if args[0][1] == PRODUCT else held(args[0], POWER), held(args[1], SIGN)
    between = "·" if right[:1].isdigit() or right[:1] == "−" else " "
    return f"{left}{between}{right}", PRODUCT


def _power(args: list[Piece]) -> Piece:
    if _is_flat(args[1]):
        return f"{held(args[0], ATOM)}<sup>{args[1][0]}</sup>", POWER
    return f"pow({args[0][0]}, {args[1][0]})", ATOM


def _exponential(args: list[Piece]) -> Piece:
    return (f"e<sup>{args[0][0]}</sup>", POWER) if _is_flat(args[0]) else (f"exp({args[0][0]})", ATOM)


def _is_flat(piece: Piece) -> bool:
    """Whether it may stand raised: rich text raises and lowers nothing twice, so that a square there would be a 2."""
    return "<su" not in piece[0]


_OPERATORS: Operators = {
    "add": lambda args: (f"{held(args[0], SUM)} + {held(args[1], SUM)}", SUM),
    "sub": lambda args: (f"{held(args[0], SUM)} − {held(args[1], PRODUCT)}", SUM),
    "neg": lambda args: (f"−{held(args[0], PRODUCT)}", SIGN if args[0][1] > PRODUCT else SUM),
    "mul": _product,
    "div": lambda args: (f"{held(args[0], PRODUCT)}/{held(args[1], POWER)}", PRODUCT),
    "pow": _power,
    "exp": _exponential,
    "sqrt": lambda args: (f"√{held(args[0], ATOM)}", POWER),
    "abs": lambda args: (f"|{args[0][0]}|", ATOM),
    "not": lambda args: (f"not {held(args[0], SUM)}", SUM),
    "select": lambda args: (f"{{{args[1][0]} if {args[0][0]}, else {args[2][0]}}}", ATOM),
}
