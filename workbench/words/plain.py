"""What a terminal that lacks a character is given in its place: numbers and units keep what they say."""

from __future__ import annotations

import codecs
import re

NAME = "workbench.plain"
"""Of the handler of errors, for streams."""
RAISED = re.compile("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
LOW = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
PLAIN = {
    "×": "x", "−": "-", "–": "-", "—": "-", "·": "*", "…": "...", "°": "deg ", "µ": "u", "μ": "u", "Ω": "Ohm",
    "√": "sqrt ", "∞": "inf", "≤": "<=", "≥": ">=", "≈": "~", "±": "+-", "→": "->", "←": "<-", "‘": "'", "’": "'",
    "“": '"', "”": '"', "ε": "eps", "η": "eta", "θ": "theta", "λ": "lambda", "σ": "sigma", "φ": "phi", "ω": "omega",
    "Δ": "D", "Σ": "sum", "∫": "int", "∇": "grad", "₀": "0", "₁": "1", "₂": "2", "₃": "3",
    "\N{NO-BREAK SPACE}": " ", "\u202f": " ", "\u2009": " ",
}  # fmt: skip


def plain(text: str) -> str:
    """``7.336 x 10^-5`` of ``7.336 × 10⁻⁵``; a question mark for what has no other form."""
    raised = RAISED.sub(lambda found: f"^{found[0].translate(LOW)}", text)
    return "".join(each if each.isascii() else PLAIN.get(each, "?") for each in raised)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


codecs.register_error(NAME, _replaced)
