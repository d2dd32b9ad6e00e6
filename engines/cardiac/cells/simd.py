"""One lightweight Rush-Larsen step of TT06 for one vector of cells: the CPU twin of ``tt06.cu``.

The two tell the model in the same order with the same names. Against the published form (``reference.py``)
three things are rearranged, all of them equal in exact arithmetic:

- exponentials of V that are powers of each other are computed once (thesis, 5.4.4): ``b60 = exp(V/60)``, ``a7 = exp(V/7)``;
- a gate's rate of change (w_inf − w)/tau with w_inf = N/D and tau = T/S is ``(N − w·D)·S/(D·T)``: one division, not three;
- the driving force of i_CaL is written with φ(z) = z/(eᶻ − 1), which near z = 0 is its Bernoulli series, so that
  V = 15 mV is a voltage like any other.
"""

from __future__ import annotations

from math import exp as const
from math import log as const_log
from typing import Any

from numba import njit

from engines.backend.vector_math import all_lanes, any_lane, exp, load_row, log, select, splat, sqrt, store_row
from engines.cardiac.cells.tt06 import COMMON, ROWS, TYPE_CONSTANTS

# Numba freezes module globals into the code, so these cost nothing at run time.
XR1, XR2, XS, M, H, J, D, F, F2, FCASS, S, R, CA_I, CA_SR, CA_SS, R_PRIME, NA_I, K_I = (
    ROWS.index(name)
    for name in (
        "Xr1", "Xr2", "Xs", "m", "h", "j", "d", "f", "f2", "fCass", "s", "r",
        "Ca_i", "Ca_SR", "Ca_ss", "R_prime", "Na_i", "K_i",
    )
)  # fmt: skip
T_G_KS, T_G_TO, T_S_INF, T_S_HEIGHT, T_S_CENTRE, T_S_WIDTH, T_S_STEP, T_S_FLOOR, T_NA, T_K, T_CA_SR = range(
    len(TYPE_CONSTANTS)
)
EPI, ENDO, MID = 0, 1, 2

p = COMMON
RTF = p["R"] * p["T"] / p["F"]
FARADAY = p["F"]
K_O, NA_O, CA_O, P_KNA = p["K_o"], p["Na_o"], p["Ca_o"], p["P_kna"]
LOG_NA_O, LOG_K_O, LOG_CA_O = const_log(NA_O), const_log(K_O), const_log(CA_O)
LOG_KS_O = const_log(K_O + P_KNA * NA_O)
G_K1, G_KR = p["g_K1"] * (K_O / 5.4) ** 0.5, p["g_Kr"] * (K_O / 5.4) ** 0.5
G_NA, G_BNA, G_BCA, G_PCA, G_PK = p["g_Na"], p["g_bna"], p["g_bca"], p["g_pCa"], p["g_pK"]
G_CAL_2F = p["g_CaL"] * 2 * FARADAY
K_PCA, K_MNA = p["K_pCa"], p["K_mNa"]
NAK_MAX = p["P_NaK"] * K_O / (K_O + p["K_mk"])
NACA_MAX = p["K_NaCa"] / ((p["Km_Nai"] ** 3 + NA_O**3) * (p["Km_Ca"] + CA_O))
NACA_OUT = NA_O**3 * p["alpha"]
GAMMA, K_SAT = p["gamma"], p["K_sat"]
VMAX_UP, K_UP2, V_LEAK, V_XFER, V_REL = p["Vmax_up"], p["K_up"] ** 2, p["V_leak"], p["V_xfer"], p["V_rel"]
EC2, MAX_SR, MIN_SR = p["EC"] ** 2, p["max_sr"], p["min_sr"]
K1_PRIME, K2_PRIME, K3, K4 = p["k1_prime"], p["k2_prime"], p["k3"], p["k4"]
K_BUF_C, BUF_C = p["K_buf_c"], p["Buf_c"] * p["K_buf_c"]
K_BUF_SR, BUF_SR = p["K_buf_sr"], p["Buf_sr"] * p["K_buf_sr"]
K_BUF_SS, BUF_SS = p["K_buf_ss"], p["Buf_ss"] * p["K_buf_ss"]
CM_VCF = p["Cm"] / (p["V_c"] * FARADAY)
CM_2VSSF = p["Cm"] / (2 * p["V_ss"] * FARADAY)
SR_C, SR_SS, C_SS = p["V_sr"] / p["V_c"], p["V_sr"] / p["V_ss"], p["V_c"] / p["V_ss"]

E_XR1, E_XR1A, E_XR1B = const(-26 / 7), const(-45 / 10), const(30 / 11.5)
E_XR2, E_3 = const(88 / 24), const(-3)
E_XS, E_XSA, E_XSB = const(-5 / 14), const(5 / 6), const(-35 / 15)
E_M, E_MA, E_MB, E_MC = const(-56.86 / 9.03), const(-60 / 5), const(35 / 5), const(-50 / 200)
E_H = const(71.55 / 7.43)
E_JH = const(-3.2)
E_D, E_DA, E_DB, E_DC = const(-8 / 7.5), const(-35 / 13), const(5 / 5), const(50 / 20)
E_F, E_FA, E_FB = const(20 / 7), const(13 / 10), const(30 / 10)
E_F2, E_F2A = const(35 / 7), const(25 / 10)
E_S, E_R = const(-20 / 5), const(20 / 6)
E_K1A, E_K1B = const(-0.06 * 200), const(-0.1 * 10)
E_PK = const(25 / 5.98)
E_CAL = const(-2 * 15 / RTF)


@njit(forceinline=True)
def by_type(table: Any, column: int, endo: Any, mid: Any, like: Any) -> Any:
    """One constant of each lane's cell type; table: (3, 11), endo and mid: masks."""
    other = select(mid, splat(like, table[MID, column]), splat(like, table[EPI, column]))
    return select(endo, splat(like, table[ENDO, column]), other)


@njit(forceinline=True)
def gate(w: Any, n: Any, d: Any, s: Any, t: Any) -> Any:
    """(n/d − w)·s/t with one division."""
    return (n - w * d) * s / (d * t)


@njit(forceinline=True)
def sodium_inactivation_rates(V: Any, i10: Any) -> tuple[Any, Any]:
    """1/tau_h and 1/tau_j [1/ms]; a side of −40 mV that no lane is on is not computed."""
    low = V < -40.0
    rate_h, rate_j = splat(V, 0.0), splat(V, 0.0)
    if any_lane(low):
        rate_h = 0.057 * exp((V + 80.0) * (-1 / 6.8)) + 2.7 * exp(0.079 * V) + 310000.0 * exp(0.3485 * V)
        n1 = (-25428.0 * exp(0.2444 * V) - 6.948e-6 * exp(-0.04391 * V)) * (V + 37.78)
        d1 = 1.0 + exp(0.311 * (V + 79.23))
        n2 = 0.02424 * exp(-0.01052 * V)
        d2 = 1.0 + exp(-0.1378 * (V + 40.14))
        rate_j = (n1 * d2 + n2 * d1) / (d1 * d2)
    if not all_lanes(low):
        rate_h = select(low, rate_h, (0.77 / 0.13) / (1.0 + exp((V + 10.66) * (-1 / 11.1))))
        rate_j = select(low, rate_j, 0.6 * exp(0.057 * V) / (1.0 + E_JH * i10))
    return rate_h, rate_j


@njit(forceinline=True)
def goldman(z: Any, e: Any) -> Any:
    """z/(eᶻ − 1), e = eᶻ; 1 at z = 0 (series of Bernoulli numbers up to z¹⁴, error 1e-16 at |z| = ½)."""
    y = z * z
    c = y * (1 / 74724249600) - 691 / 1307674368000
    c = c * y + 1 / 47900160
    c = c * y - 1 / 1209600
    c = c * y + 1 / 30240
    c = c * y - 1 / 720
    c = c * y + 1 / 12
    near = y < 0.25
    return select(near, 1.0 - 0.5 * z + c * y, z / select(near, 1.0, e - 1.0))


@njit(forceinline=True)
def step_vector(states: Any, i: int, V: Any, kinds: Any, table: Any, stimulus: Any, potassium_share: Any, dt: Any) -> Any:
    """Step the cells of one vector from index i on; writes their states, returns their voltage after dt.

    states: (18, n_padded) as stored; V: vector [mV]; kinds: vector of cell types; stimulus: vector [pA/pF];
    potassium_share: 1 where the stimulus is a potassium current (single-cell protocol), else 0; dt [ms].
    """
    endo, mid = kinds == ENDO, kinds == MID

    # Powers of exponentials of V
    a14 = exp(V * (1 / 14))
    a7 = a14 * a14
    b120 = exp(V * (1 / 120))
    b60 = b120 * b120
    b30 = b60 * b60
    b24 = b30 * b120
    b20 = b60 * b30
    b15 = b30 * b30
    b12 = b15 * b60
    b10 = b20 * b20
    b7h = b15 * b15
    b6 = b12 * b12
    b5 = b10 * b10
    i60 = 1.0 / b60
    i30 = i60 * i60
    i20 = i60 * i30
    i12 = i30 * i30 * i60
    i10 = i20 * i20
    i6 = i12 * i12
    i5 = i10 * i10

    # Rapid and slow delayed rectifier
    Xr1, Xr2, Xs = load_row(states, XR1, i), load_row(states, XR2, i), load_row(states, XS, i)
    rate = (1.0 + E_XR1A * i10) * (1.0 + E_XR1B * exp(V * (1 / 11.5)))
    store_row(states, XR1, i, Xr1 + dt * gate(Xr1, a7, a7 + E_XR1, rate, 2700.0))
    rate = (1.0 + E_3 * i20) * (1.0 + E_3 * b20)
    store_row(states, XR2, i, Xr2 + dt * gate(Xr2, 1.0, 1.0 + E_XR2 * b24, rate, 3.36))
    rate = sqrt(1.0 + E_XSA * i6) * (1.0 + E_XSB * b15)
    store_row(states, XS, i, Xs + dt * gate(Xs, a14, a14 + E_XS, rate, 1400.0 + 80.0 * rate))

    # Fast sodium: m by its exponential, h and j by forward Euler
    m, h, j = load_row(states, M, i), load_row(states, H, i), load_row(states, J, i)
    e = exp(V * (1 / 9.03))
    m_root = e / (e + E_M)
    m_inf = m_root * m_root
    closing, drift = 1.0 + E_MB * b5, 1.0 + E_MC * exp(V * (1 / 200))
    rate = (1.0 + E_MA * i5) * closing * drift * 10.0 / (closing + drift)
    store_row(states, M, i, m_inf + (m - m_inf) * exp(-dt * rate))
    root = 1.0 + E_H * exp(V * (1 / 7.43))
    h_inf = 1.0 / (root * root)
    rate_h, rate_j = sodium_inactivation_rates(V, i10)
    store_row(states, H, i, h + dt * (h_inf - h) * rate_h)
    store_row(states, J, i, j + dt * (h_inf - j) * rate_j)

    # L-type calcium
    d, f, f2, fCass = load_row(states, D, i), load_row(states, F, i), load_row(states, F2, i), load_row(states, FCASS, i)
    Ca_ss = load_row(states, CA_SS, i)
    e = exp(V * (1 / 13))
    d1 = (e + E_DA) * (1.0 + E_DB * b5)
    d2 = 1.0 + E_DC * i20
    store_row(states, D, i, d + dt * gate(d, b7h, b7h + E_D, d1 * d2, 1.4 * (1.65 * e + 0.25 * E_DA) * d2 + d1))
    g = exp((V + 27.0) * (V + 27.0) * (-1 / 3600))
    g3 = g * g * g
    g15 = g3 * g3 * g3 * g3 * g3
    d1, d2 = 1.0 + E_FA * i10, 1.0 + E_FB * b10
    store_row(
        states, F, i,
        f + dt * gate(f, 1.0, 1.0 + E_F * a7, d1 * d2, (1102.5 * g15 * g + 20.0) * (d1 * d2) + 200.0 * d2 + 180.0 * d1),
    )  # fmt: skip
    d1 = 1.0 + E_F2A * i10
    d0 = 1.0 + E_F2 * a7
    store_row(states, F2, i, f2 + dt * gate(f2, 0.67 + 0.33 * d0, d0, d1 * d2, 562.0 * g15 * (d1 * d2) + 31.0 * d2 + 80.0 * d1))
    d0 = 1.0 + Ca_ss * Ca_ss * 400.0
    store_row(states, FCASS, i, fCass + dt * (0.6 + (0.4 - fCass) * d0) / (80.0 + 2.0 * d0))

    # Transient outward
    s, r = load_row(states, S, i), load_row(states, R, i)
    centred = V - by_type(table, T_S_CENTRE, endo, mid, V)
    g = exp(-(centred * centred * by_type(table, T_S_WIDTH, endo, mid, V)))
    d1 = 1.0 + E_S * b5
    tau = (by_type(table, T_S_HEIGHT, endo, mid, V) * g + by_type(table, T_S_FLOOR, endo, mid, V)) * d1
    tau = tau + by_type(table, T_S_STEP, endo, mid, V)
    store_row(states, S, i, s + dt * gate(s, 1.0, 1.0 + by_type(table, T_S_INF, endo, mid, V) * b5, d1, tau))
    tau = 9.5 * exp((V + 40.0) * (V + 40.0) * (-1 / 1800)) + 0.8
    store_row(states, R, i, r + dt * gate(r, b6, b6 + E_R, 1.0, tau))

    # Reversal potentials
    dNa, dK, dSR, Ca_i = load_row(states, NA_I, i), load_row(states, K_I, i), load_row(states, CA_SR, i), load_row(states, CA_I, i)
    Na_i = dNa + by_type(table, T_NA, endo, mid, V)
    K_i = dK + by_type(table, T_K, endo, mid, V)
    Ca_SR = dSR + by_type(table, T_CA_SR, endo, mid, V)
    V_Na = V - RTF * (LOG_NA_O - log(Na_i))
    V_K = V - RTF * (LOG_K_O - log(K_i))
    V_Ks = V - RTF * (LOG_KS_O - log(K_i + P_KNA * Na_i))
    V_Ca = V - (0.5 * RTF) * (LOG_CA_O - log(Ca_i))

    # Potassium currents
    k = exp(0.02 * V_K)
    k2 = k * k
    y = 0.0002 * (V_K + 100.0)  # at most 0.05 in any cell that is alive: a Taylor polynomial is exp to 2e-13
    small = 1.0 + y * (1.0 + y * (1 / 2 + y * (1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720))))))
    opening = 0.1 * (1.0 + exp(-0.5 * V_K))
    closing = (3.0 * small + E_K1B * (k2 * k2 * k)) * (1.0 + E_K1A * (k2 * k))
    i_K1 = G_K1 * V_K * opening / (opening + closing)
    i_Kr = G_KR * Xr1 * Xr2 * V_K
    i_Ks = by_type(table, T_G_KS, endo, mid, V) * Xs * Xs * V_Ks
    i_to = by_type(table, T_G_TO, endo, mid, V) * r * s * V_K
    e = exp(V * (1 / 5.98))
    i_pK = G_PK * V_K * e / (e + E_PK)

    # Sodium and calcium currents, pump and exchanger
    u = exp(V * (0.1 / RTF))
    u2 = u * u
    u4 = u2 * u2
    u5 = u4 * u
    u10 = u5 * u5
    z = (V - 15.0) * (2 / RTF)
    phi = goldman(z, u10 * u10 * E_CAL)
    i_CaL = G_CAL_2F * d * f * f2 * fCass * (0.25 * Ca_ss * (phi + z) - CA_O * phi)
    i_Na = G_NA * m * m * m * h * j * V_Na
    i_bNa = G_BNA * V_Na
    i_bCa = G_BCA * V_Ca
    i_pCa = G_PCA * Ca_i / (Ca_i + K_PCA)
    i_NaK = NAK_MAX * Na_i * u10 / ((u10 + 0.1245 * (u5 * u4) + 0.0353) * (Na_i + K_MNA))
    e = exp(V * (GAMMA / RTF))
    i_NaCa = NACA_MAX * e * (Na_i * Na_i * Na_i * CA_O * u10 - NACA_OUT * Ca_i) / (u10 + K_SAT * e)

    # Calcium handling
    R_prime = load_row(states, R_PRIME, i)
    Ca2 = Ca_i * Ca_i
    i_up = VMAX_UP * Ca2 / (Ca2 + K_UP2)
    i_leak = V_LEAK * (Ca_SR - Ca_i)
    i_xfer = V_XFER * (Ca_ss - Ca_i)
    n = MIN_SR * (Ca_SR * Ca_SR) + MAX_SR * EC2  # kcasr = n/d0
    d0 = Ca_SR * Ca_SR + EC2
    w = K1_PRIME * d0 * (Ca_ss * Ca_ss)
    i_rel = V_REL * w * R_prime * (Ca_SR - Ca_ss) / (K3 * n + w)
    store_row(states, R_PRIME, i, R_prime + dt * (K4 * (1.0 - R_prime) - K2_PRIME * Ca_ss * R_prime * n / d0))
    x = (Ca_i + K_BUF_C) * (Ca_i + K_BUF_C)
    flux = (i_leak - i_up) * SR_C + i_xfer - (i_bCa + i_pCa - 2.0 * i_NaCa) * (0.5 * CM_VCF)
    store_row(states, CA_I, i, Ca_i + dt * flux * x / (x + BUF_C))
    x = (Ca_SR + K_BUF_SR) * (Ca_SR + K_BUF_SR)
    store_row(states, CA_SR, i, dSR + dt * (i_up - i_rel - i_leak) * x / (x + BUF_SR))
    x = (Ca_ss + K_BUF_SS) * (Ca_ss + K_BUF_SS)
    flux = i_rel * SR_SS - i_xfer * C_SS - i_CaL * CM_2VSSF
    store_row(states, CA_SS, i, Ca_ss + dt * flux * x / (x + BUF_SS))

    # Sodium, potassium, voltage
    sodium = i_Na + i_bNa + 3.0 * (i_NaK + i_NaCa)
    potassium = i_K1 + i_to + i_Kr + i_Ks + i_pK - 2.0 * i_NaK
    store_row(states, NA_I, i, dNa - dt * sodium * CM_VCF)
    store_row(states, K_I, i, dK - dt * (potassium - potassium_share * stimulus) * CM_VCF)
    total = i_K1 + i_to + i_Kr + i_Ks + i_pK + i_Na + i_bNa + i_bCa + i_CaL + i_NaK + i_NaCa + i_pCa
    return V + dt * (stimulus - total)
