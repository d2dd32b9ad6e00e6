"""What a person may set of a drumhead."""

from engines.api.parameters import ParameterGroup, quantity


class MembraneParameters(ParameterGroup):
    """A square drumhead that begins at rest in the shape of one of its modes."""

    side: float = quantity(0.3, "m", "Length of a side", gt=0, le=10)
    cells: int = quantity(128, "1", "Cells along a side", ge=8, le=4096)
    speed: float = quantity(100.0, "m/s", "Speed of waves: the root of tension over mass per area", gt=0, le=1e5)
    mode_x: int = quantity(2, "1", "Half waves along x at the start", ge=1, le=64)
    mode_y: int = quantity(1, "1", "Half waves along y at the start", ge=1, le=64)
    height: float = quantity(1.0, "mm", "Amplitude at the start", gt=0, le=100)
    damping: float = quantity(0.0, "1/ms", "Rate at which a swing dies away", ge=0, le=1, live=True)
    step: float = quantity(0.01, "ms", "Time step", gt=0, le=10)
