"""Poles of a material's permittivity.

Frequencies are in THz and are no angular frequencies: f = ω/2π, and γ/2π of the damping; they do not depend on the unit
of length. 1 eV is 241.799 THz, a wavelength of 1 µm 299.792 THz.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity

TERAHERTZ_PER_EV = 241.79892


class Drude(ParameterGroup):
    """Free electrons: −f_p²/(f² + i f γ) is added to the permittivity."""

    kind: Literal["Drude"] = "Drude"
    plasma: float = quantity(2000.0, "THz", "Plasma frequency f_p", title="Plasma frequency", ge=0)
    damping: float = quantity(10.0, "THz", "Collision frequency γ: loss", ge=0)


class Lorentz(ParameterGroup):
    """Bound charges: Δε f₀²/(f₀² − f² − i f γ) is added to the permittivity."""

    kind: Literal["Lorentz"] = "Lorentz"
    strength: float = quantity(1.0, "1", "Permittivity far below the resonance", title="Strength Δε", ge=0)
    resonance: float = quantity(1000.0, "THz", "Frequency f₀ of the resonance", gt=0)
    damping: float = quantity(10.0, "THz", "Full width γ of the resonance: loss", ge=0)


class Debye(ParameterGroup):
    """Dipoles that turn: Δε/(1 − 2πi f τ) is added to the permittivity."""

    kind: Literal["Debye"] = "Debye"
    strength: float = quantity(73.2, "1", "Permittivity far below the relaxation", title="Strength Δε", ge=0)
    relaxation: float = quantity(8.27, "ps", "Relaxation time τ", gt=0)


PoleSetting = Annotated[Drude | Lorentz | Debye, Field(discriminator="kind")]
