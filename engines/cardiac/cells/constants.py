"""Numbers of the TT06 kernels, folded from the parameters: one source for the CPU and the CUDA code.

``simd.py`` reads the module, ``tt06.cu`` includes ``tt06_constants.cuh``, which ``python -m
engines.cardiac.cells.constants`` writes from it (a test compares). Names: ``E_…`` are the constant factors of
exponentials whose variable factor several gates share; ``T_…`` are columns of the table of cell types.
"""

from __future__ import annotations

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


# Membrane
RTF = _p["R"] * _p["T"] / _p["F"]
FARADAY = _p["F"]
K_O, NA_O, CA_O, P_KNA = _p["K_o"], _p["Na_o"], _p["Ca_o"], _p["P_kna"]
LOG_NA_O, LOG_K_O, LOG_CA_O = log(NA_O), log(K_O), log(CA_O)
LOG_KS_O = log(K_O + P_KNA * NA_O)
G_K1, G_KR = _p["g_K1"] * (K_O / 5.4) ** 0.5, _p["g_Kr"] * (K_O / 5.4) ** 0.5
G_NA, G_BNA, G_BCA, G_PCA, G_PK = _p["g_Na"], _p["g_bna"], _p["g_bca"], _p["g_pCa"], _p["g_pK"]
G_CAL_2F = _p["g_CaL"] * 2 * FARADAY
K_PCA, K_MNA = _p["K_pCa"], _p["K_mNa"]
NAK_MAX = _p["P_NaK"] * K_O / (K_O + _p["K_mk"])
NACA_MAX = _p["K_NaCa"] / ((_p["Km_Nai"] ** 3 + NA_O**3) * (_p["Km_Ca"] + CA_O))
NACA_OUT = NA_O**3 * _p["alpha"]
GAMMA, K_SAT = _p["gamma"], _p["K_sat"]

# Calcium handling; buffers are K and B·K of 1/(1 + B·K/(c + K)²)
VMAX_UP, K_UP2, V_LEAK, V_XFER, V_REL = _p["Vmax_up"], _p["K_up"] ** 2, _p["V_leak"], _p["V_xfer"], _p["V_rel"]
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
    table = constants_table()
    lines += ["", "// One row per cell type (epi, endo, M), columns T_…", "#define TYPE_TABLE \\", "    { \\"]
    for row in table:
        lines.append("        {" + ", ".join(f"REAL({value!r})" for value in row.tolist()) + "}, \\")
    return "\n".join([*lines, "    }", ""])


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
