"""Texts of typed neurons to begin with: the built-in models as their papers write them, and one more.

Leaky neurons with conductances have the spikes of the built-in ones bit for bit, those with currents where their rest
is 0: the built-in ones keep voltages above it, which rounds otherwise. Of the others the built-in kernels split a step
into parts (``neurons/cpu_models.py``), which no equation of a rate says: their spikes come to the same as steps get
shorter. Sources draw in each step, which formulas do where variables begin alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.spiking.parameters.synapse_library import named_numbers

SYNAPSES = {"excitatory": "g_e += weight", "inhibitory": "g_i += weight", "starts": ""}
LEAKY: Mapping[str, Any] = {
    "lines": [
        "dv/dt = (E_L - v + g_e - g_i)/tau_m : volt (unless refractory)",
        "dg_e/dt = -g_e/tau_e : volt",
        "dg_i/dt = -g_i/tau_i : volt",
    ],
    "threshold": "v > V_th", "reset": "v = V_r", "refractory": "5*ms", **SYNAPSES,
    "parameters": named_numbers(
        tau_m=(20.0, "ms", 5.0, 50.0), E_L=(-49.0, "mV", -80.0, -40.0), V_th=(-50.0, "mV", -60.0, -40.0),
        V_r=(-60.0, "mV"), tau_e=(5.0, "ms", 1.0, 20.0), tau_i=(10.0, "ms", 1.0, 40.0),
    ),
}  # fmt: skip
"""Weights in mV, as in Brian2's CUBA."""
CONDUCTANCES: Mapping[str, Any] = {
    "lines": [
        "dv/dt = (E_L + (g_e*E_e + g_i*E_i) - ((1 + g_e) + g_i)*v)/tau_m : volt (unless refractory)",
        "dg_e/dt = -g_e/tau_e : 1",
        "dg_i/dt = -g_i/tau_i : 1",
    ],
    "threshold": "v > V_th", "reset": "v = V_r", "refractory": "5*ms", **SYNAPSES,
    "parameters": named_numbers(
        tau_m=(20.0, "ms", 5.0, 50.0), E_L=(-60.0, "mV", -80.0, -40.0), V_th=(-50.0, "mV", -60.0, -40.0),
        V_r=(-60.0, "mV"), E_e=(0.0, "mV"), E_i=(-80.0, "mV"), tau_e=(5.0, "ms", 1.0, 20.0),
        tau_i=(10.0, "ms", 1.0, 40.0),
    ),
}  # fmt: skip
"""Conductances, and weights, in that of the leak; in the order in which the built-in kernel rounds."""
IZHIKEVICH: Mapping[str, Any] = {
    "lines": [
        "dv/dt = 0.04*v**2/(mV*ms) + 5*v/ms + 140*mV/ms - u + g_e - g_i + I_ext/pA*mV/ms : volt",
        "du/dt = a*(b*v - u) : volt/second",
        "dg_e/dt = -g_e/tau_e : volt/second",
        "dg_i/dt = -g_i/tau_i : volt/second",
    ],
    "threshold": "v >= 30*mV", "reset": "v = c; u += d", "refractory": "", **SYNAPSES, "starts": "u = b*v",
    "parameters": named_numbers(
        a=(0.02, "1/ms", 0.01, 0.1), b=(0.2, "1/ms", 0.1, 0.3), c=(-65.0, "mV", -70.0, -50.0),
        d=(8.0, "mV/ms", 0.0, 10.0), tau_e=(1.0, "ms"), tau_i=(1.0, "ms"),
    ),
}  # fmt: skip
"""Izhikevich (2003)."""
ADAPTIVE: Mapping[str, Any] = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) + g_L*D_T*exp((v - V_T)/D_T) - w + I)/C : volt",
        "dw/dt = (a*(v - E_L) - w)/tau_w : amp",
        "dg_e/dt = -g_e/tau_e : siemens",
        "dg_i/dt = -g_i/tau_i : siemens",
        "I = I_ext + g_e*(E_e - v) + g_i*(E_i - v) : amp",
    ],
    "threshold": "v > V_peak", "reset": "v = V_r; w += b", "refractory": "", **SYNAPSES,
    "parameters": named_numbers(
        C=(281.0, "pF"), g_L=(30.0, "nS"), E_L=(-70.6, "mV"), V_T=(-50.4, "mV"), D_T=(2.0, "mV", 0.5, 5.0),
        V_peak=(0.0, "mV"), V_r=(-70.6, "mV", -75.0, -45.0), tau_w=(144.0, "ms", 20.0, 300.0), a=(4.0, "nS", 0.0, 20.0),
        b=(80.5, "pA", 0.0, 200.0), E_e=(0.0, "mV"), E_i=(-80.0, "mV"), tau_e=(5.0, "ms"), tau_i=(10.0, "ms"),
    ),
}  # fmt: skip
"""Brette and Gerstner (2005); weights in nS."""
CHANNELS: Mapping[str, Any] = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) - g_na*m**3*h*(v - E_na) - g_k*n**4*(v - E_k) + I)/C : volt",
        "dm/dt = a_m*(1 - m) - b_m*m : 1",
        "dh/dt = a_h*(1 - h) - b_h*h : 1",
        "dn/dt = a_n*(1 - n) - b_n*n : 1",
        "dg_e/dt = -g_e/tau_e : siemens",
        "dg_i/dt = -g_i/tau_i : siemens",
        "I = I_ext + g_e*(E_e - v) + g_i*(E_i - v) : amp",
        "x = v - V_T : volt",
        "a_m = 0.32*4/exprel((13*mV - x)/(4*mV))/ms : hertz",
        "b_m = 0.28*5/exprel((x - 40*mV)/(5*mV))/ms : hertz",
        "a_h = 0.128*exp((17*mV - x)/(18*mV))/ms : hertz",
        "b_h = 4/(1 + exp((40*mV - x)/(5*mV)))/ms : hertz",
        "a_n = 0.032*5/exprel((15*mV - x)/(5*mV))/ms : hertz",
        "b_n = 0.5*exp((10*mV - x)/(40*mV))/ms : hertz",
    ],
    "threshold": "v > V_th", "reset": "", "refractory": "v > V_th", **SYNAPSES,
    "starts": "m = a_m/(a_m + b_m); h = a_h/(a_h + b_h); n = a_n/(a_n + b_n)",
    "parameters": named_numbers(
        C=(200.0, "pF"), g_L=(10.0, "nS"), E_L=(-60.0, "mV"), g_na=(20.0, "uS", 0.0, 40.0), E_na=(50.0, "mV"),
        g_k=(6.0, "uS", 0.0, 20.0), E_k=(-90.0, "mV"), V_T=(-63.0, "mV", -70.0, -50.0), V_th=(-20.0, "mV"),
        E_e=(0.0, "mV"), E_i=(-80.0, "mV"), tau_e=(5.0, "ms"), tau_i=(10.0, "ms"),
    ),
}  # fmt: skip
"""Traub and Miles' channels, as in the benchmark of Brette and others (2007); weights in nS."""
FITZHUGH_NAGUMO: Mapping[str, Any] = {
    "lines": ["dv/dt = (v - v**3/3 - w + I + I_ext/pA)/ms : 1", "dw/dt = e*(v + a - b*w)/ms : 1"],
    "threshold": "v > 1", "reset": "", "refractory": "v > 1", "excitatory": "v += weight", "inhibitory": "v -= weight",
    "starts": "v = -1.2; w = -0.6",
    "parameters": named_numbers(
        I=(0.5, "1", 0.0, 1.5), e=(0.08, "1", 0.01, 0.2), a=(0.7, "1", 0.0, 1.0), b=(0.8, "1", 0.0, 1.0)
    ),
}  # fmt: skip
"""FitzHugh (1961)."""
AUTO = {"method": "auto"}
LIBRARY: tuple[tuple[str, Mapping[str, Any]], ...] = tuple(
    (title, {**each, **AUTO})
    for title, each in (
        ("Leaky, currents as voltages", LEAKY),
        ("Leaky, conductances", CONDUCTANCES),
        ("Izhikevich", IZHIKEVICH),
        ("Adaptive exponential (Brette, Gerstner)", ADAPTIVE),
        ("Hodgkin-Huxley (Traub, Miles)", CHANNELS),
        ("FitzHugh-Nagumo", FITZHUGH_NAGUMO),
    )
)
