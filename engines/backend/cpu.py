"""The CPU as a compute device: NumPy arrays and Numba kernels on all cores."""

from __future__ import annotations

import itertools
import math
import platform
import threading
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from engines.api import Array, KernelTiming, Selection
from engines.api.device import Backend, Ceilings, Cores, DeviceInfo
from engines.backend.ceilings import machine
from engines.backend.compile.numba_cache import mend_numba_cache
from engines.backend.fields import cpu_kernels
from engines.backend.fields.rows import copy
from engines.backend.fields.selection import Checked, check_selection, checked_values, exact_missing
from engines.backend.loops.cores import loop_region
from engines.backend.threads import parallel_region, usable_cores

mend_numba_cache()

GATHER_SECONDS, SCAN_SECONDS = 1.2e-9, 0.25e-9
"""[s] of one core to gather a value, and to look whether one is finite."""

FEW = 1 << 14
"""Numbers that NumPy looks through in the time of waking a thread, without a kernel that a first run waits for."""

PAGE = 4096
STAGGER = 17 * 64
"""Bytes by which large arrays are moved against each other within a page: whole lines of a cache, 64 places."""
STAGGERED_FROM = 1 << 16
"""Bytes of an array from which its place matters."""
SHARED_FROM = 1 << 22
"""Bytes of an array that all cores copy."""


@dataclass
class _Total:
    launches: int = 0
    seconds: float = 0.0


class _Timed(parallel_region):
    """A parallel region that reports its time; waiting for the turn does not count, nor does what fails."""

    __slots__ = ("_backend", "_kernel", "_launches", "_start")

    def __init__(self, backend: CpuBackend, kernel: str, launches: int) -> None:
        super().__init__(backend.threads)
        self._backend, self._kernel, self._launches = backend, kernel, launches

    def __enter__(self) -> None:
        super().__enter__()
        self._start = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        seconds = time.perf_counter() - self._start
        super().__exit__(kind)
        if kind is None:
            self._backend.record(self._kernel, self._launches, seconds)


class CpuBackend(Backend):
    """All usable cores, or all but one with ``reserve_core`` (a window is open and wants to answer)."""

    id = "cpu"

    def __init__(self, reserve_core: bool = False) -> None:
        cores = usable_cores()
        self.threads = max(1, cores - 1) if reserve_core else cores
        self._timings: dict[str, _Total] = {}
        self._timings_lock = threading.Lock()
        self._places = itertools.count()
        self._info = DeviceInfo(
            name=machine.processor_name(),
            kind="cpu",
            memory_bytes=machine.memory_bytes(),
            threads=self.threads,
            driver="",
            versions={"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__},
            id=self.id,
        )

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def free_memory(self) -> int:
        return machine.free_memory_bytes()

    def ceilings(self) -> Ceilings:
        from engines.backend.ceilings.memory import cpu_ceilings

        return cpu_ceilings(self.threads)

    def ceiling_over(self, working_set: int) -> float:
        from engines.backend.ceilings.curve import ceiling_over

        return ceiling_over(self, working_set)

    def active(self) -> AbstractContextManager[None]:
        """Inside, this thread runs parallel kernels on the backend's cores (see :mod:`engines.backend.threads`)."""
        return parallel_region(self.threads)

    def cores_for(self, seconds: float) -> Cores:
        return loop_region(seconds, self.threads)

    def array(self, host: Array) -> Array:
        held = self.empty(np.shape(host), np.asarray(host).dtype)
        if held.nbytes >= SHARED_FROM:
            copy(np.asarray(host), held)
        else:
            held[...] = host
        return held

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """At a multiple of 64 bytes, and large arrays each at another distance from a page.

        Arrays that lie whole pages apart, as the system hands them out, push each other out of the first-level cache
        where rows are pages long too: single steps of diffusion on 4096 × 8192 ran at half the speed.
        """
        kind = np.dtype(dtype)
        size = math.prod(np.atleast_1d(shape).tolist()) * kind.itemsize
        if size < STAGGERED_FROM or kind.hasobject:
            return np.empty(shape, kind)
        memory = np.empty(size + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE + next(self._places) * STAGGER % PAGE
        return memory[start : start + size].view(kind).reshape(shape)

    def to_host(self, device: Array) -> Array:
        return np.array(device)

    def select(self, selection: Selection) -> Checked:
        return check_selection(selection)

    def gather(self, values: Array, handle: Checked, missing: float | None = None) -> Array:
        table = checked_values(values, handle)
        out = np.empty((len(handle), table.shape[1]), np.float32)
        if handle.offsets is None and out.size <= FEW:
            with np.errstate(over="ignore"):  # see FieldSimulation.beyond
                out[...] = table[handle.elements]
        elif len(handle):
            with self.cores_for(GATHER_SECONDS * len(handle.elements)):
                if handle.offsets is None:
                    cpu_kernels.gather(table, handle.elements, out)
                else:
                    has_missing, stand_in = exact_missing(missing, table.dtype)
                    cpu_kernels.gather_means(table, handle.elements, handle.offsets, has_missing, stand_in, out)
        return out[:, 0] if values.ndim == 1 else out

    def first_non_finite(self, values: Array) -> int | None:
        return self.first_beyond(values, math.inf)

    def first_beyond(self, values: Array, limit: float) -> int | None:
        if values.dtype.kind in "biu" or not values.size:
            return None
        if values.size <= FEW:
            within = np.abs(values) < limit
            return None if within.all() else int(within.argmin())
        flat = np.ascontiguousarray(values).reshape(-1)
        found = np.empty(-(-flat.size // cpu_kernels.SCAN_CHUNK), np.int64)
        with self.cores_for(SCAN_SECONDS * flat.size):
            cpu_kernels.first_not_below(flat, flat.dtype.type(limit), found)
        hits = found[found >= 0]
        return int(hits[0]) if hits.size else None

    def synchronize(self) -> None:
        """Nothing to wait for: kernels have ended when their call returns."""

    def timed(self, kernel: str, launches: int = 1) -> AbstractContextManager[None]:
        return _Timed(self, kernel, launches)

    def record(self, kernel: str, launches: int, seconds: float) -> None:
        """Add to what :meth:`drain_timings` returns."""
        with self._timings_lock:
            total = self._timings.setdefault(kernel, _Total())
            total.launches += launches
            total.seconds += seconds

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        with self._timings_lock:
            drained, self._timings = self._timings, {}
        return tuple(KernelTiming(kernel, total.launches, total.seconds) for kernel, total in drained.items())
