"""The single-particle model in float64: from its series (constant current from rest, isothermal), and with everything.

    V = U_p(x_p) − U_n(x_n) − (2RT/F) [asinh(j_p/2j0_p) + asinh(j_n/2j0_n)] − I R_contact

with the surface stoichiometries of :mod:`engines.battery.particles.series` and ``j0 = m √(c_e c_s (c_max − c_s))``.
"""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array
from engines.battery.kinetics.reference import overpotential
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.particles.series import uniform_start
from engines.battery.particles.step.reference import rate_of_change, surface

SURFACE = np.ones(1)
SALT_CELLS = 32
"""Finite volumes of the electrolyte per layer: four times those of the kernels, without their bent edges."""


def spm(parameters: ParameterSet, current: float, time: float) -> tuple[float, float, float]:
    """(V, c_n, c_p) after ``time`` [s] of ``current`` [A]: voltage and surface concentrations [mol/m³]."""
    p = parameters.values()
    at_surface, eta = {}, {}
    for electrode, sign in (("negative", 1), ("positive", -1)):
        R = p[f"{electrode}_particle_radius"]
        area = 3 * p[f"{electrode}_active_fraction"] / R
        j = sign * current / (p["electrode_area"] * p[f"{electrode}_thickness"] * area)
        c = p[f"{electrode}_initial_concentration"]
        if time > 0:
            c += float(
                uniform_start(SURFACE, time, flux=-j / FARADAY, radius=R, diffusivity=p[f"{electrode}_diffusivity"])[0]
            )
        room = p[f"{electrode}_maximum_concentration"] - c
        exchange = p[f"{electrode}_reaction_constant"] * np.sqrt(p["electrolyte_concentration"] * c * room)
        at_surface[electrode], eta[electrode] = c, overpotential(j, exchange)
    x_n = at_surface["negative"] / p["negative_maximum_concentration"]
    x_p = at_surface["positive"] / p["positive_maximum_concentration"]
    open_circuit = float(parameters.positive_ocp(np.array(x_p)) - parameters.negative_ocp(np.array(x_n)))
    voltage = open_circuit + eta["positive"] - eta["negative"] - current * p["contact_resistance"]
    return voltage, at_surface["negative"], at_surface["positive"]


def end_of_discharge(parameters: ParameterSet, current: float, low: float, high: float) -> float:
    """Time [s] between ``low`` and ``high`` at which the voltage reaches the lower cut-off."""
    cutoff = parameters.values()["lower_cutoff"]
    return float(scipy.optimize.brentq(lambda time: spm(parameters, current, time)[0] - cutoff, low, high, xtol=1e-6))


def _ohmic(p: dict[str, float], kappa: float) -> float:
    """Resistance of electrolyte and solid over a unit of area [Ω m²]."""
    ohmic = 0.0
    for layer, share in (("negative", 3), ("separator", 1), ("positive", 3)):
        ohmic += p[f"{layer}_thickness"] / (share * kappa * p[f"{layer}_porosity"] ** p[f"{layer}_bruggeman"])
        if layer != "separator":
            ohmic += p[f"{layer}_thickness"] / (3 * p[f"{layer}_solid_conductivity"])
    return ohmic


def full(
    parameters: ParameterSet, current: float, times: Array, *, electrolyte: bool, thermal: bool, points: int = 60
) -> tuple[Array, Array]:
    """(V, T) at ``times`` [s] of constant ``current`` by an ODE solver on shells: SPM or SPMe, isothermal or lumped.

    Written without the modes, tables and time steps of the kernels, and with finer volumes of the electrolyte.
    """
    p = parameters.values()
    signs = {"negative": 1, "positive": -1}
    layers = ("negative", "separator", "positive")
    cells = SALT_CELLS if electrolyte else 1
    L = np.repeat([p[f"{layer}_thickness"] for layer in layers], cells)
    porosity = np.repeat([p[f"{layer}_porosity"] for layer in layers], cells)
    transport = porosity ** np.repeat([p[f"{layer}_bruggeman"] for layer in layers], cells)
    dx, area = L / cells, p["electrode_area"]
    released = np.repeat([1.0, 0.0, -1.0], cells) * current / (FARADAY * area) / L
    resistance_of_halves = dx / (2 * transport)
    plated = {
        e: sign * current / (area * p[f"{e}_thickness"] * 3 * p[f"{e}_active_fraction"] / p[f"{e}_particle_radius"])
        for e, sign in signs.items()
    }

    def arrhenius(activation: str, T: float) -> float:
        return float(np.exp(p[activation] / GAS * (1 / REFERENCE_TEMPERATURE - 1 / T)))

    def voltage(state: Array) -> tuple[float, float]:
        """(terminal voltage, heat [W])."""
        salt, T = state[2 * points : -1], state[-1]
        x, eta = {}, {}
        for k, (e, sign) in enumerate(signs.items()):
            D = p[f"{e}_diffusivity"] * arrhenius(f"{e}_diffusivity_activation", T)
            c = state[k * points : (k + 1) * points, None]
            radius = np.array([p[f"{e}_particle_radius"]])
            flux = np.array([-plated[e] / FARADAY])
            c_s = p[f"{e}_initial_concentration"] + surface(c, radius, np.array([D]), flux)[0]
            most = p[f"{e}_maximum_concentration"]
            root = np.sqrt(salt[:cells] if sign > 0 else salt[-cells:]).mean()
            rate = p[f"{e}_reaction_constant"] * arrhenius(f"{e}_reaction_activation", T)
            eta[e] = overpotential(plated[e], rate * root * np.sqrt(c_s * (most - c_s)), T)
            x[e] = np.array(c_s / most)
        entropic = float(parameters.positive_entropic(x["positive"]) - parameters.negative_entropic(x["negative"]))
        open_circuit = float(parameters.positive_ocp(x["positive"]) - parameters.negative_ocp(x["negative"]))
        open_circuit += (T - REFERENCE_TEMPERATURE) * entropic
        v = open_circuit + eta["positive"] - eta["negative"] - current * p["contact_resistance"]
        if electrolyte:
            logarithms = np.log(salt)
            difference = logarithms[-cells:].mean() - logarithms[:cells].mean()
            v += 2 * (1 - p["transference_number"]) * GAS * T / FARADAY * difference
            kappa = float(parameters.electrolyte_conductivity(np.array(p["electrolyte_concentration"])))
            kappa *= arrhenius("electrolyte_conductivity_activation", T)
            v -= current * _ohmic(p, kappa) / area
        return v, current * (open_circuit - v - T * entropic)

    def rates(_: float, state: Array) -> Array:
        T, salt = state[-1], state[2 * points : -1]
        change = np.zeros_like(state)
        for k, e in enumerate(signs):
            D = p[f"{e}_diffusivity"] * arrhenius(f"{e}_diffusivity_activation", T)
            c = state[k * points : (k + 1) * points, None]
            radius = np.array([p[f"{e}_particle_radius"]])
            flux = np.array([-plated[e] / FARADAY])
            change[k * points : (k + 1) * points] = rate_of_change(c, radius, D, flux)[:, 0]
        if electrolyte:
            at_faces = parameters.electrolyte_diffusivity((salt[1:] + salt[:-1]) / 2)
            at_faces = at_faces * arrhenius("electrolyte_diffusivity_activation", T)
            flow = at_faces * np.diff(salt) / (resistance_of_halves[1:] + resistance_of_halves[:-1])
            inward = np.diff(np.concatenate([[0.0], flow, [0.0]]))
            change[2 * points : -1] = (inward / dx + (1 - p["transference_number"]) * released) / porosity
        if thermal:
            cooling = p["heat_transfer_coefficient"] * p["cooling_area"] * (T - p["ambient_temperature"])
            change[-1] = (voltage(state)[1] - cooling) / p["heat_capacity"]
        return change

    start = np.zeros(2 * points + 3 * cells + 1)
    start[2 * points : -1] = p["electrolyte_concentration"]
    start[-1] = p["initial_temperature"]
    solved = scipy.integrate.solve_ivp(rates, (0, times[-1]), start, "BDF", times, rtol=1e-8, atol=1e-6)
    return np.array([voltage(state)[0] for state in solved.y.T]), solved.y[-1]
