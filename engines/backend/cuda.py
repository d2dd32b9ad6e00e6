"""An NVIDIA GPU as a compute device: CuPy arrays, kernels from ``.cu`` files, one stream.

The one place that imports CuPy, and only when a GPU is asked for. Everything of a backend happens on its own
non-blocking stream and in its own memory pools, so closing it gives the memory back.
"""

from __future__ import annotations

import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, KernelTiming, Selection
from engines.api.device import Backend, Ceilings, DeviceInfo
from engines.api.errors import DeviceError
from engines.backend.compile.source import compile_options, source_text
from engines.backend.compile.variants import check_declared
from engines.backend.devices.cuda_errors import hush_destructors, translated
from engines.backend.devices.current import Current
from engines.backend.devices.launch import ReadyLaunch
from engines.backend.fields.selection import Checked, check_selection, checked_values, exact_missing
from engines.numba_settings import CUPY_CACHE, OWN_CACHE, check_caches, prepare_cupy

log = logging.getLogger(__name__)

KERNELS = Path(__file__).parent / "fields" / "kernels.cu"
BLOCK = 256
"""Threads per block of the backend's own kernels, which wait for memory and care little."""
PENDING_EVENTS = 4096
"""Timed launches that may await their result before :meth:`CudaBackend.timed` collects what is done."""
_VALUE = {np.dtype(np.float32): "float", np.dtype(np.float64): "double", np.dtype(np.int32): "int"}


def load_cupy() -> Any:
    """CuPy; raises ImportError or what its loading raises: :func:`engines.backend.devices.cuda_status.cuda_status`."""
    import cupy  # type: ignore[import-not-found, import-untyped, unused-ignore]  # CuPy ships no types

    return cupy


def load_nccl() -> Any:
    """CuPy's NCCL, which sends arrays from GPU to GPU; None where its library is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is not
        from cupy.cuda import nccl  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return nccl if nccl.available else None


def device_info(device: int) -> DeviceInfo:
    """Name, memory and versions of a GPU, without making a context on it. Raises DeviceError."""
    cupy = load_cupy()
    runtime = cupy.cuda.runtime
    with translated():
        properties = runtime.getDeviceProperties(device)
        versions = {
            "cupy": cupy.__version__,
            "cuda_runtime": _version(runtime.runtimeGetVersion()),
            "cuda_driver": _version(runtime.driverGetVersion()),
            "nvrtc": ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
        }
    return DeviceInfo(
        name=properties["name"].decode(),
        kind="cuda",
        memory_bytes=int(properties["totalGlobalMem"]),
        threads=properties["multiProcessorCount"] * properties["maxThreadsPerMultiProcessor"],
        driver=_kernel_module_version() or f"CUDA {versions['cuda_driver']}",
        versions=versions,
        id=f"cuda:{device}",
        compute_capability=f"{properties['major']}.{properties['minor']}",
    )


def free_memory(device: int) -> int:
    """Bytes that are free on a GPU; makes a context on it. Raises DeviceError."""
    cupy = load_cupy()
    with translated(), cupy.cuda.Device(device):
        return int(cupy.cuda.runtime.memGetInfo()[0])


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _kernel_module_version(path: Path = Path("/proc/driver/nvidia/version")) -> str:
    """The driver's version as ``nvidia-smi`` shows it (Linux), or an empty string."""
    try:
        words = path.read_text().split("\n", 1)[0].split()
    except OSError:
        return ""
    return next((word for word in words if word.count(".") >= 1 and word.replace(".", "").isdigit()), "")


@dataclass
class CudaSelection:
    """A selection on the device, with launches that gather it, by the kind of table."""

    checked: Checked
    elements: Any
    offsets: Any
    launches: dict[tuple[Any, ...], Callable[[Any, Any], None]] = field(default_factory=dict)

    @property
    def largest(self) -> int:
        return self.checked.largest


@dataclass
class _Total:
    launches: int = 0
    seconds: float = 0.0


class CudaBackend(Backend):
    """GPU number ``device``. Raises DeviceError if it cannot be opened, ProblemError where others may write what it
    would run.

    Launchers of engines compile with :meth:`compile` and call their kernels inside :meth:`timed` or :meth:`active`,
    where this backend's device, stream and memory pool are the current ones.
    """

    def __init__(self, device: int = 0) -> None:
        check_caches(CUPY_CACHE, OWN_CACHE)
        prepare_cupy()
        self.id = f"cuda:{device}"
        self.device = device
        self._info = device_info(device)
        self.cupy = cupy = load_cupy()
        hush_destructors()
        self._modules: dict[tuple[Path, tuple[str, ...], bool], Any] = {}
        self._pending: deque[tuple[str, int, Any, Any]] = deque()
        self._idle_events: list[Any] = []
        self._totals: dict[str, _Total] = {}
        with translated(), cupy.cuda.Device(device):
            properties = cupy.cuda.runtime.getDeviceProperties(device)
            self.multiprocessors: int = properties["multiProcessorCount"]
            self.cooperative = bool(properties.get("cooperativeLaunch", 1))
            """Whether blocks of a launch may wait for each other (:meth:`compile`)."""
            self.shared_memory = int(properties.get("sharedMemPerBlockOptin", 48 << 10))
            """Bytes that a block may ask for."""
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self._pool = cupy.cuda.MemoryPool()
            self._pinned = cupy.cuda.PinnedMemoryPool()
            self._found = self._pinned_array(1, np.uint64)
        self._waits = 0
        """How often somebody has waited for all that was on the stream."""
        self._current = Current(self._contexts)

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of the device; what this backend keeps for reuse counts as free."""
        with self.active():
            free, total = self.cupy.cuda.runtime.memGetInfo()
            return int(free) + int(self._pool.free_bytes()), int(total)

    def free_memory(self) -> int:
        return self.memory()[0]

    def release(self) -> None:
        with self.active():
            self._pool.free_all_blocks()

    def _contexts(self) -> tuple[AbstractContextManager[Any], ...]:
        cuda = self.cupy.cuda
        return cuda.Device(self.device), cuda.using_allocator(self._pool.malloc), self.stream

    def active(self) -> AbstractContextManager[None]:
        """Inside, CuPy works on this backend's device, stream and pool; CUDA errors become DeviceError."""
        return self._current

    def held(self) -> AbstractContextManager[None]:
        return self._current

    def compile(self, path: Path, macros: Sequence[str] = (), cooperative: bool = False) -> Any:
        """The kernels of a ``.cu`` file (CuPy RawModule) specialised by ``macros``; CuPy keeps them on disk.

        ``macros`` is one of the sets that the file declares (:mod:`engines.backend.compile.variants`), so that what
        runs is what the tests compiled for every architecture; ValueError otherwise. Raises DeviceError.
        ``cooperative``: all blocks of a launch run at once or not at all, for kernels that wait for each other
        (:meth:`resident_blocks`).
        """
        key = (path, tuple(macros), cooperative)
        if key not in self._modules:
            check_declared(path, key[1])
            with self.active():
                module = self.cupy.RawModule(
                    code=source_text(path), options=compile_options(macros), enable_cooperative_groups=cooperative
                )
                module.compile()
            self._modules[key] = module
        return self._modules[key]

    def ready(
        self, kernel: Any, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], shared: int = 0
    ) -> ReadyLaunch:
        """For a kernel that is launched often from Python: a launch with some of these ``arguments`` changed."""
        return ReadyLaunch(self.cupy, self.device, kernel, grid, block, shared, self.stream, arguments)

    def allow_shared(self, kernel: Any, size: int) -> None:
        """Let blocks of a kernel have so many bytes of dynamic shared memory, of which 48 KB need no asking. CuPy asks
        for the current device's copy of the kernel."""
        if size > 48 << 10:
            with self.active():
                if size > kernel.max_dynamic_shared_size_bytes:
                    kernel.max_dynamic_shared_size_bytes = size

    def resident_blocks(self, kernel: Any, threads: int, shared: int = 0) -> int:
        """Blocks of ``threads``, with ``shared`` bytes of dynamic shared memory, that the device runs at once."""
        with self.active():
            occupancy = self.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
            return self.multiprocessors * int(occupancy(kernel.kernel.ptr, threads, shared))

    def ceilings(self) -> Ceilings:
        from engines.backend.ceilings.memory import cuda_ceilings

        return cuda_ceilings(self)

    def ceiling_over(self, working_set: int) -> float:
        from engines.backend.ceilings.curve import ceiling_over

        return ceiling_over(self, working_set)

    def array(self, host: Array) -> Any:
        source = np.ascontiguousarray(host)
        with self.active():
            device = self.cupy.empty(source.shape, source.dtype)
            # Not cupy.array: that stages the whole array in pinned memory, which its pool then keeps.
            device.set(source, stream=self.stream)
            self._wait()  # the caller may change ``host`` at once
            return device

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        with self.active():
            return self.cupy.empty(shape, dtype)

    def to_host(self, device: Any) -> Array:
        with self.active():
            found = device.get(stream=self.stream, blocking=True)
            self._waits += 1
            return found

    def to_host_later(self, device: Any) -> Callable[[], Array]:
        shape = device.shape
        with self.active():
            host = self._pinned_array(device.size, device.dtype)
            device.get(stream=self.stream, out=host.reshape(shape), blocking=False)
        begun = self._waits

        def arrived() -> Array:
            if self._waits == begun:
                self.synchronize()
            return host.reshape(shape).copy()  # pinned memory serves the next frame

        return arrived

    def _pinned_array(self, count: int, dtype: Any) -> Array:
        size = count * np.dtype(dtype).itemsize
        return np.frombuffer(self._pinned.malloc(size), dtype, count)

    def select(self, selection: Selection) -> CudaSelection:
        checked = check_selection(selection)
        offsets = None if checked.offsets is None else self.array(checked.offsets)
        return CudaSelection(checked, self.array(checked.elements), offsets)

    def gather(self, values: Any, handle: CudaSelection, missing: float | None = None) -> Array:
        return self.gather_later(values, handle, missing)()

    def gather_later(self, values: Any, handle: CudaSelection, missing: float | None = None) -> Callable[[], Array]:
        table = checked_values(values, handle)
        m, components = len(handle.checked), table.shape[1]
        shape = (m,) if values.ndim == 1 else (m, components)
        if m * components == 0:
            return partial(np.empty, shape, np.float32)
        with self.active():
            if table.dtype not in _VALUE:
                table = table.astype(np.float64)
            kind = table.dtype, table.strides, components, repr(missing)  # a NaN is not itself
            if kind not in handle.launches:
                handle.launches[kind] = self._gathering(table, handle, missing)
            out = self.cupy.empty(shape, np.float32)
            handle.launches[kind](table, out)
            return self.to_host_later(out)

    def _gathering(self, table: Any, handle: CudaSelection, missing: float | None) -> Callable[[Any, Any], None]:
        """The launch, of a table like this one and the result, neither of which it keeps."""
        m, components = len(handle.checked), table.shape[1]
        strides = (np.int64(step // table.itemsize) for step in table.strides)
        layout = (None, *strides, np.int32(components), handle.elements)
        module = self.compile(KERNELS, (f"-DVALUE={_VALUE[table.dtype]}",))
        grid = (-(-m * components // BLOCK),)
        rest: tuple[Any, ...]
        if handle.offsets is None:
            name, rest = "gather", (np.int32(m),)
        else:
            has_missing, stand_in = exact_missing(missing, table.dtype)
            rest = (handle.offsets, np.int32(m), np.int32(has_missing), np.float64(stand_in))
            name = "gather_means"
        arguments = (*layout, *rest, None)
        launch = self.ready(module.get_function(name), grid, (BLOCK,), arguments)
        return lambda table, out: launch({0: table, len(arguments) - 1: out})

    def first_non_finite(self, values: Any) -> int | None:
        return self.first_beyond(values, np.inf)

    def first_beyond(self, values: Any, limit: float) -> int | None:
        if values.dtype.kind in "biu" or not values.size:
            return None
        if values.dtype not in _VALUE:
            raise TypeError(f"a field is float32 or float64, not {values.dtype}")
        with self.active():
            flat = self.cupy.ascontiguousarray(values).ravel()
            found = self.cupy.full(1, np.iinfo(np.uint64).max, np.uint64)
            kernel = self.compile(KERNELS, (f"-DVALUE={_VALUE[values.dtype]}",)).get_function("first_beyond")
            grid = (min(-(-flat.size // BLOCK), 8 * self.multiprocessors),)
            kernel(grid, (BLOCK,), (flat, np.int64(flat.size), flat.dtype.type(limit), found))
            found.get(stream=self.stream, out=self._found, blocking=False)
            self._wait()
        index = int(self._found[0])
        return index if index < values.size else None

    def synchronize(self) -> None:
        with translated():
            self._wait()

    def _wait(self) -> None:
        self.stream.synchronize()
        self._waits += 1

    @contextmanager
    def timed(self, kernel: str, launches: int = 1) -> Iterator[None]:
        with self.active():
            if len(self._pending) >= PENDING_EVENTS:
                self._collect()
            start, stop = self._event(), self._event()
            start.record(self.stream)
            yield
            stop.record(self.stream)
            self._pending.append((kernel, launches, start, stop))

    def _event(self) -> Any:
        return self._idle_events.pop() if self._idle_events else self.cupy.cuda.Event()

    def _collect(self) -> None:
        """Add up the launches that the device has finished; a stream finishes them in order."""
        while self._pending and self._pending[0][3].done:
            kernel, launches, start, stop = self._pending.popleft()
            total = self._totals.setdefault(kernel, _Total())
            total.launches += launches
            total.seconds += 1e-3 * self.cupy.cuda.get_elapsed_time(start, stop)
            self._idle_events += (start, stop)

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        with self.active():
            self._collect()
        drained, self._totals = self._totals, {}
        return tuple(KernelTiming(kernel, total.launches, total.seconds) for kernel, total in drained.items())

    def captured(self, launches: Callable[[], Any]) -> Callable[[], None]:
        """A CUDA graph of what ``launches`` puts on the stream; each call puts it all there again in one launch.

        Nothing runs now. Kernels keep the arguments that they are captured with, addresses of arrays among them, so the
        arrays must live as long as the graph. ``launches`` may not allocate, copy to the host or wait, and its kernels
        have run before: loading one is no part of a graph.
        """
        with self.active():
            self.stream.begin_capture()
            try:
                launches()
            finally:
                graph = self.stream.end_capture()

        def launch() -> None:
            graph.launch(self.stream)

        return launch

    def elapsed(self, launch: Callable[[], Any], times: int = 1) -> float:
        """Seconds that the device takes for what ``launch`` puts on the stream; waits for it.

        Several ``times`` in a row hide the time of launching, which is that of a kernel of 100,000 cells.
        """
        with self.active():
            start, stop = self._event(), self._event()
            start.record(self.stream)
            for _ in range(times):
                launch()
            stop.record(self.stream)
            stop.synchronize()
            seconds = 1e-3 * self.cupy.cuda.get_elapsed_time(start, stop) / times
            self._idle_events += (start, stop)
            return seconds

    def close(self) -> None:
        try:
            with self.active():
                self.stream.synchronize()
                self._pending.clear()
                self._idle_events.clear()
                self._modules.clear()
                self._pool.free_all_blocks()
                self._pinned.free_all_blocks()
        except DeviceError as error:  # after some errors a device refuses even this; the run has ended with the first
            log.warning("%s could not be closed in order: %s", self.id, error)
