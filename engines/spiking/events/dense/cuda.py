"""Dense event matrices on an NVIDIA GPU: launches ``dense.cu``."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.tuning import tune, tuning_key
from engines.spiking.events.cuda import SHARED_BYTES, EventTools
from engines.spiking.events.kinds import Given
from engines.spiking.events.product import Product
from engines.spiking.events.vectors import DeviceGiven, EventList, list_on_device, on_device
from engines.spiking.events.weights import Stored

DENSE = Path(__file__).with_name("dense.cu")
Shape = tuple[int, int, int]
"""Threads per block, threads side by side on a row, blocks per multiprocessor that the shares are cut for (0: one
share)."""
BYTE_SHAPES: tuple[Shape, ...] = (
    (256, 64, 2), (512, 128, 1), (512, 64, 1), (256, 32, 2), (256, 32, 1), (128, 64, 3), (128, 16, 4), (128, 8, 0),
)  # fmt: skip
LIST_SHAPES: tuple[Shape, ...] = (
    (256, 32, 0), (512, 128, 1), (256, 64, 2), (512, 64, 0), (512, 32, 0), (512, 16, 0), (256, 16, 0), (128, 8, 0),
)  # fmt: skip
SHAPES = {False: BYTE_SHAPES, True: LIST_SHAPES}
"""Those worth measuring, for events as bytes or floats and for lists of them: what won on one H200 from 5,000 to 20,000
neurons at 1 to 100 %, with one of small blocks for small devices."""
TYPICAL = (0.01, 0.1)
"""Densities of the events with which launch shapes are compared."""
COLD_SETS = 8
"""Sets of events that take turns there: the same would be found in the cache."""
LINE = 128
"""Bytes of a cache line, at which rows begin that are some lines long."""


def pitch_bytes(row_bytes: int) -> int:
    """Of a row that takes so many: whole packs of 16 bytes, whole lines if that adds an eighth at most."""
    unit = LINE if row_bytes >= 8 * LINE else 16
    return -(-row_bytes // unit) * unit


@dataclass(frozen=True)
class Launch:
    """threads of a block, lanes: those side by side on a row; tiles of columns, shares of the events: the grid; work:
    sums and counters of the shares, by batch."""

    threads: int
    lanes: int
    tiles: int
    shares: int
    work: dict[int, tuple[Any, Any]]


def typical(backend: Any, events: Array, listed: bool) -> DeviceGiven:
    """``events: (n,)`` bool as bytes, or as a list."""
    if listed:
        return list_on_device(EventList.of(events, backend), len(events))
    return on_device(backend, events[None])


class CudaDense(Product):
    """The products of a dense matrix; see :class:`engines.spiking.events.dense.cpu.CpuDense`."""

    gathers_anywhere = True

    def __init__(self, backend: Any, stored: Stored) -> None:
        self._backend, self.shape = backend, stored.codes.shape
        rows, columns = self.shape
        codes = stored.codes
        self._pack = 128 // stored.bits
        self._packs = -(-columns // self._pack)
        pitch = pitch_bytes(columns * codes.itemsize)
        self._packs_of_row = pitch // 16
        if pitch != columns * codes.itemsize:
            padded = np.zeros((rows, pitch // codes.itemsize), codes.dtype)
            padded[:, :columns] = codes
            codes = padded
        self.weights = backend.array(codes)
        self._scale = None if stored.row_scale is None else backend.array(stored.row_scale)
        macros = (f"-DWEIGHTS={stored.bits}",)
        module = backend.compile(DENSE, macros)
        self._gather, self._scan = module.get_function("gather_rows"), module.get_function("scan_rows")
        self.tools = EventTools(backend)
        self._launches: dict[bool, Launch] = {}
        self._ready: dict[tuple[Given, int, int], Callable[[Mapping[int, Any]], None]] = {}
        for listed in SHAPES:
            self._prepare(SHAPES[listed][0], listed)
            self._prepare(self._choose(macros, listed), listed)
            self._scratch(self._launches[listed], 1)  # now: while a graph is captured nothing can be moved

    def another(self) -> CudaDense:
        """A copy with weights and memory of its own, for measurements with cold caches."""
        twin = copy.copy(self)
        with self._backend.active():
            twin.weights = self.weights.copy()
        twin._launches = {listed: replace(launch, work={}) for listed, launch in self._launches.items()}
        twin._ready = {}
        for launch in twin._launches.values():
            twin._scratch(launch, 1)
        return twin

    def _choose(self, macros: tuple[str, ...], listed: bool) -> Shape:
        rows, columns = self.shape
        rng = np.random.default_rng(1)
        cases = [
            [typical(self._backend, np.less(rng.random(rows), density), listed) for _ in range(COLD_SETS)]
            for density in TYPICAL
        ]
        out = self._backend.empty((1, columns), np.float32)

        def time_one(shape: Shape) -> float:
            self._prepare(shape, listed)
            self._scratch(self._launches[listed], 1)  # its memory is no part of the time

            def launch(sets: list[DeviceGiven]) -> None:
                for given in sets:
                    self.gather_into(out, given)

            return math.prod(float(self._backend.elapsed(lambda sets=sets: launch(sets))) for sets in cases)

        key = tuning_key(
            f"gather_rows {'listed' * listed} {columns.bit_length()}", self._backend.info, DENSE, rows * columns, macros
        )
        return tune(key, SHAPES[listed], time_one)

    def _prepare(self, shape: Shape, listed: bool) -> None:
        """Launch in this shape from now on."""
        threads, lanes, blocks = shape
        tiles = -(-self._packs // lanes)
        wanted = round(blocks * self._backend.multiprocessors / tiles)
        self._ready.clear()
        self._launches[listed] = Launch(threads, lanes, tiles, max(1, min(wanted, -(-self.shape[0] // 64))), {})

    def _scratch(self, launch: Launch, batch: int) -> tuple[Any, Any]:
        """Shares' sums and counters for so many vectors; kept, so that graphs may refer to them."""
        if batch not in launch.work:
            partial = self._backend.empty((batch, launch.shares if launch.shares > 1 else 0, self.shape[1]), np.float32)
            launch.work[batch] = partial, self._backend.array(np.zeros(launch.tiles * batch, np.uint32))
        return launch.work[batch]

    def gather_into(self, out: Any, given: DeviceGiven) -> None:
        """One launch; ``out: (batch, columns)``."""
        key = given.kind, given.batch, given.pitch
        launch = self._ready.get(key) or self._ready.setdefault(key, self._made_ready(given))
        launch({0: out, 3: given.array, 4: given.count, 5: given.values})

    def _made_ready(self, given: DeviceGiven) -> Callable[[Mapping[int, Any]], None]:
        rows, columns = self.shape
        launch = self._launches[given.kind == Given.LIST]
        sizes = rows, columns, self._packs_of_row, self._packs, given.pitch, given.batch, launch.lanes
        return self._backend.ready(
            self._gather, (launch.tiles * given.batch, launch.shares), (launch.threads,),
            (None, self.weights, self._scale, None, None, None, np.int32(given.kind),
             *self._scratch(launch, given.batch), *map(np.int32, sizes)),
            shared=SHARED_BYTES * launch.threads,
        )  # fmt: skip

    def scan_into(self, out: Any, given: DeviceGiven) -> None:
        """One launch for vectors; ``out: (batch, rows)``."""
        given = self.tools.vector(given)
        rows = self.shape[0]
        self._scan(
            (-(-rows // 32), given.batch), (256,),
            (out, self.weights, self._scale, given.array, np.int32(given.kind), np.int32(rows),
             np.int32(self._packs_of_row), np.int32(self._packs), np.int32(given.pitch)),
        )  # fmt: skip

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...], int]:
        """The kernel of :meth:`gather_into`, its block and its dynamic shared memory, for events that are no list."""
        threads = self._launches[False].threads
        return self._gather, (threads,), SHARED_BYTES * threads
