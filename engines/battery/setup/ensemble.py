"""Many cells that differ: scalars drawn from distributions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameters.ensemble import Distribution


def sample(parameters: ParameterSet, distributions: Sequence[Distribution], n: int, seed: int) -> dict[str, Array]:
    """(n,) values of each distributed scalar. Raises ProblemError.

    A scalar's numbers depend on the seed, its name and n alone, not on what else is distributed.
    """
    drawn: dict[str, Array] = {}
    for each in distributions:
        name = each.parameter
        if name in drawn:
            raise ProblemError(f"'{name}' has two distributions: keep one.")
        value = parameters.scalars[name].value
        if isnan(value):
            raise ProblemError(f"{parameters.id} gives no {name}, so it cannot differ among cells.")
        generator = np.random.default_rng([seed, *name.encode()])
        if each.kind == "uniform":
            factor = 1 + each.spread * generator.uniform(-1, 1, n)
        elif each.kind == "normal":
            factor = 1 + each.spread * generator.standard_normal(n)
        else:
            factor = np.exp(each.spread * generator.standard_normal(n))
        drawn[name] = value * factor
        if value > 0 and (factor <= 0).any():
            raise ProblemError(
                f"With this spread {int((factor <= 0).sum())} of {n:,} cells get a negative {name}: "
                "use a smaller spread, or a lognormal distribution."
            )
    _check(parameters, drawn)
    return drawn


def _check(parameters: ParameterSet, drawn: dict[str, Array]) -> None:
    values: dict[str, Any] = {**parameters.values(), **drawn}
    for electrode in ("negative", "positive"):
        x = values[f"{electrode}_initial_concentration"] / values[f"{electrode}_maximum_concentration"]
        if (np.asarray(x) >= 1).any() or (np.asarray(x) <= 0).any():
            raise ProblemError(
                f"The {electrode} electrode of {int((np.asarray(x) >= 1).sum())} cells starts outside of "
                "stoichiometries 0 to 1: use a smaller spread."
            )
        alpha = np.asarray(values[f"{electrode}_transfer_coefficient"])
        if (alpha < 0.05).any() or (alpha > 0.95).any():
            raise ProblemError(
                f"The {electrode}_transfer_coefficient of all cells lies between 0.05 and 0.95: use a smaller spread."
            )
