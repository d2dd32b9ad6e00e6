"""Influence functions: how much bonds count by their length.

Silling and Askari (2005) have the constant one, Ha and Bobaru (2010) the conical one, which is called triangular;
the quartic and the normal one are those of Seleson and Parks (2011) and of Hobbs's pypd.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engines.api import Array

POINTS = 48
"""Of Gauss's rule: exact for polynomials up to degree 95, and for the normal function to the last digits."""


@dataclass(frozen=True)
class Influence:
    """value: w of r = |ξ|/δ, from 0 to 1."""

    name: str
    value: Callable[[Array], Array]

    def moment(self, power: int) -> float:
        """∫ w(r) r^power dr from 0 to 1; ∫ w |ξ| dV is this with power d, times δ^(d + 1) and 2π or 4π."""
        return _moment(self, power)


@lru_cache(maxsize=64)
def _moment(influence: Influence, power: int) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    r = 0.5 * (nodes + 1)
    return float(0.5 * (weights * influence.value(r) * r**power).sum())


CONSTANT = Influence("constant", lambda r: np.ones_like(r))
INFLUENCES = {
    each.name: each
    for each in (
        CONSTANT,
        Influence("triangular", lambda r: np.maximum(1.0 - r, 0.0)),
        Influence("quartic", lambda r: (1.0 - r * r) ** 2),
        Influence("normal", lambda r: np.exp(-4.0 * r * r)),
    )
}
