"""What drives the field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.fdtd.parameters.common import Axis, Place
from engines.fdtd.parameters.signals import Continuous, Signal
from engines.parameters import ParameterGroup, quantity


class PointSource(ParameterGroup):
    """A point current (a short dipole antenna)."""

    kind: Literal["dipole"] = "dipole"
    place: Place = quantity((2.0, 2.0, 2.0), "", "Where it is")
    axis: Axis = quantity("z", "", "Direction of the current")
    moment: float = quantity(
        1e-3, "A", "Current times length, with the length in the unit of length", title="Moment I·l"
    )
    signal: Signal = quantity(Continuous(), "", "What it does over time")


class WaveSource(ParameterGroup):
    """A plane wave along an axis, inside of a box around which there is only what objects scatter."""

    kind: Literal["plane wave"] = "plane wave"
    direction: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = quantity("+x", "", "Where it goes")
    polarization: Axis = quantity("z", "", "Direction of its electric field")
    amplitude: float = quantity(1.0, "V/m", "Largest electric field")
    margin: int = quantity(4, "1", "Cells between absorbing layers and the box", ge=1, le=1000, advanced=True)
    signal: Signal = quantity(Continuous(), "", "What it does over time")


Source = Annotated[PointSource | WaveSource, Field(discriminator="kind")]
