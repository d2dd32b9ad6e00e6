"""The absorbing layers in kernels of their own against layers in the passes (``fused.cu``, for the Lab alone)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import DeviceError
from engines.api.lab import Column, LabTable, Row
from engines.backend.compile.nvrtc import compile_cubin
from engines.backend.precision import FLOAT_TYPES, REAL
from engines.fdtd.lab.benchmarks import Counts, size_name
from engines.fdtd.lab.problems import LabYee, Scene, make_lab_steps, make_scene, step_seconds
from engines.fdtd.lab.throughput import GUIDE
from engines.fdtd.step.cuda import SOURCE, Shape

FUSED = Path(__file__).with_name("variants") / "fused.cu"
SHAPES: dict[str, tuple[Shape, ...]] = {
    "fp32": ((4, 32, 4, 16), (4, 32, 8, 16), (2, 32, 8, 16), (2, 64, 4, 16), (1, 128, 2, 16)),
    "fp64": ((2, 32, 4, 16), (2, 32, 8, 16), (1, 64, 4, 16), (1, 128, 2, 16)),
}
"""Of either way the best of these counts."""
ARCHITECTURE = 90
"""Whose machine code is looked at; the tables of other engines do likewise."""


class FusedYee(LabYee):
    """Steps between walls whose passes update the layers too."""

    def enqueue(self, count: int) -> None:
        for _ in range(count):
            self._fused("electric", self.electric, self.psi[:3])
            self._fused("magnetic", self.magnetic, self.psi[3:])

    def _fused(self, name: str, field: object, psi: Sequence[object]) -> None:
        packed, across, rows, span = self._shapes[name]
        electric = field is self.electric
        planes, ny, row = self._yee.shape
        grid = (-(-row // (across * packed)), -(-ny // rows), -(-planes // span))
        n = 0 if electric else 1
        self._compiled(FUSED, name, f"-DV={packed}")(
            grid, (across, rows),
            (
                self.electric, self.magnetic, self._ids_e, self._coefficients[n], self._tables[n], *psi, *self._grid,
                np.int32(span),
            ),
        )  # fmt: skip


class FusedLayersTable(LabTable):
    id = "fdtd-fused-layers"
    title = "CPML in the passes against kernels of its own"
    summary = (
        "Whole steps in two passes with layers on six faces. In the passes: a kernel for E and its layers, one for H, "
        "written for the Lab. Of its own: three small kernels before and after the passes, as the engine has it. Each "
        "in the best of a few launch shapes. Registers are those of the pass over E for four values (fp32) or two "
        "(fp64) per thread, in machine code for sm_90."
    )
    columns = (
        Column("Grid", result=False),
        Column("Precision", result=False),
        Column("Layer", "cells", result=False),
        Column("Of its own", "Mcell-steps/s"),
        Column("In the passes", "Mcell-steps/s"),
        Column("In over own", "", digits=3),
        Column("Registers, own"),
        Column("Registers, in"),
    )
    devices = ("cuda",)
    sizes: tuple[Counts, ...] = ((64,) * 3, (256,) * 3)
    thorough_sizes: tuple[Counts, ...] = ((64,) * 3, (128,) * 3, (256,) * 3, GUIDE)
    layers: tuple[int, ...] = (6, 10, 20)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        sizes = self.thorough_sizes if thorough else self.sizes
        cases = [(counts, layer) for counts in sizes for layer in self.layers]
        registers = {precision: electric_registers(precision) for precision in FLOAT_TYPES}
        rows: list[Row] = []
        for number, (counts, layer) in enumerate(cases):
            progress(f"Stepping {size_name(counts)} cells", number / len(cases))
            scene = make_scene(counts, layer)
            for precision in FLOAT_TYPES:
                own, fused = (best_seconds(backend, scene, precision, maker) for maker in (LabYee, FusedYee))
                rates = [scene.cells / seconds / 1e6 for seconds in (own, fused)]
                rows.append((size_name(counts), precision, layer, *rates, own / fused, *registers[precision]))
        return rows


def best_seconds(backend: Backend, scene: Scene, precision: str, maker: type[LabYee]) -> float:
    """Of a step, in the best of SHAPES."""
    steps = make_lab_steps(backend, scene, precision, maker, shape=SHAPES[precision][0])
    found = []
    for shape in SHAPES[precision]:
        steps.use(shape)
        found.append(step_seconds(backend, steps))
    return min(found)


def electric_registers(precision: str) -> tuple[int | None, int | None]:
    """(layers apart, layers in the pass) of the pass over E; None without NVRTC."""
    macros = (REAL[FLOAT_TYPES[precision]], f"-DV={SHAPES[precision][0][0]}")
    try:
        found = [
            kernel.registers
            for source in (SOURCE, FUSED)
            for kernel in compile_cubin(source, macros, ARCHITECTURE).resources
            if kernel.kernel == "electric"
        ]
    except (ImportError, DeviceError):
        return None, None
    return found[0], found[1]
