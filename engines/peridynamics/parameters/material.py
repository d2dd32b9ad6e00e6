"""What the body is made of."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.kinds import BOND_BASED
from engines.peridynamics.parameters.body.regions import Region, SideRegion
from engines.peridynamics.parameters.laws import Brittle, LawChoice


class Material(ParameterGroup):
    """Linear elastic up to where its bonds soften or break; the formulation fixes Poisson's ratio."""

    young: float = quantity(72.0, "GPa", "Stiffness in tension", title="Young's modulus", gt=0)
    poisson: float = quantity(
        0.25,
        "1",
        "Between -1 and 0.5; bond-based it is 1/3 in plane stress and 1/4 otherwise",
        title="Poisson's ratio",
        gt=-1,
        lt=0.5,
        when={"bonds.theory": ("state-based",)},
    )
    density: float = quantity(2440.0, "kg/m³", "Mass density; glass 2,440, steel 7,850, concrete 2,400", gt=0)
    fracture_energy: float = quantity(3.8, "J/m²", "Energy that a crack takes per area (G0)", gt=0)
    law: LawChoice = quantity(Brittle(), "", "How a bond gives way before it breaks", title="Law", when=BOND_BASED)


class OtherMaterial(Material):
    """What a part of the body is made of instead; where two overlap, the later one counts."""

    region: Region = quantity(SideRegion(rows=10), "", "Which particles")


class Interface(ParameterGroup):
    """How bonds between two materials differ from the usual: the harmonic mean of both stiffnesses, and the lower
    fracture energy."""

    first: int = quantity(0, "1", "Number of a material: 0 is the body's own, 1 the first further one", ge=0)
    second: int = quantity(1, "1", "Number of the other one", ge=0)
    stiffness: float = quantity(1.0, "1", "Factor on the stiffness of bonds between them", gt=0)
    fracture_energy: float = quantity(1.0, "1", "Factor on the fracture energy between them", gt=0)
