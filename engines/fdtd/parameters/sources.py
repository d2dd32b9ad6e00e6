"""What drives the field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Axis, Place
from engines.fdtd.parameters.signals import Continuous, Signal

Direction = Literal["+x", "-x", "+y", "-y", "+z", "-z"]


class PointSource(ParameterGroup):
    """A point current (a short dipole antenna)."""

    kind: Literal["dipole"] = "dipole"
    place: Place = quantity(
        (2.0, 2.0, 2.0), LENGTH, "Where it is: it acts at the nearest edge of the grid along its axis"
    )
    axis: Axis = quantity("z", "", "Direction of the current")
    moment: float = quantity(1e-3, f"A·{LENGTH}", "Current times length", title="Moment I·l")
    signal: Signal = quantity(Continuous(), "", "What it does over time")


class WaveSource(ParameterGroup):
    """A plane wave along an axis, inside of a box around which there is only what objects scatter."""

    kind: Literal["plane wave"] = "plane wave"
    direction: Direction = quantity("+x", "", "Where it goes")
    polarization: Axis = quantity("z", "", "Direction of its electric field")
    amplitude: float = quantity(1.0, "V/m", "Largest electric field")
    margin: int = quantity(4, "1", "Cells between absorbing layers and the box", ge=1, le=1000, advanced=True)
    signal: Signal = quantity(Continuous(), "", "What it does over time")


class ObliqueWaveSource(ParameterGroup):
    """A plane wave at any angle, inside of a box around which there is only what objects scatter."""

    kind: Literal["oblique plane wave"] = "oblique plane wave"
    theta: float = quantity(60.0, "°", "Angle between where it goes and the z axis", title="θ", ge=0, le=180)
    phi: float = quantity(0.0, "°", "Angle from the x axis, around z, of where it goes", title="φ", ge=-360, le=360)
    polarization: float = quantity(
        0.0, "°", "Angle of its electric field: 0 along rising θ, 90 along rising φ", title="ψ", ge=-360, le=360
    )
    amplitude: float = quantity(1.0, "V/m", "Largest electric field")
    margin: int = quantity(4, "1", "Cells between absorbing layers and the box", ge=1, le=1000, advanced=True)
    signal: Signal = quantity(Continuous(), "", "What it does over time")


class BeamSource(ParameterGroup):
    """A Gaussian beam along an axis, from a sheet across the grid; in vacuum."""

    kind: Literal["Gaussian beam"] = "Gaussian beam"
    direction: Direction = quantity("+x", "", "Where it goes")
    sheet: float = quantity(0.8, LENGTH, "Where along its direction's axis it begins")
    focus: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of its waist")
    waist: float = quantity(1.0, LENGTH, "Radius at the focus, where the field has fallen to 1/e", gt=0)
    polarization: Axis = quantity("z", "", "Direction of its electric field")
    amplitude: float = quantity(1.0, "V/m", "Largest electric field at the focus")
    signal: Signal = quantity(Continuous(), "", "What it does over time")


class ModeSource(ParameterGroup):
    """A mode of a waveguide along an axis, from a window across the guide."""

    kind: Literal["waveguide mode"] = "waveguide mode"
    direction: Direction = quantity("+x", "", "Where it goes")
    place: Place = quantity((0.8, 2.0, 2.0), LENGTH, "Middle of its window")
    size: Place = quantity((0.0, 3.0, 3.0), LENGTH, "Lengths of the window; the one along its direction does not count")
    number: int = quantity(1, "1", "1 is the mode of the largest effective index", title="Mode", ge=1, le=40)
    amplitude: float = quantity(1.0, "V/m", "Largest electric field across the guide")
    signal: Signal = quantity(Continuous(), "", "What it does over time")


Source = Annotated[PointSource | WaveSource | ObliqueWaveSource | BeamSource | ModeSource, Field(discriminator="kind")]
