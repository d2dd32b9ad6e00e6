"""The steps on the CPU: calls the Numba passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.base import Backend
from engines.fdtd import cpu_kernels as kernels
from engines.fdtd.boundaries import Axis, kernel_tables, psi_shapes
from engines.fdtd.materials import Media
from engines.fdtd.sources import Sources
from engines.fdtd.yee import Yee

BANDS_PER_THREAD = 4
"""Parts of a pass per thread: one that another program holds up then costs a part of its share."""


class CpuYee:
    """Leapfrog steps of E and H; the equations are in README.md.

    electric, magnetic: (3, nz + 1, ny + 1, row); psi: six arrays, of E for x, y, z and then of H; signals: (count,).
    They are all that changes from step to step.
    """

    def __init__(
        self, backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str
    ) -> None:
        self.dtype = np.dtype(precision)
        self._yee, self._media, self._sources = yee, media, sources
        self._bands = BANDS_PER_THREAD * backend.info.threads
        self.electric = backend.array(np.zeros((3, *yee.shape), self.dtype))
        self.magnetic = backend.array(np.zeros((3, *yee.shape), self.dtype))
        shapes = psi_shapes(yee, axes)
        self.psi = [np.zeros(shape, self.dtype) for shape in (*shapes, *shapes)]
        self.signals = np.zeros(max(sources.count, 1), self.dtype)
        self._counts = np.array(yee.counts)
        self._lows, self._highs = (np.array([getattr(axis, end) for axis in axes]) for end in ("low", "high"))
        self._wraps = np.array([axis.wraps for axis in axes])
        self._table_e, self._table_h = (kernel_tables(yee, axes, electric, self.dtype) for electric in (True, False))
        self._ca, self._cb, self._da, self._db = (
            values.astype(self.dtype) for values in (media.ca, media.cb, media.da, -media.db)
        )
        # one material: a row of zeros that all rows share, which takes no memory
        self._ids_h = np.broadcast_to(np.zeros(1, np.uint8), media.ids_e.shape) if media.ids_h is None else media.ids_h
        self._rows_e = np.zeros((3, *yee.shape[:2]), np.int16)
        self._rows_h = np.zeros((3, *yee.shape[:2]), np.int16)
        with backend.active():
            kernels.row_materials(media.ids_e, yee.counts[0], self._rows_e)
            if media.ids_h is not None:
                kernels.row_materials(media.ids_h, yee.counts[0], self._rows_h)
        self._lines = [_CpuLine(line, self.signals, self.dtype) for line in sources.lines]
        self._weights = [entries.weights.astype(self.dtype) for entries in (sources.electric, sources.magnetic)]
        self._energy_weights = energy_weights(axes)

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        sources, signals = self._sources, self.signals
        flat_e, flat_h = self.electric.reshape(-1), self.magnetic.reshape(-1)
        for row in values:
            for value, (_, _, slot, half) in zip(row, sources.drives, strict=True):
                if half:
                    signals[slot] = value
            kernels.electric_pass(
                self.electric, self.magnetic, self._media.ids_e, self._rows_e, self._ca, self._cb, self._table_e,
                self._lows, self._highs, self._wraps, self._counts, *self.psi[:3], self._bands,
            )  # fmt: skip
            if sources.count:
                entries = sources.electric
                kernels.inject(flat_e, entries.places, self._weights[0], entries.slots, signals)
            for line in self._lines:
                line.electric()
            for value, (_, _, slot, half) in zip(row, sources.drives, strict=True):
                if not half:
                    signals[slot] = value
            kernels.magnetic_pass(
                self.electric, self.magnetic, self._ids_h, self._rows_h, self._da, self._db, self._table_h,
                self._lows, self._highs, self._counts, *self.psi[3:], self._bands,
            )  # fmt: skip
            if self._lines:
                entries = sources.magnetic
                kernels.inject(flat_h, entries.places, self._weights[1], entries.slots, signals)
            for line in self._lines:
                line.magnetic()

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media``, which are these here, have changed. Inside ``backend.active``."""
        self._ca[...], self._cb[...], self._da[...], self._db[...] = media.ca, media.cb, media.da, -media.db
        kernels.row_materials(media.ids_e, self._yee.counts[0], self._rows_e)
        if media.ids_h is not None:
            kernels.row_materials(media.ids_h, self._yee.counts[0], self._rows_h)

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² and Σ μ_r (η₀H)² over the cells [V²/m²]. Inside ``backend.active``."""
        sums = np.zeros((self._yee.shape[0], 2))
        kernels.energy_sums(
            self.electric, self.magnetic, self._media.ids_e, self._media.ids_h, self._media.permittivity,
            self._media.permeability, self._counts, self._energy_weights, sums,
        )  # fmt: skip
        electric, magnetic = sums.sum(axis=0)
        return float(electric), float(magnetic)

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        psi = {
            f"psi {field}{axis}": self.psi[3 * n + a] for n, field in enumerate("eh") for a, axis in enumerate("xyz")
        }
        return {"electric": self.electric, "magnetic": self.magnetic, "signals": self.signals, **psi, **self.line_psi()}

    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""
        return {f"line {n} {name}": psi for n, line in enumerate(self._lines) for name, psi in line.psi.items()}


class _CpuLine:
    """A plane wave's line; E and H are in the signals."""

    def __init__(self, line: Any, signals: Array, dtype: Any) -> None:
        n, axis = line.n, line.axis
        self._e, self._h = (
            signals[line.first : line.first + n + 1],
            signals[line.first + n + 1 : line.first + 2 * n + 2],
        )
        self._table_e = tuple(values.astype(dtype) for values in (axis.inverse_e, axis.b_e, axis.c_e))
        self._table_h = tuple(values.astype(dtype) for values in (axis.inverse_h, axis.b_h, axis.c_h))
        self.psi = {"e": np.zeros(n + 1, dtype), "h": np.zeros(n + 1, dtype)}
        self._cb, self._db = dtype.type(line.cb), dtype.type(line.db)

    def electric(self) -> None:
        kernels.line_electric(self._e, self._h, *self._table_e, self.psi["e"], self._cb)

    def magnetic(self) -> None:
        kernels.line_magnetic(self._e, self._h, *self._table_h, self.psi["h"], self._db)


def energy_weights(axes: Sequence[Axis]) -> Array:
    """(3, longest): the part of a cell around each node; a node of a periodic axis counts once, one on a wall half."""
    weights = np.zeros((3, max(axis.n for axis in axes) + 1))
    for d, axis in enumerate(axes):
        weights[d, : axis.n + 1] = 1.0
        weights[d, [0, axis.n]] = 0.5
    return weights
