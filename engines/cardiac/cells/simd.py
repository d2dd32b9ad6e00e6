"""One lightweight Rush-Larsen step of TT06 for one vector of cells: the CPU twin of ``tt06.cu``.

The two tell the model in the same order with the same names. Against the published form (``reference.py``)
three things are rearranged, all of them equal in exact arithmetic:

- exponentials of V that are powers of each other are computed once (thesis, 5.4.4): ``b60 = exp(V/60)``,
  ``i60 = exp(−V/60)``, ``a7 = exp(V/7)``;
- a gate's rate of change (w_inf − w)/tau with w_inf = N/D and tau = T/S is ``(N − w·D)·S/(D·T)``: one division,
  not three;
- the driving force of i_CaL is written with φ(z) = z/(eᶻ − 1), which near z = 0 is its Bernoulli series, so that
  V = 15 mV is a voltage like any other.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as numba_intrinsic

from engines.backend.vector_math import (
    Lanes,
    all_lanes,
    any_lane,
    exp,
    load_row,
    log,
    lookup,
    select,
    splat,
    sqrt,
    store_row,
)
from engines.cardiac.cells import constants as c

intrinsic: Any = numba_intrinsic
COLUMNS = tuple(name for name in dir(c) if name.startswith("T_"))
"""Names of the columns that every table of kinds has, in no order."""
FIELDS: tuple[str, ...] = (*COLUMNS, *c.VARYING)
Constants: Any = namedtuple("Constants", FIELDS)  # type: ignore[misc]  # the names are made of the constants' own
"""Numbers of the cells of one vector: one for all of them, or a vector where kinds differ."""


class Powers(NamedTuple):
    """Powers of exponentials of V: a7 = exp(V/7), b5 = exp(V/5), b7h = exp(V/7.5), i5 = exp(−V/5) …"""

    a7: Any
    a14: Any
    b5: Any
    b6: Any
    b7h: Any
    b10: Any
    b15: Any
    b20: Any
    b24: Any
    i5: Any
    i6: Any
    i10: Any
    i20: Any


@intrinsic(prefer_literal=True)
def constants_of(typingctx: Any, varied: Any, like: Any, table: Any, kinds: Any, first: Any, uniform: Any) -> Any:
    """The :class:`Constants` of a vector of cells.

    varied: a literal mask, bit k set if constant k of :data:`c.VARYING` is a column of the table; those columns follow
    the ``T_…`` in the order of the bits. table: (columns, kinds); kinds: vector of rows; first: the first cell's;
    uniform: whether all are of that kind.
    """
    if not isinstance(varied, types.IntegerLiteral) or not isinstance(like, Lanes):
        return None
    columns = {name: getattr(c, name) for name in COLUMNS}
    for bit, name in enumerate(c.VARYING):
        if varied.literal_value >> bit & 1:
            columns[name] = len(columns)
    kept = [like if name in columns else types.float64 for name in FIELDS]
    result = types.NamedTuple(kept, Constants)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _, like_value, *given = args
        values = []
        for name in FIELDS:
            if name in columns:
                call = like(like, sig.args[2], types.intp, *sig.args[3:])
                column = context.get_constant(types.intp, columns[name])
                arguments = (like_value, given[0], column, *given[1:])
                values.append(context.compile_internal(builder, lookup, call, arguments))
            else:
                values.append(context.get_constant(types.float64, c.DEFAULTS[name]))
        return context.make_tuple(builder, result, values)

    return result(varied, like, table, kinds, first, uniform), codegen


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
        rate_j = select(low, rate_j, 0.6 * exp(0.057 * V) / (1.0 + c.E_JH * i10))
    return rate_h, rate_j


@njit(forceinline=True)
def goldman(z: Any, e: Any) -> Any:
    """z/(eᶻ − 1), e = eᶻ; 1 at z = 0 (series of Bernoulli numbers up to z¹⁴, error 1e-16 at |z| = ½)."""
    y = z * z
    b = y * (1 / 74724249600) - 691 / 1307674368000
    b = b * y + 1 / 47900160
    b = b * y - 1 / 1209600
    b = b * y + 1 / 30240
    b = b * y - 1 / 720
    b = b * y + 1 / 12
    near = y < 0.25
    return select(near, 1.0 - 0.5 * z + b * y, z / select(near, 1.0, e - 1.0))


@njit(forceinline=True)
def _powers(V: Any) -> Any:
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
    return Powers(a7, a14, b5, b6, b7h, b10, b15, b20, b24, i5, i6, i10, i20)


@njit(forceinline=True)
def _rectifier_gates(states: Any, i: int, V: Any, powers: Any, dt: Any) -> Any:
    """Gates of the rapid and slow delayed rectifier before the step; they are stored as after it."""
    Xr1, Xr2, Xs = load_row(states, c.ROW_XR1, i), load_row(states, c.ROW_XR2, i), load_row(states, c.ROW_XS, i)
    rate = (1.0 + c.E_XR1A * powers.i10) * (1.0 + c.E_XR1B * exp(V * (1 / 11.5)))
    store_row(states, c.ROW_XR1, i, Xr1 + dt * gate(Xr1, powers.a7, powers.a7 + c.E_XR1, rate, 2700.0))
    rate = (1.0 + c.E_3 * powers.i20) * (1.0 + c.E_3 * powers.b20)
    store_row(states, c.ROW_XR2, i, Xr2 + dt * gate(Xr2, 1.0, 1.0 + c.E_XR2 * powers.b24, rate, 3.36))
    rate = sqrt(1.0 + c.E_XSA * powers.i6) * (1.0 + c.E_XSB * powers.b15)
    store_row(states, c.ROW_XS, i, Xs + dt * gate(Xs, powers.a14, powers.a14 + c.E_XS, rate, 1400.0 + 80.0 * rate))
    return Xr1, Xr2, Xs


@njit(forceinline=True)
def _sodium_gates(states: Any, i: int, V: Any, powers: Any, dt: Any) -> Any:
    """Of the fast sodium current: m by its exponential, h and j by forward Euler."""
    m, h, j = load_row(states, c.ROW_M, i), load_row(states, c.ROW_H, i), load_row(states, c.ROW_J, i)
    e = exp(V * (1 / 9.03))
    m_root = e / (e + c.E_M)
    m_inf = m_root * m_root
    closing, drift = 1.0 + c.E_MB * powers.b5, 1.0 + c.E_MC * exp(V * (1 / 200))
    rate = (1.0 + c.E_MA * powers.i5) * closing * drift * 10.0 / (closing + drift)
    store_row(states, c.ROW_M, i, m_inf + (m - m_inf) * exp(-dt * rate))
    root = 1.0 + c.E_H * exp(V * (1 / 7.43))
    h_inf = 1.0 / (root * root)
    rate_h, rate_j = sodium_inactivation_rates(V, powers.i10)
    store_row(states, c.ROW_H, i, h + dt * (h_inf - h) * rate_h)
    store_row(states, c.ROW_J, i, j + dt * (h_inf - j) * rate_j)
    return m, h, j


@njit(forceinline=True)
def _calcium_gates(states: Any, i: int, V: Any, Ca_ss: Any, powers: Any, dt: Any) -> Any:
    """Of the L-type calcium current."""
    d, f, f2 = load_row(states, c.ROW_D, i), load_row(states, c.ROW_F, i), load_row(states, c.ROW_F2, i)
    fCass = load_row(states, c.ROW_FCASS, i)
    e = exp(V * (1 / 13))
    d1 = (e + c.E_DA) * (1.0 + c.E_DB * powers.b5)
    d2 = 1.0 + c.E_DC * powers.i20
    t = 1.4 * (1.65 * e + 0.25 * c.E_DA) * d2 + d1
    store_row(states, c.ROW_D, i, d + dt * gate(d, powers.b7h, powers.b7h + c.E_D, d1 * d2, t))
    g = exp((V + 27.0) * (V + 27.0) * (-1 / 3600))
    g3 = g * g * g
    g15 = g3 * g3 * g3 * g3 * g3
    d1, d2 = 1.0 + c.E_FA * powers.i10, 1.0 + c.E_FB * powers.b10
    t = (1102.5 * g15 * g + 20.0) * (d1 * d2) + 200.0 * d2 + 180.0 * d1
    store_row(states, c.ROW_F, i, f + dt * gate(f, 1.0, 1.0 + c.E_F * powers.a7, d1 * d2, t))
    d1 = 1.0 + c.E_F2A * powers.i10
    d0 = 1.0 + c.E_F2 * powers.a7
    t = 562.0 * g15 * (d1 * d2) + 31.0 * d2 + 80.0 * d1
    store_row(states, c.ROW_F2, i, f2 + dt * gate(f2, 0.67 + 0.33 * d0, d0, d1 * d2, t))
    d0 = 1.0 + Ca_ss * Ca_ss * 400.0
    store_row(states, c.ROW_FCASS, i, fCass + dt * (0.6 + (0.4 - fCass) * d0) / (80.0 + 2.0 * d0))
    return d, f, f2, fCass


@njit(forceinline=True)
def _outward_gates(states: Any, i: int, V: Any, powers: Any, p: Any, dt: Any) -> Any:
    """Of the transient outward current."""
    s, r = load_row(states, c.ROW_S, i), load_row(states, c.ROW_R, i)
    centred = V - p.T_S_CENTRE
    g = exp(-(centred * centred * p.T_S_WIDTH))
    d1 = 1.0 + c.E_S * powers.b5
    tau = (p.T_S_HEIGHT * g + p.T_S_FLOOR) * d1
    tau = tau + p.T_S_STEP
    store_row(states, c.ROW_S, i, s + dt * gate(s, 1.0, 1.0 + p.T_S_INF * powers.b5, d1, tau))
    tau = 9.5 * exp((V + 40.0) * (V + 40.0) * (-1 / 1800)) + 0.8
    store_row(states, c.ROW_R, i, r + dt * gate(r, powers.b6, powers.b6 + c.E_R, 1.0, tau))
    return s, r


@njit(forceinline=True)
def _potassium_currents(V: Any, V_K: Any, V_Ks: Any, rectifier: Any, outward: Any, p: Any) -> Any:
    """i_K1, i_Kr, i_Ks, i_to, i_pK [pA/pF] by the gates before the step."""
    (Xr1, Xr2, Xs), (s, r) = rectifier, outward
    k = exp(0.02 * V_K)
    k2 = k * k
    y = 0.0002 * (V_K + 100.0)  # at most 0.05 in a living cell: Taylor is exp to 2e-13
    small = 1.0 + y * (1.0 + y * (1 / 2 + y * (1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720))))))
    opening = 0.1 * (1.0 + exp(-0.5 * V_K))
    closing = (3.0 * small + c.E_K1B * (k2 * k2 * k)) * (1.0 + c.E_K1A * (k2 * k))
    i_K1 = p.G_K1 * V_K * opening / (opening + closing)
    i_Kr = p.G_KR * Xr1 * Xr2 * V_K
    i_Ks = p.T_G_KS * Xs * Xs * V_Ks
    i_to = p.T_G_TO * r * s * V_K
    e = exp(V * (1 / 5.98))
    i_pK = p.G_PK * V_K * e / (e + c.E_PK)
    return i_K1, i_Kr, i_Ks, i_to, i_pK


@njit(forceinline=True)
def _sodium_and_calcium_currents(
    V: Any, V_Na: Any, V_Ca: Any, Na_i: Any, Ca_i: Any, Ca_ss: Any, sodium: Any, calcium: Any, p: Any
) -> Any:
    """i_CaL, i_Na, i_bNa, i_bCa, i_pCa, pump i_NaK and exchanger i_NaCa [pA/pF] by the gates before the step."""
    (m, h, j), (d, f, f2, fCass) = sodium, calcium
    u = exp(V * (0.1 / c.RTF))
    u2 = u * u
    u4 = u2 * u2
    u5 = u4 * u
    u10 = u5 * u5
    z = (V - 15.0) * (2 / c.RTF)
    phi = goldman(z, u10 * u10 * c.E_CAL)
    i_CaL = p.G_CAL_2F * d * f * f2 * fCass * (0.25 * Ca_ss * (phi + z) - p.CA_O * phi)
    i_Na = p.G_NA * m * m * m * h * j * V_Na
    i_bNa = p.G_BNA * V_Na
    i_bCa = p.G_BCA * V_Ca
    i_pCa = p.G_PCA * Ca_i / (Ca_i + c.K_PCA)
    i_NaK = p.NAK_MAX * Na_i * u10 / ((u10 + 0.1245 * (u5 * u4) + 0.0353) * (Na_i + c.K_MNA))
    e = exp(V * (c.GAMMA / c.RTF))
    i_NaCa = p.NACA_MAX * e * (Na_i * Na_i * Na_i * p.CA_O * u10 - p.NACA_OUT * Ca_i) / (u10 + c.K_SAT * e)
    return i_CaL, i_Na, i_bNa, i_bCa, i_pCa, i_NaK, i_NaCa


@njit(forceinline=True)
def _store_calcium(
    states: Any, i: int, Ca_i: Any, Ca_ss: Any, dSR: Any, i_CaL: Any, through_membrane: Any, p: Any, dt: Any
) -> None:
    """Calcium of cytosol, reticulum and subspace, and R' of its release, as after the step.

    dSR: Ca_SR less its offset [mM]; through_membrane: i_bCa + i_pCa − 2 i_NaCa [pA/pF].
    """
    Ca_SR = dSR + p.T_CA_SR
    R_prime = load_row(states, c.ROW_R_PRIME, i)
    Ca2 = Ca_i * Ca_i
    i_up = p.VMAX_UP * Ca2 / (Ca2 + c.K_UP2)
    i_leak = p.V_LEAK * (Ca_SR - Ca_i)
    i_xfer = p.V_XFER * (Ca_ss - Ca_i)
    n = c.MIN_SR * (Ca_SR * Ca_SR) + c.MAX_SR * c.EC2  # kcasr = n/d0
    d0 = Ca_SR * Ca_SR + c.EC2
    w = c.K1_PRIME * d0 * (Ca_ss * Ca_ss)
    i_rel = p.V_REL * w * R_prime * (Ca_SR - Ca_ss) / (c.K3 * n + w)
    store_row(states, c.ROW_R_PRIME, i, R_prime + dt * (c.K4 * (1.0 - R_prime) - c.K2_PRIME * Ca_ss * R_prime * n / d0))
    x = (Ca_i + c.K_BUF_C) * (Ca_i + c.K_BUF_C)
    flux = (i_leak - i_up) * c.SR_C + i_xfer - through_membrane * (0.5 * c.CM_VCF)
    store_row(states, c.ROW_CA_I, i, Ca_i + dt * flux * x / (x + c.BUF_C))
    x = (Ca_SR + c.K_BUF_SR) * (Ca_SR + c.K_BUF_SR)
    store_row(states, c.ROW_CA_SR, i, dSR + dt * (i_up - i_rel - i_leak) * x / (x + c.BUF_SR))
    x = (Ca_ss + c.K_BUF_SS) * (Ca_ss + c.K_BUF_SS)
    flux = i_rel * c.SR_SS - i_xfer * c.C_SS - i_CaL * c.CM_2VSSF
    store_row(states, c.ROW_CA_SS, i, Ca_ss + dt * flux * x / (x + c.BUF_SS))


@njit(forceinline=True)
def step_vector(states: Any, i: int, V: Any, p: Any, stimulus: Any, potassium_share: Any, dt: Any) -> Any:
    """Step the cells of one vector from index i on; writes their states, returns their voltage after dt.

    Gates as told above, concentrations by forward Euler, V ← V + dt (stimulus − Σ currents); every current by the
    states before the step. 18 states of each cell are read and written once, the voltage stays in a register.

    states: (18, n_padded) as stored; V: vector [mV]; p: what :func:`constants_of` gives; stimulus: vector [pA/pF];
    potassium_share: 1 where the stimulus is a potassium current (single-cell protocol), else 0; dt [ms].
    """
    powers = _powers(V)
    rectifier = _rectifier_gates(states, i, V, powers, dt)
    sodium_gates = _sodium_gates(states, i, V, powers, dt)
    Ca_ss = load_row(states, c.ROW_CA_SS, i)
    calcium_gates = _calcium_gates(states, i, V, Ca_ss, powers, dt)
    outward = _outward_gates(states, i, V, powers, p, dt)

    # Reversal potentials
    dNa, dK = load_row(states, c.ROW_NA_I, i), load_row(states, c.ROW_K_I, i)
    dSR, Ca_i = load_row(states, c.ROW_CA_SR, i), load_row(states, c.ROW_CA_I, i)
    Na_i = dNa + p.T_NA
    K_i = dK + p.T_K
    V_Na = V - c.RTF * (p.LOG_NA_O - log(Na_i))
    V_K = V - c.RTF * (p.LOG_K_O - log(K_i))
    V_Ks = V - c.RTF * (p.LOG_KS_O - log(K_i + c.P_KNA * Na_i))
    V_Ca = V - (0.5 * c.RTF) * (p.LOG_CA_O - log(Ca_i))

    # Currents
    i_K1, i_Kr, i_Ks, i_to, i_pK = _potassium_currents(V, V_K, V_Ks, rectifier, outward, p)
    i_CaL, i_Na, i_bNa, i_bCa, i_pCa, i_NaK, i_NaCa = _sodium_and_calcium_currents(
        V, V_Na, V_Ca, Na_i, Ca_i, Ca_ss, sodium_gates, calcium_gates, p
    )  # fmt: skip
    _store_calcium(states, i, Ca_i, Ca_ss, dSR, i_CaL, i_bCa + i_pCa - 2.0 * i_NaCa, p, dt)

    # Sodium, potassium, voltage
    sodium = i_Na + i_bNa + 3.0 * (i_NaK + i_NaCa)
    potassium = i_K1 + i_to + i_Kr + i_Ks + i_pK - 2.0 * i_NaK
    store_row(states, c.ROW_NA_I, i, dNa - dt * sodium * c.CM_VCF)
    store_row(states, c.ROW_K_I, i, dK - dt * (potassium - potassium_share * stimulus) * c.CM_VCF)
    total = i_K1 + i_to + i_Kr + i_Ks + i_pK + i_Na + i_bNa + i_bCa + i_CaL + i_NaK + i_NaCa + i_pCa
    return V + dt * (stimulus - total)
