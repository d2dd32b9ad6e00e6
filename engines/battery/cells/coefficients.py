"""From a parameter set to the few numbers per cell that the kernels use, in float64.

Stoichiometries stand for concentrations (x = c/c_max), the current I [A] is positive in discharge, and a particle that
takes current in stays ``x = x0 + mean + Σ b_k φ_k``. With N = ∓I R/(3 F A L ε) and gain = N R/D (series.py):

    growth   1/(F A L ε c_max)                    change of the mean per A s
    gain     R²/(3 F A L ε c_max D)               N R/D per A, in stoichiometry
    kinetic  R/(6 A L ε m c_max √c_e)             j/2j0 per A, times 1/√(x (1 − x))
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.battery.cells.ageing import Ageing
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS
from engines.battery.setup.curves import curve
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, ELECTROLYTE_RANGE, Coefficient
from engines.battery.step.graded import diffusivity_curves

Scalars = Mapping[str, float | Array]


def is_asymmetric(scalars: Scalars) -> bool:
    """Whether some cell has a charge transfer coefficient other than ½."""
    return any(np.any(np.asarray(scalars[f"{e}_transfer_coefficient"]) != 0.5) for e in ("negative", "positive"))


def coefficient_rows(scalars: Scalars, ageing: Ageing | None, varying: bool = False) -> int:
    """How many rows the kernels need; ``varying``: a diffusivity does, whose kernels know any charge transfer."""
    if ageing is not None:
        return len(Coefficient)
    return Coefficient.SEI_REACTION if varying or is_asymmetric(scalars) else Coefficient.NEGATIVE_SKEW


def coefficients(
    parameters: ParameterSet,
    scalars: Scalars,
    with_electrolyte: bool,
    ageing: Ageing | None = None,
    varying: bool = False,
) -> Array:
    """(coefficient_rows, n) float64 of ``scalars``, the set's own or changed: numbers or (n,) arrays."""
    p = {name: np.atleast_1d(np.asarray(value, float)) for name, value in scalars.items()}
    area, salt = p["electrode_area"], p["electrolyte_concentration"]
    rows: dict[str, Array] = {}
    for electrode, sign in (("negative", -1), ("positive", 1)):

        def of(name: str, electrode: str = electrode) -> Array:
            return p[f"{electrode}_{name}"]

        solid = area * of("thickness") * of("active_fraction")
        most, R, D = of("maximum_concentration"), of("particle_radius"), of("diffusivity")
        rows |= {
            f"{electrode}_rate": D / R**2,
            f"{electrode}_gain": sign * R**2 / (3 * FARADAY * solid * most * D),
            f"{electrode}_growth": sign / (FARADAY * solid * most),
            f"{electrode}_kinetic": R / (6 * solid * of("reaction_constant") * most * np.sqrt(salt)),
            f"{electrode}_start": of("initial_concentration") / most,
            f"{electrode}_diffusion_heat": of("diffusivity_activation") / GAS,
            f"{electrode}_reaction_heat": of("reaction_activation") / GAS,
        }
    ionic, solid_resistance = 0.0, 0.0
    for layer, share in (("negative", 3.0), ("separator", 1.0), ("positive", 3.0)):
        L, porosity = p[f"{layer}_thickness"], p[f"{layer}_porosity"]
        transport = porosity ** p[f"{layer}_bruggeman"]
        rows[f"{layer}_capacity"] = porosity * L / ELECTROLYTE_CELLS
        rows[f"{layer}_conductance"] = transport * ELECTROLYTE_CELLS / L
        ionic = ionic + L / (share * transport * area)
        if layer != "separator":
            solid_resistance = solid_resistance + L / (3 * p[f"{layer}_solid_conductivity"] * area)
    rows |= {
        "resistance": p["contact_resistance"] + (solid_resistance if with_electrolyte else 0.0),
        "heat_capacity": p["heat_capacity"],
        "cooling": p["heat_transfer_coefficient"] * p["cooling_area"],
        "ambient": p["ambient_temperature"] - 298.15,
        "salt_source": (1 - p["transference_number"]) / (FARADAY * area * salt * ELECTROLYTE_CELLS),
        "ionic": ionic / parameters.electrolyte_conductivity(salt),
        "transference": 2 * (1 - p["transference_number"]),
        "salt_diffusion_heat": p["electrolyte_diffusivity_activation"] / GAS,
        "conductivity_heat": p["electrolyte_conductivity_activation"] / GAS,
        "salt_ratio": salt / parameters.scalars["electrolyte_concentration"].value,
    }
    rows["negative_skew"] = 2 * p["negative_transfer_coefficient"] - 1
    rows["positive_skew"] = 1 - 2 * p["positive_transfer_coefficient"]
    if ageing is not None:
        rows |= ageing.coefficients(p)
    n = max(len(values) for values in p.values())
    names = [each.name.lower() for each in Coefficient][: coefficient_rows(scalars, ageing, varying)]
    return np.array([np.broadcast_to(rows[name], n) for name in names])


def tables(parameters: ParameterSet, varying: bool = False) -> Array:
    """(tables, intervals, 4), in the order of ``Table``: potentials and entropic changes over stoichiometry 0 to 1, the
    electrolyte's diffusivity over 0 to ELECTROLYTE_RANGE times the set's concentration; where they vary, the particles'
    diffusivities over stoichiometry."""
    over_x = (
        parameters.negative_ocp, parameters.positive_ocp, parameters.negative_entropic, parameters.positive_entropic,
    )  # fmt: skip
    most = ELECTROLYTE_RANGE * parameters.scalars["electrolyte_concentration"].value
    return np.array(
        [curve(function, 0.0, 1.0).coefficients for function in over_x]
        + [curve(parameters.electrolyte_diffusivity, 0.0, most).coefficients]
        + ([each.coefficients for each in diffusivity_curves(parameters)] if varying else [])
    )
