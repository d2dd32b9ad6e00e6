"""One problem in PyBaMM and here, and the table of what is between them.

Particles have 400 shells there: against the series at 1C (cells/step/reference.py) these are within 0.003 mV from 60 s
to 3400 s for Chen2020 and Marquis2019 and to 2400 s for Prada2013, and within 0.03 mV at 10 s (measured).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from engines.api import Array, Problem, Simulation
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.parameters import BatteryParameters
from engines.battery.setup.cell import arrhenius

os.environ.setdefault("PYBAMM_DISABLE_TELEMETRY", "true")
pybamm = pytest.importorskip("pybamm", reason="needs PyBaMM: pip install pybamm bpx")

LINES: list[str] = []
"""What :func:`compare` found, printed at the end of the run."""


def values_of(name: str) -> Any:
    """PyBaMM's parameter values of a set, without what ours differs in on purpose (said in the sets' docstrings)."""
    values = pybamm.ParameterValues(name)
    if name == "Prada2013":  # 298 there
        values.update({f"{each} temperature [K]": 298.15 for each in ("Reference", "Ambient", "Initial")})
    if name == "OKane2022":
        values["Negative electrode OCP [V]"] = pybamm.ParameterValues("Chen2020")["Negative electrode OCP [V]"]
        values.update({f"{side} electrode Bruggeman coefficient (electrode)": 0.0 for side in ("Negative", "Positive")})
    return values


def theirs(
    model: Any,
    values: Any,
    times: Array | None = None,
    *,
    protocol: Sequence[str] = (),
    cycles: int = 1,
    shells: int = 400,
    sizes: int = 100,
    volumes: int = 40,
) -> Any:
    """PyBaMM's solution: at 1C up to the last of ``times`` [s], or of a protocol's sentences."""
    points = {"x_n": volumes, "x_s": volumes, "x_p": volumes, "r_n": shells, "r_p": shells, "R_n": sizes, "R_p": sizes}
    given: dict[str, Any] = {"parameter_values": values, "var_pts": points}
    given["solver"] = pybamm.IDAKLUSolver(rtol=1e-8, atol=1e-8)
    if protocol:
        experiment = pybamm.Experiment([tuple(protocol)] * cycles, period="10 seconds")
        return pybamm.Simulation(model, experiment=experiment, **given).solve()
    assert times is not None
    return pybamm.Simulation(model, **given).solve([0, times[-1] + 1], t_interp=np.concatenate([[0], times]))


def one_conductivity(values: Any, name: str, temperature: float = REFERENCE_TEMPERATURE) -> Any:
    """``values`` with κ of the electrolyte at its initial concentration, as ours takes it."""
    parameters = PARAMETER_SETS[name]
    start = np.array(parameters.values()["electrolyte_concentration"])
    warmer = arrhenius(parameters.values()["electrolyte_conductivity_activation"], temperature)
    values["Electrolyte conductivity [S.m-1]"] = float(warmer * parameters.electrolyte_conductivity(start))
    return values


def voltage_of_mean_exchange(solved: Any, times: Array, temperature: float = REFERENCE_TEMPERATURE) -> Array:
    """PyBaMM's voltages of an isothermal SPMe with η of the mean j0, as ours takes it, for the mean of η."""
    voltage, thermal_voltage = solved["Voltage [V]"](times), GAS * temperature / FARADAY
    for electrode, sign in (("negative", 1), ("positive", -1)):
        j, j0, eta = (
            solved[f"X-averaged {electrode} electrode {quantity}"](times)
            for quantity in (
                "interfacial current density [A.m-2]", "exchange current density [A.m-2]", "reaction overpotential [V]"
            )
        )  # fmt: skip
        voltage = voltage + sign * (eta - 2 * thermal_voltage * np.arcsinh(j / (2 * j0)))
    return voltage


def built(**parameters: Any) -> Simulation:
    """Ours, through the engine: float64 and steps of 1 s unless said otherwise."""
    numerics = {"step": 1.0, "precision": "fp64", **parameters.pop("numerics", {})}
    given = BatteryParameters.model_validate({**parameters, "numerics": numerics})
    return BatteryEngine().build(Problem(given), CpuBackend())


def ours(times: Array, **parameters: Any) -> Mapping[str, Array]:
    """What the engine observes at ``times`` [s], by name."""
    simulation = built(**parameters)
    seen = []
    for time in times:
        simulation.advance(round(time / simulation.dt) - simulation.step)
        seen.append(simulation.observe())
    return {name: np.array([each[name] for each in seen]) for name in seen[0]}


def compare(
    title: str, times: Array, found: Array, expected: Array, within: float | Array, scale: float = 1e3, unit: str = "mV"
) -> None:
    """Note ``found − expected`` times ``scale`` for the table and hold it to ``within``, in ``unit``."""
    difference = scale * (np.asarray(found) - np.asarray(expected))
    LINES.append(
        f"{title} [{unit}]: " + ", ".join(f"{d:+.3f} at {t:g} s" for t, d in zip(times, difference, strict=True))
    )
    assert (np.abs(difference) <= within).all(), LINES[-1]
