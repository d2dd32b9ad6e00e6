"""A rank's slab of a Maxwell problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.simulation.ranks import Ranks, Share
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.media.solids.painting import Block
from engines.fdtd.ranks.cut import CutYee
from engines.fdtd.ranks.steps import SlabSteps
from engines.fdtd.ranks.watching import SeenFromAll
from engines.fdtd.step.simulation import FdtdSimulation
from engines.fdtd.watch.components import Components
from engines.fdtd.watch.watcher import FieldWatcher
from engines.watching import Watchers


class OwnPlanes:
    """The fields of a slab without its neighbours' planes."""

    def __init__(self, steps: SlabSteps, cut: CutYee) -> None:
        self._steps, first = steps, cut.slab.low - cut.first
        self._planes = slice(first, first + cut.slab.high - cut.slab.low + 1)

    @property
    def electric(self) -> Any:
        return self._steps.electric[:, self._planes]

    @property
    def magnetic(self) -> Any:
        return self._steps.magnetic[:, self._planes]


class SlabSimulation(FdtdSimulation):
    """Elements are the cells of the slab. ``seen``: on a rank that asks what watchers have found in the whole."""

    def __init__(
        self, cut: CutYee, ranks: Ranks, steps: SlabSteps, shares: Mapping[str, Share], seen: SeenFromAll | None,
        there: Parts, **others: Any,
    ) -> None:  # fmt: skip
        super().__init__(yee=cut.own, steps=steps, there=there, **others)
        self.below = cut.slab.low - cut.first
        self._cut, self._ranks, self._shares, self._seen = cut, ranks, shares, seen
        self._slab_steps = steps
        self._shown = Components(self._backend, cut.own, OwnPlanes(steps, cut), there)

    def state(self) -> dict[str, Array]:
        found = super().state()
        self._cut.hide_beyond(found)
        return found

    def given(self, names: Sequence[str]) -> dict[str, Array]:
        """These arrays of the state."""
        parts = self._parts()
        found = {name: self._backend.to_host(parts[name]) for name in names if name in parts}
        self._cut.hide_beyond(found)
        return found | {"step": np.array(self.step)}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._slab_steps.refresh()

    def seen_by_watchers(self) -> Watchers[FieldWatcher]:
        """All ranks ask together."""
        assert self._seen is not None
        state = self.given(self._seen.names)
        for name in [name for name in self._seen.names if name in self._shares]:
            share = self._shares[name]
            places, given = self._ranks.gathered(np.asarray(share.to)), self._ranks.gathered(share.given(state[name]))
            state[name] = share.joined(zip(places, given, strict=True))
        self._seen.restore(state)
        return self._seen.watchers

    def _show(self, cells: Block) -> None:
        assert self._painter is not None
        low, high = self._cut.slab.low, self._cut.slab.high
        first, last = max(cells[0].start, low), min(cells[0].stop, high)
        if first < last:
            painted = self._painter.cells[first:last, *cells[1:]]
            self._cells[first - low : last - low, *cells[1:]] = self._backend.array(np.ascontiguousarray(painted))
