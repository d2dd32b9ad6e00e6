"""Named numbers of typed neurons and synapses while a run goes on: changed by their places in the form, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.spiking.typed.population import TypedPopulation, WithNumbers
from engines.spiking.typed.synapses.connection import TypedConnection


class NamedNumbers:
    """Of populations and connections, by their numbers."""

    def __init__(
        self, populations: Mapping[int, TypedPopulation], connections: Mapping[int, TypedConnection]
    ) -> None:  # fmt: skip
        self._owners: dict[tuple[str, str, str], WithNumbers[Any]] = {
            **{("populations", str(k), "neuron"): each for k, each in populations.items()},
            **{("connections", str(k), "plasticity"): each for k, each in connections.items()},
        }

    def change(self, name: str, value: Any) -> bool:
        """All numbers of an owner, or one value of them; False where ``name`` is of none that changes in a run. Raises
        ProblemError for what cannot be."""
        match name.split("."):
            case [first, k, last, "parameters", *rest] if (first, k, last) in self._owners:
                owner = self._owners[first, k, last]
            case _:
                return False
        names = tuple(owner.units)
        match rest:
            case [] if tuple(each["name"] for each in value) == names:
                owner.change({each["name"]: float(each["value"]) for each in value})
            case [place, "value"]:
                owner.change({names[int(place)]: float(value)})
            case [_, "low" | "high"]:
                pass
            case _:
                return False
        return True

    def state(self) -> dict[str, Array]:
        return {
            _kept(place): np.array([each.given[name] for name in each.units]) for place, each in self._owners.items()
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        for place, each in self._owners.items():
            each.given |= dict(zip(each.units, map(float, state[_kept(place)]), strict=True))


def _kept(place: tuple[str, str, str]) -> str:
    """What a checkpoint calls it."""
    first, k, _ = place
    return f"typed_{k}" if first == "populations" else f"typed_connection_{k}"
