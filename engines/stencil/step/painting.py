"""Dabs of paint on a field, and sources that are painted."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba as nb
import numpy as np

from engines.api import Array, Dab
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.backend.precision import REAL
from engines.backend.twins import pick
from engines.geometry.grid import Grid

PAINT = Path(__file__).with_name("paint.cu")
BLOCK = (32, 4, 2)


def paint(backend: Backend, grid: Grid, values: Any, dab: Dab, rest: float, base: Any = None) -> None:
    """Add a dab to ``values`` (grid.shape, on the device), or take away what was painted there.

    Its profile is w = (1 − r²/R²)² within the radius R, at least one cell. ``u += amount w``, or where it erases
    ``u += w (b − u)`` with b the value before anything was painted: ``base`` (grid.shape), or ``rest`` without one.
    """
    reach = _reach(grid, dab)
    if any(a >= b for a, b in zip(reach.low, reach.high, strict=True)):
        return
    with backend.active():
        pick(backend, cpu=_paint_on_cpu, cuda=_paint_on_cuda)(backend, grid, values, base, rest, reach, dab)


def underneath(backend: Backend, grid: Grid, values: Any, dab: Dab, lasts: bool) -> Underneath:
    """The box of ``values`` (grid.shape, on the device) that :func:`paint` may change."""
    reach = _reach(grid, dab)
    spans = [slice(low, high) for low, high in zip(reach.low, reach.high, strict=True)]
    place = tuple(reversed(spans[: grid.dimensions]))
    with backend.active():
        held = np.array(backend.to_host(values[place]))  # a copy, on the CPU too
    return Underneath(dab.brush, place, held, held.nbytes, lasts)


def put_back(backend: Backend, values: Any, under: Underneath) -> None:
    """``values`` as they were in that box."""
    with backend.active():
        values[under.place] = backend.array(under.values)


def _reach(grid: Grid, dab: Dab) -> _Reach:
    radius = max(dab.radius, *grid.spacing)
    position = [p - o for p, o in zip(dab.position, grid.origin, strict=True)]
    low, high = [], []
    for p, h, count in zip(position, grid.spacing, grid.counts, strict=False):
        low.append(min(max(int(np.floor((p - radius) / h)), 0), count))
        high.append(min(max(int(np.ceil((p + radius) / h)), 0), count))
    if grid.dimensions == 2:
        low, high, position = [*low, 0], [*high, 1], [*position[:2], 0.0]
    return _Reach(low, high, position, [*grid.spacing, 0.0][:3], radius)


class _Reach(NamedTuple):
    """Where a dab acts, along x, y, z: cells ``low`` to ``high`` (exclusive), its middle and their size [mm]."""

    low: list[int]
    high: list[int]
    position: list[float]
    spacing: list[float]
    radius: float


def _paint_on_cpu(backend: Any, grid: Grid, values: Any, base: Any, rest: float, reach: _Reach, dab: Dab) -> None:
    box = grid.shape if grid.dimensions == 3 else (1, *grid.shape)
    _dab(
        values.reshape(box), None if base is None else base.reshape(box), rest, *map(np.array, reach[:4]),
        reach.radius, dab.amount, dab.erase,
    )  # fmt: skip


@nb.njit(cache=True, nogil=True, parallel=True)
def _dab(values, base, rest, low, high, position, spacing, radius, amount, erase):
    """values, base: (nz, ny, nx); low … spacing: for x, y, z; cells low to high (exclusive)."""
    rows = high[1] - low[1]
    for index in nb.prange((high[2] - low[2]) * rows):
        z, y = low[2] + index // rows, low[1] + index % rows
        dy = (y + 0.5) * spacing[1] - position[1]
        dz = (z + 0.5) * spacing[2] - position[2]
        for x in range(low[0], high[0]):
            dx = (x + 0.5) * spacing[0] - position[0]
            inside = 1.0 - (dx * dx + dy * dy + dz * dz) / (radius * radius)
            if inside > 0.0:
                weight = inside * inside
                old = float(values[z, y, x])
                if erase:
                    before = rest if base is None else float(base[z, y, x])
                    values[z, y, x] = old + weight * (before - old)
                else:
                    values[z, y, x] = old + weight * amount


def _paint_on_cuda(backend: Any, grid: Grid, values: Any, base: Any, rest: float, reach: _Reach, dab: Dab) -> None:
    kernel = backend.compile(PAINT, (REAL[values.dtype.name],)).get_function("dab")
    blocks = tuple(-(-(b - a) // threads) for a, b, threads in zip(reach.low, reach.high, BLOCK, strict=True))
    numbers: list[Any] = [np.int32(n) for n in (*grid.counts[:2], *reach.low, *reach.high)]
    places = [np.float32(value) for value in (*reach.position, *reach.spacing, reach.radius, dab.amount, rest)]
    given = np.int32(base is not None)
    kernel(blocks, BLOCK, (values, values if base is None else base, given, *numbers, *places, np.int32(dab.erase)))


class PaintedSource:
    """A source on the device that is made at the first dab: a step without one reads less.

    ``make`` gives the source before anything was painted, (grid.shape); ``rest`` is its value where it is uniform.
    """

    def __init__(self, backend: Backend, grid: Grid, make: Callable[[], Array], rest: float | None) -> None:
        self._backend, self._grid, self._make = backend, grid, make
        self._rest = rest
        self._base: Any = None
        self._nothing: Any = None  # for those who look at a source that is not there
        self.array: Any = None if rest == 0.0 else backend.array(make())

    def host(self) -> Array:
        """(grid.shape) on the host; zeros where nothing was painted."""
        return self._make() if self.array is None else self._backend.to_host(self.array)

    def shown(self) -> Any:
        """(grid.shape) on the device; what stands for a source that is not there is made once."""
        if self.array is not None:
            return self.array
        if self._nothing is None:
            self._nothing = self._backend.array(self._make())
        return self._nothing

    def replace(self, values: Array) -> None:
        """Back to what :meth:`host` gave. Raises ValueError for an array of another grid."""
        if values.shape != self._grid.shape:
            raise ValueError(f"a source of {values.shape}, not of {self._grid.shape}")
        self.array = self._backend.array(values) if values.any() or self._rest != 0.0 else None

    def paint(self, dab: Dab) -> None:
        if self.array is None:
            if dab.erase:
                return
            self.array, self._nothing = self.shown(), None
        if dab.erase and self._rest is None and self._base is None:
            self._base = self._backend.array(self._make())
        paint(self._backend, self._grid, self.array, dab, self._rest or 0.0, self._base)

    def underneath(self, dab: Dab) -> Underneath:
        """What ``dab`` is about to paint over; ``values`` None where there is no source yet."""
        if self.array is None:
            return Underneath(dab.brush, (), None, 0, lasts=True)
        return underneath(self._backend, self._grid, self.array, dab, lasts=True)

    def put_back(self, under: Underneath) -> None:
        if under.values is None:
            self.array = None
        elif self.array is not None:  # else the run is another
            put_back(self._backend, self.array, under)
