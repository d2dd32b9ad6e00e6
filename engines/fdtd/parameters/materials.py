"""What objects are made of."""

from __future__ import annotations

from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.parameters import ParameterGroup, quantity


class Material(ParameterGroup):
    """A passive material without dispersion."""

    name: str = quantity("glass", "", "What objects call it", min_length=1, max_length=40)
    permittivity: float = quantity(2.25, "1", "Relative permittivity: the index squared", title="ε_r", ge=1, le=1000)
    permeability: float = quantity(1.0, "1", "Relative permeability", title="μ_r", ge=1, le=1000, advanced=True)
    conductivity: float = quantity(0.0, "S/m", "Electric conductivity: loss", title="σ", ge=0)
    magnetic_loss: float = quantity(0.0, "Ω/m", "Magnetic loss", title="σ*", ge=0, advanced=True)
    perfect_conductor: bool = quantity(False, "", "Nothing gets in: all else is then of no account")
    anisotropy: Anisotropy = quantity(
        Anisotropy(), "", "Permittivity and conductivity by component, instead of ε_r and σ", advanced=True, folded=True
    )
