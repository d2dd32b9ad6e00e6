"""A parameter set as a BPX file: formulae where they can be had, tables else."""

from __future__ import annotations

import json
import math
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from engines.api.errors import ProblemError, WorkbenchError
from engines.battery.bpx.reading import CONTACT_RESISTANCE
from engines.battery.bpx.tables import Table
from engines.battery.bpx.tracing import formula
from engines.battery.parameter_sets.balance import window
from engines.battery.parameter_sets.changes import KEYS
from engines.battery.parameter_sets.constants import FARADAY, REFERENCE_TEMPERATURE
from engines.battery.parameter_sets.functions import SALT_RANGE
from engines.battery.parameter_sets.model import UNSAID, Function, ParameterSet

VERSION = "1.1.1"
POINTS = 8001
"""Of a table that stands for a function: read again, potentials are within 1e-6 V of what was written."""
SPECIFIC_HEAT = 1000.0
"""[J/kg/K], by choice: a set has the heat capacity of the cell alone, and the density is made to fit."""


def write_bpx(parameters: ParameterSet, path: Path) -> None:
    """Write ``parameters`` to ``path``. Raises ProblemError if numbers lack, WorkbenchError if it cannot be written."""
    text = bpx_text(parameters)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"'{path}' cannot be written: {error.strerror or error}.") from error


def bpx_text(parameters: ParameterSet) -> str:
    """The file's content as text. Raises ProblemError."""
    return json.dumps(content(parameters), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def content(parameters: ParameterSet) -> dict[str, Any]:
    """What stands in the file. Numbers that the set does not give are left out where BPX allows that."""
    p = parameters.values()
    spm_only = math.isnan(p["transference_number"])
    layers = ("negative", "positive") if spm_only else ("negative", "separator", "positive")
    stack = p["electrode_area"] * sum(p[f"{layer}_thickness"] for layer in layers)
    described = (
        f"{parameters.title}. Volume is that of the layers; the density is chosen so that with a specific heat of "
        f"{SPECIFIC_HEAT:g} J/kg/K the cell has its heat capacity."
    )
    limits = _limits(parameters)
    parts: dict[str, Any] = {
        "Cell": {
            "Electrode area [m2]": p["electrode_area"],
            "Number of electrode pairs connected in parallel to make a cell": 1,
            "Nominal cell capacity [A.h]": p["nominal_capacity"],
            "Lower voltage cut-off [V]": p["lower_cutoff"],
            "Upper voltage cut-off [V]": p["upper_cutoff"],
            "Reference temperature [K]": REFERENCE_TEMPERATURE,
            "External surface area [m2]": p["cooling_area"],
            "Volume [m3]": stack,
            "Density [kg.m-3]": p["heat_capacity"] / (stack * SPECIFIC_HEAT),
            "Specific heat capacity [J.K-1.kg-1]": SPECIFIC_HEAT,
        },
    }
    if not spm_only:
        highest = SALT_RANGE * p["electrolyte_concentration"]
        parts["Electrolyte"] = {
            "Cation transference number": p["transference_number"],
            "Diffusivity [m2.s-1]": _value(parameters.electrolyte_diffusivity, highest),
            "Diffusivity activation energy [J.mol-1]": p["electrolyte_diffusivity_activation"],
            "Conductivity [S.m-1]": _value(parameters.electrolyte_conductivity, highest),
            "Conductivity activation energy [J.mol-1]": p["electrolyte_conductivity_activation"],
        }
    for electrode in ("negative", "positive"):
        parts[f"{electrode.capitalize()} electrode"] = _electrode(parameters, electrode, limits[electrode], spm_only)
    if not spm_only:
        parts["Separator"] = {"Thickness [m]": p["separator_thickness"], **_pores(p, "separator")}
    own = {KEYS[name]: p[name] for name, usual in UNSAID.items() if p[name] != usual and not isnan(p[name])}
    if p["contact_resistance"]:
        own[CONTACT_RESISTANCE] = p["contact_resistance"]
    if own:
        parts["User-defined"] = own
    return _without_gaps(
        {
            "Header": {
                "BPX": VERSION,
                "Title": parameters.title,
                "Description": described,
                "References": "; ".join(dict.fromkeys(number.source for number in parameters.scalars.values())),
                "Model": "SPM" if spm_only else "DFN",
            },
            "Parameterisation": parts,
            "State": {
                "Initial conditions": {
                    "Initial state-of-charge": limits["charge"],
                    "Initial temperature [K]": p["initial_temperature"],
                    "Initial electrolyte concentration [mol.m-3]": p["electrolyte_concentration"],
                },
                "Thermal environment": {
                    "Ambient temperature [K]": p["ambient_temperature"],
                    "Heat transfer coefficient [W.m-2.K-1]": p["heat_transfer_coefficient"],
                },
            },
        }
    )


def _electrode(parameters: ParameterSet, electrode: str, limits: Any, spm_only: bool) -> dict[str, Any]:
    p = parameters.values()

    def of(name: str) -> float:
        return p[f"{electrode}_{name}"]

    rate = of("reaction_constant") * of("maximum_concentration") * math.sqrt(p["electrolyte_concentration"]) / FARADAY
    entries = {
        "Thickness [m]": of("thickness"),
        "Minimum stoichiometry": limits[0],
        "Maximum stoichiometry": limits[1],
        "Maximum concentration [mol.m-3]": of("maximum_concentration"),
        "Particle radius [m]": of("particle_radius"),
        "Surface area per unit volume [m-1]": 3 * of("active_fraction") / of("particle_radius"),
        "Diffusivity [m2.s-1]": _diffusivity(parameters, electrode),
        "Diffusivity activation energy [J.mol-1]": of("diffusivity_activation"),
        "OCP [V]": _value(getattr(parameters, f"{electrode}_ocp"), 1.0),
        "Entropic change coefficient [V.K-1]": _value(getattr(parameters, f"{electrode}_entropic"), 1.0),
        "Reaction rate constant [mol.m-2.s-1]": rate,
        "Reaction rate constant activation energy [J.mol-1]": of("reaction_activation"),
    }
    if not spm_only:
        entries |= {**_pores(p, electrode), "Conductivity [S.m-1]": of("solid_conductivity")}
    return entries


def _diffusivity(parameters: ParameterSet, electrode: str) -> Any:
    mean, law = parameters.values()[f"{electrode}_diffusivity"], parameters.laws.get(electrode)
    return mean if law is None else _value(lambda x: mean * law(x), 1.0)


def _pores(p: dict[str, float], layer: str) -> dict[str, float]:
    porosity = p[f"{layer}_porosity"]
    return {"Porosity": porosity, "Transport efficiency": porosity ** p[f"{layer}_bruggeman"]}


def _limits(parameters: ParameterSet) -> dict[str, Any]:
    """Lowest and highest stoichiometry of each electrode, and the state of charge that gives the initial ones.

    A set that starts fuller than the cut-offs allow (or emptier) has its start as the limit.
    """
    p, found = parameters.values(), window(parameters)
    start = {e: p[f"{e}_initial_concentration"] / p[f"{e}_maximum_concentration"] for e in ("negative", "positive")}
    (n_empty, p_empty), (n_full, p_full) = found.empty, found.full
    if start["negative"] >= n_full:
        n_full, p_full = start["negative"], start["positive"]
    if start["negative"] <= n_empty:
        n_empty, p_empty = start["negative"], start["positive"]
    if not n_empty < n_full:
        raise ProblemError(f"{parameters.title} has no range of stoichiometries between its cut-offs: correct them.")
    charge = (start["negative"] - n_empty) / (n_full - n_empty)
    return {"negative": (n_empty, n_full), "positive": (p_full, p_empty), "charge": charge}


def _value(function: Function, highest: float) -> Any:
    """A formula, a number, or the points of a table from 0 to ``highest``."""
    if isinstance(function, Table):
        return {"x": function.x.tolist(), "y": function.y.tolist()}
    text = formula(function)
    if text is not None:
        return text
    x = np.linspace(0.0, highest, POINTS)
    return {"x": x.tolist(), "y": np.broadcast_to(function(x), x.shape).tolist()}


def _without_gaps(tree: Any) -> Any:
    """``tree`` without the numbers that are not given."""
    if isinstance(tree, dict):
        kept = {name: _without_gaps(value) for name, value in tree.items()}
        return {name: value for name, value in kept.items() if not (isinstance(value, float) and math.isnan(value))}
    return tree
