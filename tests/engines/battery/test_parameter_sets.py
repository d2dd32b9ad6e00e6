"""Parameter sets are whole and sourced, and agree with PyBaMM's where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.parameter_sets import PARAMETER_SETS, SCALARS, Sourced
from engines.battery.parameter_sets.model import ParameterSet

PYBAMM_NAMES = {
    "nominal_capacity": "Nominal cell capacity [A.h]",
    "lower_cutoff": "Lower voltage cut-off [V]",
    "upper_cutoff": "Upper voltage cut-off [V]",
    "separator_thickness": "Separator thickness [m]",
    "separator_porosity": "Separator porosity",
    "electrolyte_concentration": "Initial concentration in electrolyte [mol.m-3]",
    "transference_number": "Cation transference number",
    **{
        f"{side.lower()}_{ours}": f"{side} {theirs}"
        for side in ("Negative", "Positive")
        for ours, theirs in {
            "thickness": "electrode thickness [m]",
            "porosity": "electrode porosity",
            "active_fraction": "electrode active material volume fraction",
            "particle_radius": "particle radius [m]",
        }.items()
    },
}
AGEING_NAMES = {
    "sei_lithium_ratio": "Ratio of lithium moles to SEI moles",
    "sei_molar_volume": "SEI partial molar volume [m3.mol-1]",
    "sei_initial_thickness": "Initial SEI thickness [m]",
    "sei_resistivity": "SEI resistivity [Ohm.m]",
    "sei_potential": "SEI open-circuit potential [V]",
    "sei_exchange_current": "SEI reaction exchange current density [A.m-2]",
    "sei_solvent_diffusivity": "SEI solvent diffusivity [m2.s-1]",
    "sei_solvent_concentration": "Bulk solvent concentration [mol.m-3]",
    "sei_ec_rate": "SEI kinetic rate constant [m.s-1]",
    "sei_ec_diffusivity": "EC diffusivity [m2.s-1]",
    "sei_ec_concentration": "EC initial concentration in electrolyte [mol.m-3]",
    "sei_activation": "SEI growth activation energy [J.mol-1]",
    "plating_rate": "Lithium plating kinetic rate constant [m.s-1]",
    "plating_transfer_coefficient": "Lithium plating transfer coefficient",
}


@pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)
def test_every_number_has_a_source(parameters: ParameterSet):
    assert set(parameters.scalars) == set(SCALARS)
    assert all(number.source for number in parameters.scalars.values())


@pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)
def test_entropic_change_and_potential_are_numbers_everywhere(parameters: ParameterSet):
    x = np.linspace(0, 1, 1001)
    for function in ("negative_ocp", "positive_ocp", "negative_entropic", "positive_entropic"):
        assert np.isfinite(np.broadcast_to(getattr(parameters, function)(x), x.shape)).all()


def test_a_missing_number_is_named():
    chen = PARAMETER_SETS["Chen2020"]
    fewer = {name: number for name, number in chen.scalars.items() if name != "negative_porosity"}
    with pytest.raises(ValueError, match="negative_porosity"):
        ParameterSet(**{**vars(chen), "scalars": fewer})
    wrong = {**chen.scalars, "negative_porosity": Sourced(25.0, "%", "nobody")}
    with pytest.raises(ValueError, match="is in %, not 1"):
        ParameterSet(**{**vars(chen), "scalars": wrong})


@pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)
def test_pybamm_has_the_same(parameters: ParameterSet):
    pybamm = pytest.importorskip("pybamm")
    theirs = pybamm.ParameterValues(parameters.id)
    for ours, name in PYBAMM_NAMES.items():
        assert parameters.scalars[ours].value == pytest.approx(theirs[name]), ours
    for ours, name in AGEING_NAMES.items():
        if not np.isnan(parameters.scalars[ours].value):
            assert parameters.scalars[ours].value == pytest.approx(theirs[name]), ours
    x = np.linspace(0.01, 0.99, 50)
    for ours, side in ((parameters.negative_ocp, "Negative"), (parameters.positive_ocp, "Positive")):
        if parameters.id == "OKane2022" and side == "Negative":
            continue  # a data file there, the formula of Chen2020 here: said in okane2022.py
        function = theirs[f"{side} electrode OCP [V]"]
        assert ours(x) == pytest.approx(np.asarray(function(x)), abs=1e-12)
