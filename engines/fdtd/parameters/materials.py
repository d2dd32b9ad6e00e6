"""What objects are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.fdtd.media.graded import STEPS, WHOLE, check
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.dispersion import PoleSetting
from engines.fdtd.parameters.library import LABELS, Library
from engines.formulas.typed.definitions import html

MOST_POLES = 16
OWN = {"library": ("own",)}


class ByPlace(ParameterGroup):
    """Permittivity and conductivity that differ from place to place."""

    by_formulas: bool = quantity(False, "", "eps and sigma by formulas of the place, instead of the numbers above")
    lines: Annotated[list[Annotated[str, Field(max_length=2_000)]], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(WHOLE[1][1]),
        "",
        "What eps, the relative permittivity, and sigma [S/m] are at x, y, z of the grid, in its unit of length; other "
        "lines name parts of them, and a number above holds of what no line says",
        title="Formulas",
        max_length=60,
        when={"by_formulas": (True,)},
    )


class Material(ParameterGroup):
    """A passive material: numbers of its own, with poles if it is dispersive, or one of the library."""

    name: str = quantity("glass", "", "What objects call it", min_length=1, max_length=40)
    library: Library = quantity("own", "", "A published material, or numbers of its own", title="Data", labels=LABELS)
    permittivity: float = quantity(
        2.25, "1", "Relative permittivity: the index squared; with poles its value far above them", ge=1, le=1000,
        when=OWN, unless={"by_place.by_formulas": (True,), "by_place.lines": ("eps =",)},
    )  # fmt: skip
    permeability: float = quantity(1.0, "1", "Relative permeability", ge=1, le=1000, advanced=True)
    conductivity: float = quantity(
        0.0, "S/m", "Electric conductivity: loss", title="σ", ge=0,
        when=OWN, unless={"by_place.by_formulas": (True,), "by_place.lines": ("sigma =",)},
    )  # fmt: skip
    by_place: ByPlace = quantity(ByPlace(), "", "Graded index, gradients of water", folded=True, when=OWN)
    poles: list[PoleSetting] = quantity(
        [], "", "Terms that depend on the frequency: dispersion", max_length=MOST_POLES, folded=True, when=OWN
    )
    magnetic_loss: float = quantity(0.0, "Ω/m", "Magnetic loss", title="σ*", ge=0, advanced=True)
    perfect_conductor: bool = quantity(False, "", "Nothing gets in: all else is then of no account")
    anisotropy: Anisotropy = quantity(
        Anisotropy(), "", "Permittivity and σ by component, instead of those above", advanced=True, folded=True
    )
