"""The steps on the CPU: calls the Numba passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.base import Backend
from engines.fdtd import cpu_extras as extras
from engines.fdtd import cpu_kernels as kernels
from engines.fdtd.boundaries import Axis, kernel_tables, psi_shapes
from engines.fdtd.cpu_oblique import CpuObliqueLine
from engines.fdtd.dimensions import ALL, Parts, make_twins
from engines.fdtd.dispersion import Dispersion
from engines.fdtd.materials import Media
from engines.fdtd.sources import Sources
from engines.fdtd.yee import Yee

BANDS_PER_THREAD = 4
"""Parts of a pass per thread: one that another program holds up then costs a part of its share."""

CPU_ID_BYTES = 2
"""Always 16 bits, so that there is one set of kernels to compile: only rows of several materials read their ids."""


class CpuYee:
    """Leapfrog steps of E and H; the equations are in README.md.

    electric, magnetic: (3, nz + 1, ny + 1, row); psi: six arrays, of E for x, y, z and then of H; signals: (count,);
    states: of the poles, (states, places). They are all that changes from step to step.
    """

    def __init__(
        self, backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
        parts: Parts = ALL,
    ) -> None:  # fmt: skip
        self.dtype = np.dtype(precision)
        self._yee, self._sources = yee, sources
        self._bands = BANDS_PER_THREAD * backend.info.threads
        self.electric = backend.array(np.zeros((3, *yee.shape), self.dtype))
        self.magnetic = backend.array(np.zeros((3, *yee.shape), self.dtype))
        shapes = psi_shapes(yee, axes)
        self.psi = [np.zeros(shape, self.dtype) for shape in (*shapes, *shapes)]
        self.signals = np.zeros(max(sources.count, 1), self.dtype)
        self._axes, self._poles = axes, _CpuPoles(media.dispersion, self.dtype)
        self.states, self._dispersion = self._poles.states, media.dispersion
        self._counts = np.array(yee.counts)
        self._parts_e, self._parts_h = np.array(parts.electric), np.array(parts.magnetic)
        self._lows, self._highs = (np.array([getattr(axis, end) for axis in axes]) for end in ("low", "high"))
        self._wraps = np.array([axis.wraps for axis in axes])
        self._table_e, self._table_h = (kernel_tables(yee, axes, electric, self.dtype) for electric in (True, False))
        self._ca, self._cb, self._da, self._db = (
            values.astype(self.dtype) for values in (media.ca, media.cb, media.da, -media.db)
        )
        self._ids_e = media.ids_e.astype(np.uint16, copy=False)
        # one material: a row of zeros that all rows share, which takes no memory
        self._ids_h = (
            np.broadcast_to(np.zeros(1, np.uint16), media.ids_e.shape)
            if media.ids_h is None
            else media.ids_h.astype(np.uint16, copy=False)
        )
        self._rows_e = np.zeros((3, *yee.shape[:2]), np.int32)
        self._rows_h = np.zeros((3, *yee.shape[:2]), np.int32)
        with backend.active():
            kernels.row_materials(self._ids_e, yee.counts[0], self._rows_e)
            if media.ids_h is not None:
                kernels.row_materials(self._ids_h, yee.counts[0], self._rows_h)
        self._magnetic = media.ids_h is not None
        self._permittivity, self._permeability = media.permittivity, media.permeability
        self._lines = [_CpuLine(line, self.signals, self.dtype) for line in sources.lines]
        self._oblique = [CpuObliqueLine(line, self.signals, self.dtype) for line in sources.oblique]
        self._weights = [entries.weights.astype(self.dtype) for entries in (sources.electric, sources.magnetic)]
        self._energy_weights = energy_weights(axes)
        self._coupling = media.coupling
        if media.coupling is not None:
            self._coupled = media.coupling.weights.astype(self.dtype)

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        prepared = self.prepare(values)
        for step in range(len(values)):
            self.electric_half(prepared, step)
            self.magnetic_half()
        self.finish()

    def prepare(self, values: Array) -> Array:
        """What the halves of steps are given of ``values``."""
        return values

    def finish(self) -> None:
        """What is to be done when steps have been taken by halves."""
        make_twins(self._yee, self.electric, self.magnetic)

    def electric_half(self, values: Array, step: int) -> None:
        """E of a step, and what sources add to it."""
        sources, signals, row = self._sources, self.signals, values[step]
        for value, (_, _, slot, half) in zip(row, sources.drives, strict=True):
            if half:
                signals[slot] = value
        if self._coupling is not None:
            extras.couple(
                self.electric.reshape(-1), self.magnetic.reshape(-1), self._coupling.targets, self._coupling.places,
                self._coupled,
            )  # fmt: skip
        kernels.electric_pass(
            self.electric, self.magnetic, self._ids_e, self._rows_e, self._ca, self._cb, self._table_e,
            self._lows, self._highs, self._wraps, self._counts, self._yee.planes, self._parts_e, *self.psi[:3],
            self._bands, *self._poles.arguments,
        )  # fmt: skip
        self._fade(self.electric, False)
        if sources.count:
            entries = sources.electric
            kernels.inject(self.electric.reshape(-1), entries.places, self._weights[0], entries.slots, signals)
        for line in self._lines:
            line.electric()
        for value, (_, _, slot, half) in zip(row, sources.drives, strict=True):
            if not half:
                signals[slot] = value
        for oblique in self._oblique:
            oblique.electric()

    def magnetic_half(self) -> None:
        """H of a step, and what sources add to it."""
        sources, signals = self._sources, self.signals
        kernels.magnetic_pass(
            self.electric, self.magnetic, self._ids_h, self._rows_h, self._da, self._db, self._table_h,
            self._lows, self._highs, self._counts, self._yee.planes, self._parts_h, *self.psi[3:], self._bands,
        )  # fmt: skip
        self._fade(self.magnetic, True)
        if sources.magnetic.places.size:
            entries = sources.magnetic
            kernels.inject(self.magnetic.reshape(-1), entries.places, self._weights[1], entries.slots, signals)
        for line in self._lines:
            line.magnetic()
        for oblique in self._oblique:
            oblique.magnetic()

    def _fade(self, field: Array, magnetic: bool) -> None:
        for along, axis in enumerate(self._axes):
            if any(axis.fading):
                nodes, halves = axis.fade_nodes.astype(self.dtype), axis.fade_halves.astype(self.dtype)
                for component in range(3):
                    extras.fade(field, along, component, *axis.fading, axis.n, nodes, halves, magnetic)

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""
        self._ca[...], self._cb[...], self._da[...], self._db[...] = media.ca, media.cb, media.da, -media.db
        self._ids_e[:, *block] = media.ids_e[:, *block]
        kernels.row_materials(self._ids_e, self._yee.counts[0], self._rows_e)
        if media.coupling is not None:
            self._coupled[...] = media.coupling.weights
        if media.ids_h is not None:
            self._ids_h[:, *block] = media.ids_h[:, *block]
            kernels.row_materials(self._ids_h, self._yee.counts[0], self._rows_h)

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² with what the poles hold, and Σ μ_r (η₀H)² over the cells [V²/m²]. Inside ``backend.active``."""
        sums = np.zeros((self._yee.shape[0], 2))
        kernels.energy_sums(
            self.electric, self.magnetic, self._ids_e, self._ids_h if self._magnetic else None,
            self._permittivity, self._permeability, self._counts, self._energy_weights, sums,
        )  # fmt: skip
        electric, magnetic = sums.sum(axis=0)
        poles = self._dispersion
        if poles is not None:
            held = np.zeros(self._yee.shape[0])
            extras.pole_energy(
                self.electric, self._ids_e, poles.spans, self.states, poles.beta, poles.energy_weights(),
                self._counts, self._energy_weights, held,
            )  # fmt: skip
            electric += held.sum()
        return float(electric), float(magnetic)

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        psi = {
            f"psi {field}{axis}": self.psi[3 * n + a] for n, field in enumerate("eh") for a, axis in enumerate("xyz")
        }
        poles = {"poles": self.states} if self.states.size else {}
        fields = {"electric": self.electric, "magnetic": self.magnetic, "signals": self.signals}
        return {**fields, **poles, **psi, **self.line_psi()}

    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""
        return {f"line {n} {name}": psi for n, line in enumerate(self._lines) for name, psi in line.psi.items()}


class _CpuPoles:
    """The states of the poles, (states, places), and what ``electric_pass`` needs of them."""

    def __init__(self, dispersion: Dispersion | None, dtype: Any) -> None:
        spans, constants, beta, seconds, shape = (
            np.zeros((3, 1, 1, 4), np.int32),
            np.zeros((0, 4)),
            np.zeros((0, 1)),
            0,
            (0, 0),
        )
        if dispersion is not None:
            slots = dispersion.slots
            spans, beta, seconds = dispersion.spans, dispersion.beta, slots.seconds
            constants, shape = slots.constants, (slots.states, dispersion.places)
        self.states = np.zeros(shape, dtype)
        self.arguments = (spans, self.states, constants.astype(dtype), beta.astype(dtype), seconds)


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
    """(6, longest): the part of a cell around each node of x, y, z, then at each half, in units of its spacing."""
    weights = np.zeros((6, max(axis.n for axis in axes) + 1))
    for d, axis in enumerate(axes):
        weights[d, : axis.n + 1] = axis.part_e
        weights[3 + d, : axis.n + 1] = axis.part_h
    return weights
