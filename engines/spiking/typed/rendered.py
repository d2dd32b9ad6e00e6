"""Typed neurons as print has them (:mod:`engines.formulas.typed.printed`), and how they are integrated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from engines.api.errors import ProblemError
from engines.formulas.parse import FormulaError, Language, parse_either, statements
from engines.formulas.typed.printed import LONGEST, POWER, Anything, Operators, name_of, printed
from engines.formulas.typed.units import UNITS
from engines.spiking.typed.integration import METHODS, able
from engines.spiking.typed.language import read_loosely
from engines.spiking.typed.lines import heading
from engines.spiking.typed.names import KNOWN

_OPERATORS: Operators = {"growth": lambda args: (f"exprel({args[0][0]})", POWER)}


def html(lines: Sequence[str]) -> str:
    """Of a neuron: its lines, and how they are integrated."""
    return lines_html(lines) + _paragraphs(_integration(lines))


def lines_html(lines: Sequence[str]) -> str:
    """A paragraph for each line that is understood, without remarks; the others as they are typed."""
    return _paragraphs([_line(text.split("#")[0].rstrip()) for _, text in statements(lines)])


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p style='margin: 2px 0'>{each}</p>" for each in texts)


SAID = {
    "exact": "linear: they are integrated exactly",
    "exponential euler": "linear each in its own variable: they are integrated by exponential Euler",
    "euler": "not linear in their own variables: they are integrated by Euler's method",
}
"""Of equations, where nobody chooses another method."""


def _integration(lines: Sequence[str]) -> tuple[str, ...]:
    try:
        model = read_loosely(lines)
    except ProblemError:
        return ()
    method = next(each for each in METHODS if able(model, each))
    return (f"These equations are {SAID[method]}, unless another way is chosen below.",)


def _line(text: str) -> str:
    head = heading(text)
    if head is None:
        return escape(text)
    kind, name, formula, said, flags = head
    behind = f" &nbsp; [{escape(said)}]" + (f" {escape(', '.join(flags))}" if flags else "")
    if kind == "parameter":
        return f"{name_of(name)}{behind}"
    left = f"d{name_of(name)}/dt" if kind == "variable" else name_of(name)
    try:
        right = _upright(printed(parse_either(formula, Language(Anything(), KNOWN)), _OPERATORS))
    except FormulaError:
        right = escape(formula.strip())
    return f"{left} = {right}{behind}" if len(right) <= LONGEST else f"{left} = …"


def _upright(text: str) -> str:
    """Units stand upright."""
    return re.sub(r"<i>(\w+)</i>", lambda found: found[1] if found[1] in UNITS else found[0], text)
