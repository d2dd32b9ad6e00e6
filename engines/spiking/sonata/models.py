"""Point neurons that SONATA names as models of NEST, PyNN and NEURON, as typed neurons of our library.

What NEST's models are and their values: models/NAME.cpp (nest/nest-simulator on GitHub); how their names and units go
into PyNN's: pyNN/nest/standardmodels/cells.py; IntFire1 and its values: NEURON's intfire1.mod.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engines.api.errors import ProblemError
from engines.spiking.parameters.pynn_library import CELLS, CURR_ALPHA, CURRENT, CURRENTS, LEAKY, PULSES, cell_of
from engines.spiking.parameters.synapse_library import named_numbers

PER_NANO = 1e-3
POINT = ("point_neuron", "point_process", "point_soma")
"""What versions of the format call a model without a morphology."""
PULSED = "a spike that arrives moves v at the beginning of a step, which is compared with the threshold at its end"


class Clamp(NamedTuple):
    """A current for a time. amplitude: as the file has it; begins, ends [ms], which may be infinite"""

    amplitude: float
    begins: float
    ends: float


class Model(NamedTuple):
    """cell: fields of a typed neuron; names: parameters of the file, and what they are in it, times a factor;
    defaults: where they differ from the cell's; weight, current: how many pA, nS or mV, and nA, one of the file is;
    note: what is otherwise here; ports: whether a synapse says which of several time constants it has"""

    cell: Mapping[str, Any]
    names: Mapping[str, tuple[str, float]]
    defaults: Mapping[str, float] = {}
    weight: float = 1.0
    current: float = PER_NANO
    note: str = ""
    ports: bool = False


def _same(*names: str) -> dict[str, tuple[str, float]]:
    return {name: (name, 1.0) for name in names}


LEAK = {
    "E_L": ("v_rest", 1.0), "V_reset": ("v_reset", 1.0), "V_th": ("v_thresh", 1.0), "t_ref": ("tau_refrac", 1.0),
    "C_m": ("c_m", PER_NANO), "I_e": ("i_offset", PER_NANO),
}  # fmt: skip
SYNAPSES = {"tau_syn_ex": ("tau_syn_E", 1.0), "tau_syn_in": ("tau_syn_I", 1.0)}
REVERSALS = {"E_ex": ("e_rev_E", 1.0), "E_in": ("e_rev_I", 1.0)}
TAU, G_L = "tau_m", "g_L"
CURRENT_BASED = {"E_L": -70.0, "V_reset": -70.0, "V_th": -55.0, "C_m": 250.0, TAU: 10.0, "t_ref": 2.0}
CONDUCTANCE_BASED = {"E_L": -70.0, "V_reset": -60.0, "V_th": -55.0, "C_m": 250.0, G_L: 16.6667, "t_ref": 2.0,
                     "E_ex": 0.0, "E_in": -85.0, "tau_syn_ex": 0.2, "tau_syn_in": 2.0}  # fmt: skip
ADAPTING = {"E_L": -70.6, "V_reset": -60.0, "V_th": -50.4, "C_m": 281.0, G_L: 30.0, "t_ref": 0.0, "V_peak": 0.0,
            "E_ex": 0.0, "E_in": -85.0, "tau_syn_ex": 0.2, "tau_syn_in": 2.0}  # fmt: skip
OF_CURRENTS = {**LEAK, TAU: (TAU, 1.0), **SYNAPSES}
OF_CONDUCTANCES = {**LEAK, G_L: (G_L, 1.0), **SYNAPSES, **REVERSALS}
OF_ADAPTING = {**OF_CONDUCTANCES, **_same("a", "tau_w"), "b": ("b", PER_NANO), "V_peak": ("v_spike", 1.0),
               "Delta_T": ("delta_T", 1.0)}  # fmt: skip
CHANNELS = {
    "g_Na": ("gbar_Na", PER_NANO), "g_K": ("gbar_K", PER_NANO), G_L: ("g_leak", PER_NANO), "C_m": ("c_m", PER_NANO),
    "E_Na": ("e_rev_Na", 1.0), "E_K": ("e_rev_K", 1.0), "E_L": ("e_rev_leak", 1.0), "V_T": ("v_offset", 1.0),
    "I_e": ("i_offset", PER_NANO), **SYNAPSES, **REVERSALS,
}  # fmt: skip
SYNAPSE_DEFAULTS = {"tau_syn_ex": 2.0, "tau_syn_in": 2.0}
MOST_AFTER = 2
"""Currents after a spike of generalised leaky neurons: there are 8 variables."""
AFTER: dict[str, Any] = {
    f"{name}_{k}": (value, unit)
    for k in range(MOST_AFTER)
    for name, value, unit in (("k", 1.0, "1/ms"), ("amp", 0.0, "pA"), ("r", 1.0, "1"), ("init", 0.0, "pA"))
}
GENERALISED = cell_of(
    [
        CURRENTS[0].replace("+ I)", "".join(f"+ asc_{k} " for k in range(MOST_AFTER)) + "+ I)"),
        *(f"dasc_{k}/dt = -k_{k}*asc_{k} : amp (unless refractory)" for k in range(MOST_AFTER)),
    ],
    CURR_ALPHA, threshold="v > v_thresh",
    reset="; ".join(("v = v_reset", *(f"asc_{k} = amp_{k} + r_{k}*asc_{k}*exp(-k_{k}*tau_refrac)"
                                      for k in range(MOST_AFTER)))),
    starts="; ".join(("v = v_rest", *(f"asc_{k} = init_{k}" for k in range(MOST_AFTER)))),
    **LEAKY, tau_syn_E=(2.0, "ms"), tau_syn_I=(2.0, "ms"), **AFTER,
)  # fmt: skip
"""Currents after a spike fall while the neuron is not held; what they fall by meanwhile is taken at the spike."""
NEST: Mapping[str, Model] = {
    "iaf_psc_exp": Model(CELLS["IF_curr_exp"], OF_CURRENTS, {**CURRENT_BASED, **SYNAPSE_DEFAULTS}),
    "iaf_psc_alpha": Model(CELLS["IF_curr_alpha"], OF_CURRENTS, {**CURRENT_BASED, **SYNAPSE_DEFAULTS}),
    "iaf_psc_delta": Model(
        cell_of([CURRENTS[0].replace("isyn_exc + isyn_inh + ", "")], PULSES, **LEAKY),
        {**LEAK, TAU: (TAU, 1.0)}, CURRENT_BASED, note=PULSED,
    ),
    "iaf_cond_exp": Model(CELLS["IF_cond_exp"], OF_CONDUCTANCES, CONDUCTANCE_BASED),
    "iaf_cond_alpha": Model(CELLS["IF_cond_alpha"], OF_CONDUCTANCES, CONDUCTANCE_BASED),
    "aeif_cond_exp": Model(CELLS["EIF_cond_exp_isfa_ista"], OF_ADAPTING, ADAPTING),
    "aeif_cond_alpha": Model(CELLS["EIF_cond_alpha_isfa_ista"], OF_ADAPTING, ADAPTING),
    "hh_cond_exp_traub": Model(
        CELLS["HH_cond_exp"], CHANNELS, {"E_L": -60.0, "tau_syn_ex": 5.0, "tau_syn_in": 10.0},
        note="they fire where v rises through V_T + 30 mV, not at the top of the spike, and are stepped by exponential "
        "Euler: shorten the step until rates stay",
    ),
    "izhikevich": Model(
        {**CELLS["Izhikevich"], "starts": "v = -65*mV; u = 0*mV/ms"},
        {**_same("a", "b", "c", "d"), "I_e": ("i_offset", PER_NANO)}, {"d": 8.0}, note=PULSED,
    ),
    "glif_psc": Model(
        GENERALISED, {**LEAK, "g": (G_L, 1.0)},
        {"E_L": -78.85, "V_reset": -78.85, "V_th": -51.68, "C_m": 58.72, "g": 9.43, "t_ref": 3.75}, ports=True,
    ),
}  # fmt: skip
NEURON: Mapping[str, Model] = {
    "IntFire1": Model(
        {
            "lines": ["dv/dt = -v/tau : 1 (unless refractory)"], "threshold": "v > 1", "reset": "v = 0",
            "refractory": "refrac + dt", "starts": "v = 0", "method": "auto",
            "parameters": named_numbers(tau=(10.0, "ms"), refrac=(5.0, "ms")),
            **{key: PULSES[key] for key in ("excitatory", "inhibitory")},
        },
        _same("tau", "refrac"), note=PULSED,
    )
}  # fmt: skip
PYNN: Mapping[str, Model] = {
    name: Model(
        cell, {"cm" if each["name"] == "c_m" else each["name"]: (each["name"], 1.0) for each in cell["parameters"]},
        weight=1.0 if name == "Izhikevich" else 1e3, current=1.0,
        note=PULSED if name == "Izhikevich" else "",
    )
    for name, cell in CELLS.items()
}  # fmt: skip
TEMPLATES = {"nest": NEST, "nrn": NEURON, "pynn": PYNN}
RELATIVE = ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta", "glif_psc")
"""Whose V_th and V_reset NEST keeps above E_L: without values of their own they move with it."""
ABOVE_ZERO = {"c_m", TAU, G_L, "tau_syn_E", "tau_syn_I", "tau_w", "tau_sfa", "tau_rr", "tau", "delta_T"}
"""Those of the library that equations divide by, and what these are made of."""
ZERO_AND_ABOVE = {"tau_refrac", "refrac", "gbar_Na", "gbar_K", "g_leak"}
NOTHING = {"tau_minus", "tau_minus_triplet", "gsl_error_tol", "beta_Ca", "tau_Ca", "Ca", "rho", "frozen"}
"""Parameters of NEST that change nothing of a neuron by itself."""
HARMLESS = {"delta": 0.0, "refractory_input": False, "consistent_integration": True, "V_min": None,
            "spike_dependent_threshold": False, "adapting_threshold": False, "after_spike_currents": False}  # fmt: skip
"""Those that change nothing with these values."""


def model_of(template: str) -> Model | None:
    """Of ``nest:iaf_psc_alpha`` and its like; None for models that are not here."""
    schema, _, name = template.partition(":")
    return TEMPLATES.get(schema.strip().lower(), {}).get(name.strip())


def neuron_of(
    template: str, given: Mapping[str, Any], clamps: Sequence[Clamp], ports: tuple[int, int] = (1, 1)
) -> tuple[dict[str, Any], list[str]]:
    """A typed neuron as parameters have it, and what of ``given`` it does not have; ``ports``: of its excitatory and
    inhibitory synapses, counted from 1. Raises ProblemError for numbers that no neuron has."""
    model, name = model_of(template), template.partition(":")[2].strip()
    assert model is not None
    told: list[str] = []
    known = {key: value for key, value in given.items() if value is not None}
    if _is_number(known.get("V_min", 0.0)) is False:
        known.pop("V_min")  # NEST's largest number: no bound
    values = dict(model.defaults)
    if name in RELATIVE and "E_L" in known and _is_number(known["E_L"]):
        values |= {key: values[key] + known["E_L"] - values["E_L"] for key in ("V_th", "V_reset")}
    own = _after_spikes(known, told) | _ports(known, ports, told) if model.ports else {}
    starts = model.cell["starts"]
    for key, value in known.items():
        if key in model.names and _is_number(value):
            values[key] = value
        elif key == "V_m" and _is_number(value):
            starts = re.sub(r"\bv = [^;]+", f"v = {value!r}*mV", starts)
        elif key not in NOTHING and HARMLESS.get(key, told) != value:
            told.append(f"{key} = {str(value)[:40]}")
    own |= {model.names[key][0]: value * model.names[key][1] for key, value in values.items()}
    _check(model, name, own)
    if G_L in own:
        own[TAU] = own["c_m"] / own.pop(G_L) / PER_NANO
    rows = [{**row, "value": float(f"{own.get(row['name'], row['value']):.12g}")} for row in model.cell["parameters"]]
    lines, method = list(model.cell["lines"]), model.cell["method"]
    if clamps:
        lines, method = _clamped(model, lines, method, clamps, rows, told)
    return {"kind": "own equations", **model.cell, "lines": lines, "method": method, "starts": starts,
            "parameters": rows}, told  # fmt: skip


def _check(model: Model, template: str, own: Mapping[str, float]) -> None:
    of_file = {name: (key, factor) for key, (name, factor) in model.names.items()}
    for name, value in own.items():
        least = "above 0" if name in ABOVE_ZERO else "of 0 or more" if name in ZERO_AND_ABOVE else ""
        if least and (value < 0 or (value == 0 and name in ABOVE_ZERO)):
            key, factor = of_file.get(name, ("tau_syn", 1.0))
            raise ProblemError(f"neurons of '{template}' have {key} = {value / factor:.6g}: give it a value {least}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e12


def _clamped(
    model: Model, lines: list[str], method: str, clamps: Sequence[Clamp], rows: list[dict[str, Any]], told: list[str]
) -> tuple[list[str], str]:
    """Currents for a time in the line of the current from outside; all of the time it is one of the parameters. Linear
    equations stay exact: a current is switched between steps."""
    if CURRENT not in lines:
        told.append("a current clamp, for the model has no current")
        return lines, method
    always = sum(each.amplitude for each in clamps if each.begins <= 0 and each.ends == float("inf"))
    for row in rows:
        row["value"] += always * model.current if row["name"] == "i_offset" else 0.0
    terms = []
    for each in clamps:
        if each.begins > 0 or each.ends < float("inf"):
            until = f" and t < {each.ends:.12g}*ms - dt/4" if each.ends < float("inf") else ""
            amount = f"{each.amplitude * model.current:.12g}*nA"
            terms.append(f"{amount}*int(t >= {each.begins:.12g}*ms - dt/4{until})")
    line = CURRENT.replace(" : amp", "".join(f" + {term}" for term in terms) + " : amp")
    exact = terms and method == "auto" and any("isyn" in each for each in lines)
    return [line if each == CURRENT else each for each in lines], "exact" if exact else method


def _after_spikes(known: dict[str, Any], told: list[str]) -> dict[str, float]:
    """Of generalised leaky neurons: currents after a spike."""
    names = {"asc_init": ("init", 0.0), "asc_decay": ("k", 1.0), "asc_amps": ("amp", 0.0), "asc_r": ("r", 1.0)}
    usual = {"asc_init": [0.0, 0.0], "asc_decay": [0.003, 0.1], "asc_amps": [-9.18, -198.94], "asc_r": [1.0, 1.0]}
    given = {name: known.pop(name, usual[name]) for name in names}
    given["asc_decay"] = known.pop("k", given["asc_decay"])  # as older versions call it
    given["asc_r"] = known.pop("r", given["asc_r"])
    if not known.pop("after_spike_currents", False):
        return {}
    found: dict[str, float] = {}
    for name, values in given.items():
        if not isinstance(values, list) or len(values) > MOST_AFTER or not all(map(_is_number, values)):
            told.append(f"{name} = {str(values)[:40]}, of which there may be {MOST_AFTER} numbers here")
            return {}
        found |= {f"{names[name][0]}_{k}": value for k, value in enumerate(values)}
    return found


def _ports(known: dict[str, Any], ports: tuple[int, int], told: list[str]) -> dict[str, float]:
    taus = known.pop("tau_syn", [2.0])
    if not isinstance(taus, list) or not taus or not all(map(_is_number, taus)):
        told.append(f"tau_syn = {str(taus)[:40]}")
        return {}
    found = [taus[port - 1] if 1 <= port <= len(taus) else taus[0] for port in ports]
    return dict(zip(("tau_syn_E", "tau_syn_I"), found, strict=True))
