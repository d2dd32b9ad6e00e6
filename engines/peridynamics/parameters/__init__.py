"""The parameters of a peridynamic problem."""

from __future__ import annotations

from typing import Literal

from engines.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body import Block, Body, Hole, Plate
from engines.peridynamics.parameters.bonds import Bonds
from engines.peridynamics.parameters.cloud import PointBody
from engines.peridynamics.parameters.loads import Displacement, Load, Stress, Velocity
from engines.peridynamics.parameters.material import Material
from engines.peridynamics.parameters.notches import Notch
from engines.peridynamics.parameters.numerics import Numerics
from engines.peridynamics.parameters.regions import BoxRegion, Point, Region, Side, SideRegion

__all__ = [
    "Block",
    "Body",
    "Bonds",
    "BoxRegion",
    "Displacement",
    "Hole",
    "Load",
    "Material",
    "Notch",
    "Numerics",
    "PeridynamicParameters",
    "Plate",
    "Point",
    "PointBody",
    "Region",
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
    unbreakable: list[Region] = quantity(
        [SideRegion(rows=3), SideRegion(side="bottom", rows=3)], "", "Where bonds do not break", title="No failure"
    )
    growth: Literal["+x", "-x", "+y", "-y", "+z", "-z"] = quantity(
        "+x", "", "The way that the crack is expected to go: its tip is the damaged particle farthest along it"
    )
    numerics: Numerics = quantity(Numerics(), "", "How it is calculated")
