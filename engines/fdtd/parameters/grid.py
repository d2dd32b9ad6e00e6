"""The grid and what holds at its faces."""

from __future__ import annotations

from typing import Literal

from engines.fdtd.parameters.common import LengthUnit
from engines.parameters import ParameterGroup, quantity

MOST_CELLS = 100_000


class GridSetting(ParameterGroup):
    """A box of cells of equal size. One cell between periodic faces makes an axis along which nothing varies."""

    length_unit: LengthUnit = quantity(
        "um",
        "",
        "Unit of all lengths",
        labels={"um": "µm, times in fs", "mm": "mm, times in ps", "m": "m, times in ns"},
    )
    cells_x: int = quantity(80, "1", "Number of cells along x", ge=1, le=MOST_CELLS)
    cells_y: int = quantity(80, "1", "Number of cells along y", ge=1, le=MOST_CELLS)
    cells_z: int = quantity(80, "1", "Number of cells along z", ge=1, le=MOST_CELLS)
    size_x: float = quantity(4.0, "", "Length along x, in the unit of length", gt=0)
    size_y: float = quantity(4.0, "", "Length along y, in the unit of length", gt=0)
    size_z: float = quantity(4.0, "", "Length along z, in the unit of length", gt=0)


FaceKind = Literal["CPML", "absorber", "PEC", "PMC", "periodic"]
FACE_LABELS = {
    "CPML": "absorbing (CPML)",
    "absorber": "absorbing slowly, dispersive materials too",
    "PEC": "perfect conductor (PEC)",
    "PMC": "magnetic wall (PMC)",
    "periodic": "periodic",
}


class Faces(ParameterGroup):
    """What holds at the six faces; both faces of an axis are periodic, or none."""

    x_low: FaceKind = quantity("CPML", "", "Face of lowest x", title="x low", labels=FACE_LABELS)
    x_high: FaceKind = quantity("CPML", "", "Face of highest x", title="x high", labels=FACE_LABELS)
    y_low: FaceKind = quantity("CPML", "", "Face of lowest y", title="y low", labels=FACE_LABELS)
    y_high: FaceKind = quantity("CPML", "", "Face of highest y", title="y high", labels=FACE_LABELS)
    z_low: FaceKind = quantity("CPML", "", "Face of lowest z", title="z low", labels=FACE_LABELS)
    z_high: FaceKind = quantity("CPML", "", "Face of highest z", title="z high", labels=FACE_LABELS)
    layer: int = quantity(10, "1", "Cells that each absorbing layer takes", title="Absorbing cells", ge=4, le=64)
    absorber: int = quantity(
        40, "1", "Cells that each slowly absorbing layer takes: one or two wavelengths", title="Slowly absorbing cells",
        ge=4, le=1000, advanced=True,
    )  # fmt: skip

    def pairs(self) -> list[tuple[FaceKind, FaceKind]]:
        """(low, high) for x, y, z."""
        return [(self.x_low, self.x_high), (self.y_low, self.y_high), (self.z_low, self.z_high)]
