"""TT06 in plain float64 NumPy, written as published: what both kernels are measured against.

Nothing here is rearranged for speed. ``changes`` are parameters by name, numbers or ``(n,)`` arrays in the units of
``tt06.json``, that take the place of the published ones. ``state`` is ``(19, n)`` in the order of
:data:`tt06.STATES`, physical units; ``kinds`` is ``(n,)`` of :class:`tt06.CellType`; ``stimulus`` [pA/pF] depolarises
where positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy import exp, log, sqrt

from engines.api import Array
from engines.cardiac.cells.tt06 import COMMON, PARAMETERS, STATES, CellType

GATES = ("m", "h", "j", "Xr1", "Xr2", "Xs", "d", "f", "f2", "fCass", "s", "r")
"""States of the form dw/dt = (w_inf − w)/tau."""
Changes = Mapping[str, Array | float]
NONE: Changes = {}
Scheme = Literal["euler", "lightweight_rush_larsen", "rush_larsen"]
_EXPONENTIAL: dict[str, tuple[str, ...]] = {"euler": (), "lightweight_rush_larsen": ("m",), "rush_larsen": GATES}


def gate_limits(V: Array, Ca_ss: Array, kinds: Array) -> dict[str, tuple[Array, Array]]:
    """Steady state and time constant [ms] of each gate at voltage V [mV] and subspace calcium [mM]."""
    endo = np.asarray(kinds) == CellType.ENDO
    low = V < -40
    h_inf = 1 / (1 + exp((V + 71.55) / 7.43)) ** 2
    # Each branch sees only voltages at which it is used: the other side would overflow.
    Vl, Vh = np.minimum(V, -40.0), np.maximum(V, -40.0)
    tau_h = np.where(
        low,
        1 / (0.057 * exp(-(Vl + 80) / 6.8) + 2.7 * exp(0.079 * Vl) + 310000 * exp(0.3485 * Vl)),
        0.13 * (1 + exp(-(Vh + 10.66) / 11.1)) / 0.77,
    )
    alpha_j = (
        (-25428 * exp(0.2444 * Vl) - 6.948e-6 * exp(-0.04391 * Vl)) * (Vl + 37.78) / (1 + exp(0.311 * (Vl + 79.23)))
    )
    beta_j = 0.02424 * exp(-0.01052 * Vl) / (1 + exp(-0.1378 * (Vl + 40.14)))
    tau_j = np.where(low, 1 / (alpha_j + beta_j), (1 + exp(-0.1 * (Vh + 32))) / (0.6 * exp(0.057 * Vh)))
    tau_m = 1 / (1 + exp((-60 - V) / 5)) * (0.1 / (1 + exp((V + 35) / 5)) + 0.1 / (1 + exp((V - 50) / 200)))
    tau_d = (1.4 / (1 + exp((-35 - V) / 13)) + 0.25) * 1.4 / (1 + exp((V + 5) / 5)) + 1 / (1 + exp((50 - V) / 20))
    tau_f = 1102.5 * exp(-((V + 27) ** 2) / 225) + 200 / (1 + exp((13 - V) / 10)) + 180 / (1 + exp((V + 30) / 10)) + 20
    tau_f2 = 562 * exp(-((V + 27) ** 2) / 240) + 31 / (1 + exp((25 - V) / 10)) + 80 / (1 + exp((V + 30) / 10))
    tau_s_endo = 1000 * exp(-((V + 67) ** 2) / 1000) + 8
    tau_s_other = 85 * exp(-((V + 45) ** 2) / 320) + 5 / (1 + exp((V - 20) / 5)) + 3
    return {
        "m": (1 / (1 + exp((-56.86 - V) / 9.03)) ** 2, tau_m),
        "h": (h_inf, tau_h),
        "j": (h_inf, tau_j),
        "Xr1": (1 / (1 + exp((-26 - V) / 7)), 450 / (1 + exp((-45 - V) / 10)) * 6 / (1 + exp((V + 30) / 11.5))),
        "Xr2": (1 / (1 + exp((V + 88) / 24)), 3 / (1 + exp((-60 - V) / 20)) * 1.12 / (1 + exp((V - 60) / 20))),
        "Xs": (1 / (1 + exp((-5 - V) / 14)), 1400 / sqrt(1 + exp((5 - V) / 6)) / (1 + exp((V - 35) / 15)) + 80),
        "d": (1 / (1 + exp((-8 - V) / 7.5)), tau_d),
        "f": (1 / (1 + exp((V + 20) / 7)), tau_f),
        "f2": (0.67 / (1 + exp((V + 35) / 7)) + 0.33, tau_f2),
        "fCass": (0.6 / (1 + (Ca_ss / 0.05) ** 2) + 0.4, 80 / (1 + (Ca_ss / 0.05) ** 2) + 2),
        "s": (1 / (1 + exp((V + np.where(endo, 28, 20)) / 5)), np.where(endo, tau_s_endo, tau_s_other)),
        "r": (1 / (1 + exp((20 - V) / 6)), 9.5 * exp(-((V + 40) ** 2) / 1800) + 0.8),
    }


def currents(state: Array, kinds: Array, changes: Changes = NONE) -> dict[str, Array]:
    """The twelve membrane currents [pA/pF]."""
    s = dict(zip(STATES, state, strict=True))
    per_type = {name: np.array([PARAMETERS[kind][name] for kind in CellType])[kinds] for name in ("g_Ks", "g_to")}
    p: dict[str, Any] = COMMON | per_type | dict(changes)
    V, RTF = s["V"], p["R"] * p["T"] / p["F"]
    K_o, Na_o, Ca_o = p["K_o"], p["Na_o"], p["Ca_o"]
    E_Na = RTF * log(Na_o / s["Na_i"])
    E_K = RTF * log(K_o / s["K_i"])
    E_Ks = RTF * log((K_o + p["P_kna"] * Na_o) / (s["K_i"] + p["P_kna"] * s["Na_i"]))
    E_Ca = 0.5 * RTF * log(Ca_o / s["Ca_i"])
    alpha_K1 = 0.1 / (1 + exp(0.06 * (V - E_K - 200)))
    beta_K1 = (3 * exp(0.0002 * (V - E_K + 100)) + exp(0.1 * (V - E_K - 10))) / (1 + exp(-0.5 * (V - E_K)))
    gamma, K_sat = p["gamma"], p["K_sat"]
    out_of_cell = exp((gamma - 1) * V / RTF)
    return {
        "i_K1": p["g_K1"] * sqrt(K_o / 5.4) * alpha_K1 / (alpha_K1 + beta_K1) * (V - E_K),
        "i_Kr": p["g_Kr"] * sqrt(K_o / 5.4) * s["Xr1"] * s["Xr2"] * (V - E_K),
        "i_Ks": p["g_Ks"] * s["Xs"] ** 2 * (V - E_Ks),
        "i_Na": p["g_Na"] * s["m"] ** 3 * s["h"] * s["j"] * (V - E_Na),
        "i_bNa": p["g_bna"] * (V - E_Na),
        "i_bCa": p["g_bca"] * (V - E_Ca),
        "i_to": p["g_to"] * s["r"] * s["s"] * (V - E_K),
        "i_CaL": p["g_CaL"] * s["d"] * s["f"] * s["f2"] * s["fCass"] * _calcium_drive(V, s["Ca_ss"], p),
        "i_NaK": p["P_NaK"] * K_o / (K_o + p["K_mk"]) * s["Na_i"] / (s["Na_i"] + p["K_mNa"])
        / (1 + 0.1245 * exp(-0.1 * V / RTF) + 0.0353 * exp(-V / RTF)),
        "i_NaCa": p["K_NaCa"]
        * (exp(gamma * V / RTF) * s["Na_i"] ** 3 * Ca_o - out_of_cell * Na_o**3 * s["Ca_i"] * p["alpha"])
        / ((p["Km_Nai"] ** 3 + Na_o**3) * (p["Km_Ca"] + Ca_o) * (1 + K_sat * out_of_cell)),
        "i_pCa": p["g_pCa"] * s["Ca_i"] / (s["Ca_i"] + p["K_pCa"]),
        "i_pK": p["g_pK"] * (V - E_K) / (1 + exp((25 - V) / 5.98)),
    }  # fmt: skip


def _calcium_drive(V: Array, Ca_ss: Array, p: Mapping[str, Any]) -> Array:
    """The Goldman-Hodgkin-Katz factor of i_CaL, 4(V−15)F²/RT · (Ca_ss/4·e^z − Ca_o)/(e^z − 1) with z = 2(V−15)F/RT.

    At V = 15 mV numerator and denominator vanish together; the limit is 2F (Ca_ss/4 − Ca_o).
    """
    z = 2 * (V - 15) * p["F"] / (p["R"] * p["T"])
    at_limit = z == 0
    ratio = np.where(at_limit, 1.0, z / np.where(at_limit, 1.0, np.expm1(z)))  # z/(e^z − 1)
    return 2 * p["F"] * ratio * (0.25 * Ca_ss * exp(z) - p["Ca_o"])


def rates(
    state: Array,
    kinds: Array,
    stimulus: Array | float = 0.0,
    *,
    stimulus_moves_potassium: bool = False,
    changes: Changes = NONE,
) -> Array:
    """dstate/dt: (19, n) [per ms].

    A tissue stimulus comes from outside and carries no potassium; the single-cell protocol of the published
    action potentials lets it (``stimulus_moves_potassium``).
    """
    s, i = dict(zip(STATES, state, strict=True)), currents(state, kinds, changes)
    p: dict[str, Any] = COMMON | dict(changes)
    Ca_i, Ca_SR, Ca_ss, R_prime = s["Ca_i"], s["Ca_SR"], s["Ca_ss"], s["R_prime"]
    d = {gate: (limit - s[gate]) / tau for gate, (limit, tau) in gate_limits(s["V"], Ca_ss, kinds).items()}
    i_up = p["Vmax_up"] / (1 + p["K_up"] ** 2 / Ca_i**2)
    i_leak = p["V_leak"] * (Ca_SR - Ca_i)
    i_xfer = p["V_xfer"] * (Ca_ss - Ca_i)
    kcasr = p["max_sr"] - (p["max_sr"] - p["min_sr"]) / (1 + (p["EC"] / Ca_SR) ** 2)
    k1, k2 = p["k1_prime"] / kcasr, p["k2_prime"] * kcasr
    O = k1 * Ca_ss**2 * R_prime / (p["k3"] + k1 * Ca_ss**2)  # noqa: E741 - the paper's name of the open probability
    i_rel = p["V_rel"] * O * (Ca_SR - Ca_ss)
    free_i = 1 / (1 + p["Buf_c"] * p["K_buf_c"] / (Ca_i + p["K_buf_c"]) ** 2)
    free_SR = 1 / (1 + p["Buf_sr"] * p["K_buf_sr"] / (Ca_SR + p["K_buf_sr"]) ** 2)
    free_ss = 1 / (1 + p["Buf_ss"] * p["K_buf_ss"] / (Ca_ss + p["K_buf_ss"]) ** 2)
    V_c, V_sr, V_ss, Cm, F = p["V_c"], p["V_sr"], p["V_ss"], p["Cm"], p["F"]
    d["R_prime"] = -k2 * Ca_ss * R_prime + p["k4"] * (1 - R_prime)
    d["Ca_i"] = free_i * (
        (i_leak - i_up) * V_sr / V_c + i_xfer - (i["i_bCa"] + i["i_pCa"] - 2 * i["i_NaCa"]) * Cm / (2 * V_c * F)
    )
    d["Ca_SR"] = free_SR * (i_up - i_rel - i_leak)
    d["Ca_ss"] = free_ss * (-i["i_CaL"] * Cm / (2 * V_ss * F) + i_rel * V_sr / V_ss - i_xfer * V_c / V_ss)
    d["Na_i"] = -(i["i_Na"] + i["i_bNa"] + 3 * i["i_NaK"] + 3 * i["i_NaCa"]) * Cm / (V_c * F)
    potassium = i["i_K1"] + i["i_to"] + i["i_Kr"] + i["i_Ks"] + i["i_pK"] - 2 * i["i_NaK"]
    d["K_i"] = -(potassium - (stimulus if stimulus_moves_potassium else 0.0)) * Cm / (V_c * F)
    d["V"] = stimulus - sum(i.values())
    return np.array([d[name] + np.zeros_like(s["V"]) for name in STATES])


def step(
    state: Array,
    kinds: Array,
    dt: float,
    stimulus: Array | float = 0.0,
    *,
    scheme: Scheme = "lightweight_rush_larsen",
    stimulus_moves_potassium: bool = False,
    changes: Changes = NONE,
) -> Array:
    """The state after dt [ms].

    Gates of the scheme follow w_inf + (w − w_inf)·exp(−dt/tau), which is exact for fixed voltage (thesis, eq.
    3.21); everything else takes a forward Euler step. Lightweight Rush-Larsen does so for m alone, the only stiff gate.
    """
    new = state + dt * rates(state, kinds, stimulus, stimulus_moves_potassium=stimulus_moves_potassium, changes=changes)
    if _EXPONENTIAL[scheme]:
        limits = gate_limits(state[STATES.index("V")], state[STATES.index("Ca_ss")], kinds)
        for gate in _EXPONENTIAL[scheme]:
            k, (limit, tau) = STATES.index(gate), limits[gate]
            new[k] = limit + (state[k] - limit) * exp(-dt / tau)
    return new
