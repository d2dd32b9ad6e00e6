"""The grid and what holds at its faces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, LengthUnit
from engines.fdtd.parameters.grading import FineRegion

MOST_CELLS = 100_000


DIMENSIONS = {"3D": "3D", "2D": "2D: x and y", "1D": "1D: x alone"}
PLANE: dict[str, list[str]] = {"dimensions": ["3D", "2D"]}
SPACE: dict[str, list[str]] = {"dimensions": ["3D"]}


class GridSetting(ParameterGroup):
    """A box of cells, a plane of them or a line. Cells are of equal size but for finer regions."""

    dimensions: Literal["3D", "2D", "1D"] = quantity(
        "3D",
        "",
        "In 2D nothing varies along z, in 1D along y either; currents and energies are then of a unit of length",
        labels=DIMENSIONS,
    )
    length_unit: LengthUnit = quantity(
        "um",
        "",
        "Unit of all lengths",
        labels={"um": "µm, times in fs", "mm": "mm, times in ps", "m": "m, times in ns"},
    )
    cells_x: int = quantity(80, "1", "Number of cells along x", finer="larger", ge=1, le=MOST_CELLS)
    cells_y: int = quantity(80, "1", "Number of cells along y", finer="larger", ge=1, le=MOST_CELLS, when=PLANE)
    cells_z: int = quantity(80, "1", "Number of cells along z", finer="larger", ge=1, le=MOST_CELLS, when=SPACE)
    size_x: float = quantity(4.0, LENGTH, "Length along x", gt=0)
    size_y: float = quantity(4.0, LENGTH, "Length along y", gt=0, when=PLANE)
    size_z: float = quantity(4.0, LENGTH, "Length along z", gt=0, when=SPACE)
    at_y: float = quantity(
        2.0, LENGTH, "Where the line cuts through objects", title="At y", when={"dimensions": ["1D"]}
    )
    at_z: float = quantity(
        2.0, LENGTH, "Where the plane or line cuts through objects", title="At z", when={"dimensions": ["2D", "1D"]}
    )
    finer: list[FineRegion] = quantity(
        [], "", "Spans of an axis with smaller cells than the number of cells gives", title="Finer regions", folded=True
    )
    growth: float = quantity(
        1.2, "1", "Factor from one cell to the next beside finer regions", title="Growth of cells", gt=1.01, le=1.5,
        advanced=True,
    )  # fmt: skip


FaceKind = Literal["CPML", "absorber", "PEC", "PMC", "symmetric", "antisymmetric", "periodic", "Bloch"]
FACE_LABELS = {
    "CPML": "absorbing (CPML)",
    "absorber": "slowly absorbing",
    "PEC": "conductor (PEC)",
    "PMC": "magnetic wall (PMC)",
    "symmetric": "symmetric mirror",
    "antisymmetric": "antisymmetric mirror",
    "periodic": "periodic",
    "Bloch": "Bloch: with a phase",
}
KINDS = (
    "CPML where materials end or are not dispersive, the slowly absorbing layer where dispersive ones go on; mirrors "
    "are the middle of a problem twice as long, with E along them even (symmetric) or odd"
)
MIRRORS: dict[str, int] = {"symmetric": 1, "antisymmetric": -1}
"""The sign of E along the face at the image of a place; the field across it has the other."""
PHASE = "Turns of the phase from the low face to the high: ½ at the edge of the Brillouin zone"
WITH_Y = {"grid.dimensions": ["3D", "2D"]}
WITH_Z = {"grid.dimensions": ["3D"]}


@dataclass(frozen=True)
class Mirror:
    """A face that stands for the middle of a problem twice as long.

    axis: 0, 1, 2; high: which of its two faces; sign: of the components of E along the face (and of H across it) at the
    image of a place; E across the face and H along it have the other sign
    """

    axis: int
    high: bool
    sign: int


class Faces(ParameterGroup):
    """What holds at the faces; both faces of an axis are periodic or Bloch faces, or none.

    A mirror stands for the middle of a problem twice as long, of which one half is computed: E along it is even
    (symmetric, as at a PMC) or odd (antisymmetric, as at a PEC).
    """

    x_low: FaceKind = quantity("CPML", "", f"Face of lowest x: {KINDS}", title="x low", labels=FACE_LABELS)
    x_high: FaceKind = quantity("CPML", "", f"Face of highest x: {KINDS}", title="x high", labels=FACE_LABELS)
    y_low: FaceKind = quantity("CPML", "", f"Face of lowest y: {KINDS}", title="y low", labels=FACE_LABELS, when=WITH_Y)
    y_high: FaceKind = quantity(
        "CPML", "", f"Face of highest y: {KINDS}", title="y high", labels=FACE_LABELS, when=WITH_Y
    )
    z_low: FaceKind = quantity("CPML", "", f"Face of lowest z: {KINDS}", title="z low", labels=FACE_LABELS, when=WITH_Z)
    z_high: FaceKind = quantity(
        "CPML", "", f"Face of highest z: {KINDS}", title="z high", labels=FACE_LABELS, when=WITH_Z
    )
    phase_x: float = quantity(0.0, "1", PHASE, ge=-1, le=1, when={"x_low": ["Bloch"]})
    phase_y: float = quantity(0.0, "1", PHASE, ge=-1, le=1, when={**WITH_Y, "y_low": ["Bloch"]})
    phase_z: float = quantity(0.0, "1", PHASE, ge=-1, le=1, when={**WITH_Z, "z_low": ["Bloch"]})
    layer: int = quantity(10, "1", "Cells that each absorbing layer takes", title="Absorbing cells", ge=4, le=64)
    absorber: int = quantity(
        40, "1", "Cells that each slowly absorbing layer takes: one or two wavelengths", title="Absorber cells",
        ge=4, le=1000, advanced=True,
    )  # fmt: skip

    def pairs(self) -> list[tuple[FaceKind, FaceKind]]:
        """(low, high) for x, y, z."""
        return [(self.x_low, self.x_high), (self.y_low, self.y_high), (self.z_low, self.z_high)]

    def phases(self) -> tuple[float, float, float]:
        """Of the high Bloch face over the low one along x, y, z [rad]; 0 where there is none."""
        turns = (self.phase_x, self.phase_y, self.phase_z)
        x, y, z = (
            2 * math.pi * turn if "Bloch" in pair else 0.0 for turn, pair in zip(turns, self.pairs(), strict=True)
        )
        return x, y, z

    def mirrors(self) -> tuple[Mirror, ...]:
        """The faces that are mirrors; in two dimensions those of z are of no account."""
        return tuple(
            Mirror(axis, bool(high), MIRRORS[kind])
            for axis, pair in enumerate(self.pairs())
            for high, kind in enumerate(pair)
            if kind in MIRRORS
        )
