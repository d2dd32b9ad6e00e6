"""How long launches take on a device, free of what the host needs to ask for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from engines.api.device import Backend
from engines.backend.ceilings import machine

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

LONGEST_CAPTURED = 100e-6
"""Seconds of a launch up to which a batch is a CUDA graph: the host needs some 4 µs for one and must stay ahead."""
LEAD_SECONDS = 1e-3
"""A batch shorter than this starts behind another launch, so that the host's first launch is not part of it."""

T = TypeVar("T")
Launch = Callable[[int], None]
"""Launch number 0, 1, 2, …; called inside ``backend.active()``."""


class Batch:
    """``count`` launches that are timed together. ``seconds()`` is the time of one of them.

    The launches are numbered on from batch to batch, so that buffers that rotate with the number are all met.
    """

    def __init__(self, backend: Backend, launch: Launch, count: int) -> None:
        self._backend, self._launch, self.count = backend, launch, count
        self._next = 0

    def _go(self) -> None:
        for number in range(self._next, self._next + self.count):
            self._launch(number)
        self._next += self.count

    def seconds(self) -> float:
        with self._backend.active():
            start = time.perf_counter()
            self._go()
            return (time.perf_counter() - start) / self.count


class CudaBatch(Batch):
    """Timed by device events. Short launches are captured into a CUDA graph, whose nodes follow each other at once."""

    def __init__(self, backend: CudaBackend, launch: Launch, count: int, estimate: float, captured: bool) -> None:
        super().__init__(backend, launch, count)
        self._cuda = backend
        self._leads = estimate * count < LEAD_SECONDS
        self._once = backend.captured(self._go) if captured else self._go

    def seconds(self) -> float:
        with self._cuda.active():
            if self._leads:
                self._once()  # the device is busy while the host queues the events and what lies between them
            return self._cuda.elapsed(self._once) / self.count


def batch(backend: Backend, launch: Launch, count: int, estimate: float, *, capture: bool = True) -> Batch:
    """A batch of ``count`` launches that take about ``estimate`` seconds each.

    ``capture`` is False for launches that allocate memory, which a CUDA graph may not.
    """
    if backend.info.kind == "cpu":
        return Batch(backend, launch, count)
    return CudaBatch(backend, launch, count, estimate, capture and estimate <= LONGEST_CAPTURED)  # type: ignore[arg-type]  # of kind "cuda"


def estimated(backend: Backend, launch: Launch, number: int = 0) -> float:
    """Seconds of one launch, roughly (what the host needs is part of it)."""
    start = time.perf_counter()
    with backend.active():
        launch(number)
    backend.synchronize()
    return time.perf_counter() - start


def host_seconds(backend: Backend, launch: Launch, count: int) -> float:
    """Seconds that the host needs for one launch; on a CPU that is the launch itself."""
    backend.synchronize()
    with backend.active():
        start = time.perf_counter()
        for number in range(count):
            launch(number)
        seconds = time.perf_counter() - start
    backend.synchronize()
    return seconds / count


def best_seconds(backend: Backend, call: Callable[[], Any], tries: int = 3) -> float:
    """The shortest of ``tries`` times of ``call()`` and what it asks of the device; the first may compile.

    It is called inside ``backend.active()``; waiting there for a run's turn is no part of the time.
    """
    best = float("inf")
    for _ in range(tries):
        backend.synchronize()
        with backend.active():
            start = time.perf_counter()
            call()
            backend.synchronize()
            best = min(best, time.perf_counter() - start)
    return best


_measured: WeakKeyDictionary[Backend, dict[Hashable, Any]] = WeakKeyDictionary()


def measured_once(backend: Backend, key: Hashable, measure: Callable[[], T]) -> T:
    """``measure()`` of the first call with this backend and ``key``, which begins with the caller's ``__name__``."""
    known: dict[Hashable, T] = _measured.setdefault(backend, {})
    if key not in known:
        known[key] = measure()
    return known[key]


def cache_bytes(backend: Backend) -> int:
    """The last cache before the memory: the L2 of a GPU, the L2 or L3 of a processor."""
    if backend.info.kind == "cpu":
        return machine.last_level_cache_bytes()
    cuda: CudaBackend = backend  # type: ignore[assignment]  # of kind "cuda"
    with cuda.active():
        return int(cuda.cupy.cuda.runtime.getDeviceProperties(cuda.device)["l2CacheSize"])


def free_bytes(backend: Backend) -> int:
    """Memory that may be taken: what a GPU has free, half of what a processor has."""
    if backend.info.kind == "cpu":
        return machine.memory_bytes() // 2 or 1 << 30
    return backend.memory()[0]  # type: ignore[attr-defined]  # of kind "cuda"
