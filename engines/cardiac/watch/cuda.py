"""The watchers' kernels on an NVIDIA GPU: launches ``maps.cu``, ``ecg.cu`` and ``phase.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.precision import REAL
from engines.cardiac.watch.kernels import MapArrays, WatcherKernels

FOLDER = Path(__file__).parent
BLOCK = 256
"""Threads per block; ``ecg.cu`` and ``maps.cu`` count on it."""
SUM_BLOCKS = 1024
"""Most blocks of a sum, each of which leaves a part."""


class CudaKernels(WatcherKernels):
    """On a GPU: launched on the current stream, never waiting."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._modules: dict[str, Any] = {}
        self._partial: Any = None
        self._seen: Any = None
        self._grid = (-(-self.n_cells // BLOCK),)
        self._real = self.dtype.type

    def _kernel(self, file: str, name: str) -> Any:
        if file not in self._modules:
            self._modules[file] = self.backend.compile(FOLDER / file, (REAL[self.dtype.name],))  # type: ignore[attr-defined]  # only CudaBackend compiles
        return self._modules[file].get_function(name)

    def look_maps(
        self, voltage: Any, arrays: MapArrays, threshold: float, fraction: float, time: float, since: float
    ) -> None:
        scalars = [self._real(each) for each in (threshold, fraction, time, since)]
        arguments = (voltage, *arrays, *scalars, np.int64(self.n_cells))
        self._kernel("maps.cu", "look_maps")(self._grid, (BLOCK,), arguments)

    def weighted_sums(self, voltage: Any, weights: Any, out: Any) -> None:
        leads, blocks = len(weights), min(self._grid[0], SUM_BLOCKS)
        if self._partial is None or len(self._partial) != leads * blocks:
            self._partial = self.backend.empty(leads * blocks, np.float64)
        arguments = (voltage, weights, np.int64(self.n_cells), self._partial)
        self._kernel("ecg.cu", "weighted_sums")((blocks, leads), (BLOCK,), arguments)
        self._kernel("ecg.cu", "sum_blocks")((leads,), (BLOCK,), (self._partial, np.int32(blocks), out))

    def excited(self, arrays: MapArrays, out: Any) -> None:
        blocks = min(self._grid[0], SUM_BLOCKS)
        if self._seen is None:
            self._seen = self.backend.empty(4 * blocks, np.float64)
        arguments = (arrays.activation, arrays.beats, arrays.level, np.int64(self.n_cells), self._seen)
        self._kernel("maps.cu", "excited")((blocks,), (BLOCK,), arguments)
        self._kernel("maps.cu", "join_excited")((1,), (BLOCK,), (self._seen, np.int32(blocks), arrays.cycle, out))

    def phase(self, now: Any, then: Any, origin: float, out: Any) -> None:
        arguments = (now, then, self._real(origin), out, np.int64(self.n_cells))
        self._kernel("phase.cu", "phase")(self._grid, (BLOCK,), arguments)

    def surface_phases(self, now: Any, then: Any, origin: float, cells: Any, offsets: Any, phases: Any) -> None:
        grid, count = (-(-len(phases) // BLOCK),), np.int32(len(phases))
        arguments = (now, then, self._real(origin), cells, offsets, count, phases)
        self._kernel("phase.cu", "surface_phases")(grid, (BLOCK,), arguments)

    def charges(self, phases: Any, triangles: Any, charge: Any, counts: Any) -> None:
        counts[:] = 0
        grid, count = (-(-len(triangles) // BLOCK),), np.int32(len(triangles))
        self._kernel("phase.cu", "charges")(grid, (BLOCK,), (phases, triangles, count, charge, counts))
