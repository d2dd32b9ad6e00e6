"""Materials painted on while a run goes on: the ids around a ball of cells are mixed anew.

Where a source drives the field the mixture stays, for the source's weights are made for it, and so it does in the gaps
of ports, which have a resistance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engines.api import Array, Dab, PaintInfo, Problem
from engines.api.abilities import Underneath
from engines.api.charts import Fact
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media, Medium, make_media
from engines.fdtd.parameters import FdtdParameters, Painted, Spot
from engines.fdtd.parameters.objects import VACUUM
from engines.fdtd.sources.currents import Sources
from engines.geometry.solids.round import Ball

KEEP = "Keep what was painted in the project"
BRUSH = "material"
Block = tuple[slice, slice, slice]
"""Along z, y, x."""
NOWHERE = np.zeros(0, np.int64)
"""Places."""


class Painter:
    """Changes ``cells: (nz, ny, nx)`` and the ids and tables of ``media`` in place; ``materials``: of the numbers;
    ``held``: places of E whose mixtures stay; ``smoothed``: those of E with smoothing, which they have as long as the
    cells around them are as they were."""

    def __init__(
        self, parameters: FdtdParameters, yee: Yee, axes: Sequence[Axis], cells: Array, media: Media,
        materials: Sequence[Medium], sources: Sources, dt: float, held: Sequence[Array] = (),
        smoothed: Array = NOWHERE,
    ) -> None:  # fmt: skip
        self.cells, self.media = cells, media
        self._smoothed, self._first = np.sort(smoothed), cells.copy() if smoothed.size else cells
        self._smoothed_ids = media.ids_e.reshape(-1)[self._smoothed]
        self._parameters, self._yee, self._axes, self._materials = parameters, yee, axes, materials
        self._driven = (np.unique(np.concatenate([sources.electric.places, *held])), np.unique(sources.magnetic.places))
        self._dt = dt
        self._names = [VACUUM, *(material.name for material in parameters.materials)]
        self._dabs: list[tuple[int, Spot]] = []

    @property
    def brush(self) -> PaintInfo:
        told = ", ".join(f"{number} {name}" for number, name in enumerate(self._names))
        most = len(self._names) - 1
        return PaintInfo(
            BRUSH, "Material", "1", float(min(1, most)), erasable=False, amount_title="Number of the material",
            bounds=(0.0, float(most)), hint=f"The ball under the pointer becomes of this material: {told}.",
        )  # fmt: skip

    def paint(self, dab: Dab) -> tuple[Block, Block]:
        """The cells that were looked at, and the places whose ids may have changed. Raises ProblemError."""
        number = round(dab.amount) if np.isfinite(dab.amount) else -1
        if not 0 <= number < len(self._names):
            raise ProblemError(f"There is no material {dab.amount:g}: choose 0 (vacuum) to {len(self._names) - 1}.")
        if self.media.dispersion is not None or self._materials[number].poles:
            raise ProblemError(
                "Dispersive materials cannot be painted with or on: reset the run, and place an object instead."
            )
        x, y, z = center = self._center(dab)
        cells, inside = self._ball(center, dab.radius)
        self.cells[cells][inside] = number
        self._dabs.append((number, (x, y, z, dab.radius)))
        return cells, self._mix(cells)

    def underneath(self, dab: Dab) -> Underneath:
        """The block of cells that ``dab`` is about to paint on."""
        cells, _ = self._ball(self._center(dab), dab.radius)
        held = self.cells[cells].copy()
        return Underneath(dab.brush, cells, held, held.nbytes, lasts=True)

    def put_back(self, under: Underneath) -> tuple[Block, Block]:
        """The last dab is taken back; returns what :meth:`paint` does."""
        self.cells[under.place] = under.values
        self._dabs = self._dabs[:-1]
        return under.place, self._mix(under.place)

    def _center(self, dab: Dab) -> tuple[float, float, float]:
        """A plane or line is painted where it is, also where it is shown as a strip."""
        x, y, z = (
            float(self._yee.halves(axis)[0]) if self._yee.flat[axis] else at for axis, at in enumerate(dab.position)
        )
        return x, y, z

    def put(self, cells: Array) -> Block:
        """All cells at once (a checkpoint's)."""
        self.cells[...] = cells
        nz, ny, nx = self.cells.shape
        return self._mix((slice(0, nz), slice(0, ny), slice(0, nx)))

    def _ball(self, center: tuple[float, float, float], radius: float) -> tuple[Block, Array]:
        """A block of cells, and which of them the ball holds: at least the one in which its middle lies."""
        ball, spans, middles = Ball(center, (radius, radius, radius)), [], []
        for axis in range(3):
            first, last = (self._yee.cell_at(axis, center[axis] + way * radius) for way in (-1, 1))
            spans.append(slice(first, last + 1))
            middles.append(self._yee.halves(axis)[first : last + 1])
        block = (spans[2], spans[1], spans[0])
        inside = ball.on_grid(*middles)
        i, j, k = (self._yee.cell_at(axis, center[axis]) - spans[axis].start for axis in range(3))
        inside[k, j, i] = True
        return block, inside

    def _mix(self, cells: Block) -> Block:
        """Ids of the places around a block of cells; the places."""
        wide, places, axes = [], [], []
        for axis, span in zip(self._axes, cells[::-1], strict=True):
            low, high = span.start, span.stop
            if axis.wraps and (low == 0 or high == axis.n):  # both ends are beside each other
                low, high = 0, axis.n
            first, last = max(0, low - 1), min(axis.n, high + 1)
            whole = first == 0 and last == axis.n
            walls = (axis.walls[0] and first == 0, axis.walls[1] and last == axis.n)
            axes.append(replace(axis, n=last - first, wraps=axis.wraps and whole, walls=walls))
            wide.append((first, last))
            places.append(slice(low, high + 1))
        around = tuple(slice(*span) for span in wide[::-1])
        near = np.ascontiguousarray(self.cells[around])  # for kernels that are compiled: a view would take 5 s more
        mixed = make_media(self._yee.part(wide), axes, near, self._materials, self._dt)
        target: Block = (places[2], places[1], places[0])
        inner = tuple(slice(at.start - w[0], at.stop - w[0]) for at, w in zip(places[::-1], wide[::-1], strict=True))
        tables_e, tables_h = ("ca", "cb", "permittivity"), ("da", "db", "permeability")
        self._put_ids(self.media.ids_e, mixed.ids_e[:, *inner], target, self._driven[0], mixed, tables_e)
        if self.media.ids_h is not None and mixed.ids_h is not None:
            self._put_ids(self.media.ids_h, mixed.ids_h[:, *inner], target, self._driven[1], mixed, tables_h)
        if self._smoothed.size:
            self._smooth_again(target)
        if self.media.coupling is not None:
            self.media.coupling.drop(target)
        return target

    def _smooth_again(self, target: Block) -> None:
        """Edges whose cells are those of the beginning get back what smoothing gave them."""
        ids = self.media.ids_e
        at = np.stack(np.unravel_index(self._smoothed % self._yee.places, ids.shape[1:]))
        low, high = (np.array([getattr(span, end) for span in target])[:, None] for end in ("start", "stop"))
        inside = ((at >= low) & (at < high)).all(axis=0) & ~np.isin(self._smoothed, self._driven[0])
        at, places, numbers = at[:, inside], self._smoothed[inside], self._smoothed_ids[inside]
        same = np.ones(len(places), bool)
        for beside in itertools.product((-1, 0), repeat=3):  # the cells behind and before each place
            cells = []
            for each, step, axis in zip(at, beside, self._axes[::-1], strict=True):
                cells.append((each + step) % axis.n if axis.wraps else np.clip(each + step, 0, axis.n - 1))
            same &= self.cells[tuple(cells)] == self._first[tuple(cells)]
        ids.reshape(-1)[places[same]] = numbers[same]

    def _put_ids(
        self, ids: Array, new: Array, target: Block, driven: Array, mixed: Media, tables: tuple[str, ...]
    ) -> None:
        live = [getattr(self.media, name) for name in tables]
        kept = int(self._smoothed_ids.max(initial=0)) if ids is self.media.ids_e else 0
        numbers = known_numbers(ids, live, [getattr(mixed, name) for name in tables], np.unique(new), kept)
        before = ids[:, *target]
        axes = (np.arange(3), *(np.arange(span.start, span.stop) for span in target))
        flat = np.ravel_multi_index(np.ix_(*axes), ids.shape)
        ids[:, *target] = np.where(np.isin(flat, driven), before, numbers[new])

    def kept(self, problem: Problem) -> ToolResult | None:
        """See :meth:`engines.api.Simulation.kept`: painted balls become objects of the problem."""
        parameters = problem.parameters
        assert isinstance(parameters, FdtdParameters)
        if not self._dabs:
            return None
        if parameters.grid != self._parameters.grid:
            raise ProblemError("The grid has changed since this run began: reset the run, then paint again.")
        spots = [spot for _, spot in self._dabs]
        before = [
            item
            for item in parameters.objects
            if not (isinstance(item, Painted) and all(spot in spots for spot in item.spots))
        ]
        painted: list[Painted] = []
        for number, spot in self._dabs:
            name = self._names[number]
            if not painted or painted[-1].material != name:
                painted.append(Painted(material=name, spots=[]))
            painted[-1].spots.append(spot)
        return ToolResult(
            f"{len(spots):,} painted spots are objects of the problem now; Reset runs with them.",
            (Fact("Painted spots", len(spots), "1"),),
            parameters=parameters.model_copy(update={"objects": [*before, *painted]}),
        )


def known_numbers(ids: Array, tables: Sequence[Array], others: Sequence[Array], used: Array, kept: int = 0) -> Array:
    """Numbers in ``tables`` for numbers in ``others`` (of which those ``used`` are asked for), by their values.

    What ``tables`` do not know is put behind the last number in ``ids``, and behind ``kept``. Raises ProblemError if
    there is no room.
    """
    live, other = np.stack(tables, axis=1), np.stack(others, axis=1)
    numbers = np.zeros(len(other), ids.dtype)
    known = {tuple(row): number for number, row in reversed(list(enumerate(live.tolist())))}
    free = -1
    for number in used:
        row = tuple(other[number].tolist())
        if number < len(live) and tuple(live[number].tolist()) == row:
            numbers[number] = number
        elif row in known:
            numbers[number] = known[row]
        else:
            free = (max(kept, int(ids.max())) if free < 0 else free) + 1
            if free >= len(live):
                raise ProblemError(
                    f"There are {len(live)} mixtures of materials already: paint with fewer materials, or keep what "
                    "was painted and reset."
                )
            for table, values in zip(tables, others, strict=True):
                table[free] = values[number]
            live[free], known[row] = other[number], free
            numbers[number] = free
    return numbers
