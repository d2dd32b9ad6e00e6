"""Texts of typed neurons: PyNN's standard cells, with its names, units and values.

Parameters and their values: pyNN/standardmodels/cells.py (NeuralEnsemble/PyNN on GitHub); equations: its brian2 and
nest modules. ``cm`` is ``c_m`` here, as there in brian2, for a centimetre is called so. Weights are in pA, nS and mV
where PyNN has nA, µS and mV; negative ones are inhibitory, of currents and of conductances.

As in NEST, on which PyNN runs most, a neuron fires where v reaches its threshold, and is held for all of the steps of
its refractory time after that of the spike (Brian2: for one less). Currents are solved exactly; conductances and
adaptation by Runge and Kutta's method, for their synapses decay within few steps. Of ``HH_cond_exp`` PyNN leaves to the
simulator when it fires: here where v rises through v_offset + 30 mV, which NEST asks for at the top of the spike.
``SpikeSourcePoisson`` and ``SpikeSourceArray`` are built in: :mod:`engines.spiking.parameters.neurons`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.spiking.parameters.synapse_library import named_numbers

HOLDS = {"threshold": "v >= v_thresh", "reset": "v = v_reset", "refractory": "tau_refrac + dt", "starts": "v = v_rest"}
CURRENT = "I = i_offset + I_ext : amp"
"""From outside."""


def _synapses(kind: str, unit: str, alpha: bool, sign: str) -> dict[str, Any]:
    """Lines of both kinds, and what spikes do. An alpha function w e t/τ e^(−t/τ) has w e at once in a variable of its
    own, which it follows."""
    lines = []
    for side, tau in (("exc", "tau_syn_E"), ("inh", "tau_syn_I")):
        name = f"{kind}_{side}"
        if alpha:
            lines += [
                f"d{name}/dt = (exp(1)*x_{side} - {name})/{tau} : {unit}",
                f"dx_{side}/dt = -x_{side}/{tau} : {unit}",
            ]
        else:
            lines += [f"d{name}/dt = -{name}/{tau} : {unit}"]
    into = "x" if alpha else kind
    return {"lines": lines, "excitatory": f"{into}_exc += weight", "inhibitory": f"{into}_inh {sign}= weight"}


def cell_of(first: list[str], synapses: Mapping[str, Any], method: str = "auto", **more: Any) -> dict[str, Any]:
    """``first``: its lines before those of synapses; ``more``: other fields than HOLDS, and parameters."""
    fields = {name: more.pop(name) for name in HOLDS if name in more}
    lines = {"lines": [*first, *synapses["lines"], CURRENT], "method": method}
    return {**HOLDS, **synapses, **lines, **fields, "parameters": named_numbers(**more)}


LEAKY: dict[str, Any] = {
    "v_rest": (-65.0, "mV"), "c_m": (1.0, "nF"), "tau_m": (20.0, "ms", 5.0, 50.0), "tau_refrac": (0.1, "ms"),
    "v_reset": (-65.0, "mV"), "v_thresh": (-50.0, "mV"), "i_offset": (0.0, "nA", 0.0, 2.0),
}  # fmt: skip
REVERSALS: dict[str, Any] = {"e_rev_E": (0.0, "mV"), "e_rev_I": (-70.0, "mV")}
CURRENTS = ["dv/dt = (v_rest - v)/tau_m + (isyn_exc + isyn_inh + I)/c_m : volt (unless refractory)"]
GIVEN = "gsyn_exc*(e_rev_E - {v}) + gsyn_inh*(e_rev_I - {v})"
CONDUCTANCES = [f"dv/dt = (v_rest - v)/tau_m + ({GIVEN.format(v='v')} + I)/c_m : volt (unless refractory)"]
CURR_EXP, CURR_ALPHA = (_synapses("isyn", "amp", alpha, "-") for alpha in (False, True))
PULSES: Mapping[str, Any] = {"lines": [], "excitatory": "v += weight", "inhibitory": "v -= weight"}
COND_EXP, COND_ALPHA = (_synapses("gsyn", "siemens", alpha, "+") for alpha in (False, True))


def _taus(excitatory: float, inhibitory: float) -> dict[str, Any]:
    return {"tau_syn_E": (excitatory, "ms"), "tau_syn_I": (inhibitory, "ms")}


ADAPTING = [
    f"dv/dt = (c_m/tau_m*(v_rest - u + delta_T*exp((u - v_thresh)/delta_T)) + {GIVEN.format(v='u')} - w + I)/c_m "
    ": volt (unless refractory)",
    "dw/dt = (a*(u - v_rest) - w)/tau_w : amp",
    "u = min(v, v_spike) : volt",
]
"""Bounded as in NEST: what v passes v_spike by within a step moves nothing."""
ADAPTATION: Mapping[str, Any] = {
    "threshold": "v >= v_spike", "reset": "v = v_reset; w += b",
    "c_m": (0.281, "nF"), "tau_refrac": (0.1, "ms"), "v_spike": (-40.0, "mV"), "v_reset": (-70.6, "mV"),
    "v_rest": (-70.6, "mV"), "tau_m": (9.3667, "ms"), "i_offset": (0.0, "nA", 0.0, 2.0), "a": (4.0, "nS", 0.0, 20.0),
    "b": (0.0805, "nA", 0.0, 0.2), "delta_T": (2.0, "mV"), "tau_w": (144.0, "ms", 20.0, 300.0),
    "v_thresh": (-50.4, "mV"), "e_rev_E": (0.0, "mV"), "e_rev_I": (-80.0, "mV"), **_taus(5.0, 5.0),
}  # fmt: skip
CELLS: Mapping[str, Mapping[str, Any]] = {
    "IF_curr_exp": cell_of(CURRENTS, CURR_EXP, **LEAKY, **_taus(5.0, 5.0)),
    "IF_curr_alpha": cell_of(CURRENTS, CURR_ALPHA, **LEAKY, **_taus(0.5, 0.5)),
    "IF_cond_exp": cell_of(CONDUCTANCES, COND_EXP, "rk4", **LEAKY, **REVERSALS, **_taus(5.0, 5.0)),
    "IF_cond_alpha": cell_of(CONDUCTANCES, COND_ALPHA, "rk4", **LEAKY, **REVERSALS, **_taus(0.3, 0.5)),
    "IF_cond_exp_gsfa_grr": cell_of(
        [
            f"dv/dt = (v_rest - v)/tau_m + (g_s*(e_rev_sfa - v) + g_r*(e_rev_rr - v) + {GIVEN.format(v='v')} + I)/c_m "
            ": volt (unless refractory)",
            "dg_s/dt = -g_s/tau_sfa : siemens",
            "dg_r/dt = -g_r/tau_rr : siemens",
        ],
        COND_EXP, "rk4", reset="v = v_reset; g_s += q_sfa; g_r += q_rr", **LEAKY, **REVERSALS, **_taus(5.0, 5.0),
        tau_sfa=(100.0, "ms", 20.0, 300.0), e_rev_sfa=(-75.0, "mV"), q_sfa=(15.0, "nS", 0.0, 50.0), tau_rr=(2.0, "ms"),
        e_rev_rr=(-75.0, "mV"), q_rr=(3000.0, "nS"),
    ),
    "EIF_cond_exp_isfa_ista": cell_of(ADAPTING, COND_EXP, "rk4", **ADAPTATION),
    "EIF_cond_alpha_isfa_ista": cell_of(ADAPTING, COND_ALPHA, "rk4", **ADAPTATION),
    "Izhikevich": cell_of(
        [
            "dv/dt = 0.04*v**2/(mV*ms) + 5*v/ms + 140*mV/ms - u + I/pA*mV/ms : volt",
            "du/dt = a*(b*v - u) : volt/second",
        ],
        PULSES,
        threshold="v >= 30*mV", reset="v = c; u += d", refractory="", starts="v = -70*mV; u = -14*mV/ms",
        a=(0.02, "1/ms", 0.01, 0.1), b=(0.2, "1/ms", 0.1, 0.3), c=(-65.0, "mV", -70.0, -50.0),
        d=(2.0, "mV/ms", 0.0, 10.0), i_offset=(0.0, "nA", 0.0, 0.05),
    ),
    "HH_cond_exp": cell_of(
        [
            "dv/dt = (g_leak*(e_rev_leak - v) - gbar_Na*m**3*h*(v - e_rev_Na) - gbar_K*n**4*(v - e_rev_K) + "
            f"{GIVEN.format(v='v')} + I)/c_m : volt",
            *(f"d{gate}/dt = a_{gate}*(1 - {gate}) - b_{gate}*{gate} : 1" for gate in "mhn"),
            "x = v - v_offset : volt",
            "a_m = 0.32*4/exprel((13*mV - x)/(4*mV))/ms : hertz",
            "b_m = 0.28*5/exprel((x - 40*mV)/(5*mV))/ms : hertz",
            "a_h = 0.128*exp((17*mV - x)/(18*mV))/ms : hertz",
            "b_h = 4/(1 + exp((40*mV - x)/(5*mV)))/ms : hertz",
            "a_n = 0.032*5/exprel((15*mV - x)/(5*mV))/ms : hertz",
            "b_n = 0.5*exp((10*mV - x)/(40*mV))/ms : hertz",
        ],
        COND_EXP, threshold="v >= v_offset + 30*mV", reset="", refractory="v >= v_offset + 30*mV",
        starts="v = e_rev_leak; " + "; ".join(f"{gate} = a_{gate}/(a_{gate} + b_{gate})" for gate in "mhn"),
        gbar_Na=(20.0, "uS", 0.0, 40.0), gbar_K=(6.0, "uS", 0.0, 20.0), g_leak=(0.01, "uS"), c_m=(0.2, "nF"),
        v_offset=(-63.0, "mV", -70.0, -50.0), e_rev_Na=(50.0, "mV"), e_rev_K=(-90.0, "mV"), e_rev_leak=(-65.0, "mV"),
        e_rev_E=(0.0, "mV"), e_rev_I=(-80.0, "mV"), i_offset=(0.0, "nA", 0.0, 2.0), **_taus(0.2, 2.0),
    ),
}  # fmt: skip
LIBRARY: tuple[tuple[str, Mapping[str, Any]], ...] = tuple((f"PyNN: {name}", cell) for name, cell in CELLS.items())
