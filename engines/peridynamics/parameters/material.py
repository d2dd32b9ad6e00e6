"""What the body is made of."""

from __future__ import annotations

from engines.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.laws import Brittle, LawChoice


class Material(ParameterGroup):
    """Linear elastic up to where its bonds soften or break; the formulation fixes Poisson's ratio."""

    young: float = quantity(72.0, "GPa", "Young's modulus", gt=0)
    density: float = quantity(2440.0, "kg/m³", "Density", gt=0)
    fracture_energy: float = quantity(3.8, "J/m²", "Energy that a crack takes per area (G0)", gt=0)
    law: LawChoice = quantity(Brittle(), "", "How a bond gives way before it breaks", title="Law")
