"""Numbers of the TT06 kernels, folded from the parameters: one source for the CPU and the CUDA code.

``simd.py`` reads the module, ``tt06.cu`` includes ``tt06_constants.cuh``, which ``python -m
engines.cardiac.cells.constants`` writes from it (a test compares). Names: ``E_…`` are the constant factors of
exponentials whose variable factor several gates share; ``T_…`` are columns of the table of kinds of cells, and
:func:`varying` are the numbers that become columns of it where kinds differ in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from pathlib import Path

from engines.cardiac.cells.tt06 import COMMON as _p
from engines.cardiac.cells.tt06 import ROWS, TYPE_CONSTANTS, constants_table

HEADER = Path(__file__).with_name("tt06_constants.cuh")

# Rows of the state array
ROW_XR1, ROW_XR2, ROW_XS, ROW_M, ROW_H, ROW_J, ROW_D, ROW_F, ROW_F2, ROW_FCASS, ROW_S, ROW_R = (
    ROWS.index(name) for name in ("Xr1", "Xr2", "Xs", "m", "h", "j", "d", "f", "f2", "fCass", "s", "r")
)
ROW_CA_I, ROW_CA_SR, ROW_CA_SS, ROW_R_PRIME, ROW_NA_I, ROW_K_I = (
    ROWS.index(name) for name in ("Ca_i", "Ca_SR", "Ca_ss", "R_prime", "Na_i", "K_i")
)

# Columns of the table of cell types, and its rows
T_G_KS, T_G_TO, T_S_INF, T_S_HEIGHT, T_S_CENTRE, T_S_WIDTH, T_S_STEP, T_S_FLOOR, T_NA, T_K, T_CA_SR = range(
    len(TYPE_CONSTANTS)
)
EPI, ENDO, MID = 0, 1, 2


def varying(p: Mapping[str, float]) -> dict[str, float]:
    """The folded constants that a modeller may change, from parameters ``p`` by name."""
    K_o, Na_o, Ca_o = p["K_o"], p["Na_o"], p["Ca_o"]
    return {
        "LOG_NA_O": log(Na_o),
        "LOG_K_O": log(K_o),
        "LOG_CA_O": log(Ca_o),
        "LOG_KS_O": log(K_o + p["P_kna"] * Na_o),
        "CA_O": Ca_o,
        "G_K1": p["g_K1"] * (K_o / 5.4) ** 0.5,
        "G_KR": p["g_Kr"] * (K_o / 5.4) ** 0.5,
        "G_NA": p["g_Na"],
        "G_BNA": p["g_bna"],
        "G_BCA": p["g_bca"],
        "G_PCA": p["g_pCa"],
        "G_PK": p["g_pK"],
        "G_CAL_2F": p["g_CaL"] * 2 * p["F"],
        "NAK_MAX": p["P_NaK"] * K_o / (K_o + p["K_mk"]),
        "NACA_MAX": p["K_NaCa"] / ((p["Km_Nai"] ** 3 + Na_o**3) * (p["Km_Ca"] + Ca_o)),
        "NACA_OUT": Na_o**3 * p["alpha"],
        "VMAX_UP": p["Vmax_up"],
        "V_LEAK": p["V_leak"],
        "V_XFER": p["V_xfer"],
        "V_REL": p["V_rel"],
    }


DEFAULTS = varying(_p)
VARYING = tuple(DEFAULTS)
"""Bit k of a mask of varied constants stands for name k."""

# Membrane
RTF = _p["R"] * _p["T"] / _p["F"]
FARADAY = _p["F"]
P_KNA = _p["P_kna"]
K_PCA, K_MNA = _p["K_pCa"], _p["K_mNa"]
GAMMA, K_SAT = _p["gamma"], _p["K_sat"]

# Calcium handling; buffers are K and B·K of 1/(1 + B·K/(c + K)²)
K_UP2 = _p["K_up"] ** 2
EC2, MAX_SR, MIN_SR = _p["EC"] ** 2, _p["max_sr"], _p["min_sr"]
K1_PRIME, K2_PRIME, K3, K4 = _p["k1_prime"], _p["k2_prime"], _p["k3"], _p["k4"]
K_BUF_C, BUF_C = _p["K_buf_c"], _p["Buf_c"] * _p["K_buf_c"]
K_BUF_SR, BUF_SR = _p["K_buf_sr"], _p["Buf_sr"] * _p["K_buf_sr"]
K_BUF_SS, BUF_SS = _p["K_buf_ss"], _p["Buf_ss"] * _p["K_buf_ss"]
CM_VCF = _p["Cm"] / (_p["V_c"] * FARADAY)
CM_2VSSF = _p["Cm"] / (2 * _p["V_ss"] * FARADAY)
SR_C, SR_SS, C_SS = _p["V_sr"] / _p["V_c"], _p["V_sr"] / _p["V_ss"], _p["V_c"] / _p["V_ss"]

# Gates
E_XR1, E_XR1A, E_XR1B = exp(-26 / 7), exp(-45 / 10), exp(30 / 11.5)
E_XR2, E_3 = exp(88 / 24), exp(-3)
E_XS, E_XSA, E_XSB = exp(-5 / 14), exp(5 / 6), exp(-35 / 15)
E_M, E_MA, E_MB, E_MC = exp(-56.86 / 9.03), exp(-60 / 5), exp(35 / 5), exp(-50 / 200)
E_H = exp(71.55 / 7.43)
E_JH = exp(-3.2)
E_D, E_DA, E_DB, E_DC = exp(-8 / 7.5), exp(-35 / 13), exp(5 / 5), exp(50 / 20)
E_F, E_FA, E_FB = exp(20 / 7), exp(13 / 10), exp(30 / 10)
E_F2, E_F2A = exp(35 / 7), exp(25 / 10)
E_S, E_R = exp(-20 / 5), exp(20 / 6)
E_K1A, E_K1B = exp(-0.06 * 200), exp(-0.1 * 10)
E_PK = exp(25 / 5.98)
E_CAL = exp(-2 * 15 / RTF)


def header() -> str:
    """Text of ``tt06_constants.cuh``."""
    lines = ["// Written from tt06.json by `python -m engines.cardiac.cells.constants`.", "#pragma once", ""]
    for name, value in globals().items():
        if name.isupper() and isinstance(value, int):
            lines.append(f"constexpr int {name} = {value};")
        elif name.isupper() and isinstance(value, float):
            lines.append(f"constexpr double {name} = {value!r};")
    lines.append(f"constexpr int N_TYPE_COLUMNS = {len(TYPE_CONSTANTS)};")
    for bit, (name, value) in enumerate(DEFAULTS.items()):
        lines.append(f"constexpr double {name} = {value!r};")
        lines.append(f"constexpr int BIT_{name} = {bit};")
    table = constants_table()
    lines += ["", "// One row per cell type (epi, endo, M), columns T_…", "#define TYPE_TABLE \\", "    { \\"]
    for row in table:
        lines.append("        {" + ", ".join(f"REAL({value!r})" for value in row.tolist()) + "}, \\")
    return "\n".join([*lines, "    }", ""])


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
