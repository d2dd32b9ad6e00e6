"""Ageing of the single-particle model in float64 by an ODE solver on shells, isothermal: the tests' reference.

Written from the equations (ageing.py), without the modes, tables, time steps and sums of the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy

from engines.api import Array
from engines.battery.cells.ageing import Ageing
from engines.battery.kinetics.reference import overpotential
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.particles.step.reference import rate_of_change, surface

F_RT = FARADAY / (GAS * REFERENCE_TEMPERATURE)


def sei_current(p: dict[str, float], law: str, potential: float, thickness: float) -> float:
    """[A/m²] into the SEI, positive, at the potential of the graphite under the film [V]."""
    if law == "none":
        return 0.0
    if law == "solvent-diffusion limited":
        return FARADAY * p["sei_solvent_concentration"] * p["sei_solvent_diffusivity"] / thickness
    tafel = float(np.exp(-0.5 * F_RT * (potential - p["sei_potential"])))
    if law == "reaction limited":
        return p["sei_exchange_current"] * tafel
    rate = p["sei_ec_rate"] * tafel
    return FARADAY * p["sei_ec_concentration"] * rate / (1 + rate * thickness / p["sei_ec_diffusivity"])


def plating_current(p: dict[str, float], law: str, potential: float) -> float:
    """[A/m²] of lithium plated, positive."""
    if law == "none" or (law == "below 0 V" and potential >= 0):
        return 0.0
    alpha = p["plating_transfer_coefficient"]
    exchange = FARADAY * p["plating_rate"] * p["electrolyte_concentration"]
    back = np.exp((1 - alpha) * F_RT * potential) if law == "below 0 V" else 0.0
    return float(exchange * (np.exp(-alpha * F_RT * potential) - back))


def run(
    parameters: ParameterSet, ageing: Ageing, segments: Sequence[tuple[float, float]], points: int = 40
) -> tuple[Array, Array, Array]:
    """(V, Q_SEI, Q_plated) [V, A s] at the end of each of ``segments``: currents [A] held for durations [s]."""
    p = parameters.values()
    areas = {
        e: 3 * p["electrode_area"] * p[f"{e}_thickness"] * p[f"{e}_active_fraction"] / p[f"{e}_particle_radius"]
        for e in ("negative", "positive")
    }
    film = ageing.sei != "none"

    def diffusivity(e: str, deviation: Array) -> Array:
        """[m²/s] where the concentration is so much beyond the start's."""
        x = (p[f"{e}_initial_concentration"] + deviation) / p[f"{e}_maximum_concentration"]
        return np.asarray(p[f"{e}_diffusivity"] * parameters.laws.get(e, np.ones_like)(x))

    def at_surface(e: str, c: Array, density: float) -> float:
        radius, deviation = np.array([p[f"{e}_particle_radius"]]), c[-1:]
        for _ in range(1 if e not in parameters.laws else 8):  # of D at the surface itself: a fixed point
            deviation = surface(c[:, None], radius, diffusivity(e, deviation), np.array([-density / FARADAY]))
        return float(p[f"{e}_initial_concentration"] + deviation[0])

    def electrode(e: str, c_s: float, density: float) -> float:
        """U + η [V]."""
        most = p[f"{e}_maximum_concentration"]
        exchange = p[f"{e}_reaction_constant"] * np.sqrt(p["electrolyte_concentration"] * c_s * (most - c_s))
        ocp = parameters.negative_ocp if e == "negative" else parameters.positive_ocp
        return float(ocp(np.array(c_s / most))) + overpotential(density, exchange)

    def parts(state: Array, current: float) -> tuple[float, float, float, float]:
        """(V, SEI and plating current [A], current density of the negative particles [A/m²])."""
        j_n, j_p = current / areas["negative"], -current / areas["positive"]
        thickness = 0.0
        if film:
            per_charge = p["sei_molar_volume"] / (p["sei_lithium_ratio"] * FARADAY * areas["negative"])
            thickness = p["sei_initial_thickness"] + per_charge * state[-2]
        side, sei, plating = 0.0, 0.0, 0.0
        for _ in range(30):  # the surface depends on the side reactions, weakly: a fixed point
            potential = electrode("negative", at_surface("negative", state[:points], j_n + side), j_n)
            sei = sei_current(p, ageing.sei, potential, thickness)
            plating = plating_current(p, ageing.plating, potential)
            if abs(sei + plating - side) <= 1e-14 * abs(j_n):
                break
            side = sei + plating
        positive = electrode("positive", at_surface("positive", state[points:-2], j_p), j_p)
        loss = j_n * thickness * p["sei_resistivity"] if film else 0.0
        area = areas["negative"]
        return positive - potential - loss - current * p["contact_resistance"], sei * area, plating * area, j_n + side

    def rates(_: float, state: Array, current: float) -> Array:
        _, sei, plating, j_n = parts(state, current)
        change = np.empty_like(state)
        for e, values, density in (
            ("negative", slice(0, points), j_n), ("positive", slice(points, 2 * points), -current / areas["positive"]),
        ):  # fmt: skip
            radius = np.array([p[f"{e}_particle_radius"]])
            flux = np.array([-density / FARADAY])
            law = partial(diffusivity, e)
            change[values] = rate_of_change(state[values, None], radius, law, flux)[:, 0]
        change[-2:] = sei, plating
        return change

    state, found = np.zeros(2 * points + 2), []
    for current, duration in segments:
        solved = scipy.integrate.solve_ivp(
            rates, (0, duration), state, "BDF", [duration], rtol=1e-7, atol=1e-7, args=(current,)
        )
        state = solved.y[:, -1]
        found.append((parts(state, current)[0], state[-2], state[-1]))
    voltages, sei, plated = np.array(found).T
    return voltages, sei, plated
