"""Typed neurons for the tests: of each published model, and of every function."""

from engines.spiking.parameters.equations import OwnNeuron


def numbers(**given):
    """name=(value, unit)"""
    return [{"name": name, "value": value, "unit": unit} for name, (value, unit) in given.items()]


LIF = {
    "lines": [
        "dv/dt = (E_L - v + g_e + g_i)/tau_m : volt (unless refractory)",
        "dg_e/dt = -g_e/tau_e : volt",
        "dg_i/dt = -g_i/tau_i : volt",
    ],
    "excitatory": "g_e += weight",
    "inhibitory": "g_i -= weight",
    "parameters": numbers(
        tau_m=(20.0, "ms"), E_L=(-49.0, "mV"), V_th=(-50.0, "mV"), V_r=(-60.0, "mV"), tau_e=(5.0, "ms"),
        tau_i=(10.0, "ms"),
    ),
}  # fmt: skip
CONDUCTANCES = {
    "lines": [
        "dv/dt = (E_L + (g_e*E_e + g_i*E_i) - ((1 + g_e) + g_i)*v)/tau_m : volt (unless refractory)",
        "dg_e/dt = -g_e/tau_e : 1",
        "dg_i/dt = -g_i/tau_i : 1",
    ],
    "parameters": numbers(
        tau_m=(20.0, "ms"), E_L=(-40.0, "mV"), V_th=(-50.0, "mV"), V_r=(-60.0, "mV"), tau_e=(5.0, "ms"),
        tau_i=(10.0, "ms"), E_e=(0.0, "mV"), E_i=(-80.0, "mV"),
    ),
}  # fmt: skip
IZHIKEVICH = {
    "lines": [
        "dv/dt = 0.04*v**2/(mV*ms) + 5*v/ms + 140*mV/ms - u + I + I_ext/pA*mV/ms : volt",
        "du/dt = a*(b*v - u) : volt/second",
    ],
    "threshold": "v >= 30*mV", "reset": "v = c; u += d", "refractory": "", "starts": "u = b*v",
    "excitatory": "v += weight", "inhibitory": "v -= weight",
    "parameters": numbers(
        a=(0.02, "1/ms"), b=(0.2, "1/ms"), c=(-65.0, "mV"), d=(8.0, "mV/ms"), I=(10.0, "mV/ms")
    ),
}  # fmt: skip
ADAPTIVE = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) + g_L*D_T*exp((v - V_T)/D_T) - w + I_ext + s_e*(E_e - v))/C : volt",
        "dw/dt = (a*(v - E_L) - w)/tau_w : amp",
        "ds_e/dt = -s_e/tau_e : siemens",
    ],
    "threshold": "v > V_peak", "reset": "v = V_r; w += b", "refractory": "", "excitatory": "s_e += weight",
    "inhibitory": "",
    "parameters": numbers(
        C=(281.0, "pF"), g_L=(30.0, "nS"), E_L=(-70.6, "mV"), V_T=(-50.4, "mV"), D_T=(2.0, "mV"), V_peak=(0.0, "mV"),
        V_r=(-70.6, "mV"), tau_w=(144.0, "ms"), a=(4.0, "nS"), b=(80.5, "pA"), E_e=(0.0, "mV"), tau_e=(5.0, "ms"),
    ),
}  # fmt: skip
CHANNELS = {
    "lines": [
        "dv/dt = (g_L*(E_L - v) - g_na*m**3*h*(v - E_na) - g_k*n**4*(v - E_k) + I_ext",
        "  + g_e*(E_e - v) + g_i*(E_i - v))/C : volt",
        "dm/dt = a_m*(1 - m) - b_m*m : 1",
        "dh/dt = a_h*(1 - h) - b_h*h : 1",
        "dn/dt = a_n*(1 - n) - b_n*n : 1",
        "dg_e/dt = -g_e/tau_e : siemens",
        "dg_i/dt = -g_i/tau_i : siemens",
        "a_m = 0.32*(13*mV - x)/(exp((13*mV - x)/(4*mV)) - 1)/mV/ms : hertz",
        "b_m = 0.28*(x - 40*mV)/(exp((x - 40*mV)/(5*mV)) - 1)/mV/ms : hertz",
        "a_h = 0.128*exp((17*mV - x)/(18*mV))/ms : hertz",
        "b_h = 4/(1 + exp((40*mV - x)/(5*mV)))/ms : hertz",
        "a_n = 0.032*5/exprel((15*mV - x)/(5*mV))/ms : hertz",
        "b_n = 0.5*exp((10*mV - x)/(40*mV))/ms : hertz",
        "x = v - V_T : volt",
        "g_L : siemens (constant)",
    ],
    "threshold": "v > -20*mV", "reset": "", "refractory": "v > -20*mV",
    "starts": "m = a_m/(a_m + b_m); h = a_h/(a_h + b_h); n = a_n/(a_n + b_n)",
    "parameters": numbers(
        g_L=(10.0, "nS"), E_L=(-60.0, "mV"), g_na=(20.0, "usiemens"), E_na=(50.0, "mV"), g_k=(6.0, "uS"),
        E_k=(-90.0, "mV"), C=(200.0, "pF"), V_T=(-63.0, "mV"), E_e=(0.0, "mV"), E_i=(-80.0, "mV"), tau_e=(5.0, "ms"),
        tau_i=(10.0, "ms"),
    ),
}  # fmt: skip
FUNCTIONS = {
    "lines": [
        "dv/dt = (-v + sin(2*pi*f*t)*5 + where(p > 0.5 and not q > 0.2, tanh(v), atan(q)) + i/N)/ms : 1",
        "dp/dt = (exp(-q**2) - p + log(1 + p**2) + sqrt(abs(v)) + min(p, q, 2) - max(p, 0.3))/ms : 1",
        "dq/dt = (cosh(0.1*q) - 1.5 - q + sinh(0.2*v) + log10(2 + q**2) + 0.1*tan(0.2*p) + cos(v) + clip(v, -1, 1)"
        " + abs(p)**1.7 + (1 if v < 0 else exprel(p)) + int(v > p))/ms : 1",
    ],
    "threshold": "v > 0.9 and q < 3", "reset": "v = -0.5*v; q *= 0.5; p -= 0.1*v", "refractory": "tau",
    "starts": "p = i/N",
    "excitatory": "p += weight; q += 0.2*k*weight", "inhibitory": "p -= weight",
    "parameters": numbers(f=(50.0, "Hz"), tau=(0.7, "ms"), k=(0.7, "1")),
}  # fmt: skip
RESTING = {
    "lines": [
        "dv/dt = (E_L - v + R*w)/tau_m : volt (unless refractory)",
        "dw/dt = (a*(v - E_L) - w + I_ext)/tau_w : amp",
    ],
    "reset": "v = V_r; w -= b", "excitatory": "v += weight", "inhibitory": "v -= weight",
    "parameters": numbers(
        tau_m=(10.0, "ms"), E_L=(-60.0, "mV"), V_th=(-55.0, "mV"), V_r=(-62.0, "mV"), R=(0.1, "Gohm"), a=(2.0, "nS"),
        tau_w=(100.0, "ms"), b=(20.0, "pA"),
    ),
}  # fmt: skip
MODELS = {
    "lif": LIF, "conductances": CONDUCTANCES, "izhikevich": IZHIKEVICH, "adaptive": ADAPTIVE, "channels": CHANNELS,
    "functions": FUNCTIONS, "resting": RESTING,
}  # fmt: skip
METHODS = {
    "lif": "exact", "conductances": "exponential euler", "izhikevich": "euler", "adaptive": "euler",
    "channels": "exponential euler", "functions": "euler", "resting": "exact",
}  # fmt: skip
"""That are taken where nobody chooses."""


def neuron(given, **more):
    return OwnNeuron.model_validate({"kind": "own equations", **given, **more})


def with_numbers(given, **values):
    """The model with other values of parameters, in their units."""
    rows = [{**each, "value": values.get(each["name"], each["value"])} for each in given["parameters"]]
    return {**given, "parameters": rows}
