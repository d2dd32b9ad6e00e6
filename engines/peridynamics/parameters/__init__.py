"""The parameters of a peridynamic problem."""

from __future__ import annotations

from typing import Literal

from engines.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body import Block, Body, Hole, Plate
from engines.peridynamics.parameters.bonds import Bonds
from engines.peridynamics.parameters.contact import (
    Ball,
    Cuboid,
    Cylinder,
    Driven,
    Fixed,
    Free,
    ParticleContact,
    Penetrator,
    Plane,
    Shifted,
)
from engines.peridynamics.parameters.loads import Displacement, Load, Stress, Velocity
from engines.peridynamics.parameters.material import Material
from engines.peridynamics.parameters.notches import Notch
from engines.peridynamics.parameters.numerics import Numerics
from engines.peridynamics.parameters.regions import BoxRegion, Point, Region, Side, SideRegion

__all__ = [
    "Ball",
    "Block",
    "Body",
    "Bonds",
    "BoxRegion",
    "Cuboid",
    "Cylinder",
    "Displacement",
    "Driven",
    "Fixed",
    "Free",
    "Hole",
    "Load",
    "Material",
    "Notch",
    "Numerics",
    "ParticleContact",
    "Penetrator",
    "PeridynamicParameters",
    "Plane",
    "Plate",
    "Point",
    "Region",
    "Shifted",
    "Side",
    "SideRegion",
    "Stress",
    "Velocity",
]


class PeridynamicParameters(ParameterGroup):
    """A solid that breaks."""

    body: Body = quantity(Plate(), "", "The body")
    material: Material = quantity(Material(), "", "The material")
    bonds: Bonds = quantity(Bonds(), "", "Particles and bonds")
    notches: list[Notch] = quantity([Notch()], "", "Cuts that are there from the start")
    loads: list[Load] = quantity([Stress(), Stress(side="bottom", stress=(0.0, -2.0, 0.0))], "", "What loads the body")
    penetrators: list[Penetrator] = quantity([], "", "Rigid things that the body meets", folded=True)
    contact: ParticleContact = quantity(ParticleContact(), "", "Pieces of the body that meet again", folded=True)
    unbreakable: list[Region] = quantity(
        [SideRegion(rows=3), SideRegion(side="bottom", rows=3)], "", "Where bonds do not break", title="No failure"
    )
    growth: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = quantity(
        "+x", "", "The way that the crack is expected to go: its tip is the damaged particle farthest along it"
    )
    numerics: Numerics = quantity(Numerics(), "", "How it is calculated")
