"""Explicit diffusion on the CPU: chooses how many steps a pass takes, and on which tiles."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.ceilings.machine import last_level_cache_bytes
from engines.backend.compile.source import source_digest
from engines.backend.threads import core_seconds
from engines.backend.tuning import TuningKey, tune, tuning_key
from engines.stencil.diffusion import kernels, rows
from engines.stencil.diffusion.traffic import diffusion_traffic
from engines.stencil.setup.faces import Interfaces, face_coefficients
from engines.stencil.setup.sides import Ghosts

SOURCE, ROWS_SOURCE = Path(kernels.__file__), Path(rows.__file__)
TUNED_FROM = 1 << 17
"""Points from which tiles are measured: smaller grids stay in a core's cache. There several steps at a pass take 0.4
to 0.9 times as long as single ones in a plane, and 1.1 to 1.5 times in a box."""
SAMPLE_POINTS = 1 << 23
"""Points on which tiles are measured at most: twice 32 MB in float32, more than most caches hold."""
SAMPLE_STEPS = 12
"""Of a small grid, in which tiles are measured: after a single one threads have gone to sleep, and take as long as a
step to wake."""
RING_BYTES = 1 << 21
"""The most that the levels of a tile may take; second-level caches have 0.25 to 2 MB."""
BLOCK_BYTES = 1 << 19
"""Of the planes' rows that a thread goes through in a box step by step: half a second-level cache of 1 MB."""

Tile = tuple[int, int, int]
"""Steps at a pass, cells of a tile along y and along x; along x none: bands of whole planes, one for each thread."""


class CpuDiffusion:
    """Forward Euler steps of du/dt = div(alpha grad u) + s; call them inside ``backend.timed`` or ``active``.

    shape:        (ny, nx) or (nz, ny, nx)
    rates:        (alpha dt/dx², alpha dt/dy²[, alpha dt/dz²])
    ghosts:       what lies beyond the sides, for x, y (and z)
    dt:           time step, which multiplies the source
    precision:    ``"float32"`` or ``"float64"``
    conductivity: None, or alpha in units of that in ``rates``: a positive host array of ``shape``, or with its faces

    depth:        steps of a pass over the grid; None: the best, measured once per machine and size of grid
    traffic:      bytes and operations per step without a source (:mod:`engines.stencil.diffusion.traffic`)
    """

    def __init__(
        self,
        backend: Backend,
        shape: Sequence[int],
        rates: Sequence[float],
        ghosts: Ghosts,
        dt: float,
        precision: str,
        conductivity: Array | Interfaces | None = None,
        depth: int | None = None,
        sourced: bool = False,
    ) -> None:
        """``sourced``: steps are measured with a source, as they will be taken; without one they are other kernels."""
        self.shape = tuple(shape)
        self.dtype = np.dtype(precision)
        self._backend = backend
        self._threads = backend.info.threads
        self._flat = len(self.shape) == 2
        self._box = (self.shape[0], 1, self.shape[1]) if self._flat else self.shape
        axes = (0, 2) if self._flat else (0, 1, 2)
        three_rates, laws = [0.0, 0.0, 0.0], [1.0, 0.0] * 6
        wraps = np.zeros(3, np.bool_)
        for axis, rate, pair in zip(axes, rates, ghosts, strict=True):
            three_rates[axis] = rate
            wraps[axis] = pair[0].wraps
            laws[4 * axis : 4 * axis + 4] = [pair[0].scale, pair[0].shift, pair[1].scale, pair[1].shift]
        numbers = np.array([*three_rates, dt, 2.0, 4.0, 6.0, *laws]).astype(self.dtype)
        self._scheme = kernels.Scheme(numbers, wraps, self._flat, len(set(rates)) == 1)
        self._lanes = rows.VECTOR_BYTES // self.dtype.itemsize
        self._no_source = np.empty(0, self.dtype)  # None would be one more kernel to compile
        self._faces = None if conductivity is None else self._placed(conductivity, ghosts)
        self._sampled_arrays = 3 if sourced else 2
        self._sample: list[Array] = []
        self._beyond_caches = self._stores_past_caches(depth)
        self._tile = self._tuned(depth)
        self._sample.clear()
        self.depth = self._tile[0]
        self.traffic = self.traffic_with(source=False)

    def _placed(self, conductivity: Array | Interfaces, ghosts: Ghosts) -> tuple[Array, Array, Array]:
        if not isinstance(conductivity, Interfaces):
            conductivity = conductivity.astype(self.dtype)
        faces = [face.astype(self.dtype).reshape(-1) for face in face_coefficients(conductivity, ghosts)]
        return (faces[0], faces[0], faces[1]) if self._flat else (faces[0], faces[1], faces[2])

    def traffic_with(self, source: bool) -> KernelTraffic:
        """Bytes and operations per step of a full pass."""
        variable = self._faces is not None
        return diffusion_traffic(
            self.shape, self.dtype.itemsize, variable=variable, source=source, depth=self.depth
        )  # fmt: skip

    def advance(self, u: Array, spare: Array, source: Array | None, steps: int) -> tuple[Array, Array]:
        """Take exactly ``steps`` steps from ``u``; (array with the result, the other one).

        u, spare: different arrays of ``shape``, C order. source: None, or one that is added times dt in each step.
        """
        with self._backend.cores_for(core_seconds(self.traffic) * min(self.depth, steps)):
            while steps > 0:
                depth = min(self.depth, steps)
                self._pass(u, spare, source, (depth, *self._tile[1:]), self._box)
                u, spare = spare, u
                steps -= depth
        return u, spare

    def advance_around(
        self, u: Array, spare: Array, source: Array | None, steps: int, ends: tuple[int, int],
        arrived: Callable[[], None],
    ) -> tuple[Array, Array]:  # fmt: skip
        """The same where planes at the ends are there once ``arrived`` was called."""
        arrived()
        return self.advance(u, spare, source, steps)

    @property
    def _in_rows(self) -> bool:
        """Whether ``rows.step`` takes single steps of this grid: constant rates, and sides of at least its vectors."""
        return self._faces is None and self._box[0] >= rows.ROWS and self._box[2] >= 2 * self._lanes

    def _pass(self, u: Array, out: Array, source: Array | None, tile: Tile, box: tuple[int, ...]) -> None:
        if self._in_rows and (tile[0] == 1 or not tile[2]):
            self._step(u, out, source, box, tile[0])
        elif tile[0] > 1:
            self._launch(u, out, source, tile, box)
        else:
            # a single step keeps no levels in a cache, and whole rows read the memory in longer pieces
            self._launch(u, out, source, (1, tile[1], box[2]), box)

    def _step(self, u: Array, out: Array, source: Array | None, box: tuple[int, ...], steps: int = 1) -> None:
        whole = steps == 1 and box[2] % self._lanes == 0 and out.ctypes.data % rows.VECTOR_BYTES == 0
        # Rows first: the last planes of each part are taken again with some before them.
        across = 1 if self._flat or steps > 1 else min(self._threads, box[1])
        along = min(-(-self._threads // across), box[0] // rows.ROWS)
        rows.step(
            u.reshape(-1), out.reshape(-1), None if source is None else source.reshape(-1), box, self._scheme,
            self._lanes, whole and self._beyond_caches, (along, across), self._block(box), steps,
        )  # fmt: skip

    def _block(self, box: tuple[int, ...]) -> int:
        """Rows of a box that a thread takes through its planes: of those read at once they fill BLOCK_BYTES."""
        return max(8, BLOCK_BYTES // ((rows.ROWS + 2) * box[2] * self.dtype.itemsize))

    def _launch(self, u: Array, out: Array, source: Array | None, tile: Tile, box: tuple[int, ...]) -> None:
        kernels.advance(
            u.reshape(-1), out.reshape(-1), self._no_source if source is None else source.reshape(-1), self._faces,
            box, self._scheme, tile, min(self._threads, box[0]),
        )  # fmt: skip

    def _tuned(self, depth: int | None) -> Tile:
        """The fastest tile, or of this depth."""
        points = math.prod(self.shape)
        candidates = self._candidates(depth)
        if points < TUNED_FROM or len(candidates) == 1:
            return candidates[-1 if self._in_rows and not self._flat else 0]

        def time_one(tile: Tile) -> float:
            one, other, source, box = self._sampled()
            self.depth = tile[0]
            passes = max(1, min(SAMPLE_STEPS, SAMPLE_POINTS // points) // self.depth)
            with self._backend.cores_for(core_seconds(self.traffic_with(source is not None)) * self.depth):
                start = clock.perf_counter()
                for _ in range(passes):
                    self._pass(one, other, source, tile, box)
                    one, other = other, one
                return (clock.perf_counter() - start) / (passes * self.depth)

        return tune(self._key("", depth), candidates, time_one)

    def _stores_past_caches(self, depth: int | None) -> bool:
        """Whether single steps leave the grid after a step to memory: where the last-level cache is too small for both,
        and where that is measured to be faster. Of a virtual machine's cache others may have the most."""
        points = math.prod(self.shape)
        if 2 * points * self.dtype.itemsize > last_level_cache_bytes():
            return True
        if points < TUNED_FROM or not self._in_rows or depth not in (None, 1):
            return False

        def time_one(stores: tuple[int]) -> float:
            one, other, source, box = self._sampled()
            self._beyond_caches = bool(stores[0])
            with self._backend.active():
                start = clock.perf_counter()
                self._step(one, other, source, box)  # and back: what a cache still holds is a step's gain
                self._step(other, one, source, box)
                return clock.perf_counter() - start

        return bool(tune(self._key("stores of ", None), ((0,), (1,)), time_one)[0])

    def _key(self, what: str, depth: int | None) -> TuningKey:
        kind = f"{len(self.shape)}d {self.dtype.name} {'constant' if self._faces is None else 'variable'}"
        row = f"row 2^{self.shape[-1].bit_length() - 1}"
        what += "sourced " if self._sampled_arrays == 3 else ""
        name = f"{what}diffusion {kind} {row} {self._threads} threads" + ("" if depth is None else f" depth {depth}")
        how = (source_digest(ROWS_SOURCE), f"in {SAMPLE_STEPS} steps")
        return tuning_key(name, self._backend.info, SOURCE, math.prod(self.shape), how)

    def _sampled(self) -> tuple[Array, Array, Array | None, tuple[int, ...]]:
        """Two grids to measure with, a source where there is one, and their box: planes of full size, but no more than
        needed."""
        planes = max(rows.ROWS * self._threads, SAMPLE_POINTS // math.prod(self._box[1:]))
        box = (min(self._box[0], planes), *self._box[1:])
        if not self._sample:
            self._sample.extend(self._backend.empty(math.prod(box), self.dtype) for _ in range(self._sampled_arrays))
            for array in self._sample:  # written once, or all its pages would be the same empty one
                array.fill(1.0)
        return self._sample[0], self._sample[1], self._sample[2] if self._sampled_arrays == 3 else None, box

    def _candidates(self, wanted_depth: int | None) -> list[Tile]:
        """Tiles whose levels may stay in the second-level cache, the usual one first; single steps last."""
        planes, along_y, columns = self._box
        band = max(1, planes // self._threads)
        single = (1, along_y, columns)
        if wanted_depth == 1:
            return [single]
        depths = (8, 16, 12, 4) if self._flat else (3, 4, 2)
        found: dict[Tile, None] = {}
        for depth in depths if wanted_depth is None else (wanted_depth,):
            for wanted in (4096, 2048, 1024) if self._flat else (16, 32, 8):
                tile_y, tile_x = (1, min(wanted, columns)) if self._flat else (min(wanted, along_y), min(512, columns))
                ring = 3 * depth * (tile_x + 2 * depth) * (1 if self._flat else tile_y + 2 * depth)
                # what a band computes beyond its ends is done twice, at each end half of depth² planes
                pays = ring * self.dtype.itemsize <= RING_BYTES and 4 * depth <= band
                if pays or wanted_depth is not None:
                    found[depth, tile_y, tile_x] = None
            # In rows, of boxes that no band computes much of twice, and whose ends do not meet.
            if self._in_rows and not self._flat and not self._scheme.wraps[2] and 8 * (depth - 1) <= band:
                found[depth, along_y, 0] = None
        return [*found, single] if wanted_depth is None else list(found)
