"""Formulae in one variable ``x``, typed as text: read by :mod:`engines.formulas`, worked out by NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.formulas.emit_numpy import Program
from engines.formulas.graph import symbol
from engines.formulas.parse import FUNCTIONS, Language
from engines.formulas.parse import parse as graph_of

KNOWN = Language(
    {"x": symbol("x")},
    {name: function for name, function in FUNCTIONS.items() if name not in ("min", "max", "where")},
    conditions=False,
    shorter="give a table instead",
)
"""BPX has exp, tanh and cosh; the other functions are met in files that people wrote."""


@dataclass(frozen=True)
class Expression:
    """A formula; called with an array it gives one of the same shape.

    Anything else with arithmetic and NumPy's functions will do for x too (:mod:`engines.battery.bpx.tracing`).
    """

    text: str
    _program: Program = field(compare=False)

    def __call__(self, x: Any) -> Any:
        """Where it is no number (a logarithm of zero), the result is NaN or infinite."""
        (value,) = self._program({"x": x})
        alike = isinstance(x, np.ndarray) and isinstance(value, float)  # a formula without x
        return np.full(x.shape, value) if alike else value


def parse(text: str, where: str) -> Expression:
    """Read ``text``. Raises ProblemError that begins with ``where`` and names what is not understood."""
    return Expression(text.strip(), Program([graph_of(text, KNOWN, where)]))
