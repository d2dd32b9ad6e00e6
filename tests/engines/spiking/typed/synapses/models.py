"""Typed synapses for the tests."""

from tests.engines.spiking.typed.models import numbers

FIXED = {"lines": ["w : 1"], "on_pre": ["g_e_post += w*mV"], "on_post": [], "parameters": []}
STDP = {
    "lines": [
        "w : 1", "dApre/dt = -Apre/taupre : 1 (event-driven)", "dApost/dt = -Apost/taupost : 1 (event-driven)",
    ],
    "on_pre": ["g_e_post += w*mV", "Apre += dApre", "w = clip(w + Apost, 0, gmax)"],
    "on_post": ["Apost += dApost", "w = clip(w + Apre, 0, gmax)"],
    "parameters": numbers(
        taupre=(17.0, "ms"), taupost=(34.0, "ms"), gmax=(4.0, "1"), dApre=(0.2, "1"), dApost=(-0.21, "1")
    ),
}  # fmt: skip
SHORT_TERM = {
    "lines": ["w : volt", "du/dt = -u/tau_f : 1 (event-driven)", "dx/dt = (1 - x)/tau_d : 1 (event-driven)", "r : 1"],
    "on_pre": ["u += U*(1 - u)", "r = u*x", "x -= r; g_e_post += w*r"], "on_post": [],
    "starts": "w = weight; x = 1",
    "parameters": numbers(tau_f=(1500.0, "ms"), tau_d=(200.0, "ms"), U=(0.2, "1")),
}  # fmt: skip
EVERYTHING = {
    "lines": [
        "w : volt", "k : 1", "da/dt = (target - a)/tau + b*w/mV/second : 1 (event-driven)",
        "target = 0.3 + 0.1*sin(k) : 1",
    ],
    "on_pre": ["a += 0.1*exp(-a**2) + i/N_pre", "g_e_post += w*clip(a, 0, 2); g_i_post -= 0.1*w",
               "w += (0.01*mV if a > 0.5 else -0.01*mV)"],
    "on_post": ["w = clip(w - 0.001*mV*j, 0*mV, 5*mV); k += tanh(a) + t/(10*ms)", "g_e_post += 0.01*w"],
    "starts": "w = 0.5*weight; k = (i + 0.1*j)/N_post; a = 0.2",
    "parameters": numbers(tau=(30.0, "ms"), b=(0.5, "1")),
}  # fmt: skip
MODELS = {"fixed": FIXED, "stdp": STDP, "short term": SHORT_TERM, "everything": EVERYTHING}


def own(given, **more):
    return {"kind": "own equations", **given, **more}


# What is done in each step, between typed neurons.

CELL = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) + I_gap + I_nmda + I_ext)/C : volt (unless refractory)",
        "dg_e/dt = -g_e/tau_e : 1", "I_gap : amp (summed)", "I_nmda : amp (summed)",
    ],
    "threshold": "v > V_th", "reset": "v = V_r", "refractory": "2*ms", "excitatory": "g_e += weight", "inhibitory": "",
    "starts": "v = E_L + 12*mV*rand()",
    "parameters": numbers(
        g_L=(10.0, "nS"), E_L=(-65.0, "mV"), C=(200.0, "pF"), V_th=(-50.0, "mV"), V_r=(-60.0, "mV"), tau_e=(5.0, "ms")
    ),
}  # fmt: skip
GAP = {
    "lines": ["w : siemens", "I_gap_post = w*(v_pre - v_post) : amp (summed)"], "on_pre": [], "on_post": [],
    "starts": "w = weight", "parameters": [],
}  # fmt: skip
NMDA = {
    "lines": [
        "w : 1", "dx/dt = -x/tau_r : 1", "dg/dt = -g/tau_d + a*x*(1 - g) : 1 (clock-driven)",
        "block = 1/(1 + exp(-v_post/(16*mV))/3.57) : 1",
        "I_nmda_post = w*g_m*g*(0*mV - v_post)*block : amp (summed)",
    ],
    "on_pre": ["x += 1"], "on_post": [], "starts": "w = weight",
    "parameters": numbers(tau_r=(2.0, "ms"), tau_d=(100.0, "ms"), a=(0.5, "kHz"), g_m=(0.4, "nS")),
}  # fmt: skip
"""Wang (1999): channels that saturate, blocked by magnesium."""
FOLLOWING = {
    "lines": [
        "w : 1", "da/dt = (v_pre/mV - 0.5*v_post/mV - a)/tau + sin(t/(10*ms))/tau*i/N_pre : 1 (clock-driven)",
        "db/dt = (a - b)*(1 + j/N_post)/tau : 1 (clock-driven)", "dc/dt = -c/tau : 1 (event-driven)",
        "I_gap_post = w*a*pA : amp (summed)", "I_nmda_post = clip(b, -5, 5)*w*pA + 0.1*v_pre*nS : amp (summed)",
    ],
    "on_pre": ["b += 0.1*c + w; c += 1; g_e_post += w"], "on_post": ["a -= 1; c *= 0.5"],
    "starts": "w = weight*(1 + 0.1*i); a = j", "parameters": numbers(tau=(12.0, "ms")),
}  # fmt: skip
STEPPED = {"gap": (GAP, 0.3), "nmda": (NMDA, 1.0), "following": (FOLLOWING, 0.02)}
"""And a weight."""
