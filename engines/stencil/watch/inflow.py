"""What flows into a grid through each of its sides: the content changes by their sum, and by sources.

A step adds ``rate (g − u)`` to a cell at a side, with the ghost ``g`` of :mod:`engines.stencil.setup.sides` and the
cell's own conductivity: what is told here is what it adds, to all cells of the side, per time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartInfo
from engines.api.device import Backend
from engines.backend.precision import REAL
from engines.backend.twins import pick
from engines.geometry.grid import Grid
from engines.ranks.slabs import Slab
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import AXES, Ghosts

SOURCE = Path(__file__).with_name("inflow.cu")
BLOCKS, THREADS = 16, 256


@dataclass(frozen=True, eq=False)
class HeldSide:
    """A side that is neither periodic nor insulated.

    index:        of an array of the grid, its cells there
    held:         the value that it is held at; None where a gradient is
    factor:       of Σ k (held − u) over the cells there; of a gradient all there is
    conductivity: k of them; None where it is 1
    """

    name: str
    index: tuple[Any, ...]
    held: float | None
    factor: float
    conductivity: Array | None


class Inflow:
    """Through ``sides`` of an array of that shape and type.

    unit:  of the content per time
    names: of all such sides, of those that other ranks have, too
    """

    def __init__(
        self,
        backend: Backend,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        unit: str,
        sides: Sequence[HeldSide],
        names: Sequence[str],
    ) -> None:
        titles = [f"Inflow through {name.replace('_', ' ')}" for name in names]
        self.series = tuple(
            SeriesInfo(f"inflow_{name}", title, unit) for name, title in zip(names, titles, strict=True)
        )
        self._unit = unit
        self._backend, self._shape, self._dtype = backend, shape, dtype
        self._constant = {f"inflow_{side.name}": side.factor for side in sides if side.held is None}
        self._sides = [side for side in sides if side.held is not None]
        self._launch: Callable[[Any, Any], None] | None = None

    def charts_beside(self, others: Sequence[SeriesInfo]) -> tuple[ChartInfo, ...]:
        """Those ``others`` in a chart each, and what flows in together in one after them; no side is held: none."""
        if not self.series:
            return ()
        shown = tuple(each.name for each in self.series)
        apart = (ChartInfo(each.name, each.title, each.unit, (each.name,), comparable=True) for each in others)
        return (*apart, ChartInfo("inflow", "Inflow through sides", self._unit, shown, comparable=True))

    def observe(self, u: Any, scale: float = 1.0) -> dict[str, float]:
        """Of each series, with a factor on the diffusivity; 0 of a side that other ranks have."""
        found = dict.fromkeys((each.name for each in self.series), 0.0) | self._constant
        if self._sides:
            drops: Any = pick(self._backend, cpu=self._on_cpu, cuda=self._on_gpu)(u)
            found |= {
                f"inflow_{side.name}": side.factor * float(drop) for side, drop in zip(self._sides, drops, strict=True)
            }
        return {name: scale * value for name, value in found.items()}

    def _on_cpu(self, u: Array) -> list[float]:
        drops = [(side.held - u[side.index].astype(float), side.conductivity) for side in self._sides]
        return [float((drop if k is None else k * drop).sum()) for drop, k in drops]

    def _on_gpu(self, u: Any) -> Array:
        backend: Any = self._backend
        if self._launch is None:
            self._launch = self._prepared(backend)
        out = backend.empty((len(self._sides), BLOCKS), np.float64)
        with backend.active():
            self._launch(u, out)
        return np.asarray(backend.to_host(out)).sum(axis=1)

    def _prepared(self, backend: Any) -> Callable[[Any, Any], None]:
        """What launches the kernel, with all that it is told of sides on the device."""
        given = [side.conductivity for side in self._sides if side.conductivity is not None]
        starts = np.cumsum([0, *(k.size for k in given)]) if given else np.zeros(len(self._sides), int)
        places = [(*_place(self._shape, side.index), start) for side, start in zip(self._sides, starts, strict=False)]
        kernel = backend.compile(SOURCE, (REAL[self._dtype.name],)).get_function("inflows")
        told = (
            backend.array(np.array(places, np.int64)),
            backend.array(np.array([side.held for side in self._sides], float)),
            backend.array(np.concatenate([k.reshape(-1) for k in given])) if given else np.uint64(0),
        )
        return lambda u, out: kernel((BLOCKS, len(self._sides)), (THREADS,), (u, *told, out))


def _place(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...]:
    """The first of a side's cells in C order, then number and distance of their rows and of their columns."""
    strides = [math.prod(shape[number + 1 :]) for number in range(len(shape))]
    axis = next(number for number, each in enumerate(index) if each != slice(None))
    within = [
        (count, stride) for number, (count, stride) in enumerate(zip(shape, strides, strict=True)) if number != axis
    ]
    rows, columns = within if len(within) == 2 else ((1, 0), within[0])
    return (shape[axis] - 1) * strides[axis] if index[axis] else 0, *rows, *columns


def inflow(
    backend: Backend, grid: Grid, ghosts: Ghosts, conductivity: Array | Interfaces | None, dtype: np.dtype[Any],
    diffusivity: float, unit: str, slab: Slab | None = None,
) -> Inflow:  # fmt: skip
    """Of the whole ``grid``, whose cells or faces have that conductivity, 1 where the diffusivity is as given; with
    ``slab`` of its planes alone."""
    shape = grid.shape if slab is None else slab.own.shape
    sides, names = [], []
    for number, (pair, h) in enumerate(zip(ghosts, grid.spacing, strict=True)):
        axis = grid.dimensions - 1 - number
        for end, ghost in enumerate(pair):
            if ghost.wraps or (ghost.scale, ghost.shift) == (1.0, 0.0):
                continue
            names.append(f"{AXES[number]}_{'high' if end else 'low'}")
            if axis == 0 and slab is not None and (slab.above if end else slab.below) is not None:
                continue
            index = tuple(-end if each == axis else slice(None) for each in range(grid.dimensions))
            k = None
            if conductivity is not None:
                given = conductivity.faces[number] if isinstance(conductivity, Interfaces) else conductivity
                own = given[index] if slab is None or axis == 0 else given[index][slab.low : slab.high]
                k = np.ascontiguousarray(own, dtype)
            per_cell = diffusivity * math.prod(grid.spacing) / h**2  # for a ghost that is 1 above the cell
            if ghost.scale == 1.0:
                total = math.prod(shape) // shape[axis] if k is None else float(k.sum(dtype=float))
                sides.append(HeldSide(names[-1], index, None, per_cell * ghost.shift * total, k))
            else:
                sides.append(HeldSide(names[-1], index, ghost.shift / 2, 2 * per_cell, k))
    return Inflow(backend, shape, dtype, unit, sides, names)
