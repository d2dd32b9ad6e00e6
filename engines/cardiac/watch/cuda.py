"""The watchers' kernels on an NVIDIA GPU: launches ``maps.cu``, ``ecg.cu`` and ``phase.cu``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engines.backend.devices.launch import ReadyLaunch
from engines.backend.precision import REAL
from engines.cardiac.watch.kernels import MapArrays, WatcherKernels

FOLDER = Path(__file__).parent
BLOCK = 256
"""Threads per block; ``ecg.cu`` and ``maps.cu`` count on it."""
SUM_BLOCKS = 1024
"""Most blocks of a sum, each of which leaves a part."""
TIME_OF_MAPS = 1 + len(MapArrays._fields) + 2
"""Which argument of ``look_maps`` in ``maps.cu`` the time is."""


class CudaKernels(WatcherKernels):
    """On a GPU: launched on the current stream, never waiting."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._modules: dict[str, Any] = {}
        self._ready: dict[str, tuple[tuple[Any, ...], list[ReadyLaunch]]] = {}
        self._grid = (-(-self.n_cells // BLOCK),)
        self._real = self.dtype.type

    def _kernel(self, file: str, name: str) -> Any:
        if file not in self._modules:
            self._modules[file] = self.backend.compile(FOLDER / file, (REAL[self.dtype.name],))  # type: ignore[attr-defined]  # only CudaBackend compiles
        return self._modules[file].get_function(name)

    def _launches(
        self, name: str, made_of: tuple[Any, ...], make: Callable[[], list[ReadyLaunch]]
    ) -> list[ReadyLaunch]:
        """What looks launch every few steps, made anew only for other arrays or numbers than the last time."""
        kept = self._ready.get(name)
        if (
            kept is None
            or len(kept[0]) != len(made_of)
            or any(a is not b for a, b in zip(kept[0], made_of, strict=True))
        ):
            kept = self._ready[name] = made_of, make()
        return kept[1]

    def look_maps(
        self, voltage: Any, arrays: MapArrays, threshold: float, fraction: float, time: float, since: float
    ) -> None:
        def make() -> list[ReadyLaunch]:
            scalars = [self._real(each) for each in (threshold, fraction, time, since)]
            arguments = (voltage, *arrays, *scalars, np.int64(self.n_cells))
            return [self.backend.ready(self._kernel("maps.cu", "look_maps"), self._grid, (BLOCK,), arguments)]  # type: ignore[attr-defined]

        (look,) = self._launches("maps", (*arrays, threshold, fraction, since), make)
        look({0: voltage, TIME_OF_MAPS: self._real(time)})

    def weighted_sums(self, voltage: Any, weights: Any, out: Any) -> None:
        def make() -> list[ReadyLaunch]:
            leads, blocks = len(weights), min(self._grid[0], SUM_BLOCKS)
            partial = self.backend.empty(leads * blocks, np.float64)
            arguments = (voltage, weights, np.int64(self.n_cells), partial)
            add = self._kernel("ecg.cu", "weighted_sums"), (blocks, leads), (BLOCK,), arguments
            end = self._kernel("ecg.cu", "sum_blocks"), (leads,), (BLOCK,), (partial, np.int32(blocks), out)
            return [self.backend.ready(*each) for each in (add, end)]  # type: ignore[attr-defined]

        add, end = self._launches("ecg", (weights, out), make)
        add({0: voltage})
        end({})

    def excited(self, arrays: MapArrays, out: Any) -> None:
        def make() -> list[ReadyLaunch]:
            blocks = min(self._grid[0], SUM_BLOCKS)
            seen = self.backend.empty(4 * blocks, np.float64)
            arguments = (arrays.activation, arrays.beats, arrays.level, np.int64(self.n_cells), seen)
            see = self._kernel("maps.cu", "excited"), (blocks,), (BLOCK,), arguments
            join = self._kernel("maps.cu", "join_excited"), (1,), (BLOCK,), (seen, np.int32(blocks), arrays.cycle, out)
            return [self.backend.ready(*each) for each in (see, join)]  # type: ignore[attr-defined]

        for launch in self._launches("excited", (*arrays, out), make):
            launch({})

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
