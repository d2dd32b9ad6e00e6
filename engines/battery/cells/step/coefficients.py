"""From a parameter set to the few numbers per cell that the kernels use, in float64.

Stoichiometries stand for concentrations (x = c/c_max), the current I [A] is positive in discharge, and a particle that
takes current in stays ``x = x0 + mean + Σ b_k φ_k``. With N = ∓I R/(3 F A L ε) and gain = N R/D (series.py):

    growth   1/(F A L ε c_max)                    change of the mean per A s
    gain     R²/(3 F A L ε c_max D)               N R/D per A, in stoichiometry
    kinetic  R/(6 A L ε m c_max √c_e)             j/2j0 per A, times 1/√(x (1 − x))
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np

from engines.api import Array
from engines.battery.cells.ageing import Ageing
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS
from engines.battery.setup.curves import curve

ELECTROLYTE_CELLS = 8
"""Finite volumes of the electrolyte in each of negative electrode, separator and positive electrode."""
ELECTROLYTE_RANGE = 4.0
"""Concentrations of the electrolyte that its curves cover, as multiples of the initial one."""


class Coefficient(IntEnum):
    """Rows of the coefficients; the names after NEGATIVE_ repeat for the positive electrode."""

    NEGATIVE_RATE = 0  # D/R² [1/s]
    NEGATIVE_GAIN = 1  # [1/A], negative: discharge takes lithium out
    NEGATIVE_GROWTH = 2  # [1/(A s)]
    NEGATIVE_KINETIC = 3  # [1/A]
    NEGATIVE_START = 4  # initial stoichiometry
    NEGATIVE_DIFFUSION_HEAT = 5  # activation energy over the gas constant [K]
    NEGATIVE_REACTION_HEAT = 6
    POSITIVE_RATE = 7
    POSITIVE_GAIN = 8
    POSITIVE_GROWTH = 9
    POSITIVE_KINETIC = 10
    POSITIVE_START = 11
    POSITIVE_DIFFUSION_HEAT = 12
    POSITIVE_REACTION_HEAT = 13
    RESISTANCE = 14  # contact, and in the SPMe the solid [Ω]
    HEAT_CAPACITY = 15  # [J/K]
    COOLING = 16  # [W/K]
    AMBIENT = 17  # ambient − 298.15 K [K]
    NEGATIVE_CAPACITY = 18  # ε times thickness of a finite volume of the electrolyte [m]
    SEPARATOR_CAPACITY = 19
    POSITIVE_CAPACITY = 20
    NEGATIVE_CONDUCTANCE = 21  # ε^b over that thickness [1/m]
    SEPARATOR_CONDUCTANCE = 22
    POSITIVE_CONDUCTANCE = 23
    SALT = 24  # (1 − t⁺)/(F A c_e0) per finite volume of an electrode [m/(A s)]
    IONIC = 25  # (L_n/3ε_n^b + L_s/ε_s^b + L_p/3ε_p^b)/(A κ): resistance of the electrolyte at 298.15 K [Ω]
    TRANSFERENCE = 26  # 2 (1 − t⁺)
    SALT_DIFFUSION_HEAT = 27
    CONDUCTIVITY_HEAT = 28
    SALT_RATIO = 29  # initial concentration of the electrolyte over that of the curve
    NEGATIVE_SKEW = 30  # 2α − 1: anodic in discharge; rows from here on only where α is not ½ or the cells age
    POSITIVE_SKEW = 31  # 1 − 2α: cathodic in discharge
    SEI_REACTION = 32  # one over the current of the reaction at its own potential [1/A]; rows from here on: ageing.py
    SEI_DIFFUSION = 33  # one over the current through a film of 1 m [1/(A m)]
    SEI_POTENTIAL = 34  # [V]
    SEI_HEAT = 35
    FILM = 36  # thickness at the start [m]
    FILM_GROWTH = 37  # [m/(A s)]
    FILM_RESISTANCE = 38  # [Ω/m]
    PLATING = 39  # exchange current [A]
    PLATING_TRANSFER = 40
    PLATING_BELOW_ZERO = 41  # 1: Butler-Volmer's law below 0 V, 0: Tafel's at all potentials


class Table(IntEnum):
    """The curves that kernels look up, in their order."""

    NEGATIVE_OCP = 0
    POSITIVE_OCP = 1
    NEGATIVE_ENTROPIC = 2
    POSITIVE_ENTROPIC = 3
    ELECTROLYTE_DIFFUSIVITY = 4


Scalars = Mapping[str, float | Array]


def is_asymmetric(scalars: Scalars) -> bool:
    """Whether some cell has a charge transfer coefficient other than ½."""
    return any(np.any(np.asarray(scalars[f"{e}_transfer_coefficient"]) != 0.5) for e in ("negative", "positive"))


def coefficient_rows(scalars: Scalars, ageing: Ageing | None) -> int:
    """How many rows the kernels need."""
    if ageing is not None:
        return len(Coefficient)
    return Coefficient.SEI_REACTION if is_asymmetric(scalars) else Coefficient.NEGATIVE_SKEW


def coefficients(
    parameters: ParameterSet, scalars: Scalars, with_electrolyte: bool, ageing: Ageing | None = None
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
        "salt": (1 - p["transference_number"]) / (FARADAY * area * salt * ELECTROLYTE_CELLS),
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
    names = [each.name.lower() for each in Coefficient][: coefficient_rows(scalars, ageing)]
    return np.array([np.broadcast_to(rows[name], n) for name in names])


def tables(parameters: ParameterSet) -> Array:
    """(len(Table), intervals, 4): potentials and entropic changes over stoichiometry 0 to 1, the electrolyte's
    diffusivity over 0 to ELECTROLYTE_RANGE times the set's concentration."""
    over_x = (
        parameters.negative_ocp, parameters.positive_ocp, parameters.negative_entropic, parameters.positive_entropic,
    )  # fmt: skip
    most = ELECTROLYTE_RANGE * parameters.scalars["electrolyte_concentration"].value
    return np.array(
        [curve(function, 0.0, 1.0).coefficients for function in over_x]
        + [curve(parameters.electrolyte_diffusivity, 0.0, most).coefficients]
    )
