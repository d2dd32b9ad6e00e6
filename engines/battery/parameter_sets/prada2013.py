"""A123 26650, graphite and LiFePO4, 2.3 A h: the set that PyBaMM calls Prada2013, put together from several papers.

[1] E. Prada, D. Di Domenico, Y. Creff, J. Bernard, V. Sauvant-Moynot, F. Huet, "A simplified electrochemical and
    thermal aging model of LiFePO4-graphite Li-ion batteries: power and capacity fade simulations", J. Electrochem. Soc.
    160 (2013) A616, doi 10.1149/2.053304jes: geometry, concentrations, diffusivities, electrolyte.
[2] S. Afshar, K. Morris, A. Khajepour, "Efficient electrochemical model for lithium-ion cells",
    arXiv 1709.03970 (2017): the potential of LiFePO4, which [1] does not give.
[3] A. G. Kashkooli et al., "Representative volume element model of lithium-ion battery electrodes based on X-ray
    nano-tomography", J. Appl. Electrochem. 47 (2017) 281: kinetics of LiFePO4.
[4] Chen et al. 2020 (chen2020.py): potential and kinetics of graphite, which are those of the LG M50.
[5] PyBaMM's set "Prada2013": the numbers of [1] to [3] as quoted there, and the initial concentrations, adjusted to
    2.3 A h and 3.6 V when full.

So the shape of its voltage curve is not that of the cell of [1]. There are no thermal numbers: heat is refused until a
person adds them.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.battery.parameter_sets.chen2020 import PAPER as CHEN
from engines.battery.parameter_sets.chen2020 import graphite_ocp
from engines.battery.parameter_sets.model import NOT_GIVEN, ParameterSet, sourced

PAPER = "Prada et al. 2013, doi 10.1149/2.053304jes, as quoted in PyBaMM's Prada2013"
KASHKOOLI = "Kashkooli et al. 2017, J. Appl. Electrochem. 47, 281, as quoted in PyBaMM's Prada2013"
PYBAMM = "PyBaMM, parameter set Prada2013"
NOBODY = "not given"


def lfp_ocp(x: Array) -> Array:
    """Potential of LiFePO4 against lithium [V] [2]."""
    return 3.4077 - 0.020269 * x + 0.5 * np.exp(-150 * x) - 0.9 * np.exp(-30 * (1 - x))


def diffusivity(concentration: Array) -> Array:
    """[m²/s], constant [1]."""
    return np.full_like(concentration, 2e-10)


def conductivity(concentration: Array) -> Array:
    """[S/m] of the concentration [mol/m³] [1], whose fit is in S/cm of mol/cm³."""
    c = concentration / 1e6
    return (4.1253e-4 + 5.007 * c - 4721.2 * c**2 + 1.5094e6 * c**3 - 1.6018e8 * c**4) * 1e3


PRADA2013 = ParameterSet(
    id="Prada2013",
    title="A123 26650, graphite and LFP, 2.3 A h (Prada 2013)",
    source=PAPER,
    scalars={
        **sourced(
            {
                "electrode_area": 0.6 * 0.3,
                "nominal_capacity": 2.3,
                "lower_cutoff": 2.0,
                "upper_cutoff": 3.6,
                "negative_thickness": 3.4e-5,
                "negative_porosity": 0.36,
                "negative_active_fraction": 0.58,
                "negative_particle_radius": 5e-6,
                "negative_diffusivity": 3e-15,
                "negative_maximum_concentration": 30555.0,
                "negative_solid_conductivity": 215.0 * (1 - 0.36) ** 1.5,
                "negative_bruggeman": 1.5,
                "positive_thickness": 8e-5,
                "positive_porosity": 0.426,
                "positive_active_fraction": 0.374,
                "positive_particle_radius": 5e-8,
                "positive_diffusivity": 5.9e-18,
                "positive_maximum_concentration": 22806.0,
                "positive_solid_conductivity": 0.33795074 * (1 - 0.426) ** 1.5,
                "positive_bruggeman": 1.5,
                "separator_thickness": 2.5e-5,
                "separator_porosity": 0.45,
                "separator_bruggeman": 1.5,
                "electrolyte_concentration": 1200.0,
                "transference_number": 0.36,
            },
            PAPER,
        ),
        **sourced({"negative_reaction_constant": 6.48e-7, "negative_reaction_activation": 35000.0}, CHEN),
        **sourced({"positive_reaction_constant": 6e-7, "positive_reaction_activation": 39570.0}, KASHKOOLI),
        **sourced(
            {
                "contact_resistance": 0.0,
                "negative_initial_concentration": 0.81 * 30555.0,
                "positive_initial_concentration": 0.0038 * 22806.0,
                "negative_diffusivity_activation": 0.0,
                "positive_diffusivity_activation": 0.0,
                "electrolyte_diffusivity_activation": 0.0,
                "electrolyte_conductivity_activation": 0.0,
                "ambient_temperature": 298.15,  # 298 there; this engine's sets are at 298.15
                "initial_temperature": 298.15,
            },
            PYBAMM,
        ),
        **sourced(
            {"heat_capacity": NOT_GIVEN, "cooling_area": NOT_GIVEN, "heat_transfer_coefficient": NOT_GIVEN}, NOBODY
        ),
    },
    negative_ocp=graphite_ocp,
    positive_ocp=lfp_ocp,
    negative_entropic=np.zeros_like,
    positive_entropic=np.zeros_like,
    electrolyte_diffusivity=diffusivity,
    electrolyte_conductivity=conductivity,
)
