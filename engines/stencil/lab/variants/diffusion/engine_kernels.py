"""The engine's own kernels as variants of the studies of several steps per launch, at each depth they are built for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Resources, Shape, Variant
from engines.backend.lab.variants import PLAIN, Buffers, kernel_resources
from engines.stencil.diffusion import kernels
from engines.stencil.diffusion.cpu import CpuDiffusion
from engines.stencil.setup.sides import Ghost

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

KERNELS = Path(kernels.__file__).parent
CUDA_DEPTHS = {2: (1, 4, 6, 8, 10), 3: (1, 2, 3)}
"""Steps per launch that ``diffusion2d.cu`` and ``diffusion3d.cu`` take in float32 with equal rates."""
CPU_DEPTHS = {2: (1, 4, 8, 16), 3: (1, 2, 3)}
BYTES = 8.0


def own_kernels(dimensions: int, rate: np.float32, flops_per_step: float) -> list[Variant]:
    """Periodic diffusion steps by the kernels that the engine runs, on both kinds of device."""
    return [
        *(_cuda(dimensions, depth, rate, flops_per_step) for depth in CUDA_DEPTHS[dimensions]),
        *(_cpu(dimensions, depth, rate, flops_per_step) for depth in CPU_DEPTHS[dimensions]),
    ]


def _cuda(dimensions: int, depth: int, rate: np.float32, flops_per_step: float) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        cuda: CudaBackend = backend  # type: ignore[assignment]  # the Lab gives it to no other device
        return _CudaPrepared(cuda, case, inputs, sets, rate, depth)

    if depth > 1:
        source, symbol = "fused2d.cuh" if dimensions == 2 else "diffusion3d.cu", "climb"
    else:
        source, symbol = ("plain2d.cuh", "plain_cells") if dimensions == 2 else ("march3d.cuh", "march_planes")
    return Variant(
        id=f"engine-{depth}", title=_title(depth), language="CUDA", bytes=BYTES, flops=flops_per_step * depth,
        source=KERNELS / "launches" / source, symbol=symbol, prepare=prepare, steps=depth,
        note="In the launch shape that tuning found here; levels in time stay in registers.",
    )  # fmt: skip


def _cpu(dimensions: int, depth: int, rate: np.float32, flops_per_step: float) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return _CpuPrepared(backend, case, inputs, sets, rate, depth)

    return Variant(
        id=f"engine-numba-{depth}", title=_title(depth), language="Numba", bytes=BYTES, flops=flops_per_step * depth,
        source=KERNELS / ("kernels.py" if depth > 1 else "rows.py"), symbol="advance" if depth > 1 else "step",
        prepare=prepare, steps=depth,
        note="In the tile that tuning found here; levels in time stay in a core's cache.",
    )  # fmt: skip


def _title(depth: int) -> str:
    return f"The engine's, {depth} step{'s' * (depth > 1)}"


def _around(case: Case) -> tuple[tuple[Ghost, Ghost], ...]:
    return ((Ghost(True), Ghost(True)),) * len(case.size)


class _CudaPrepared(Buffers):
    def __init__(
        self, backend: CudaBackend, case: Case, inputs: Inputs, sets: int, rate: np.float32, depth: int
    ) -> None:
        from engines.stencil.diffusion.cuda import CudaDiffusion

        super().__init__(backend, inputs, sets, PLAIN)
        self._cuda = backend
        rates = (float(rate),) * len(case.size)
        diffusion = CudaDiffusion(backend, case.size, rates, _around(case), 0.0, "float32", depth=depth)
        # What a launch passes is made once: the host's time for a launch is measured too.
        self._calls = [
            diffusion.call(arrays[0], output) for arrays, output in zip(self._arrays, self._outputs, strict=True)
        ]

    def launch(self, index: int) -> None:
        self._calls[index]()

    def resources(self) -> Resources:
        call = self._calls[0]
        return kernel_resources(self._cuda, call.kernel, call.block, call.shared_bytes)

    def close(self) -> None:
        super().close()
        self._calls = []


class _CpuPrepared(Buffers):
    def __init__(self, backend: Backend, case: Case, inputs: Inputs, sets: int, rate: np.float32, depth: int) -> None:
        super().__init__(backend, inputs, sets, PLAIN)
        rates = (float(rate),) * len(case.size)
        self._depth = depth
        self._diffusion = CpuDiffusion(backend, case.size, rates, _around(case), 0.0, "float32", depth=depth)

    def launch(self, index: int) -> None:
        self._diffusion.advance(self._arrays[index][0], self._outputs[index], None, self._depth)
