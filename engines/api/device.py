"""What an engine may ask of the device it runs on.

Engines write their kernels twice (``kernels.cu`` and a Numba twin); everything that does not depend on
the physics (memory, gathering what a viewer wants, looking for NaN, timing, measured ceilings) is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from engines.api.values import Array, KernelTiming, Selection


@dataclass(frozen=True)
class Ceilings:
    """Bandwidths measured on this device in this session, in bytes per second."""

    copy: float
    triad: float

    @property
    def best(self) -> float:
        """The larger of both: what a kernel's rate is measured against. Kernels that read more than they write
        (as triad does) outrun a copy."""
        return max(self.copy, self.triad)


@dataclass(frozen=True)
class DeviceInfo:
    """Names and versions for logs and records."""

    name: str
    kind: Literal["cpu", "cuda"]
    memory_bytes: int
    threads: int
    driver: str
    versions: dict[str, str]
    id: str = ""
    """What ``open_backend`` takes: ``"cpu"``, ``"cuda:0"``."""
    compute_capability: str = ""
    """``"9.0"`` on a GPU, empty on the CPU."""


class Cores(AbstractContextManager[None]):
    """Inside, this thread has the cores that a loop is worth (:meth:`Backend.cores_for`); on a GPU nothing changes."""

    __slots__ = ()

    def of(self, turns: int) -> Cores:
        """The same for so many turns of the loop together, for who enters it with more than one, and not always as
        many."""
        return self

    def __exit__(self, *_: object) -> None: ...


class Backend(ABC):
    """One compute device. Arrays are NumPy arrays on the CPU and CuPy arrays on a GPU."""

    id: str
    """``"cpu"`` or ``"cuda:0"``."""
    chosen: str = ""
    """Why it was opened, as a sentence for the log, where nobody had named a device and there were several."""
    parts: int = 1
    """Devices that share a problem, of which this is one: ranks that MPI has started."""

    @property
    @abstractmethod
    def info(self) -> DeviceInfo: ...

    def free_memory(self) -> int:
        """Bytes that a run could have now; 0 where nobody tells."""
        return 0

    def release(self) -> None:  # what keeps nothing has nothing to give
        """Give the memory that no array uses back to the device, for others and for arrays of other sizes."""

    @abstractmethod
    def ceilings(self) -> Ceilings:
        """Copy and triad bandwidth, measured at the first call of the session (well under a second)."""

    def ceiling_over(self, working_set: int) -> float:
        """Bytes per second that so many bytes can be moved at: more than the memory's where caches hold them."""
        return self.ceilings().best

    @abstractmethod
    def array(self, host: Array) -> Any:
        """A copy of ``host`` on the device."""

    @abstractmethod
    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any: ...

    @abstractmethod
    def to_host(self, device: Any) -> Array:
        """Blocking copy to the host."""

    def to_host_later(self, device: Any) -> Callable[[], Array]:
        """As :meth:`to_host`, of now. What is given back waits for a GPU only if nobody has waited for it since: of
        several that are begun before the first is asked for, one waits for all. For few values: a GPU's lie in memory
        that it can write to meanwhile."""
        found = self.to_host(device)
        return lambda: found

    @abstractmethod
    def select(self, selection: Selection) -> Any:
        """Place a selection on the device."""

    @abstractmethod
    def gather(self, values: Any, handle: Any, missing: float | None = None) -> Array:
        """``values[elements]``, or the means over the selection's runs, as float32 on the host.

        ``values`` is ``(n,)`` or ``(n, components)`` in any strides (pass ``.T`` of a structure of arrays); the
        result is ``(m,)`` or ``(m, components)``, a fresh array. Elements that hold ``missing`` do not enter a
        mean; a run of nothing else gives ``missing``. An empty run gives NaN.
        """

    def gather_later(self, values: Any, handle: Any, missing: float | None = None) -> Callable[[], Array]:
        """As :meth:`gather`, of now: see :meth:`to_host_later`."""
        found = self.gather(values, handle, missing)
        return lambda: found

    @abstractmethod
    def first_non_finite(self, values: Any) -> int | None:
        """Lowest index (in C order) of a NaN or Inf in a device array, or None; None for integers."""

    def first_beyond(self, values: Any, limit: float) -> int | None:
        """Lowest index (in C order) of a NaN, or of a value whose size is not below ``limit``; None for integers."""
        return self.first_non_finite(values)

    @abstractmethod
    def synchronize(self) -> None: ...

    @abstractmethod
    def active(self) -> AbstractContextManager[Any]:
        """Inside, this thread may launch the engine's kernels: on a GPU the backend's stream is current, on the
        CPU this thread has the cores."""

    def held(self) -> AbstractContextManager[Any]:
        """Around a whole run, on its thread: inside, a GPU's :meth:`active` has nothing left to enter or leave, which
        takes as long as a launch and hands Python's lock to whoever waits for it. A CPU has nothing to hold: its cores
        are others' between steps."""
        return nullcontext()

    @abstractmethod
    def timed(self, kernel: str, launches: int = 1) -> AbstractContextManager[Any]:
        """Time what is launched inside (device events on a GPU), as ``launches`` launches of ``kernel``.

        Inside, kernels may be launched as inside :meth:`active`.
        """

    def cores_for(self, seconds: float) -> Cores:
        """As :meth:`active`, for a parallel loop that takes one core so long [s]: a CPU wakes no more cores than are
        worth it, and finds out how many these are when it is entered again and again; on a GPU nothing changes. It may
        not be entered inside itself."""
        return Cores()

    @abstractmethod
    def drain_timings(self) -> tuple[KernelTiming, ...]:
        """What :meth:`timed` measured since the last call, one entry per kernel.

        Never waits: launches that a GPU has not finished are reported by a later call.
        """

    def close(self) -> None:
        """Give back the device memory that nobody refers to any more. A closed backend is not used again."""
