"""Typed synapses for the tests."""

from __future__ import annotations

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
