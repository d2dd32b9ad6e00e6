"""Steps of a slab, in which all ranks take part: H at its ends comes from the neighbours after each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.simulation.ranks import Exchange, Ranks
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.media.materials import Media
from engines.fdtd.ranks.cut import CutYee, Z
from engines.fdtd.sources.currents import Sources
from engines.fdtd.step.leapfrog import LEAPFROG, energy_of
from engines.ranks.slabs import DOWNWARDS, UPWARDS


class SlabSteps:
    """As :class:`engines.fdtd.step.steps.YeeSteps`, with the neighbours' planes in the fields; energies, and values at
    places of the whole, are the same on all ranks, which ask together."""

    def __init__(
        self, backend: Backend, ranks: Ranks, cut: CutYee, media: Media, sources: Sources, precision: str, parts: Parts
    ) -> None:  # fmt: skip
        self._backend, self._ranks, self._cut = backend, ranks, cut
        self._slab = LEAPFROG.open(
            backend, cut.yee, cut.axes, cut.media(media), cut.sources(sources), precision, parts=parts
        )  # fmt: skip
        low, high = 0 if cut.slab.below is None else 2, cut.cells + 1 if cut.slab.above is None else cut.cells - 2
        self._slab.fetch(self._send, self._arrive, (low, high))
        self._on_its_way: Exchange | None = None
        self._dispersive = media.dispersion is not None
        self.dtype = self._slab.dtype

    @property
    def electric(self) -> Any:
        return self._slab.electric

    @property
    def magnetic(self) -> Any:
        return self._slab.magnetic

    @property
    def passes(self) -> int:
        return self._slab.passes

    def advance(self, values: Array) -> None:
        self._slab.advance(values)
        self._arrive()

    def _send(self) -> None:
        """H along x and y of the halves at the ends; and E_z of the half below, which is read at points between this
        half and the next."""
        arrays = [self.magnetic[0], self.magnetic[1]]
        self._on_its_way = self._exchange(arrays, [*arrays, self.electric[Z]])

    def _arrive(self) -> None:
        if self._on_its_way is not None:
            self._on_its_way.wait()
            self._on_its_way = None

    def refresh(self) -> None:
        """After a state has been restored: all that is the neighbours'."""
        arrays = [field[c] for field in (self.electric, self.magnetic) for c in range(3)]
        with self._backend.active():
            self._exchange(arrays, arrays).wait()

    def _exchange(self, down: Sequence[Any], up: Sequence[Any]) -> Exchange:
        """The lowest own planes of some arrays go to the slab below, the highest of others to the one above."""
        slab, own = self._cut.slab, self._cut.slab.high - self._cut.slab.low
        first = slab.low - self._cut.first
        outgoing, incoming = [], []
        if slab.below is not None:
            outgoing += [(slab.below, 2 * n + DOWNWARDS, one[first]) for n, one in enumerate(down)]
            incoming += [(slab.below, 2 * n + UPWARDS, one[first - 1]) for n, one in enumerate(up)]
        if slab.above is not None:
            outgoing += [(slab.above, 2 * n + UPWARDS, one[first + own - 1]) for n, one in enumerate(up)]
            incoming += [(slab.above, 2 * n + DOWNWARDS, one[first + own]) for n, one in enumerate(down)]
        return self._ranks.exchange(outgoing, incoming)

    def energy(self) -> tuple[float, float]:
        with self._backend.active():
            sums, held = self._slab.energy_rows()
        owned = self._cut.owned
        rows = np.concatenate(self._ranks.gathered(np.column_stack([sums[owned], held[owned]])))
        return energy_of(np.ascontiguousarray(rows[:, :2]), np.ascontiguousarray(rows[:, 2]))

    def energy_later(self) -> Callable[[], tuple[float, float]]:
        found = self.energy()
        return lambda: found

    def values(self, electric: bool, places: Any) -> Any:
        """As on one rank, each value from the rank whose plane it is in."""
        wanted = self._backend.to_host(places).reshape(-1)
        mine = np.flatnonzero(self._cut.owner_of_planes(wanted))
        here, _ = self._cut.numbers(wanted[mine], electric)
        field = (self.electric if electric else self.magnetic).reshape(-1)
        with self._backend.active():
            own = self._backend.to_host(field[self._backend.array(here)])
        values = np.zeros(len(wanted), self.dtype)
        for at, of_rank in zip(self._ranks.gathered(mine), self._ranks.gathered(own), strict=True):
            values[at] = of_rank
        return self._backend.array(values.reshape(places.shape))

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        planes = slice(0, self._cut.cells + 1)
        self._slab.repaint(self._cut.media(media), (planes, *block[1:]))

    def parts(self) -> dict[str, Any]:
        poles = {"poles": self._slab.states} if self._dispersive else {}  # also where none lies in this slab
        return {**self._slab.parts(), **poles}
