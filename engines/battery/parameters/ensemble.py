"""How a number of the parameter set differs among many cells."""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity


class Distribution(ParameterGroup):
    """How one scalar of the parameter set differs among the cells, around the set's value."""

    parameter: str = quantity("negative_particle_radius", "", "Name of a number of the parameter set")
    kind: Literal["normal", "lognormal", "uniform"] = quantity("normal", "", "Shape of the distribution")
    spread: float = quantity(
        0.05,
        "1",
        "Standard deviation over the value (uniform: half width; lognormal: of the logarithm)",
        ge=0,
        le=1,
    )
