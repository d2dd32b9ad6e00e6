"""Which cells are scar, of the problem or painted: they are activated by nothing, whatever they do by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.cardiac.tissue.rows import ALL_ROWS, Rows


class Silent:
    """``still: (n,)`` bool, in the operator's order: cells of regions that do not conduct. Several may share it,
    and each tell it what was painted."""

    def __init__(self, backend: Backend, still: Array, rows: Rows = ALL_ROWS) -> None:
        self._backend, self._rows = backend, rows
        self._still = rows.own(still)
        self._set(self._still.copy())

    def conduct(self, changed: Array, left: Array) -> None:
        """As :meth:`engines.cardiac.watch.watcher.TissueWatcher.conduct`."""
        which, here = self._rows.here(changed)
        dead = self._dead
        dead[here] = self._still[here] | (left[changed[which]] == 0)
        self._set(dead)

    def _set(self, dead: Array) -> None:
        self._dead = dead
        self.conducting = int((~dead).sum())
        """How many others there are."""
        self.cells: Any | None = self._backend.array(np.flatnonzero(dead)) if dead.any() else None
        """Their places, on the device; None where there is none."""
