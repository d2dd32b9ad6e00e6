"""The published sets number by number, their functions, their balance, and what is computed from PyBaMM's layers."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.balance import window
from engines.battery.parameter_sets.model import ParameterSet
from engines.battery.parameters.pack import Material
from tests.engines.battery.against_pybamm import pybamm, values_of

pytestmark = pytest.mark.pybamm

NAMES = {
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


SIDES = ("negative", "positive")


def number(values, expression):
    """The value of what a function of PyBaMM's returns."""
    return float(expression if isinstance(expression, float) else values.evaluate(expression))


def called(values, name, *arguments):
    """A parameter that is a number or a function of ``arguments``."""
    given = values[name]
    return number(values, given(*map(pybamm.Scalar, arguments))) if callable(given) else float(given)


every_set = pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)


@every_set
def test_numbers(parameters: ParameterSet):
    theirs = values_of(parameters.id)
    for ours, name in {**NAMES, **AGEING_NAMES}.items():
        if ours in NAMES or not np.isnan(parameters.scalars[ours].value):
            assert parameters.scalars[ours].value == pytest.approx(theirs[name]), ours
    area = theirs["Electrode height [m]"] * theirs["Electrode width [m]"]
    area *= theirs["Number of electrodes connected in parallel to make a cell"]
    assert parameters.scalars["electrode_area"].value == pytest.approx(area)


@every_set
@pytest.mark.parametrize("electrode", SIDES)
def test_an_electrode(parameters: ParameterSet, electrode):
    """Solid conductivity, diffusivity and exchange current at 25 and 40 °C, Bruggeman's exponent, potential."""
    theirs, p, Side = values_of(parameters.id), parameters.values(), electrode.capitalize()
    solid = 1 - p[f"{electrode}_porosity"]
    effective = solid ** theirs[f"{Side} electrode Bruggeman coefficient (electrode)"]
    effective *= theirs[f"{Side} electrode conductivity [S.m-1]"]
    assert p[f"{electrode}_solid_conductivity"] == pytest.approx(effective)
    assert p[f"{electrode}_bruggeman"] == theirs[f"{Side} electrode Bruggeman coefficient (electrolyte)"]
    most = p[f"{electrode}_maximum_concentration"]
    assert most == pytest.approx(theirs[f"Maximum concentration in {electrode} electrode [mol.m-3]"])
    start = theirs[f"Initial concentration in {electrode} electrode [mol.m-3]"]
    assert p[f"{electrode}_initial_concentration"] == pytest.approx(start)
    for T in (298.15, 313.15):
        warmer = (1 / 298.15 - 1 / T) / 8.314462618
        D = p[f"{electrode}_diffusivity"] * np.exp(p[f"{electrode}_diffusivity_activation"] * warmer)
        assert called(theirs, f"{Side} particle diffusivity [m2.s-1]", 0.4, T) == pytest.approx(D, rel=1e-7)
        m = p[f"{electrode}_reaction_constant"] * np.exp(p[f"{electrode}_reaction_activation"] * warmer)
        name = f"{Side} electrode exchange-current density [A.m-2]"
        expected = m * np.sqrt(900.0 * 0.3 * most * 0.7 * most)
        assert called(theirs, name, 900.0, 0.3 * most, most, T) == pytest.approx(expected, rel=1e-7)
    x = np.linspace(0.01, 0.99, 50)
    potential = getattr(parameters, f"{electrode}_ocp")(x)
    assert potential == pytest.approx(np.asarray(theirs[f"{Side} electrode OCP [V]"](x)), abs=1e-12)
    entropic = np.broadcast_to(getattr(parameters, f"{electrode}_entropic")(x), x.shape)
    name = f"{Side} electrode OCP entropic change [V.K-1]"
    given = theirs[name]
    if not callable(given):
        assert entropic == pytest.approx(given)
    else:
        expected = [number(theirs, given(pybamm.Scalar(each))) for each in x]
        assert entropic == pytest.approx(expected, abs=1e-12)


@every_set
@pytest.mark.parametrize("T", [298.15, 313.15])
def test_the_electrolyte(parameters: ParameterSet, T):
    theirs, p = values_of(parameters.id), parameters.values()
    warmer = (1 / 298.15 - 1 / T) / 8.314462618
    for ours, name in (("diffusivity", "diffusivity [m2.s-1]"), ("conductivity", "conductivity [S.m-1]")):
        for c in (300.0, 1000.0, 2000.0):
            expected = float(getattr(parameters, f"electrolyte_{ours}")(np.array(c)))
            expected *= np.exp(p[f"electrolyte_{ours}_activation"] * warmer)
            assert called(theirs, f"Electrolyte {name}", c, T) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", ["Chen2020", "Marquis2019", "Prada2013"])
def test_the_balance(name):
    """To the 1e-6 of PyBaMM's solver."""
    found = window(PARAMETER_SETS[name])
    theirs = pybamm.lithium_ion.get_min_max_stoichiometries(pybamm.ParameterValues(name))
    got = (found.empty[0], found.full[0], found.full[1], found.empty[1])
    assert got == pytest.approx(tuple(theirs), abs=1e-6)


def test_the_material_of_a_pack():
    """Defaults are rounded to two digits: layers in parallel, in series, and their mean; half of each collector."""
    values = pybamm.ParameterValues("Chen2020")
    layers = (
        ("Negative current collector", 0.5), ("Negative electrode", 1.0), ("Separator", 1.0),
        ("Positive electrode", 1.0), ("Positive current collector", 0.5),
    )  # fmt: skip
    L = np.array([share * values[f"{layer} thickness [m]"] for layer, share in layers])
    k, density, heat = (
        np.array([values[f"{layer} {what}"] for layer, _ in layers])
        for what in ("thermal conductivity [W.m-1.K-1]", "density [kg.m-3]", "specific heat capacity [J.kg-1.K-1]")
    )
    material, thickness = Material(), L.sum()
    assert material.conductivity_in_plane == pytest.approx(L @ k / thickness, rel=0.02)
    assert material.conductivity_through == pytest.approx(thickness / (L / k).sum(), rel=0.05)
    assert material.heat_capacity == pytest.approx(L @ (density * heat) / thickness, rel=0.01)
