"""How a number of the parameter set differs among many cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engines.api.parameters import ParameterGroup, quantity
from engines.battery.parameter_sets.changes import LABELS
from engines.battery.parameter_sets.model import SCALARS

FIXED = ("nominal_capacity", "lower_cutoff", "upper_cutoff")
"""Scalars that the protocol reads once for all cells."""
if TYPE_CHECKING:
    DifferingName = str
else:
    DifferingName = Literal[tuple(name for name in SCALARS if name not in FIXED)]
TITLES = {name: label.partition(" [")[0] for name, label in LABELS.items()}
"""Without units: what is spread is a part of the value."""


class Distribution(ParameterGroup):
    """How one scalar of the parameter set differs among the cells, around the set's value."""

    parameter: DifferingName = quantity("negative_particle_radius", "", "Which number of the set", labels=TITLES)
    kind: Literal["normal", "lognormal", "uniform"] = quantity("normal", "", "Shape of the distribution")
    spread: float = quantity(
        0.05, "1", "Standard deviation over the value (uniform: half width; lognormal: of the logarithm)", ge=0, le=1
    )
