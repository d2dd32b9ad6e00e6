"""Published materials as poles with positive strengths.

- Metals: the Lorentz–Drude fits of Rakić, Djurišić, Elazar and Majewski, Appl. Opt. 37, 5271 (1998), tables 1 and 2,
  doi 10.1364/AO.37.005271; 0.25 (Al: 0.2) to 12.4 µm: ``ε = 1 − f₀ω_p²/(ω² + iωΓ₀) + Σ f_jω_p²/(ω_j² − ω² − iωΓ_j)``.
- Glasses and silicon: Sellmeier terms, which are Lorentz poles without loss. SiO₂: Malitson, J. Opt. Soc. Am. 55, 1205
  (1965), doi 10.1364/JOSA.55.001205. Si: Salzberg and Villa, J. Opt. Soc. Am. 47, 244 (1957),
  doi 10.1364/JOSA.47.000244, with the coefficients of Tatian, Appl. Opt. 23, 4477 (1984).
- Water: Kaatze, J. Chem. Eng. Data 34, 371 (1989), doi 10.1021/je00058a001, one Debye term at 25 °C.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.fdtd.parameters.dispersion import TERAHERTZ_PER_EV, Debye, Drude, Lorentz

Library = Literal["own", "Ag", "Au", "Cu", "Al", "SiO2", "Si", "water"]
LABELS = {
    "own": "numbers of its own",
    "Ag": "silver (Rakić 1998)",
    "Au": "gold (Rakić 1998)",
    "Cu": "copper (Rakić 1998)",
    "Al": "aluminium (Rakić 1998)",
    "SiO2": "fused silica (Malitson 1965)",
    "Si": "silicon (Salzberg and Villa 1957)",
    "water": "water at 25 °C, microwaves (Kaatze 1989)",
}
SPEED_OF_LIGHT = 299.792458
"""In µm · THz."""


@dataclass(frozen=True)
class Published:
    """wavelengths: the range of the data in vacuum [µm]."""

    permittivity: float
    poles: tuple[Drude | Lorentz | Debye, ...]
    wavelengths: tuple[float, float]


def _metal(
    plasma: float, free: tuple[float, float], bound: tuple[tuple[float, float, float], ...], shortest: float = 0.25
) -> Published:
    """plasma: ħω_p [eV]; free: f₀, Γ₀ [eV]; bound: f, Γ [eV], ω [eV] of each oscillator."""
    poles: list[Drude | Lorentz] = [
        Drude(plasma=free[0] ** 0.5 * plasma * TERAHERTZ_PER_EV, damping=free[1] * TERAHERTZ_PER_EV)
    ]
    poles += [
        Lorentz(
            strength=share * (plasma / energy) ** 2,
            resonance=energy * TERAHERTZ_PER_EV,
            damping=width * TERAHERTZ_PER_EV,
        )
        for share, width, energy in bound
    ]
    return Published(1.0, tuple(poles), (shortest, 12.4))


def _sellmeier(terms: tuple[tuple[float, float], ...], wavelengths: tuple[float, float]) -> Published:
    """terms: B and λ_j [µm] of ``n² = 1 + Σ B λ²/(λ² − λ_j²)``."""
    poles = tuple(Lorentz(strength=b, resonance=SPEED_OF_LIGHT / at, damping=0.0) for b, at in terms)
    return Published(1.0, poles, wavelengths)


PUBLISHED: dict[str, Published] = {
    "Ag": _metal(
        9.01,
        (0.845, 0.048),
        (
            (0.065, 3.886, 0.816),
            (0.124, 0.452, 4.481),
            (0.011, 0.065, 8.185),
            (0.840, 0.916, 9.083),
            (5.646, 2.419, 20.29),
        ),
    ),
    "Au": _metal(
        9.03,
        (0.760, 0.053),
        (
            (0.024, 0.241, 0.415),
            (0.010, 0.345, 0.830),
            (0.071, 0.870, 2.969),
            (0.601, 2.494, 4.304),
            (4.384, 2.214, 13.32),
        ),
    ),
    "Cu": _metal(
        10.83,
        (0.575, 0.030),
        ((0.061, 0.378, 0.291), (0.104, 1.056, 2.957), (0.723, 3.213, 5.300), (0.638, 4.305, 11.18)),
    ),
    "Al": _metal(
        14.98,
        (0.523, 0.047),
        ((0.227, 0.333, 0.162), (0.050, 0.312, 1.544), (0.166, 1.351, 1.808), (0.030, 3.382, 3.473)),
        0.2,
    ),
    "SiO2": _sellmeier(((0.6961663, 0.0684043), (0.4079426, 0.1162414), (0.8974794, 9.896161)), (0.21, 6.7)),
    "Si": _sellmeier(((10.6684293, 0.301516485), (0.0030434748, 1.13475115), (1.54133408, 1104.0)), (1.357, 11.04)),
    "water": Published(5.2, (Debye(strength=78.36 - 5.2, relaxation=8.27),), (3e3, 3e6)),
}
