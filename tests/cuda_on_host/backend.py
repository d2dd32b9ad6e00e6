"""A ``CudaBackend`` without a device: kernels run on the host, arrays are NumPy arrays between guard pages."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.compile.variants import check_declared
from engines.backend.cpu import CpuBackend
from engines.backend.cuda import CudaBackend
from tests.cuda_on_host.loader import HostKernel, HostModule, compile_for_host

CUDA: Any = CudaBackend
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def guarded(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """An array of NaN (floats) or -1 that ends where memory ends, to 16 bytes; its start is 256 bytes behind a page.

    A kernel that reads or writes past its end fails (CudaOnHostError), one that reads before its start gets NaN.
    """
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    rounded = -(-size // 16) * 16
    pages = -(-(rounded + 256) // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    whole = np.frombuffer(memory, np.uint8)
    end = pages * mmap.PAGESIZE
    whole[:end] = 0xFF
    if _libc.mprotect(whole.ctypes.data + end, mmap.PAGESIZE, 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    return whole[end - rounded : end - rounded + size].view(dtype).reshape(shape)


class HostCudaBackend(CpuBackend):
    """What launchers of engines use of ``CudaBackend``: compiling, arrays, ``active``, ``timed`` and ``elapsed``."""

    id = "cuda:0"
    multiprocessors = 2
    cooperative = False
    shared_memory = 96 << 20
    device = 0

    def __init__(self) -> None:
        super().__init__()
        self.compiled: list[tuple[str, tuple[str, ...]]] = []
        """Files and macros that were asked for, in this order."""

    def compile(self, path: Path, macros: Sequence[str] = (), cooperative: bool = False) -> HostModule:
        check_declared(path, tuple(macros))
        self.compiled.append((path.name, tuple(macros)))
        return compile_for_host(path.read_text("utf-8"), macros, path.stem)

    def ready(
        self, kernel: Any, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], shared: int = 0
    ) -> Callable[[Mapping[int, Any]], None]:
        def launch(changed: Mapping[int, Any]) -> None:
            every = tuple(changed.get(number, each) for number, each in enumerate(arguments))
            kernel(grid, block, every, shared_mem=shared)

        return launch

    def allow_shared(self, kernel: Any, size: int) -> None:
        kernel.max_dynamic_shared_size_bytes = max(size, kernel.max_dynamic_shared_size_bytes)

    def resident_blocks(self, kernel: Any, threads: int, shared: int = 0) -> int:
        """Blocks run one after the other, so one of them cannot wait for another."""
        return 1

    def array(self, host: Array) -> Array:
        copy = guarded(host.shape, host.dtype)
        copy[...] = host
        return copy

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        return guarded(shape, dtype)

    def to_host(self, device: Array) -> Array:
        if not isinstance(device, np.ndarray):
            raise TypeError(f"not an array of the device: {device!r}")
        return super().to_host(device)

    def memory(self) -> tuple[int, int]:
        return 1 << 30, 1 << 30

    def captured(self, launches: Callable[[], Any]) -> Callable[[], None]:
        """As a CUDA graph: launches keep the arguments, and nothing else that ``launches`` does happens again."""
        HostKernel.capturing = kept = []
        try:
            launches()
        finally:
            HostKernel.capturing = None

        def launch() -> None:
            for each in kept:
                each()

        return launch

    def elapsed(self, launch: Callable[[], Any], times: int = 1) -> float:
        """Launches; the time is of no interest, so all shapes are equally fast."""
        launch()
        return 1.0


class OnDevice(np.ndarray):
    """An array whose copies to the host arrive when somebody waits, as CuPy's do."""

    def get(self, stream: Any, out: Array | None = None, blocking: bool = True) -> Array:
        host = np.empty(self.shape, self.dtype) if out is None else out
        now = np.array(self)
        stream.under_way.append(lambda: np.copyto(host, now))
        if blocking:
            stream.synchronize()
        return host


class _Stream:
    def __init__(self) -> None:
        self.under_way: list[Callable[[], None]] = []
        self.waits = 0

    def synchronize(self) -> None:
        self.waits += 1
        for arrive in self.under_way:
            arrive()
        self.under_way.clear()


class WaitingCudaBackend(HostCudaBackend):
    """What reads a device goes through the methods of ``CudaBackend`` itself; ``stream.waits`` counts how often it was
    waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.cupy = SimpleNamespace(empty=lambda *given: guarded(*given).view(OnDevice))
        self.stream = _Stream()
        self._waits = 0

    def _pinned_array(self, count: int, dtype: Any) -> Array:
        return np.empty(count, dtype)

    def array(self, host: Array) -> Array:
        self._wait()
        return super().array(host)

    def first_beyond(self, values: Array, limit: float) -> int | None:
        self._wait()
        return super().first_beyond(values, limit)

    def to_host(self, device: Array) -> Array:
        found: Array = CUDA.to_host(self, device.view(OnDevice))
        return found

    select = CUDA.select
    gather = CUDA.gather

    def to_host_later(self, device: Array) -> Callable[[], Array]:
        begun: Callable[[], Array] = CUDA.to_host_later(self, device.view(OnDevice))
        return begun

    gather_later = CUDA.gather_later
    _gathering = CUDA._gathering
    synchronize = CUDA.synchronize
    _wait = CUDA._wait
