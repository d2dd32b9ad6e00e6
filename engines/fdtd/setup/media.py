"""The parameters' materials as media, in the units of the grid."""

from __future__ import annotations

import math

from engines.fdtd.grid.yee import METRES, SECONDS
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium
from engines.fdtd.parameters import FdtdParameters, Material
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz, PoleSetting
from engines.fdtd.parameters.library import PUBLISHED


def make_medium(material: Material, length_unit: str) -> Medium:
    metre = METRES[length_unit]
    permittivity, conductivity, poles = material.permittivity, material.conductivity, tuple(material.poles)
    if material.library != "own":
        published = PUBLISHED[material.library]
        permittivity, conductivity, poles = published.permittivity, 0.0, published.poles
    apart = material.anisotropy if material.library == "own" else Anisotropy()
    x, y, z = apart.conductivity
    return Medium(
        permittivity, material.permeability, conductivity * metre, material.magnetic_loss * metre,
        material.perfect_conductor, tuple(make_pole(pole, length_unit) for pole in poles),
        permittivities=apart.permittivity if apart.by_component else None,
        conductivities=(x * metre, y * metre, z * metre) if apart.by_component else None,
    )  # fmt: skip


def make_pole(pole: PoleSetting, length_unit: str) -> Pole:
    """With angular frequencies in the unit of time."""
    tera = 2 * math.pi * 1e12 * SECONDS[length_unit]
    if isinstance(pole, Drude):
        return Pole("drude", (pole.plasma * tera) ** 2, pole.damping * tera)
    if isinstance(pole, Lorentz):
        resonance = pole.resonance * tera
        return Pole("lorentz", pole.strength * resonance**2, pole.damping * tera, resonance)
    assert isinstance(pole, Debye)
    return Pole("debye", pole.strength, SECONDS[length_unit] / (pole.relaxation * 1e-12))


def media_of(parameters: FdtdParameters) -> tuple[Medium, ...]:
    """Vacuum and the materials."""
    return (Medium(), *(make_medium(material, parameters.grid.length_unit) for material in parameters.materials))
