"""The parameters of a peridynamic problem: body, material, bonds, notches, loads, numerics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.parameters import ParameterGroup, quantity

Point = tuple[float, float, float]


# ---- body ------------------------------------------------------------------------------------------------------------


class Hole(ParameterGroup):
    """A round hole; in a block it goes through along z."""

    center: tuple[float, float] = quantity((50.0, 20.0), "mm", "Centre (x, y)")
    radius: float = quantity(5.0, "mm", "Radius", gt=0)


class Plate(ParameterGroup):
    """A flat body, calculated in its plane."""

    kind: Literal["plate"] = "plate"
    formulation: Literal["plane stress", "plane strain"] = quantity(
        "plane stress", "", "Plane stress (thin, Poisson's ratio 1/3) or plane strain (thick, 1/4)"
    )
    size_x: float = quantity(100.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(40.0, "mm", "Length along y", gt=0)
    thickness: float = quantity(1.0, "mm", "Thickness, for energies and forces", gt=0)
    holes: list[Hole] = quantity([], "", "Round holes")


class Block(ParameterGroup):
    """A body in three dimensions; Poisson's ratio is 1/4."""

    kind: Literal["block"] = "block"
    size_x: float = quantity(40.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(20.0, "mm", "Length along y", gt=0)
    size_z: float = quantity(10.0, "mm", "Length along z", gt=0)
    holes: list[Hole] = quantity([], "", "Round holes along z")


Body = Annotated[Plate | Block, Field(discriminator="kind")]


class Notch(ParameterGroup):
    """A cut from one point to another; in a block it goes down along z between two heights."""

    start: tuple[float, float] = quantity((0.0, 20.0), "mm", "Where the cut begins (x, y)")
    end: tuple[float, float] = quantity((50.0, 20.0), "mm", "Where the cut ends (x, y)")
    low_z: float = quantity(-1e6, "mm", "Lowest z of the cut, in a block", advanced=True)
    high_z: float = quantity(1e6, "mm", "Highest z of the cut, in a block", advanced=True)


# ---- material --------------------------------------------------------------------------------------------------------


class Material(ParameterGroup):
    """Linear elastic and brittle; the formulation fixes Poisson's ratio."""

    young: float = quantity(72.0, "GPa", "Young's modulus", gt=0)
    density: float = quantity(2440.0, "kg/m³", "Density", gt=0)
    fracture_energy: float = quantity(3.8, "J/m²", "Energy that a crack takes per area (G0)", gt=0)


class Bonds(ParameterGroup):
    """The lattice of particles, and how far bonds reach."""

    spacing: float = quantity(1 / 3, "mm", "Distance of neighbouring particles", gt=0)
    reach: int = quantity(3, "1", "Horizon over spacing: 2 or 3, in a plate also 4", title="Horizon", ge=1, le=20)


# ---- loads -----------------------------------------------------------------------------------------------------------

Side = Literal["left", "right", "bottom", "top", "front", "back"]


class SideRegion(ParameterGroup):
    """The outermost rows of particles at one side."""

    kind: Literal["side"] = "side"
    side: Side = quantity("top", "", "Left and right along x, bottom and top along y, front and back along z")
    rows: int = quantity(1, "1", "How many rows", ge=1)


class BoxRegion(ParameterGroup):
    """All particles with their centre in a box."""

    kind: Literal["box"] = "box"
    low: Point = quantity((0.0, 0.0, 0.0), "mm", "Lowest corner; z counts in a block only")
    high: Point = quantity((10.0, 10.0, 10.0), "mm", "Highest corner")


Region = Annotated[SideRegion | BoxRegion, Field(discriminator="kind")]


class Stress(ParameterGroup):
    """A stress on a side, spread over its outermost row."""

    kind: Literal["stress"] = "stress"
    side: Side = quantity("top", "", "The side that it pulls at")
    stress: Point = quantity((0.0, 2.0, 0.0), "MPa", "Force per area of the side, along x, y and z")
    rise: float = quantity(0.0, "us", "Time over which it comes on smoothly; 0: suddenly", ge=0)


class Velocity(ParameterGroup):
    """Particles that move with a given velocity; an axis without one is free."""

    kind: Literal["velocity"] = "velocity"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "m/s", "Velocity along x")
    y: float | None = quantity(0.0, "m/s", "Velocity along y")
    z: float | None = quantity(None, "m/s", "Velocity along z")
    rise: float = quantity(0.0, "us", "Time over which it comes on smoothly; 0: suddenly", ge=0)


class Displacement(ParameterGroup):
    """Particles that are brought to a given displacement smoothly; an axis without one is free."""

    kind: Literal["displacement"] = "displacement"
    region: Region = quantity(SideRegion(), "", "Which particles")
    x: float | None = quantity(None, "mm", "Displacement along x")
    y: float | None = quantity(0.0, "mm", "Displacement along y")
    z: float | None = quantity(None, "mm", "Displacement along z")
    rise: float = quantity(100.0, "us", "Time that it takes", gt=0)


Load = Annotated[Stress | Velocity | Displacement, Field(discriminator="kind")]


# ---- numerics --------------------------------------------------------------------------------------------------------


class Numerics(ParameterGroup):
    """How it is calculated."""

    precision: Literal["fp32", "fp64"] = quantity("fp32", "", "Numbers of 4 or of 8 bytes")
    integrator: Literal["velocity Verlet", "Euler-Cromer"] = quantity(
        "velocity Verlet", "", "They differ in the first step only: a half one, or a whole one"
    )
    step: float | None = quantity(None, "us", "Time step; none: a part of the stable one", gt=0)
    safety: float = quantity(0.7, "1", "The part of the stable step that is taken", gt=0, le=1, advanced=True)


class PeridynamicParameters(ParameterGroup):
    """A solid that breaks."""

    body: Body = quantity(Plate(), "", "The body")
    material: Material = quantity(Material(), "", "The material")
    bonds: Bonds = quantity(Bonds(), "", "Particles and bonds")
    notches: list[Notch] = quantity([Notch()], "", "Cuts that are there from the start")
    loads: list[Load] = quantity([Stress(), Stress(side="bottom", stress=(0.0, -2.0, 0.0))], "", "What loads the body")
    unbreakable: list[Region] = quantity(
        [SideRegion(rows=3), SideRegion(side="bottom", rows=3)], "", "Where bonds do not break", title="No failure"
    )
    growth: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = quantity(
        "+x", "", "The way that the crack is expected to go: its tip is the damaged particle farthest along it"
    )
    numerics: Numerics = quantity(Numerics(), "", "How it is calculated")
