"""LG M50 with what makes it age: O'Kane et al. 2022, on the cell of Chen et al. 2020.

[1] S. E. J. O'Kane, W. Ai, G. Madabattula, D. Alonso-Alvarez, R. Timms, V. Sulzer, J. S. Edge, B. Wu, G. J. Offer,
    M. Marinescu, "Lithium-ion battery degradation: how to model it", Phys. Chem. Chem. Phys. 24 (2022) 7909,
    doi 10.1039/d2cp00417h.
[2] Chen et al. 2020 (chen2020.py): the cell, its potentials, kinetics and electrolyte.
[3] S. E. J. O'Kane, I. D. Campbell, M. W. J. Marzook, G. J. Offer, M. Marinescu, "Physical origin of the differential
    voltage minimum associated with lithium plating in Li-ion batteries", J. Electrochem. Soc. 167 (2020) 090540,
    doi 10.1149/1945-7111/ab90ac: plating.
[4] M. Ecker et al., J. Electrochem. Soc. 162 (2015) A1836, and A. Cabanero et al. 2018:
    activation energies, as [1] takes them.
[5] PyBaMM's set "OKane2022" for the numbers of the film that [1] takes from others.

**The potential of graphite is the formula of [2] (its eq. 9), not the table of [1].** PyBaMM's set OKane2022
interpolates a data file of points measured on the same material, with one added at 0. The formula is within 14 mV of it
(2.6 rms) for stoichiometries from 0.05 to 0.9, and 0.1 V below it at 0.03, where the cell is empty.

**The conductivities of the solids are the effective ones that [2] measured.** PyBaMM's set OKane2022 multiplies them by
(1 − porosity)^1.5 once more, which its Chen2020 did too until that was corrected (PyBaMM, pull request 2638): 5.7 mV
at 1C.
"""

from engines.battery.parameter_sets.chen2020 import CHEN2020
from engines.battery.parameter_sets.model import ParameterSet, sourced

PAPER = "O'Kane et al. 2022, doi 10.1039/d2cp00417h"
PLATING = "O'Kane et al. 2020, doi 10.1149/1945-7111/ab90ac"
ECKER = "Ecker et al. 2015, doi 10.1149/2.0551509jes, as used by O'Kane et al. 2022"
CABANERO = "Cabanero et al. 2018, as used by O'Kane et al. 2022"
PYBAMM = "PyBaMM, parameter set OKane2022"

OKANE2022 = ParameterSet(
    id="OKane2022",
    title="LG M50 that ages, with Chen's potentials (O'Kane 2022)",
    source=PAPER,
    scalars={
        **CHEN2020.scalars,
        **sourced(
            {
                "negative_diffusivity_activation": 30300.0,
                "electrolyte_diffusivity_activation": 17000.0,
                "electrolyte_conductivity_activation": 17000.0,
            },
            ECKER,
        ),
        **sourced({"positive_diffusivity_activation": 25000.0}, CABANERO),
        **sourced({"sei_lithium_ratio": 1.0, "sei_activation": 38000.0}, PAPER),
        **sourced(
            {
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
            },
            PYBAMM,
        ),
        **sourced({"plating_rate": 1e-9, "plating_transfer_coefficient": 0.65}, PLATING),
    },
    negative_ocp=CHEN2020.negative_ocp,
    positive_ocp=CHEN2020.positive_ocp,
    negative_entropic=CHEN2020.negative_entropic,
    positive_entropic=CHEN2020.positive_entropic,
    electrolyte_diffusivity=CHEN2020.electrolyte_diffusivity,
    electrolyte_conductivity=CHEN2020.electrolyte_conductivity,
)
