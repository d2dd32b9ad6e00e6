"""Texts of typed synapses to begin with: rules and short-term plasticity as their papers have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def named_numbers(**given: tuple[float, str] | tuple[float, str, float, float]) -> list[dict[str, Any]]:
    """name=(value, unit) or (value, unit, lowest, highest) of the slider."""
    return [
        dict(zip(("name", "value", "unit", "low", "high"), (name, *each), strict=False)) for name, each in given.items()
    ]


TRACES = ["dApre/dt = -Apre/taupre : 1 (event-driven)", "dApost/dt = -Apost/taupost : 1 (event-driven)"]
STDP: Mapping[str, Any] = {
    "lines": ["w : 1", *TRACES],
    "on_pre": ["g_e_post += w", "Apre += dApre", "w = clip(w + Apost, 0, gmax)"],
    "on_post": ["Apost += dApost", "w = clip(w + Apre, 0, gmax)"],
    "starts": "w = weight",
    "parameters": named_numbers(
        taupre=(20.0, "ms", 5.0, 50.0), taupost=(20.0, "ms", 5.0, 50.0), gmax=(0.01, "1"),
        dApre=(1e-4, "1", 0.0, 1e-3), dApost=(-1.05e-4, "1", -1e-3, 0.0),
    ),
}  # fmt: skip
"""Song, Miller and Abbott (2000), as in Brian2's example."""
SHORT_TERM: Mapping[str, Any] = {
    "lines": [
        "w : 1", "du/dt = -u/tau_f : 1 (event-driven)", "dx/dt = (1 - x)/tau_d : 1 (event-driven)",
        "r : 1",
    ],
    "on_pre": ["u += U*(1 - u)", "r = u*x", "x -= r", "g_e_post += w*r"],
    "on_post": [],
    "starts": "w = weight; x = 1",
}  # fmt: skip
"""Tsodyks and Markram (1997, 1998): u of the resources x are released at a spike."""
REWARD: Mapping[str, Any] = {
    "lines": ["w : 1", *TRACES, "dc/dt = -c/tau_c : 1 (event-driven)"],
    "on_pre": ["g_e_post += w", "Apre += dApre", "c += Apost", "w = clip(w + reward*c, 0, gmax)"],
    "on_post": ["Apost += dApost", "c += Apre", "w = clip(w + reward*c, 0, gmax)"],
    "starts": "w = weight",
    "parameters": [
        *STDP["parameters"], *named_numbers(tau_c=(1000.0, "ms", 100.0, 5000.0), reward=(0.0, "1", -1.0, 1.0)),
    ],
}  # fmt: skip
"""Izhikevich (2007): pairs leave a trace c that a reward, a slider, turns into changes, here at the next events."""
GAP: Mapping[str, Any] = {
    "lines": ["w : siemens", "I_gap_post = w*(v_pre - v_post) : amp (summed)"],
    "on_pre": [], "on_post": [], "starts": "w = weight", "parameters": [],
}  # fmt: skip
"""Electrical synapses: the neurons that hear have a line I_gap : amp (summed), a current of theirs."""
NMDA: Mapping[str, Any] = {
    "lines": [
        "w : 1", "dx/dt = -x/tau_r : 1 (clock-driven)", "dg/dt = -g/tau_d + a*x*(1 - g) : 1 (clock-driven)",
        "unblocked = 1/(1 + Mg/(3.57*mM)*exp(-0.062*v_post/mV)) : 1",
        "I_nmda_post = w*g_m*g*(E_e - v_post)*unblocked : amp (summed)",
    ],
    "on_pre": ["x += 1"], "on_post": [], "starts": "w = weight",
    "parameters": named_numbers(
        tau_r=(2.0, "ms"), tau_d=(100.0, "ms", 20.0, 200.0), a=(0.5, "kHz"), g_m=(0.5, "nS", 0.0, 5.0), Mg=(1.0, "mM"),
        E_e=(0.0, "mV"),
    ),
}  # fmt: skip
"""Wang (1999): channels that saturate, blocked by magnesium (Jahr and Stevens 1990), into I_nmda : amp (summed)."""
LIBRARY: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("STDP, pairs of spikes (Song, Miller, Abbott)", STDP),
    ("Short-term plasticity, facilitating (Tsodyks, Markram)",
     {**SHORT_TERM, "parameters": named_numbers(tau_f=(1500.0, "ms"), tau_d=(200.0, "ms"), U=(0.2, "1", 0.01, 1.0))}),
    ("Short-term plasticity, depressing (Tsodyks, Markram)",
     {**SHORT_TERM, "parameters": named_numbers(tau_f=(10.0, "ms"), tau_d=(800.0, "ms"), U=(0.6, "1", 0.01, 1.0))}),
    ("Gap junctions, into I_gap : amp (summed)", GAP),
    ("NMDA channels (Wang), into I_nmda : amp (summed)", NMDA),
    ("STDP with a reward, three factors", REWARD),
)  # fmt: skip
