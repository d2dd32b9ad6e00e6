"""What the body is made of."""

from __future__ import annotations

from engines.parameters import ParameterGroup, quantity


class Material(ParameterGroup):
    """Linear elastic and brittle."""

    young: float = quantity(72.0, "GPa", "Young's modulus", gt=0)
    poisson: float = quantity(
        0.25,
        "1",
        "Between -1 and 0.5; bond-based it is 1/3 in plane stress and 1/4 otherwise",
        title="Poisson's ratio",
        gt=-1,
        lt=0.5,
        when={"bonds.theory": ("state-based",)},
    )
    density: float = quantity(2440.0, "kg/m³", "Density", gt=0)
    fracture_energy: float = quantity(3.8, "J/m²", "Energy that a crack takes per area (G0)", gt=0)
