"""What stands in the grid."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.fdtd.parameters.common import Axis, Place
from engines.parameters import ParameterGroup, quantity


class Box(ParameterGroup):
    """A box of one material along the axes; it may reach beyond the grid."""

    kind: Literal["box"] = "box"
    material: str = quantity("glass", "", "Name of its material")
    low: Place = quantity((1.5, 1.5, 1.5), "", "Corner of lowest coordinates")
    high: Place = quantity((2.5, 2.5, 2.5), "", "Corner of highest coordinates")


class Sphere(ParameterGroup):
    """A ball of one material."""

    kind: Literal["sphere"] = "sphere"
    material: str = quantity("glass", "", "Name of its material")
    center: Place = quantity((2.0, 2.0, 2.0), "", "Centre")
    radius: float = quantity(0.5, "", "Radius", gt=0)


class Cylinder(ParameterGroup):
    """A cylinder of one material along an axis."""

    kind: Literal["cylinder"] = "cylinder"
    material: str = quantity("glass", "", "Name of its material")
    center: Place = quantity((2.0, 2.0, 2.0), "", "Middle of its axis")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(0.3, "", "Radius", gt=0)
    length: float = quantity(1.0, "", "Length along its axis", gt=0)


Object = Annotated[Box | Sphere | Cylinder, Field(discriminator="kind")]
