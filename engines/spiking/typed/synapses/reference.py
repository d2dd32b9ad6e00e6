"""Events of typed synapses in float64 by NumPy, of the graph that the kernels are written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.emit_numpy import Program
from engines.spiking.typed.synapses.plan import LIMIT, QUANTA, TypedSynapse
from engines.spiking.typed.synapses.steps import Row


class Synapses:
    """Of one connection; sender, hearer: (synapses,) numbers in the network."""

    def __init__(
        self, typed: TypedSynapse, given: Mapping[str, float], weight: Array, sender: Array, hearer: Array
    ) -> None:
        first = given["@first_pre"], given["@first_post"]
        self.typed, self.state = typed, typed.starts(given, weight, sender - first[0], hearer - first[1])
        self.last = np.zeros(len(weight), np.int64)
        self._ends = {"@sender": sender.astype(float), "@hearer": hearer.astype(float)}
        self._numbers = {f"@{k}": value for k, value in enumerate(typed.values({**given, QUANTA: 1.0, LIMIT: np.inf}))}
        self._programs = [Program(path.roots) for path in typed.paths]

    def sums(self, now: int, far: Mapping[str, Array], neurons: int) -> list[Array]:
        """(neurons,) what each gets in a step. far: (neurons,) variables by their names there"""
        roots = [node for _, node in self.typed.step.sums]
        known = self._known(now, far, self.typed.step.rows)
        found = [np.array(np.broadcast_to(each, len(self.last))) for each in Program(roots)(known)]
        hearer = self._ends["@hearer"].astype(int)
        return [np.bincount(hearer, each, neurons) for each in found]

    def move(self, now: int, far: Mapping[str, Array]) -> None:
        """A step of what moves in each."""
        after = self.typed.step.after
        found = Program(list(after.values()))(self._known(now, far, self.typed.step.rows))
        self.state |= {name: np.array(np.broadcast_to(each, len(self.last)))
                       for name, each in zip(after, found, strict=True)}  # fmt: skip

    def _known(self, now: int, far: Mapping[str, Array], read: Sequence[Row]) -> dict[str, Any]:
        ends = [self._ends[name].astype(int) for name in ("@sender", "@hearer")]
        rows = {row.name: far[row.name.rpartition("_")[0]][ends[row.side]] for row in read}
        return {**self._numbers, **self.state, **self._ends, **rows, "@now": float(now)}

    def event(
        self, which: int, now: int, touched: Array, far: Mapping[str, Array] | None = None
    ) -> tuple[Array, Array]:
        """A sender's (0) or a hearer's (1) spike at the ``touched: (synapses,)`` bool ones; what is added to either row
        of the ring by each. far: (neurons,) variables that statements read, by their names there"""
        n = len(touched)
        known = self._known(now, far or {}, self.typed.paths[which].rows) | {"@since": (now - self.last) * 1.0}
        found = [np.array(np.broadcast_to(each, n)) for each in self._programs[which](known)]
        for name, value in zip(self.typed.variables, found, strict=False):
            self.state[name] = np.where(touched, value, self.state[name])
        self.last[touched] = now
        left = iter(found[len(self.typed.variables) :])
        added = [np.zeros(n) if node is None else next(left) * touched for node in self.typed.paths[which].quanta]
        return added[0], added[1]
