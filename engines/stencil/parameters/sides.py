"""What a person may set at a side of the grid."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity


class FixedValue(ParameterGroup):
    """The solution is held at a value on this side (Dirichlet)."""

    kind: Literal["value"] = "value"
    value: float = quantity(0.0, "", "Value on the side")


class FixedGradient(ParameterGroup):
    """The outward derivative is held on this side (Neumann); 0 is an insulated side."""

    kind: Literal["gradient"] = "gradient"
    gradient: float = quantity(0.0, "1/mm", "Derivative of the solution along the outward normal; 0 insulates")


class Periodic(ParameterGroup):
    """What leaves here enters at the opposite side, which must be periodic too."""

    kind: Literal["periodic"] = "periodic"


Side = Annotated[FixedValue | FixedGradient | Periodic, Field(discriminator="kind")]
