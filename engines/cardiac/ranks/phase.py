"""Phase singularities of a tissue on several ranks: each keeps the voltages of its own cells, and all find the same
once they are asked, of what they tell each other of the cells at the surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, Markers
from engines.api.simulation.ranks import Ranks
from engines.cardiac.ranks.cut import OwnRows
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.phase import Phase
from engines.geometry.meshes.shell import Shell


class DividedPhase(Phase):
    """``shell``: in the order of the whole. Series, markers and states are asked of all ranks together."""

    def __init__(
        self, ranks: Ranks, own: OwnRows, kernels: WatcherKernels, n_padded: int, shell: Shell, *settings: Any
    ) -> None:
        surface, cells = np.unique(shell.cells, return_inverse=True)
        super().__init__(kernels, n_padded, replace(shell, cells=cells.astype(np.int32)), *settings)
        self._ranks, self._at_surface = ranks, np.empty((2, len(surface)), kernels.dtype)
        self._which, here = own.here(surface)
        self._here = kernels.backend.array(here.astype(np.int64))
        self._of_ranks: list[Array] = []
        self._looked = False

    def _find(self, now: Any, then: Any) -> None:
        self._looked = True  # all ranks find it together, once they are asked

    def _find_looked(self) -> None:
        if not self._looked:
            return
        backend = self._kernels.backend
        with backend.active():
            own = np.stack([backend.to_host(values.take(self._here)) for values in self._ends])
        self._of_ranks = self._of_ranks or self._ranks.gathered(self._which)  # asked for in a run: no part fails then
        for which, values in zip(self._of_ranks, self._ranks.gathered(own), strict=True):
            self._at_surface[:, which] = values
        with backend.active():
            super()._find(*(backend.array(values) for values in self._at_surface))
        self._looked = False

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        self._find_looked()
        return super().observe_later()

    def markers(self) -> Markers:
        self._find_looked()
        return super().markers()
