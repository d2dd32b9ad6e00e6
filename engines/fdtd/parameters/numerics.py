"""How the equations are solved."""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity


class Numerics(ParameterGroup):
    """How the equations are solved."""

    courant: float = quantity(
        0.99, "1", "Time step over the largest stable one, at most 1", title="Courant number", ge=1e-3
    )
    precision: Literal["fp32", "fp64"] = quantity("fp32", "", "Arithmetic of the kernels")
    smoothing: bool = quantity(
        False,
        "",
        "Edges near interfaces between lossless dielectrics get the permittivity of what is around them",
        title="Subpixel smoothing",
    )
