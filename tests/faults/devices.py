"""A CPU that fails as GPUs do, at a call of somebody's choice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from engines.backend.cpu import CpuBackend
from engines.backend.devices.cuda_errors import translated


class CUDARuntimeError(RuntimeError):
    """As CuPy raises it."""


CUDARuntimeError.__module__ = "cupy_backends.cuda.api.runtime"

FAULTS: dict[str, tuple[Exception, bool]] = {
    "out of memory": (CUDARuntimeError("cudaErrorMemoryAllocation: out of memory"), False),
    "out of memory on the host": (MemoryError(), False),
    "kernel error": (CUDARuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered"), True),
    "driver reset": (CUDARuntimeError("cudaErrorUnknown: unknown error"), True),
    "lost device": (CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected"), True),
}
"""What is raised, and whether every call after it raises it too, as CUDA does once a context is lost."""


class _Watched:
    """A region that is looked at when it has been left in order: what ran inside may have failed."""

    def __init__(self, region: AbstractContextManager[Any], look: Callable[[], None]) -> None:
        self._region, self._look = region, look

    def __enter__(self) -> Any:
        return self._region.__enter__()

    def __exit__(self, kind: Any, *rest: Any) -> bool | None:
        handled = self._region.__exit__(kind, *rest)
        if kind is None:
            self._look()
        return handled


class FaultyBackend(CpuBackend):
    """Call number ``at`` (None: none) of those that a device may fail in raises ``fault``, from :meth:`arm` on."""

    def __init__(self, fault: str = "out of memory", at: int | None = None) -> None:
        super().__init__()
        self._error, self._lasts = FAULTS[fault]
        self._at, self._armed = at, False
        self.calls = 0
        self.raised = False

    def arm(self) -> None:
        self._armed = True

    def look(self) -> None:
        if not self._armed:
            return
        self.calls += 1
        if self.calls - 1 == self._at or (self.raised and self._lasts):
            self.raised = True
            with translated():
                raise self._error

    def array(self, host: Any) -> Any:
        self.look()
        return super().array(host)

    def empty(self, shape: Any, dtype: Any) -> Any:
        self.look()
        return super().empty(shape, dtype)

    def to_host(self, device: Any) -> Any:
        self.look()
        return super().to_host(device)

    def gather(self, values: Any, handle: Any, missing: float | None = None) -> Any:
        self.look()
        return super().gather(values, handle, missing)

    def first_non_finite(self, values: Any) -> int | None:
        self.look()
        return super().first_non_finite(values)

    def synchronize(self) -> None:
        self.look()

    def active(self) -> AbstractContextManager[Any]:
        self.look()
        return super().active()

    def timed(self, kernel: str, launches: int = 1) -> AbstractContextManager[Any]:
        self.look()
        return _Watched(super().timed(kernel, launches), self.look)

    def drain_timings(self) -> Any:
        self.look()
        return super().drain_timings()
