"""What an engine may ask of the device it runs on.

Engines write their kernels twice (``kernels.cu`` and a Numba twin); everything that does not depend on
the physics (memory, gathering what a viewer wants, looking for NaN, timing, measured ceilings) is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

from engines.api import Array, KernelTiming, Selection


@dataclass(frozen=True)
class Ceilings:
    """Bandwidths measured on this device in this session, in bytes per second."""

    copy: float
    triad: float


@dataclass(frozen=True)
class DeviceInfo:
    """Names and versions for logs and records."""

    name: str
    kind: Literal["cpu", "cuda"]
    memory_bytes: int
    threads: int
    driver: str
    versions: dict[str, str]


class Backend(ABC):
    """One compute device. Arrays are NumPy arrays on the CPU and CuPy arrays on a GPU."""

    id: str
    """``"cpu"`` or ``"cuda:0"``."""

    @property
    @abstractmethod
    def info(self) -> DeviceInfo: ...

    @abstractmethod
    def ceilings(self) -> Ceilings:
        """Copy and triad bandwidth, measured at the first call of the session (well under a second)."""

    @abstractmethod
    def array(self, host: Array) -> Any:
        """A copy of ``host`` on the device."""

    @abstractmethod
    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any: ...

    @abstractmethod
    def to_host(self, device: Any) -> Array:
        """Blocking copy to the host."""

    @abstractmethod
    def select(self, selection: Selection) -> Any:
        """Place a selection on the device."""

    @abstractmethod
    def gather(self, values: Any, handle: Any) -> Array:
        """``values[elements]``, or the means over the selection's runs, as float32 on the host
        (through pinned memory on a GPU)."""

    @abstractmethod
    def first_non_finite(self, values: Any) -> int | None:
        """Index of a NaN or Inf in a device array, or None."""

    @abstractmethod
    def synchronize(self) -> None: ...

    @abstractmethod
    def timed(self, kernel: str) -> Any:
        """Context manager: time what is launched inside (device events on a GPU)."""

    @abstractmethod
    def drain_timings(self) -> tuple[KernelTiming, ...]:
        """What :meth:`timed` measured since the last call."""

    @abstractmethod
    def close(self) -> None: ...
