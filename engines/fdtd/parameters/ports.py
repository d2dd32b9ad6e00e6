"""Where circuits meet the field."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Axis, Place
from engines.fdtd.parameters.signals import Pulse, Signal


class LumpedPort(ParameterGroup):
    """A voltage source with an internal resistance in a gap between conductors, as an antenna is fed."""

    place: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Lower end of the gap")
    axis: Axis = quantity("z", "", "Direction across the gap, toward the terminal that counts as positive")
    length: float = quantity(0.05, LENGTH, "Width of the gap; at least a cell is taken", gt=0)
    resistance: float = quantity(50.0, "Ω", "Of the source, and what S-parameters refer to", gt=0)
    amplitude: float = quantity(1.0, "V", "Of the source before its resistance; 0: the port is a resistor alone", ge=0)
    signal: Signal = quantity(Pulse(), "", "What the source does over time")
