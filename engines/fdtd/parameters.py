"""The parameters of a Maxwell problem: grid, faces, materials, objects, sources, numerics.

Lengths are in the grid's unit of length, times in the unit that light takes 0.2998 of: µm and fs, mm and ps, m and ns.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.fdtd.materials import MOST
from engines.parameters import ParameterGroup, quantity

MOST_CELLS = 100_000
MOST_SOURCES = 16
Place = tuple[float, float, float]
Axis = Literal["x", "y", "z"]
LengthUnit = Literal["um", "mm", "m"]


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


FaceKind = Literal["CPML", "PEC", "PMC", "periodic"]
FACE_LABELS = {
    "CPML": "absorbing (CPML)",
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

    def pairs(self) -> list[tuple[FaceKind, FaceKind]]:
        """(low, high) for x, y, z."""
        return [(self.x_low, self.x_high), (self.y_low, self.y_high), (self.z_low, self.z_high)]


class Material(ParameterGroup):
    """A passive material without dispersion."""

    name: str = quantity("glass", "", "What objects call it", min_length=1, max_length=40)
    permittivity: float = quantity(2.25, "1", "Relative permittivity: the index squared", title="ε_r", ge=1, le=1000)
    permeability: float = quantity(1.0, "1", "Relative permeability", title="μ_r", ge=1, le=1000, advanced=True)
    conductivity: float = quantity(0.0, "S/m", "Electric conductivity: loss", title="σ", ge=0)
    magnetic_loss: float = quantity(0.0, "Ω/m", "Magnetic loss", title="σ*", ge=0, advanced=True)
    perfect_conductor: bool = quantity(False, "", "Nothing gets in: all else is then of no account")


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


class Pulse(ParameterGroup):
    """A Gaussian pulse of a carrier: a band of wavelengths."""

    kind: Literal["pulse"] = "pulse"
    wavelength: float = quantity(1.0, "", "Wavelength in vacuum at the middle of its spectrum", gt=0)
    cycles: float = quantity(1.0, "1", "Standard deviation of the Gaussian in periods of the carrier", gt=0.2, le=1000)


class Gaussian(ParameterGroup):
    """A Gaussian without a carrier: all wavelengths down to the shortest."""

    kind: Literal["gaussian"] = "gaussian"
    wavelength: float = quantity(1.0, "", "Wavelength at which its spectrum has fallen to a tenth", gt=0)


class Continuous(ParameterGroup):
    """A sine that rises smoothly and goes on."""

    kind: Literal["continuous"] = "continuous"
    wavelength: float = quantity(1.0, "", "Wavelength in vacuum", gt=0)
    rise: float = quantity(3.0, "1", "Periods in which it rises", gt=0, le=1000)


Signal = Annotated[Pulse | Gaussian | Continuous, Field(discriminator="kind")]


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


class Numerics(ParameterGroup):
    """How the equations are solved."""

    courant: float = quantity(
        0.99, "1", "Time step over the largest stable one, at most 1", title="Courant number", gt=0
    )
    precision: Literal["fp32", "fp64"] = quantity("fp32", "", "Arithmetic of the kernels")


class FdtdParameters(ParameterGroup):
    """A Maxwell problem on a uniform Yee grid."""

    grid: GridSetting = quantity(GridSetting(), "", "Cells and size")
    faces: Faces = quantity(Faces(), "", "What holds at the faces of the grid")
    materials: list[Material] = quantity(
        [Material()], "", "What objects are made of; around them is vacuum", max_length=MOST - 1
    )
    objects: list[Object] = quantity([], "", "Where they overlap the later one counts")
    sources: list[Source] = quantity([PointSource()], "", "What drives the field", max_length=MOST_SOURCES)
    source_scale: float = quantity(1.0, "1", "Factor on all sources", live=True, ge=0, le=10)
    numerics: Numerics = quantity(Numerics(), "", "Step and precision")
