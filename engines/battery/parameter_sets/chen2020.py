"""LG M50 (INR21700), graphite-SiOx and NMC811, 5 A h: Chen et al. 2020.

[1] C.-H. Chen, F. Brosa Planella, K. O'Regan, D. Gastol, W. D. Widanage, E. Kendrick, "Development of experimental
    techniques for parameterization of multi-scale lithium-ion battery models", J. Electrochem. Soc. 167 (2020) 080534,
    doi 10.1149/1945-7111/ab9050: tables VI to IX and eqs. 8, 9 for the potentials.
[2] A. Nyman, M. Behm, G. Lindbergh, "Electrochemical characterisation and modelling of the mass transport phenomena in
    LiPF6-EC-EMC electrolyte", Electrochim. Acta 53 (2008) 6356, as quoted in [1], eqs. 16, 17.
[3] PyBaMM's set "Chen2020" for what [1] does not tabulate (thermal properties of the layers, cell size, cooling).
[4] Examples of SEI growth as PyBaMM's set "Chen2020" has them, after M. Safari et al., J. Electrochem. Soc. 156 (2009)
    A145; X. Yang et al., J. Power Sources 360 (2017) 28; F. Single et al., ChemSusChem 11 (2018) 1950: orders of
    magnitude that fit measured cells, no measurement of this one.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.battery.parameter_sets.model import ParameterSet, layers_heat_capacity, sourced

PAPER = "Chen et al. 2020, doi 10.1149/1945-7111/ab9050"
PYBAMM = "PyBaMM, parameter set Chen2020"
AGEING = "example values of PyBaMM, parameter set Chen2020, after Safari 2009, Yang 2017, Single 2018"


def graphite_ocp(x: Array) -> Array:
    """Potential of graphite-SiOx against lithium [V] (eq. 9 of [1])."""
    return (
        1.9793 * np.exp(-39.3631 * x) + 0.2482
        - 0.0909 * np.tanh(29.8538 * (x - 0.1234))
        - 0.04478 * np.tanh(14.9159 * (x - 0.2769))
        - 0.0205 * np.tanh(30.4444 * (x - 0.6103))
    )  # fmt: skip


def nmc_ocp(x: Array) -> Array:
    """Potential of NMC811 against lithium [V] (eq. 8 of [1])."""
    return (
        -0.8090 * x + 4.4875
        - 0.0428 * np.tanh(18.5138 * (x - 0.5542))
        - 17.7326 * np.tanh(15.7890 * (x - 0.3117))
        + 17.5842 * np.tanh(15.9308 * (x - 0.3120))
    )  # fmt: skip


def nyman_diffusivity(concentration: Array) -> Array:
    """[m²/s] of the concentration [mol/m³]."""
    c = concentration / 1000
    return 8.794e-11 * c**2 - 3.972e-10 * c + 4.862e-10


def nyman_conductivity(concentration: Array) -> Array:
    """[S/m] of the concentration [mol/m³]."""
    c = concentration / 1000
    return 0.1297 * c**3 - 2.51 * c**1.5 + 3.329 * c


CELL_VOLUME = 2.42e-5
"""[m³] [3]"""
LAYERS = [
    (12e-6, 8960.0, 385.0),  # copper
    (85.2e-6, 1657.0, 700.0),
    (12e-6, 397.0, 700.0),
    (75.6e-6, 3262.0, 700.0),
    (16e-6, 2700.0, 897.0),  # aluminium
]

CHEN2020 = ParameterSet(
    id="Chen2020",
    title="LG M50, graphite-SiOx and NMC811, 5 A h (Chen 2020)",
    source=PAPER,
    scalars={
        **sourced(
            {
                "electrode_area": 0.065 * 1.58,
                "nominal_capacity": 5.0,
                "lower_cutoff": 2.5,
                "upper_cutoff": 4.2,
                "negative_thickness": 85.2e-6,
                "negative_porosity": 0.25,
                "negative_active_fraction": 0.75,
                "negative_particle_radius": 5.86e-6,
                "negative_diffusivity": 3.3e-14,
                "negative_maximum_concentration": 33133.0,
                "negative_initial_concentration": 29866.0,
                "negative_reaction_constant": 6.48e-7,
                "negative_reaction_activation": 35000.0,
                "negative_solid_conductivity": 215.0,
                "negative_bruggeman": 1.5,
                "positive_thickness": 75.6e-6,
                "positive_porosity": 0.335,
                "positive_active_fraction": 0.665,
                "positive_particle_radius": 5.22e-6,
                "positive_diffusivity": 4e-15,
                "positive_maximum_concentration": 63104.0,
                "positive_initial_concentration": 17038.0,
                "positive_reaction_constant": 3.42e-6,
                "positive_reaction_activation": 17800.0,
                "positive_solid_conductivity": 0.18,
                "positive_bruggeman": 1.5,
                "separator_thickness": 12e-6,
                "separator_porosity": 0.47,
                "separator_bruggeman": 1.5,
                "electrolyte_concentration": 1000.0,
                "transference_number": 0.2594,
            },
            PAPER,
        ),
        **sourced(
            {
                "contact_resistance": 0.0,
                "negative_diffusivity_activation": 0.0,
                "positive_diffusivity_activation": 0.0,
                "electrolyte_diffusivity_activation": 0.0,
                "electrolyte_conductivity_activation": 0.0,
                "heat_capacity": layers_heat_capacity(CELL_VOLUME, LAYERS),
                "cooling_area": 0.00531,
                "heat_transfer_coefficient": 10.0,
                "ambient_temperature": 298.15,
                "initial_temperature": 298.15,
            },
            PYBAMM,
        ),
        **sourced(
            {
                "sei_lithium_ratio": 2.0,
                "sei_molar_volume": 9.585e-5,
                "sei_initial_thickness": 5e-9,
                "sei_resistivity": 2e5,
                "sei_potential": 0.4,
                "sei_exchange_current": 1.5e-7,
                "sei_solvent_diffusivity": 2.5e-22,
                "sei_solvent_concentration": 2636.0,
                "sei_ec_rate": 1e-12,
                "sei_ec_diffusivity": 2e-18,
                "sei_ec_concentration": 4541.0,
                "sei_activation": 0.0,
            },
            AGEING,
        ),
    },
    negative_ocp=graphite_ocp,
    positive_ocp=nmc_ocp,
    negative_entropic=np.zeros_like,
    positive_entropic=np.zeros_like,
    electrolyte_diffusivity=nyman_diffusivity,
    electrolyte_conductivity=nyman_conductivity,
)
