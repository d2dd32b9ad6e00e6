"""The parameters of a peridynamic problem."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import field_validator

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.bodies import (
    Ball,
    Block,
    Body,
    Cylinder,
    Disc,
    FlatRing,
    Hole,
    PlaneBody,
    Plate,
    PolygonPlate,
    SolidBody,
    SurfaceBody,
    Tube,
)
from engines.peridynamics.parameters.body.cloud import PointBody
from engines.peridynamics.parameters.body.kinds import MIXED, ON_A_LATTICE
from engines.peridynamics.parameters.body.notches import AnyNotch, FlatNotch, Notch, PennyNotch, PlaneNotch, ShapeNotch
from engines.peridynamics.parameters.body.regions import (
    BoxRegion,
    GroupRegion,
    HalfSpace,
    LayerRegion,
    Region,
    Side,
    SideRegion,
)
from engines.peridynamics.parameters.body.shapes import (
    Box,
    Circle,
    Ellipse,
    Flat,
    Point,
    Polygon,
    Rod,
    Shape,
    Sphere,
    kinds_named,
)
from engines.peridynamics.parameters.bonds import Bonds
from engines.peridynamics.parameters.contact import ParticleContact, Penetrator
from engines.peridynamics.parameters.gauges import Gauge, Measuring
from engines.peridynamics.parameters.loading.loads import Displacement, Force, Gravity, Held, Load, Stress, Velocity
from engines.peridynamics.parameters.loading.starting import AtRest, Expanding, Flying, Start
from engines.peridynamics.parameters.material import Interface, Material, OtherMaterial
from engines.peridynamics.parameters.numerics import Numerics
from engines.recording import Recording

__all__ = [
    "AnyNotch",
    "AtRest",
    "Ball",
    "Block",
    "Body",
    "Bonds",
    "Box",
    "BoxRegion",
    "Circle",
    "Cylinder",
    "Disc",
    "Displacement",
    "Ellipse",
    "Expanding",
    "Flat",
    "FlatNotch",
    "FlatRing",
    "Flying",
    "Force",
    "Gauge",
    "Gravity",
    "GroupRegion",
    "HalfSpace",
    "Held",
    "Hole",
    "Interface",
    "LayerRegion",
    "Load",
    "Material",
    "Measuring",
    "Notch",
    "Numerics",
    "OtherMaterial",
    "ParticleContact",
    "Penetrator",
    "PennyNotch",
    "PeridynamicParameters",
    "PlaneBody",
    "PlaneNotch",
    "Plate",
    "Point",
    "PointBody",
    "Polygon",
    "PolygonPlate",
    "Region",
    "Rod",
    "Shape",
    "ShapeNotch",
    "Side",
    "SideRegion",
    "SolidBody",
    "Sphere",
    "Start",
    "Stress",
    "SurfaceBody",
    "Tube",
    "Velocity",
]


class PeridynamicParameters(ParameterGroup):
    """A solid that breaks."""

    body: Body = quantity(Plate(), "", "The body")
    material: Material = quantity(Material(), "", "The material")
    materials: list[OtherMaterial] = quantity(
        [], "", "Parts of the body that are of other materials", folded=True, when=MIXED
    )
    interfaces: list[Interface] = quantity([], "", "Where materials meet", folded=True, when=MIXED)
    bonds: Bonds = quantity(Bonds(), "", "Particles and bonds")
    notches: list[AnyNotch] = quantity([Notch()], "", "Cuts that are there from the start")
    loads: list[Load] = quantity([Stress(), Stress(side="bottom", stress=(0.0, -2.0, 0.0))], "", "What loads the body")
    start: Start = quantity(AtRest(), "", "How the body moves at the start", folded=True)
    penetrators: list[Penetrator] = quantity([], "", "Rigid things that the body meets", folded=True, when=ON_A_LATTICE)
    contact: ParticleContact = quantity(
        ParticleContact(), "", "Pieces of the body that meet again", folded=True, when=ON_A_LATTICE
    )
    unbreakable: list[Region] = quantity(
        [SideRegion(rows=3), SideRegion(side="bottom", rows=3)], "", "Where bonds do not break", title="No failure"
    )
    growth: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = quantity(
        "+x", "", "The way that the crack is expected to go: its tip is the damaged particle farthest along it"
    )
    measuring: Measuring = quantity(Measuring(), "", "What is measured", folded=True)
    numerics: Numerics = quantity(Numerics(), "", "How it is calculated")
    recording: Recording = quantity(Recording(), "", "What is written into a folder of results", folded=True)

    @field_validator("notches", mode="before")
    @classmethod
    def _straight(cls, value: Any) -> Any:
        """Those of older projects have no kind."""
        return kinds_named(value, "segment")
