"""The arrays of typed synapses on a device: what changes with events, and what parameters decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.typed.synapses.connection import TypedConnection
from engines.spiking.typed.synapses.plan import LATE, LIMIT, QUANTA, TypedSynapse


def name_of(connection: int, variable: str) -> str:
    """What the array of a variable is called."""
    return f"synapses_{connection}_{variable}"


def rows_of(typed: TypedSynapse, connection: int) -> tuple[str, ...]:
    """Of all variables."""
    return tuple(name_of(connection, variable) for variable in typed.variables)


def row_of(place: str | int, arrays: Mapping[str, Any]) -> Any:
    """(n,) of a variable of typed neurons."""
    return arrays["more"][place] if isinstance(place, int) else arrays[place]


def neuron_rows(typed: TypedSynapse, moves: bool, arrays: Mapping[str, Any]) -> tuple[Any, ...]:
    """Those of neurons that what moves reads, or what is summed up."""
    roots = list(typed.step.after.values()) if moves else [node for _, node in typed.step.sums]
    return tuple(row_of(row.place, arrays) for row in typed.step.of(roots))


def event_rows(typed: TypedSynapse, which: int, arrays: Mapping[str, Any]) -> tuple[Any, ...]:
    """Those that statements of a sender's spike (0) read, or of a hearer's (1)."""
    return tuple(row_of(row.place, arrays) for row in typed.paths[which].rows)


def sum_rows(typed: TypedSynapse, arrays: Mapping[str, Any]) -> tuple[Any, ...]:
    """Those that sums are written to."""
    return tuple(row_of(place, arrays) for place, _ in typed.step.sums)


def synapse_state(synapses: Mapping[int, TypedConnection], wiring: Wiring) -> dict[str, Array]:
    """Of each connection k of typed synapses

    synapses_k_NAME: (synapses,) float32 of each variable; events_k: (synapses,) int32, the step of the last event,
    empty where no variable changes between them; sent_k: (longest delay + 1, senders) uint8, who fired in these steps;
    came_k: (delay + 1, hearers), the same of hearers, where their spikes are late;
    cut_k: (1,) int64, how often a spike would have added more than its limit; and those of :func:`synapse_numbers`
    """
    state: dict[str, Array] = {}
    for block in wiring.joined:
        k, own = block.connection, synapses[block.connection]
        sender, hearer = block.words[:, 1] - block.source[0], (block.words[:, 0] >> 8) - block.target[0]
        begun = own.typed.starts(own.given, block.weights, sender, hearer)
        state |= {name_of(k, name): values.astype(np.float32) for name, values in begun.items()}
        state[f"events_{k}"] = np.zeros(len(sender) if own.typed.model.rates else 0, np.int32)
        state[f"sent_{k}"] = np.zeros((block.delay + 1, block.source[1] - block.source[0]), np.uint8)
        late = round(own.given[LATE])
        if late:
            state[f"came_{k}"] = np.zeros((late + 1, block.target[1] - block.target[0]), np.uint8)
        state[f"cut_{k}"] = np.zeros(1, np.int64)
    return state | synapse_numbers(synapses, wiring)


def synapse_numbers(synapses: Mapping[int, TypedConnection], wiring: Wiring) -> dict[str, Array]:
    """made_k: (numbers,) float32, what the parameters of connection k make"""
    found = {}
    for block in wiring.joined:
        own = synapses[block.connection]
        given = {**own.given, QUANTA: 1 / wiring.quantum, LIMIT: block.largest / wiring.quantum}
        found[f"made_{block.connection}"] = own.typed.values(given).astype(np.float32)
    return found
