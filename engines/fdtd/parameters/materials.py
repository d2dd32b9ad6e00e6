"""What objects are made of."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.dispersion import PoleSetting
from engines.fdtd.parameters.library import LABELS, Library

MOST_POLES = 16
OWN = {"library": ("own",)}


class Material(ParameterGroup):
    """A passive material: numbers of its own, with poles if it is dispersive, or one of the library."""

    name: str = quantity("glass", "", "What objects call it", min_length=1, max_length=40)
    library: Library = quantity("own", "", "A published material, or numbers of its own", title="Data", labels=LABELS)
    permittivity: float = quantity(
        2.25, "1", "Relative permittivity: the index squared; with poles its value far above them", ge=1, le=1000,
        when=OWN,
    )  # fmt: skip
    permeability: float = quantity(1.0, "1", "Relative permeability", ge=1, le=1000, advanced=True)
    conductivity: float = quantity(0.0, "S/m", "Electric conductivity: loss", title="σ", ge=0, when=OWN)
    poles: list[PoleSetting] = quantity(
        [], "", "Terms that depend on the frequency: dispersion", max_length=MOST_POLES, folded=True, when=OWN
    )
    magnetic_loss: float = quantity(0.0, "Ω/m", "Magnetic loss", title="σ*", ge=0, advanced=True)
    perfect_conductor: bool = quantity(False, "", "Nothing gets in: all else is then of no account")
    anisotropy: Anisotropy = quantity(
        Anisotropy(), "", "Permittivity and σ by component, instead of those above", advanced=True, folded=True
    )
