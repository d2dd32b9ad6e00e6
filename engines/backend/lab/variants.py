"""Variants on a device: buffers, launches and what the compiler gave each kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Case, Inputs, Prepared, Resources, Shape, Variant

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend


@dataclass(frozen=True)
class Layout:
    """How a variant keeps the study's data: the arrays that it reads, made from the inputs, and its output.

    pack:    inputs -> the arrays in the order in which the kernel takes them
    output:  inputs -> (shape, dtype) of the output as the kernel writes it
    unpack:  that output on the host -> the reference's shape
    """

    pack: Callable[[Inputs], Sequence[Array]]
    output: Callable[[Inputs], tuple[tuple[int, ...], Any]]
    unpack: Callable[[Array], Array] = lambda output: output


PLAIN = Layout(lambda inputs: [inputs["x"]], lambda inputs: (inputs["x"].shape, np.float32))
"""One float32 array in, one of its shape out."""
HALF = Layout(
    lambda inputs: [inputs["x"].astype(np.float16)],
    lambda inputs: (inputs["x"].shape, np.float16),
    lambda output: output.astype(np.float32),
)
"""The same in half precision."""


class Buffers(Prepared):
    """Sets of device arrays, ``run(output, arrays)`` on each."""

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, layout: Layout) -> None:
        self._backend, self._layout = backend, layout
        packed = layout.pack(inputs)
        shape, dtype = layout.output(inputs)
        first = [backend.array(array) for array in packed]
        self._arrays: list[list[Any]] = [first]
        for _ in range(sets - 1):
            with backend.active():
                self._arrays.append([array.copy() for array in first])
        self._outputs = [backend.empty(shape, dtype) for _ in range(sets)]
        self.set_bytes = sum(array.nbytes for array in packed) + self._outputs[0].nbytes

    def poison(self, index: int) -> None:
        with self._backend.active():
            self._outputs[index].fill(np.nan)

    def result(self, index: int) -> Array:
        return self._layout.unpack(self._backend.to_host(self._outputs[index]))

    def close(self) -> None:
        self._arrays, self._outputs = [], []


class ArrayPrepared(Buffers):
    """A Python function ``compute(output, *arrays)``: NumPy, SciPy, Numba, or CuPy's array expressions."""

    def __init__(
        self, backend: Backend, inputs: Inputs, sets: int, layout: Layout, compute: Callable[..., None]
    ) -> None:
        super().__init__(backend, inputs, sets, layout)
        self._compute = compute

    def launch(self, index: int) -> None:
        self._compute(self._outputs[index], *self._arrays[index])


@dataclass(frozen=True)
class Launch:
    """A kernel's grid, block and dynamic shared memory, and the scalars after its output and its arrays."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    scalars: tuple[Any, ...]
    shared_bytes: int = 0


Bind = Callable[[Any, Any], Any]
"""(CuPy, device array) -> a texture object on it, whose handle the kernel takes."""


class KernelPrepared(Buffers):
    """A kernel of a ``.cu`` file."""

    def __init__(
        self,
        backend: CudaBackend,
        inputs: Inputs,
        sets: int,
        layout: Layout,
        kernels: Sequence[tuple[Any, Launch]],
        bind: Bind | None,
    ) -> None:
        super().__init__(backend, inputs, sets, layout)
        self._cuda, self._kernels = backend, kernels
        self._bound: list[Any] = []  # texture objects live as long as the kernels that use their handles
        # What a launch passes is made once: the host's time for a launch is measured too.
        self._passed = [
            self._pass(output, arrays, bind) for output, arrays in zip(self._outputs, self._arrays, strict=True)
        ]

    def _pass(self, output: Any, arrays: Sequence[Any], bind: Bind | None) -> list[tuple[Any, ...]]:
        """The arguments of each kernel for one set."""
        given = list(arrays)
        if bind is not None:
            with self._cuda.active():
                bound = [bind(self._cuda.cupy, array) for array in arrays]
            self._bound += bound
            given = [np.uint64(one.ptr) for one in bound]
        return [(output, *given, *how.scalars) for _, how in self._kernels]

    def launch(self, index: int) -> None:
        for (kernel, how), arguments in zip(self._kernels, self._passed[index], strict=True):
            kernel(how.grid, how.block, arguments, shared_mem=how.shared_bytes)

    def resources(self) -> Resources:
        """Of the first kernel, which does the work."""
        kernel, how = self._kernels[0]
        return kernel_resources(self._cuda, kernel, how.block, how.shared_bytes)

    def close(self) -> None:
        super().close()
        self._passed, self._bound = [], []


def kernel_resources(backend: CudaBackend, kernel: Any, block: Sequence[int], shared_bytes: int) -> Resources:
    """What compiler and device give a kernel that is launched in blocks of this form with so much dynamic memory."""
    threads = int(np.prod(block))
    with backend.active():
        cuda = backend.cupy.cuda
        attributes = kernel.attributes
        blocks = cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, shared_bytes)
        most = cuda.runtime.getDeviceProperties(backend.device)["maxThreadsPerMultiProcessor"]
    return Resources(
        registers=int(attributes["num_regs"]),
        shared_bytes=int(attributes["shared_size_bytes"]) + shared_bytes,
        occupancy=blocks * threads / most,
    )


def kernel_variant(
    id: str,
    title: str,
    path: Path,
    symbol: str,
    launch: Callable[[Case, Shape], Launch],
    *,
    bytes: float,
    flops: float,
    shapes: tuple[Shape, ...],
    note: str = "",
    steps: int = 1,
    macros: tuple[str, ...] = (),
    layout: Layout = PLAIN,
    bind: Bind | None = None,
    tolerance: float | None = None,
    after: Sequence[tuple[str, Callable[[Case, Shape], Launch]]] = (),
) -> Variant:
    """A variant that launches ``symbol`` of the ``.cu`` file at ``path``, then each of ``after`` (further passes).

    A kernel takes its output, its arrays, then the scalars of its :class:`Launch`.
    """

    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        cuda: CudaBackend = backend  # type: ignore[assignment]  # the Lab gives it to no other device
        module = cuda.compile(path, macros)
        chosen = shape or shapes[0]
        passes = [(symbol, launch), *after]
        kernels = [(module.get_function(name), how(case, chosen)) for name, how in passes]
        return KernelPrepared(cuda, inputs, sets, layout, kernels, bind)

    return Variant(
        id=id, title=title, language="CUDA", bytes=bytes, flops=flops, source=path, symbol=symbol, prepare=prepare,
        note=note, steps=steps, shapes=shapes, tolerance=tolerance,
    )  # fmt: skip


def array_variant(
    id: str,
    title: str,
    language: Literal["CuPy", "Numba", "NumPy", "SciPy"],
    source: str,
    symbol: str,
    compute: Callable[[Backend, Case], Callable[..., None]],
    *,
    bytes: float,
    flops: float,
    note: str = "",
    steps: int = 1,
    layout: Layout = PLAIN,
    tolerance: float | None = None,
) -> Variant:
    """A variant that calls ``compute(backend, case)``, made once, as ``function(output, *arrays)``."""

    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return ArrayPrepared(backend, inputs, sets, layout, compute(backend, case))

    return Variant(
        id=id, title=title, language=language, bytes=bytes, flops=flops, source=Path(source), symbol=symbol,
        prepare=prepare, note=note, steps=steps, tolerance=tolerance,
    )  # fmt: skip


def up_to(points: int, variant: Variant) -> Variant:
    """The variant, refused for cases of more points: a launch would take seconds, and a measurement is of many."""

    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        if case.points > points:
            raise ProblemError("A launch would take seconds: this variant is measured at smaller sizes alone.")
        return variant.prepare(backend, case, inputs, sets, shape)

    return replace(variant, prepare=prepare)


def over(counts: Sequence[int], per_block: Sequence[int]) -> tuple[int, ...]:
    """Blocks along each axis that cover ``counts`` points."""
    return tuple(-(-count // block) for count, block in zip(counts, per_block, strict=True))
