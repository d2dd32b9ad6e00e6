"""The pseudo-ECG of a tissue on several ranks: each sums its own cells; sums are added when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Array
from engines.api.simulation.ranks import Ranks
from engines.cardiac.ranks.cut import OwnRows
from engines.cardiac.watch.ecg import Ecg, Repaint
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.watcher import Snapshot


class DividedEcg(Ecg):
    """A kernel sums w (v − v_0) with a v_0 of its own cells; on one rank it is the first of all, v_f:

        Σ w (v − v_f) = Σ over ranks [Σ w (v − v_0) + (v_0 − v_f) Σ w]

    Those of all ranks add up to zero but for their rounding, those of one do not. What was found is asked for by all
    ranks together.
    """

    def __init__(
        self, ranks: Ranks, own: OwnRows, kernels: WatcherKernels, names: Sequence[str], weights: Array, every: int,
        repaint: Repaint | None,
    ) -> None:  # fmt: skip
        super().__init__(kernels, names, weights, every, repaint, own)
        backend = self._kernels.backend
        self._ranks, self._leader = ranks, own.leader
        _, first = own.here(np.zeros(1, np.int64))
        self._ends = backend.array(np.concatenate([[0], first, np.zeros(1 - len(first))]).astype(np.int64))
        self._then = backend.array(np.zeros(2, self._kernels.dtype))
        self._total: Array | None = np.zeros(len(self.series))

    def look(self, moment: Snapshot) -> None:
        super().look(moment)
        moment.voltage.take(self._ends, out=self._then)
        self._total = None

    def _found_later(self) -> Callable[[], Array]:
        if self._total is None:
            to_host = self._kernels.backend.to_host
            weights = to_host(self._weights).sum(axis=1, dtype=np.float64)
            of_rank = np.concatenate([super()._found_later()(), weights, to_host(self._then).astype(np.float64)])
            sums, weights, voltages = np.split(np.array(self._ranks.gathered(of_rank)), [len(weights), -2], axis=1)
            away = voltages[:, :1] - voltages[self._leader, 1]
            self._total = (sums + away * weights).sum(axis=0)
        total = self._total
        return lambda: total
