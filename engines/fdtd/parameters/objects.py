"""What stands in the grid."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Axis, Place
from engines.fdtd.parameters.placing import Lattice, Turn, repeated, turned

VACUUM = "vacuum"
"""The name of a material that need not be among the materials: an object of it is cut out."""
MOST_CORNERS = 5000
Flat = tuple[float, float]
"""A point of a plane across an axis: (y, z) across x, (x, z) across y, (x, y) across z."""
MATERIAL = "Name of its material; 'vacuum' cuts it out of what is there"
MaterialName = Annotated[str, Among("materials.name", words={VACUUM: VACUUM})]


class Box(ParameterGroup):
    """A box of one material along the axes; it may reach beyond the grid."""

    kind: Literal["box"] = "box"
    material: MaterialName = quantity("glass", "", MATERIAL)
    low: Place = quantity((1.5, 1.5, 1.5), LENGTH, "Corner of lowest coordinates")
    high: Place = quantity((2.5, 2.5, 2.5), LENGTH, "Corner of highest coordinates")
    turn: Turn = turned()
    copies: Lattice = repeated()


class Sphere(ParameterGroup):
    """A ball of one material."""

    kind: Literal["sphere"] = "sphere"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of the ball")
    radius: float = quantity(0.5, LENGTH, "Radius of the ball", gt=0)
    copies: Lattice = repeated()


class Ellipsoid(ParameterGroup):
    """An ellipsoid of one material."""

    kind: Literal["ellipsoid"] = "ellipsoid"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of the ellipsoid")
    radii: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (
        quantity((0.6, 0.4, 0.3), LENGTH, "Half of its length along x, y and z, before it is turned")
    )
    turn: Turn = turned()
    copies: Lattice = repeated()


class Cylinder(ParameterGroup):
    """A cylinder of one material along an axis."""

    kind: Literal["cylinder"] = "cylinder"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of its axis")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(0.3, LENGTH, "Radius of the cylinder", gt=0)
    length: float = quantity(1.0, LENGTH, "Length along its axis", gt=0)
    turn: Turn = turned()
    copies: Lattice = repeated()


class Rod(ParameterGroup):
    """A cylinder of one material between two points."""

    kind: Literal["rod"] = "rod"
    material: MaterialName = quantity("glass", "", MATERIAL)
    start: Place = quantity((1.5, 1.5, 2.0), LENGTH, "Middle of one end")
    end: Place = quantity((2.5, 2.5, 2.0), LENGTH, "Middle of the other end")
    radius: float = quantity(0.2, LENGTH, "Radius of the object", gt=0)
    copies: Lattice = repeated()


class Cone(ParameterGroup):
    """A cone of one material along an axis, or what is left of it when its tip is cut off."""

    kind: Literal["cone"] = "cone"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of its axis")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius_low: float = quantity(0.5, LENGTH, "Radius at the end of lower coordinate", ge=0)
    radius_high: float = quantity(0.0, LENGTH, "Radius at the end of higher coordinate", ge=0)
    length: float = quantity(1.0, LENGTH, "Length along its axis", gt=0)
    turn: Turn = turned()
    copies: Lattice = repeated()


class Ring(ParameterGroup):
    """A flat ring of one material (a ring resonator)."""

    kind: Literal["ring"] = "ring"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of the ring")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(1.0, LENGTH, "Radius of the middle of its track", gt=0)
    width: float = quantity(0.3, LENGTH, "Width of its track", gt=0)
    height: float = quantity(0.3, LENGTH, "Height along its axis", gt=0)
    turn: Turn = turned()
    copies: Lattice = repeated()


class Torus(ParameterGroup):
    """A round ring of one material (a doughnut)."""

    kind: Literal["torus"] = "torus"
    material: MaterialName = quantity("glass", "", MATERIAL)
    center: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Middle of the torus")
    axis: Axis = quantity("z", "", "Direction of its axis")
    radius: float = quantity(1.0, LENGTH, "Radius of the middle of its tube", gt=0)
    tube_radius: float = quantity(0.2, LENGTH, "Radius of its tube", gt=0)
    turn: Turn = turned()
    copies: Lattice = repeated()


class Outline(ParameterGroup):
    """A closed line through points of a plane."""

    points: list[Flat] = quantity(
        [(1.8, 1.8), (2.2, 1.8), (2.0, 2.2)], LENGTH, "Its corners in turn, a line for each", max_length=MOST_CORNERS
    )


class Polygon(ParameterGroup):
    """A polygon across an axis, drawn out along it; what lies in a hole is outside."""

    kind: Literal["polygon"] = "polygon"
    material: MaterialName = quantity("glass", "", MATERIAL)
    axis: Axis = quantity("z", "", "It is drawn out along this axis; points are (y, z) across x, (x, z) across y")
    low: float = quantity(1.5, LENGTH, "Where it begins along the axis")
    high: float = quantity(2.5, LENGTH, "Where it ends along the axis")
    points: list[Flat] = quantity(
        [(1.0, 1.0), (3.0, 1.0), (2.0, 3.0)], LENGTH, "Its corners in turn, a line for each", max_length=MOST_CORNERS
    )
    holes: list[Outline] = quantity([], "", "Outlines within it that are left out", folded=True)
    turn: Turn = turned()
    copies: Lattice = repeated()


class PictureObject(ParameterGroup):
    """The pixels of a picture within a range of brightness, drawn out along an axis."""

    kind: Literal["picture"] = "picture"
    material: MaterialName = quantity("glass", "", MATERIAL)
    picture: str = quantity(
        "",
        "",
        "A PNG or JPEG file; its right and its top are the higher coordinates, and what is transparent is left out",
        file="picture",
    )
    darkest: float = quantity(0.0, "1", "Brightness from which pixels are of the material; 0 is black", ge=0, le=1)
    brightest: float = quantity(0.5, "1", "Brightness up to which they are; 1 is white", ge=0, le=1)
    axis: Axis = quantity("z", "", "It is drawn out along this axis; the picture is (y, z) across x, (x, z) across y")
    low: float = quantity(1.5, LENGTH, "Where it begins along the axis")
    high: float = quantity(2.5, LENGTH, "Where it ends along the axis")
    corner: Flat = quantity((1.0, 1.0), LENGTH, "Where the lower left corner of the picture is, across the axis")
    size: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = quantity(
        (2.0, 2.0), LENGTH, "Width and height of the picture"
    )
    turn: Turn = turned()
    copies: Lattice = repeated()


class SurfaceObject(ParameterGroup):
    """What a closed surface of triangles holds, from an STL file."""

    kind: Literal["surface"] = "surface"
    material: MaterialName = quantity("glass", "", MATERIAL)
    file: str = quantity("", "", "STL file, binary or text", title="STL file", file="STL file")
    scale: float = quantity(1.0, "1", "The file's unit of length in the unit of length here", gt=0)
    shift: Place = quantity((0.0, 0.0, 0.0), LENGTH, "Added to its coordinates when they are scaled")
    turn: Turn = turned()
    copies: Lattice = repeated()


Spot = tuple[float, float, float, Annotated[float, Field(gt=0)]]
"""A ball that a brush painted: x, y, z of its middle, and its radius."""


class Painted(ParameterGroup):
    """Balls of one material that were painted while a run went on."""

    kind: Literal["painted"] = "painted"
    material: MaterialName = quantity("glass", "", MATERIAL)
    spots: list[Spot] = quantity(
        [(2.0, 2.0, 2.0, 0.1)], LENGTH, "What was painted: x, y, z and radius of each ball", folded=True
    )


Object = Annotated[
    Box | Sphere | Ellipsoid | Cylinder | Rod | Cone | Ring | Torus | Polygon | PictureObject | SurfaceObject | Painted,
    Field(discriminator="kind"),
]
