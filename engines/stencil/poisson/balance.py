"""Poisson's equation without a side that fixes a value: a solution needs a source that balances the sides' flow."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.stencil.parameters import Sides
from engines.stencil.poisson.levels import Level

ROUNDING = 1e-5
"""Of the mean of |s|: a source in single precision that sums to no more than that balances itself."""
SIDES = ("x_low", "x_high", "y_low", "y_high")


def mean_inflow(level: Level) -> float:
    """Mean over the cells of what the ghosts' shifts add to ``div(k grad u)``: the flow through the sides."""
    total = 0.0
    for number, axis in enumerate(level.axes):
        dimension = 2 - number
        for side, cell in ((0, 0), (1, -1)):
            flow = axis.coefficients[side, cell] * axis.ghosts[2 * side + 1, cell]
            conducted = 1.0 if level.faces is None else np.take(level.faces[number], cell, dimension).mean()
            total += flow * conducted / axis.n
    return float(total)


def balance_findings(level: Level, source: Array, sides: Sides) -> tuple[Finding, ...]:
    """What becomes of a problem without a fixed side. source: s in every cell [1/mm²]"""
    inflow = mean_inflow(level)
    net, size = float(source.mean(dtype=np.float64)) + inflow, float(np.abs(source).mean(dtype=np.float64))
    remedy = _hold_a_side(sides)
    if abs(net) <= ROUNDING * (size + abs(inflow)):
        text = "No side fixes a value: the solution is known up to a constant, and its mean is set to 0."
        return (Finding(text, "info", ("sides",), remedy),)
    return (
        Finding(
            "No side fixes a value, and source and flow through the sides do not balance, so there is no solution: "
            f"their mean of {net:.3g} 1/mm² is removed from the source, and the solution's mean is set to 0.",
            place=("sides",),
            remedy=remedy,
        ),
    )


def _hold_a_side(sides: Sides) -> Remedy:
    """The first side that may be held alone, else (all are periodic) both along x."""
    alone = [name for name in SIDES if getattr(sides, name).kind != "periodic"][:1]
    held = {"kind": "value", "value": 0.0}
    changes: dict[tuple[str | int, ...], object] = {("sides", name): dict(held) for name in alone or SIDES[:2]}
    return Remedy(f"Hold {' and '.join(name.replace('_', ' ') for name in alone or SIDES[:2])} at 0", changes)
