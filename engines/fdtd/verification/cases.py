"""The cases of this engine, with where their answers come from."""

from functools import partial

from engines.api.verification import VerificationCase
from engines.fdtd.verification import lines, spaces

AIRY = "Airy's formula with the complex index of the formula of the pole. "

CASES = (
    VerificationCase(
        "pec-cavity", "Mode 110 of a cube between conductors",
        "Dispersion relation of Yee's grid, to the error of the fit to a trace; c/(√2 L), second order in the cells.",
        6.0, spaces.cavity,
    ),
    VerificationCase(
        "slab", "Glass slab, n = 1.5: R and T",
        AIRY + "42 cells per wavelength in it: good codes reach 1.5e-3.",
        3.0, partial(lines.slab, 2.25, None, 2e-3),
    ),
    VerificationCase(
        "drude-slab", "Slab of a Drude metal near its plasma frequency: R and T",
        AIRY + "Second order in the cells of 20 nm.", 3.0, partial(lines.slab, 2.0, lines.DRUDE, 2e-3),
    ),
    VerificationCase(
        "lorentz-slab", "Slab with a Lorentz resonance: R and T",
        AIRY + "Second order in the cells of 20 nm.", 3.0, partial(lines.slab, 1.5, lines.LORENTZ, 3e-3),
    ),
    VerificationCase(
        "skin-depth", "Field in a metal", "c/(ω Im n); (Δ/δ)²/24 of 19 cells is 1e-4.", 2.0, lines.skin_depth,
    ),
    VerificationCase(
        "dipole-power", "Power of a dipole through a box", "ω⁴p²/(12πε₀c³); 27 cells per wavelength.", 3.0,
        spaces.dipole,
    ),
    VerificationCase(
        "mie", "Dielectric sphere, n = 2: Q_sca at x = 1 and 3",
        "Mie's series. At x = 3 there are 16 cells per wavelength in the sphere, on which waves are 0.4 % slow: the "
        "same series with the grid's wavenumbers is 1.8 % lower.",
        20.0, spaces.sphere,
    ),
    VerificationCase(
        "cpml", "Ten cells of CPML at 10, 50 and 400 cells per wavelength",
        "Nothing comes back from a line without an end; −85 dB.", 4.0, lines.layers,
    ),
)  # fmt: skip
