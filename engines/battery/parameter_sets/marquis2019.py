"""Kokam SLPB78205130H, graphite and LCO, 0.68 A h: Marquis et al. 2019.

[1] S. G. Marquis, V. Sulzer, R. Timms, C. P. Please, S. J. Chapman, "An asymptotic derivation of a single particle
    model with electrolyte", J. Electrochem. Soc. 166 (2019) A3693, doi 10.1149/2.0341915jes, and its references.
[2] J. Newman, Dualfoil: the fits of potentials, kinetics and electrolyte that [1] uses.
[3] S. Moura, fastDFN: entropic changes.
[4] PyBaMM's set "Marquis2019" for the thermal properties of the layers, cell size and cooling, and for Bruggeman's
    exponent of the solid: its conductivity is [1]'s times (1 − porosity)^1.5, inactive material included.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.battery.parameter_sets.model import ParameterSet, layers_heat_capacity, sourced

PAPER = "Marquis et al. 2019, doi 10.1149/2.0341915jes"
DUALFOIL = "J. Newman, Dualfoil, as used by Marquis et al. 2019"
PYBAMM = "PyBaMM, parameter set Marquis2019"
NEGATIVE_MAXIMUM, POSITIVE_MAXIMUM = 24983.2619938437, 51217.9257309275
STRETCH = 1.062


def _sech2(x: Array) -> Array:
    return 1 - np.tanh(x) ** 2


def graphite_ocp(x: Array) -> Array:
    """MCMB 2528 graphite against lithium [V] [2]."""
    return (
        0.194 + 1.5 * np.exp(-120.0 * x)
        + 0.0351 * np.tanh((x - 0.286) / 0.083) - 0.0045 * np.tanh((x - 0.849) / 0.119)
        - 0.035 * np.tanh((x - 0.9233) / 0.05) - 0.0147 * np.tanh((x - 0.5) / 0.034)
        - 0.102 * np.tanh((x - 0.194) / 0.142) - 0.022 * np.tanh((x - 0.9) / 0.0164)
        - 0.011 * np.tanh((x - 0.124) / 0.0226) + 0.0155 * np.tanh((x - 0.105) / 0.029)
    )  # fmt: skip


def lco_ocp(x: Array) -> Array:
    """LiCoO2 against lithium [V] [2]."""
    x = STRETCH * x
    return (
        2.16216
        + 0.07645 * np.tanh(30.834 - 54.4806 * x) + 2.1581 * np.tanh(52.294 - 50.294 * x)
        - 0.14169 * np.tanh(11.0923 - 19.8543 * x) + 0.2051 * np.tanh(1.4684 - 5.4888 * x)
        + 0.2531 * np.tanh((-x + 0.56478) / 0.1316) - 0.02167 * np.tanh((x - 0.525) / 0.006)
    )  # fmt: skip


def graphite_entropic(x: Array) -> Array:
    """dU/dT of graphite [V/K] [3]."""
    return (
        -1.5 * 120.0 * np.exp(-120 * x)
        + 0.0351 / 0.083 * _sech2((x - 0.286) / 0.083) - 0.0045 / 0.119 * _sech2((x - 0.849) / 0.119)
        - 0.035 / 0.05 * _sech2((x - 0.9233) / 0.05) - 0.0147 / 0.034 * _sech2((x - 0.5) / 0.034)
        - 0.102 / 0.142 * _sech2((x - 0.194) / 0.142) - 0.022 / 0.0164 * _sech2((x - 0.9) / 0.0164)
        - 0.011 / 0.0226 * _sech2((x - 0.124) / 0.0226) + 0.0155 / 0.029 * _sech2((x - 0.105) / 0.029)
    ) / NEGATIVE_MAXIMUM  # fmt: skip


def lco_entropic(x: Array) -> Array:
    """dU/dT of LiCoO2 [V/K] [3]."""
    x = STRETCH * x
    return (
        -0.07645 * 54.4806 * _sech2(30.834 - 54.4806 * x) - 2.1581 * 50.294 * _sech2(52.294 - 50.294 * x)
        + 0.14169 * 19.854 * _sech2(11.0923 - 19.8543 * x) - 0.2051 * 5.4888 * _sech2(1.4684 - 5.4888 * x)
        - 0.2531 / 0.1316 * _sech2((-x + 0.56478) / 0.1316) - 0.02167 / 0.006 * _sech2((x - 0.525) / 0.006)
    ) / POSITIVE_MAXIMUM  # fmt: skip


def capiglia_diffusivity(concentration: Array) -> Array:
    """[m²/s] of the concentration [mol/m³]: Capiglia et al. 1999, fit of [2]."""
    return 5.34e-10 * np.exp(-0.65 * concentration / 1000)


def capiglia_conductivity(concentration: Array) -> Array:
    """[S/m] of the concentration [mol/m³]: Capiglia et al. 1999, fit of [2]."""
    c = concentration / 1000
    return 0.0911 + 1.9101 * c - 1.052 * c**2 + 0.1554 * c**3


LAYERS = [
    (25e-6, 8954.0, 385.0),  # copper
    (100e-6, 1657.0, 700.0),
    (25e-6, 397.0, 700.0),
    (100e-6, 3262.0, 700.0),
    (25e-6, 2707.0, 897.0),  # aluminium
]

MARQUIS2019 = ParameterSet(
    id="Marquis2019",
    title="Kokam pouch cell, graphite and LCO, 0.68 A h (Marquis 2019)",
    source=PAPER,
    scalars={
        **sourced(
            {
                "electrode_area": 0.137 * 0.207,
                "nominal_capacity": 0.680616,
                "contact_resistance": 0.0,
                "lower_cutoff": 3.105,
                "upper_cutoff": 4.1,
                "negative_thickness": 100e-6,
                "negative_porosity": 0.3,
                "negative_active_fraction": 0.6,
                "negative_particle_radius": 10e-6,
                "negative_maximum_concentration": NEGATIVE_MAXIMUM,
                "negative_initial_concentration": 19986.609595075,
                "negative_bruggeman": 1.5,
                "positive_thickness": 100e-6,
                "positive_porosity": 0.3,
                "positive_active_fraction": 0.5,
                "positive_particle_radius": 10e-6,
                "positive_maximum_concentration": POSITIVE_MAXIMUM,
                "positive_initial_concentration": 30730.7554385565,
                "positive_bruggeman": 1.5,
                "separator_thickness": 25e-6,
                "separator_porosity": 1.0,
                "separator_bruggeman": 1.5,
                "electrolyte_concentration": 1000.0,
                "transference_number": 0.4,
            },
            PAPER,
        ),
        **sourced(
            {
                "negative_diffusivity": 3.9e-14,
                "negative_diffusivity_activation": 42770.0,
                "negative_reaction_constant": 2e-5,
                "negative_reaction_activation": 37480.0,
                "positive_diffusivity": 1e-13,
                "positive_diffusivity_activation": 18550.0,
                "positive_reaction_constant": 6e-7,
                "positive_reaction_activation": 39570.0,
                "electrolyte_diffusivity_activation": 37040.0,
                "electrolyte_conductivity_activation": 34700.0,
            },
            DUALFOIL,
        ),
        **sourced(
            {
                "negative_solid_conductivity": 100.0 * (1 - 0.3) ** 1.5,
                "positive_solid_conductivity": 10.0 * (1 - 0.3) ** 1.5,
                "heat_capacity": layers_heat_capacity(7.8e-6, LAYERS),
                "cooling_area": 0.0569,
                "heat_transfer_coefficient": 10.0,
                "ambient_temperature": 298.15,
                "initial_temperature": 298.15,
            },
            PYBAMM,
        ),
    },
    negative_ocp=graphite_ocp,
    positive_ocp=lco_ocp,
    negative_entropic=graphite_entropic,
    positive_entropic=lco_entropic,
    electrolyte_diffusivity=capiglia_diffusivity,
    electrolyte_conductivity=capiglia_conductivity,
)
