"""Content, largest value and dabs of paint: what looks at or touches a field apart from the steps."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from engines.api import Array, Dab
from engines.api.device import Backend
from engines.geometry.grid import Grid

PAINT = Path(__file__).with_name("paint.cu")
MACROS = {"float32": ("-DREAL=float",), "float64": ("-DREAL=double",)}
BLOCK = (32, 4, 2)
CHUNK = 1 << 14


def total_and_largest(backend: Backend, values: Any) -> tuple[float, float]:
    """Sum in float64 and maximum of a device array."""
    with backend.active():
        if backend.id != "cpu":
            return float(values.sum(dtype=np.float64)), float(values.max())
        flat = values.reshape(-1)
        parts = np.empty((2, -(-flat.size // CHUNK)))
        _sums(flat, parts)
    return float(parts[0].sum()), float(parts[1].max())


@nb.njit(cache=True, nogil=True, parallel=True)
def _sums(values, parts):
    """parts: (2, chunks) sum and maximum of each chunk of ``values (n,)``; NaN is passed on by the sum."""
    for chunk in nb.prange(parts.shape[1]):
        total = 0.0
        largest = -np.inf
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, values.size)):
            total += values[i]
            if values[i] > largest:
                largest = values[i]
        parts[0, chunk] = total
        parts[1, chunk] = largest


def paint(backend: Backend, grid: Grid, values: Any, dab: Dab, rest: float, base: Any = None) -> None:
    """Add a dab to ``values`` (grid.shape, on the device), or take away what was painted there.

    Its profile is w = (1 − r²/R²)² within the radius R, at least one cell. ``u += amount w``, or where it erases
    ``u += w (b − u)`` with b the value before anything was painted: ``base`` (grid.shape), or ``rest`` without one.
    """
    radius = max(dab.radius, *grid.spacing)
    position = [p - o for p, o in zip(dab.position, grid.origin, strict=True)]
    low, high = [], []
    for p, h, count in zip(position, grid.spacing, grid.counts, strict=False):
        low.append(min(max(int(np.floor((p - radius) / h)), 0), count))
        high.append(min(max(int(np.ceil((p + radius) / h)), 0), count))
    if any(a >= b for a, b in zip(low, high, strict=True)):
        return
    if grid.dimensions == 2:
        low, high, position = [*low, 0], [*high, 1], [*position[:2], 0.0]
    spacing = [*grid.spacing, 0.0][:3]
    if backend.id == "cpu":
        box = grid.shape if grid.dimensions == 3 else (1, *grid.shape)
        with backend.active():
            _dab(
                values.reshape(box), None if base is None else base.reshape(box), rest, np.array(low), np.array(high),
                np.array(position), np.array(spacing), radius, dab.amount, dab.erase,
            )  # fmt: skip
    else:
        _launch(backend, grid, values, base, rest, low, high, position, spacing, radius, dab)


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


def _launch(
    backend: Any, grid: Grid, values: Any, base: Any, rest: float,
    low: list[int], high: list[int], position: list[float], spacing: list[float], radius: float, dab: Dab,
) -> None:  # fmt: skip
    kernel = backend.compile(PAINT, MACROS[values.dtype.name]).get_function("dab")
    blocks = tuple(-(-(b - a) // threads) for a, b, threads in zip(low, high, BLOCK, strict=True))
    numbers: list[Array] = [np.int32(n) for n in (*grid.counts[:2], *low, *high)]  # type: ignore[misc]  # scalars
    places = [np.float32(value) for value in (*position, *spacing, radius, dab.amount, rest)]
    with backend.active():
        given = np.int32(base is not None)
        kernel(
            blocks, BLOCK, (values, values if base is None else base, given, *numbers, *places, np.int32(dab.erase))
        )  # fmt: skip


__all__ = ["paint", "total_and_largest"]
