"""The steps on the CPU: calls the Numba kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.loops.prepared import prepared
from engines.fdtd.grid.boundaries import Axis, kernel_tables, psi_shapes
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.dispersion import Dispersion
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.currents import Sources
from engines.fdtd.step import cpu_extras as extras
from engines.fdtd.step import cpu_kernels as kernels
from engines.fdtd.step.curl import sweep as sweeps
from engines.fdtd.step.inject.cpu_oblique import CpuObliqueLine
from engines.fdtd.step.leapfrog import LeapfrogSteps

BANDS_PER_THREAD = 4
"""Parts of a pass per thread: one that another program holds up then costs a part of its share."""

THINNEST = 4
"""Planes of a band at least: H of the last one of each comes later, when it has left the caches."""

CELL_SECONDS = 1.7e-9
"""[s] of one core to step E and H of a cell of vacuum, far from layers."""

CPU_ID_BYTES = 2
"""Always 16 bits, so that there is one set of kernels to compile: rows of one material read two of their ids."""


class CpuYee(LeapfrogSteps):
    """bands_together: of sweeps that step both fields; 0 where E has to be complete before H begins, or bands would be
    thin."""

    def __init__(
        self, backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
        parts: Parts = ALL,
    ) -> None:  # fmt: skip
        self.dtype = np.dtype(precision)
        self._yee, self._sources = yee, sources
        self._bands = BANDS_PER_THREAD * backend.info.threads
        self.bands_together = min(self._bands, (yee.planes - int(axes[2].wraps)) // THINNEST)
        if self.bands_together < backend.info.threads or any(any(axis.fading) for axis in axes):
            self.bands_together = 0
        self._cores = backend.cores_for(CELL_SECONDS * math.prod(yee.counts))
        self.electric = backend.array(np.zeros((3, *yee.shape), self.dtype))
        self.magnetic = backend.array(np.zeros((3, *yee.shape), self.dtype))
        shapes = psi_shapes(yee, axes)
        self.psi = [backend.array(np.zeros(shape, self.dtype)) for shape in (*shapes, *shapes)]
        self.signals = np.zeros(max(sources.count, 1), self.dtype)
        self._axes, self._poles = axes, _CpuPoles(media.dispersion, self.dtype)
        self.states, self._dispersion = self._poles.states, media.dispersion
        self._counts = np.array(yee.counts)
        self._parts_e, self._parts_h = np.array(parts.electric), np.array(parts.magnetic)
        self._lows, self._highs = (np.array([getattr(axis, end) for axis in axes]) for end in ("low", "high"))
        self._wraps = np.array([axis.wraps for axis in axes])
        self._table_e, self._table_h = (kernel_tables(yee, axes, electric, self.dtype) for electric in (True, False))
        self._coefficients = self._stacked(media)
        self._ids_e = media.ids_e.astype(np.uint16, copy=False)
        self._ids_h = None if media.ids_h is None else media.ids_h.astype(np.uint16, copy=False)
        # one material: a row that all rows share
        self._flat_ids_h = np.zeros(yee.row, np.uint16) if self._ids_h is None else self._ids_h.reshape(-1)
        self._rows_e = np.zeros((3, *yee.shape[:2]), np.int32)
        self._rows_h = np.zeros((3, *yee.shape[:2]), np.int32)
        self._find_row_materials()
        self._permittivity, self._permeability = media.permittivity, media.permeability
        self._lines = [_CpuLine(line, self.signals, self.dtype) for line in sources.lines]
        self._oblique = [CpuObliqueLine(line, self.signals, self.dtype) for line in sources.oblique]
        self._entries = [
            (entries.places, entries.weights.astype(self.dtype), entries.slots)
            for entries in (sources.electric, sources.magnetic)
        ]
        self._energy_weights = energy_weights(axes)
        self._coupling = media.coupling
        if media.coupling is not None:
            self._coupled = media.coupling.weights.astype(self.dtype)

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        if self.between is None:
            with self._cores.of(len(values)):
                for row in range(len(values)):
                    self._step(values, row)
        else:
            for row in range(len(values)):
                self._arrived()
                with self._cores.of(1):
                    self._step(values, row)
                self.between()
        self.finish()

    def _step(self, values: Array, row: int) -> None:
        if self.bands_together:
            self._drive(values[row], True)
            self._couple()
            self._sweep(sweeps.BOTH)
            self._after_electric(values[row])
            self._after_magnetic()
        else:
            self.electric_half(self.prepare(values), row)
            self.magnetic_half()

    def prepare(self, values: Array) -> Array:
        """What the halves of steps are given of ``values``."""
        return values

    def electric_half(self, values: Array, step: int) -> None:
        """E of a step, and what sources add to it."""
        self._drive(values[step], True)
        self._couple()
        self._sweep(sweeps.ELECTRIC)
        self._fade(self.electric, False)
        if self._sources.count:
            kernels.inject(self.electric.reshape(-1), *self._entries[0], self.signals)
        self._after_electric(values[step])

    def magnetic_half(self) -> None:
        """H of a step, and what sources add to it."""
        self._sweep(sweeps.MAGNETIC)
        self._fade(self.magnetic, True)
        self._after_magnetic()

    def _couple(self) -> None:
        """What the off-diagonal terms of smoothing add to E, from H as it is."""
        if self._coupling is not None:
            extras.couple(
                self.electric.reshape(-1), self.magnetic.reshape(-1), self._coupling.targets, self._coupling.places,
                self._coupled,
            )  # fmt: skip

    def _drive(self, values: Array, half: bool) -> None:
        """The signals of drives at the middle (``half``) or at the end of a step."""
        for value, (_, _, slot, middle) in zip(values, self._sources.drives, strict=True):
            if middle == half:
                self.signals[slot] = value

    def _after_electric(self, values: Array) -> None:
        """E of the lines, and the signals of the end of the step."""
        for line in self._lines:
            line.electric()
        self._drive(values, False)
        for oblique in self._oblique:
            oblique.electric()

    def _after_magnetic(self) -> None:
        """What sources add to H, and H of the lines."""
        if self._sources.magnetic.places.size:
            kernels.inject(self.magnetic.reshape(-1), *self._entries[1], self.signals)
        for line in self._lines:
            line.magnetic()
        for oblique in self._oblique:
            oblique.magnetic()

    def _sweep(self, what: int) -> None:
        self._launch(what, self.bands_together if what == sweeps.BOTH else self._bands)

    @cached_property
    def _launch(self) -> Callable[[int, int], None]:
        """The sweep over what does not change from step to step."""
        ex, ey, ez, hx, hy, hz = self.psi
        of_e, of_h = self._coefficients
        arguments = (
            self.electric, self.magnetic,
            sweeps.Half(self._ids_e, self._rows_e, of_e, self._table_e, self._parts_e, ex, ey, ez),
            sweeps.Half(self._flat_ids_h, self._rows_h, of_h, self._table_h, self._parts_h, hx, hy, hz),
            sweeps.Grid(self._counts, self._lows, self._highs, self._wraps, self._yee.planes),
            sweeps.Entries(*self._entries[0], self.signals), sweeps.Poles(*self._poles.arguments),
        )  # fmt: skip
        kernel = prepared(sweeps.sweep, sweeps.BOTH, *arguments, self._bands)
        return lambda what, bands: kernel(what, *arguments, bands)

    def _fade(self, field: Array, magnetic: bool) -> None:
        for along, axis in enumerate(self._axes):
            if any(axis.fading):
                nodes, halves = axis.fade_nodes.astype(self.dtype), axis.fade_halves.astype(self.dtype)
                for component in range(3):
                    extras.fade(field, along, component, *axis.fading, axis.n, nodes, halves, magnetic)

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""
        for held, stacked in zip(self._coefficients, self._stacked(media), strict=True):
            held[...] = stacked
        self._ids_e[:, *block] = media.ids_e[:, *block]
        if media.coupling is not None:
            self._coupled[...] = media.coupling.weights
        if self._ids_h is not None and media.ids_h is not None:
            self._ids_h[:, *block] = media.ids_h[:, *block]
        self._find_row_materials()

    def _find_row_materials(self) -> None:
        for ids, rows in ((self._ids_e, self._rows_e), (self._ids_h, self._rows_h)):
            if ids is not None:
                sweeps.row_materials(ids.shape[1], ids, self._yee.counts[0], rows)

    def _stacked(self, media: Media) -> list[Array]:
        """Of E and of H: (3, mixtures), the first coefficient, the second, and the second turned."""
        pairs = ((media.ca, media.cb), (media.da, -media.db))
        return [np.stack([first, second, -second]).astype(self.dtype) for first, second in pairs]

    def energy_rows(self) -> tuple[Array, Array]:
        sums, held = np.zeros((self._yee.shape[0], 2)), np.zeros(self._yee.shape[0])
        kernels.energy_sums(
            self.electric, self.magnetic, self._ids_e, self._ids_h,
            self._permittivity, self._permeability, self._counts, self._energy_weights, sums,
        )  # fmt: skip
        poles = self._dispersion
        if poles is not None:
            extras.pole_energy(
                self.electric, self._ids_e, poles.spans, self.states, poles.beta, poles.energy_weights(),
                self._counts, self._energy_weights, held,
            )  # fmt: skip
        return sums, held

    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""
        return {f"line {n} {name}": psi for n, line in enumerate(self._lines) for name, psi in line.psi.items()}


class _CpuPoles:
    """The states of the poles, (states, places), and what a sweep needs of them."""

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
