"""Typed equations of fields as print has them (:mod:`engines.formulas.typed.printed`)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engines.formulas.parse import FormulaError, Language, parse_either, statements
from engines.formulas.typed.printed import (
    ATOM,
    LONGEST,
    POWER,
    PRODUCT,
    SIGN,
    Anything,
    Operators,
    held,
    name_of,
    operand,
    printed,
)
from engines.stencil.equations.language import KNOWN, heading
from engines.stencil.equations.spatial import DIVERGENCE, FIRST, SECOND


def html(lines: Sequence[str]) -> str:
    """A paragraph for each line that is understood; the others as they are typed."""
    shown = [_line(text) for _, text in statements(lines)]
    return "".join(f"<p style='margin: 2px 0'>{each}</p>" for each in shown)


def _line(text: str) -> str:
    head = heading(text)
    if head is None:
        return escape(text)
    name, order, formula = head
    left = {0: name_of(name), 1: f"∂<sub>t</sub>{name_of(name)}", 2: f"∂<sub>t</sub>²{name_of(name)}"}[order]
    try:
        right = printed(parse_either(formula, Language(Anything(), KNOWN)), OPERATORS)
    except FormulaError:
        right = escape(formula.strip())
    return f"{left} = {right}" if len(right) <= LONGEST else f"{left} = …"


def _upwind(args: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """A flux, or v·∇u of a vector or of its parts."""
    if len(args) == 1:
        return args[0]
    velocity = ", ".join(text for text, _ in args[:-1])
    return f"{held(args[0], POWER) if len(args) == 2 else f'({velocity})'}·∇{operand(args[-1])}", PRODUCT


OPERATORS: Operators = {
    **{
        op: lambda args, along=op[1:]: (f"∂<sub>{along}</sub>{operand(args[0])}", SIGN)  # type: ignore[misc]  # its default
        for op in (*FIRST, *SECOND)
    },
    "laplacian": lambda args: (f"∇²{operand(args[0])}", SIGN),
    "grad": lambda args: (f"∇{operand(args[0])}", SIGN),
    DIVERGENCE: lambda args: (f"∇·({args[0][0]})", SIGN),
    "dot": lambda args: (f"{held(args[0], POWER)}·{held(args[1], POWER)}", PRODUCT),
    "vector": lambda args: (f"({', '.join(text for text, _ in args)})", ATOM),
    "upwind": lambda args: _upwind(args),
}
