"""Projects from before populations and connections were lists, and from before currents in pA were one of their own."""

from __future__ import annotations

from typing import Any

from engines.spiking.parameters.neurons import IN_PICOAMPERES

TIMES = {"excitatory_time": 5.0, "inhibitory_time": 10.0}
WEIGHTS = {"excitatory_weight": 1.62, "inhibitory_weight": -9.0}


def is_old(given: Any) -> bool:
    """Whether ``given`` has the old form."""
    if not isinstance(given, dict):
        return False
    synapses = given.get("synapses")
    return (
        "neuron" in given
        or isinstance(given.get("populations"), dict)
        or isinstance(given.get("connections"), dict)
        or (isinstance(synapses, dict) and any(name in synapses for name in (*TIMES, *WEIGHTS)))
    )


def renewed(given: dict[str, Any]) -> dict[str, Any]:
    """The same network as lists; each sender's targets are drawn over all neurons, as they were."""
    rest = {name: value for name, value in given.items() if name not in ("populations", "neuron", "connections")}
    synapses = dict(rest.pop("synapses", None) or {})
    neuron: dict[str, Any] = {"kind": "lif", **(given.get("neuron") or {})}
    neuron |= {name: synapses.pop(name, default) for name, default in TIMES.items()}
    weights = [synapses.pop(name, default) for name, default in WEIGHTS.items()]
    numbers = given.get("populations") or {}
    start = {"kind": "uniform", "lowest": neuron.get("reset", -60.0), "highest": neuron.get("threshold", -50.0)}
    rule = given.get("connections") or {"kind": "probability", "probability": 0.02}
    names = {"Excitatory": numbers.get("excitatory", 3200), "Inhibitory": numbers.get("inhibitory", 800)}
    return rest | {
        "synapses": synapses,
        "populations": [
            {"name": name, "number": number, "neuron": neuron, "start": start} for name, number in names.items()
        ],
        "connections": [
            {"source": name, "target": "all", "rule": rule, "weight": {"kind": "constant", "weight": weight}}
            for name, weight in zip(names, weights, strict=True)
        ],
    }


def with_current_injected(given: Any) -> Any:
    """One drive was once for all neurons: it is given to those whose currents are in pA where nothing says theirs."""
    if not isinstance(given, dict) or "injected" in given or not given.get("drive"):
        return given
    populations = given.get("populations")
    listed = populations if isinstance(populations, list) else []
    neurons = [each.get("neuron") for each in listed if isinstance(each, dict)]
    injects = any(isinstance(each, dict) and each.get("kind") in IN_PICOAMPERES for each in neurons)
    return given | {"injected": given["drive"]} if injects else given
