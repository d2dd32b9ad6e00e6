"""A slab of a Yee grid as a grid of its own: its axes, media, sources and what monitors sample, cut from the whole.

A slab owns cells ``low … high − 1``: nodes and halves of the same numbers, the last slab node n too. Beside them it has
a cell of each neighbour: H in the half below node ``low`` and above node ``high`` comes from there after each step, so
that E of both nodes is stepped from the same numbers in the same order as on one rank; node ``high`` is the neighbour's
too. The nodes beyond are perfect conductors, ``E = 0``, and so are both halves of the neighbours: an absorbing layer of
x or y would step E_z there from H of before the exchange, which grows without end. Absorbing layers of z lie in the
first and the last slab.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Ranks, Share
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.dispersion import ALIGNED, Dispersion
from engines.fdtd.media.materials import Media
from engines.fdtd.monitors.sums.blocks import Block
from engines.fdtd.sources.currents import Sources
from engines.fdtd.sources.incident import Entries
from engines.geometry.grid import Grid
from engines.ranks.slabs import Slab

Z = 2
ON_HALVES = {
    "electric": [2], "magnetic": [0, 1], "psi ex": [1], "psi ey": [0], "psi hx": [0], "psi hy": [1],
}  # fmt: skip
"""Which components of parts of a state stand at halves of z."""
Points = tuple[Array, Array, Array]
"""electric (n,), places (n, 8), weights (n, 8) of components at points."""


def slab_of(grid: Grid, axes: Sequence[Axis], ranks: Ranks) -> Slab:
    """Raises ProblemError where a slab would be thinner than the absorbing layers that it is to hold."""
    slab = Slab.of(grid, ranks, wraps=axes[Z].wraps)
    thickest = max(axes[Z].clear[0], axes[Z].n - axes[Z].clear[1])
    if slab.thinnest <= thickest:
        raise ProblemError(
            f"The absorbing layers of z take {thickest} cells, and {ranks.size} ranks have {slab.thinnest} each: use "
            f"at most {max(1, axes[Z].n // (thickest + 1))} ranks."
        )
    return slab


@dataclass(frozen=True)
class CutYee:
    """``slab`` of the grid ``whole`` with its ``along``, x, y, z."""

    slab: Slab
    whole: Yee
    along: Sequence[Axis]

    @cached_property
    def first(self) -> int:
        """The node, or half, that is number 0 here; −1 below node 0 of a periodic axis."""
        return self.slab.low - (self.slab.below is not None)

    @cached_property
    def cells(self) -> int:
        """Along z, those of the neighbours too."""
        return self.slab.high + (self.slab.above is not None) - self.first

    def _high(self, cells: int) -> Yee:
        """So many cells along z; where they are is asked of the whole."""
        x, y, _ = self.whole.counts
        return replace(self.whole, counts=(x, y, cells), lines=(self.whole.lines[0], self.whole.lines[1], None))

    @cached_property
    def yee(self) -> Yee:
        return self._high(self.cells)

    @cached_property
    def own(self) -> Yee:
        """Of its own cells, for viewers."""
        return self._high(self.slab.high - self.slab.low)

    @cached_property
    def nodes(self) -> Array:
        """(cells + 1,) which nodes of the whole it has."""
        found, n = self.first + np.arange(self.cells + 1), self.along[Z].n
        return np.where(found < 0, found + n, np.where(found > n, found - n, found))

    @cached_property
    def halves(self) -> Array:
        """(cells + 1,) which halves; the last one, which is not there, is the whole's."""
        n = self.along[Z].n
        return np.append((self.first + np.arange(self.cells)) % n, n)

    @cached_property
    def owned(self) -> Array:
        """Numbers here of its own nodes and halves."""
        last = self.slab.above is None or self.slab.high == self.along[Z].n
        return np.arange(self.slab.low, self.slab.high + last) - self.first

    @property
    def axes(self) -> tuple[Axis, Axis, Axis]:
        axis, nodes, halves = self.along[Z], self.nodes, self.halves
        part_h = np.zeros(self.cells + 1)  # of energies: of its own halves
        own = np.arange(self.slab.low, self.slab.high)
        part_h[own - self.first] = axis.part_h[own]
        low, high = (
            [axis.low, axis.fading[0]] if self.slab.below is None else [0, 0],
            [axis.high, axis.fading[1]] if self.slab.above is None else [0, 0],
        )
        z = Axis(
            self.cells, False, axis.walls, low[0], high[0], axis.inverse_e[nodes], axis.inverse_h[halves],
            axis.b_e[nodes], axis.c_e[nodes], axis.b_h[halves], axis.c_h[halves], axis.part_e[nodes],
            part_h, axis.fade_nodes[nodes], axis.fade_halves[halves], (low[1], high[1]),
        )  # fmt: skip
        return self.along[0], self.along[1], z

    def _planes(self, field: Array, electric: bool) -> Array:
        """Its planes of (3, nz + 1, …)."""
        return np.stack([field[c][self.nodes if (c == Z) != electric else self.halves] for c in range(3)])

    def media(self, media: Media) -> Media:
        ids_e = self._planes(media.ids_e, True)
        for there, plane, half in ((self.slab.below, 0, 0), (self.slab.above, self.cells, self.cells - 1)):
            if there is not None:
                ids_e[:Z, plane] = 0
                ids_e[Z, half] = 0
        ids_h = None if media.ids_h is None else self._planes(media.ids_h, False)
        dispersion = None if media.dispersion is None else self._dispersion(media.dispersion)[0]
        coupling = media.coupling
        if coupling is not None:
            coupling = coupling.cut(lambda places: self.numbers(places, True), self._beside)
        return replace(media, ids_e=ids_e, ids_h=ids_h, dispersion=dispersion, coupling=coupling)

    def _dispersion(self, dispersion: Dispersion) -> tuple[Dispersion, Array]:
        """And (places,) which of the whole's places with states those here are."""
        spans = self._planes(dispersion.spans, True)
        lengths = (spans[..., 1] - spans[..., 0]).reshape(-1).astype(np.int64)
        ends = np.cumsum(lengths)
        of_whole = np.repeat(ALIGNED * spans[..., 2].reshape(-1).astype(np.int64) - (ends - lengths), lengths)
        places = of_whole + np.arange(len(of_whole))
        spans[..., 2] = ((ends - lengths) // ALIGNED).reshape(spans.shape[:3])
        return replace(dispersion, spans=spans, places=int(ends[-1])), places

    def numbers(self, places: Array, electric: bool) -> tuple[Array, Array]:
        """(n,) where places of the whole field are here, and which of them are stepped here as on one rank: nodes
        ``low … high``, and halves from the one below ``low`` on."""
        nz, ny, row = self.whole.shape
        component, rest = np.divmod(places, nz * ny * row)
        k, rest = np.divmod(rest, ny * row)
        live = np.full((2, nz), -1)
        on_nodes = slice(int(self.slab.below is not None), self.cells + (self.slab.above is None))
        on_halves = slice(0, self.cells - (self.slab.above is not None))
        for table, of_whole, there in zip(live, (self.nodes, self.halves), (on_nodes, on_halves), strict=True):
            table[of_whole[there]] = np.arange(len(of_whole))[there]
        at = live[((component == Z) == electric).astype(int), k]
        return (component * (self.cells + 1) + at) * ny * row + rest, at >= 0

    def _beside(self, places: Array) -> Array:
        """Where places of H are here, halves of both neighbours too; any place of those that are not."""
        nz, ny, row = self.whole.shape
        component, rest = np.divmod(places, nz * ny * row)
        k, rest = np.divmod(rest, ny * row)
        tables = np.zeros((2, nz), int)
        tables[0, self.halves[:-1]] = np.arange(self.cells)
        tables[1, self.nodes] = np.arange(self.cells + 1)
        if self.along[Z].wraps:  # the first node and the last are the same
            tables[1, [0, -1]] = tables[1, [0, -1]].max()
        at = tables[(component == Z).astype(int), k]
        return np.asarray((component * (self.cells + 1) + at) * ny * row + rest)

    def sources(self, sources: Sources) -> Sources:
        return replace(
            sources, electric=self._entries(sources.electric, True), magnetic=self._entries(sources.magnetic, False)
        )  # fmt: skip

    def _entries(self, entries: Entries, electric: bool) -> Entries:
        places, there = self.numbers(entries.places, electric)
        kept = np.flatnonzero(there)
        kept = kept[np.argsort(places[kept], kind="stable")]
        return Entries(places[kept], entries.weights[kept], entries.slots[kept])

    def owner_of_planes(self, places: Array) -> Array:
        """(n,) whether the plane of each place is its own."""
        nz, ny, row = self.whole.shape
        return np.isin(places // (ny * row) % nz, self.nodes[self.owned])

    def points(self, points: Points) -> tuple[Points, Array]:
        """Components at points here, and which of them are this rank's: of the first that steps all their places."""
        electric, places, weights = points
        here, there = (np.empty(places.shape, each) for each in (np.int64, bool))
        for n, (is_electric, of_one) in enumerate(zip(electric, places, strict=True)):
            here[n], there[n] = self.numbers(of_one, bool(is_electric))
        able = (there | (weights == 0)).all(axis=1)
        mine = np.flatnonzero(able & (self._first_able(points) == self.slab.rank))
        chosen = np.zeros(len(electric), bool)
        chosen[mine] = True
        return (electric, np.where(chosen[:, None] & there, here, 0), weights * chosen[:, None]), mine

    def _first_able(self, points: Points) -> Array:
        electric, places, weights = points
        found = np.full(len(electric), -1)
        for rank in range(len(self.slab.rows) - 1):
            other = CutYee(replace(self.slab, rank=rank), self.whole, self.along)
            able = np.array([
                (other.numbers(of_one, bool(is_electric))[1] | (weight == 0)).all()
                for is_electric, of_one, weight in zip(electric, places, weights, strict=True)
            ])  # fmt: skip
            found = np.where((found < 0) & able, rank, found)
        return found

    def blocks(self, blocks: Sequence[Block]) -> tuple[list[Block], Array]:
        """What of blocks lies in its own planes, and (n,) which of all their values those are."""
        _, ny, row = self.whole.shape
        plane = ny * row
        planes = self.nodes[self.owned]
        found: list[Block] = []
        values = [np.zeros(0, np.int64)]
        start = 0
        for block in blocks:
            low, high = max(block.low[Z], int(planes[0])), min(block.low[Z] + block.counts[Z] - 1, int(planes[-1]))
            if low <= high:
                x, y, _ = block.counts
                neighbour = block.neighbour
                if abs(neighbour) >= plane:  # the half below, also where that is the last of a periodic axis
                    neighbour = -plane
                at = (block.low[0], block.low[1], low - self.first)
                found.append(replace(block, low=at, counts=(x, y, high - low + 1), neighbour=neighbour))
                values.append(start + (low - block.low[Z]) * x * y + np.arange(found[-1].size))
            start += block.size
        return found, np.concatenate(values)

    def hide_beyond(self, state: Mapping[str, Array]) -> None:
        """On one rank the half n of a periodic axis is not there; here it is the neighbour's first, beside node n."""
        if self.slab.above is not None and self.slab.high == self.along[Z].n:
            for name, components in ON_HALVES.items():
                if name in state:
                    state[name][components, self.slab.high - self.first] = 0

    def shares(self, media: Media) -> dict[str, Share]:
        """Of the state of steps (:meth:`engines.fdtd.step.leapfrog.LeapfrogSteps.parts`)."""
        there = self.nodes.copy()
        if self.slab.above is not None:  # its place stands for the half −1 (yee.py)
            there[-1] = -1
        planes = Share(1, self.whole.shape[0], there, self.owned)
        found = {"electric": planes, "magnetic": planes}
        axis = self.along[Z]
        slots = np.arange(axis.low + axis.high)
        mine = slots[: axis.low] if self.slab.below is None else slots[:0]
        mine = np.concatenate([mine, slots[axis.low :] if self.slab.above is None else slots[:0]])
        for field in "eh":
            found |= {f"psi {field}{name}": planes for name in "xy"}
            found[f"psi {field}z"] = Share(1, len(slots), mine)
        if media.dispersion is not None:
            _, places = self._dispersion(media.dispersion)
            spans = self._planes(media.dispersion.spans, True)
            owned = np.zeros(spans.shape[:3], bool)
            owned[:, self.owned] = True
            owned[Z, self.slab.high - self.first :] = False
            own = np.repeat(owned.reshape(-1), (spans[..., 1] - spans[..., 0]).reshape(-1))
            found["poles"] = Share(1, media.dispersion.places, places, np.flatnonzero(own))
        return found
