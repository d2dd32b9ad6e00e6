"""Steps of typed neurons in float64 by NumPy, of the graph that the kernels are written from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.formulas.emit_numpy import Program
from engines.spiking.typed.names import OUTSIDE
from engines.spiking.typed.plan import Typed


class Neurons:
    """Neurons of one population that hear nobody but what they are given."""

    def __init__(self, typed: Typed, given: Mapping[str, float], voltage: Array) -> None:
        self.typed, self.state = typed, typed.starts(given, {"voltage": voltage})
        self.release = np.zeros(len(voltage), np.int64)
        self._numbers = {f"@{k}": value for k, value in enumerate(typed.values(given))}
        self._refractory, self._program = typed.refractory(given), Program(typed.roots)

    def step(self, now: int, excitatory: Array, inhibitory: Array, outside: float = 0.0) -> Array:
        """Sizes of the weights that arrive, a current; (n,) bool, who fires."""
        n = len(self.release)
        known = {
            **self._numbers, **self.state, OUTSIDE: np.full(n, outside), "@more_e": excitatory, "@more_i": inhibitory,
            "@waits": self.release > now, "@silent": np.zeros(n, bool),
            "@held": (self.release >= now) & (self.release > 0), "@now": float(now), "@index": np.arange(n),
        }  # fmt: skip
        found = [np.array(np.broadcast_to(each, n)) for each in self._program(known)]
        self.state = dict(zip(self.typed.variables, found, strict=False))
        fired = found[len(self.state)].astype(bool)
        if self.typed.released:
            self.release[found[-1].astype(bool)] = now
        self.release[fired] = now + self._refractory
        return fired
