"""Tables 5.4 and 5.5: the cell kernel as generated, as compiled and by hand, and against its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import DeviceError
from engines.api.lab import Column, LabTable, Row
from engines.backend.compile.nvrtc import compile_cubin
from engines.backend.lab.timing import launch_seconds
from engines.backend.precision import REAL
from engines.cardiac.cells.cuda import SOURCE
from engines.cardiac.compiler.report import ARCHITECTURE
from engines.cardiac.compiler.tissue import make_compiled_tissue
from engines.cardiac.lab.cells.paths import machine_code, path_step
from engines.cardiac.lab.cells.peak import peak_rate
from engines.cardiac.lab.cells.throughput import MANY, QUICK_CELLS, epicardial, reaction_launch
from engines.cardiac.lab.published import published
from engines.formulas.machine import count_machine_code

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

GENERATED, COMPILED, BY_HAND = ("Generated, a row per state", "Optimised by our compiler", "Optimised by hand")


def _generated(backend: Backend, cells: int, optimise: bool) -> float:
    """Seconds per cell and step of a lightweight Rush-Larsen step by the compiler."""
    tissue = make_compiled_tissue(backend, path_step("epi", None, "LRL", optimise), cells)
    return launch_seconds(backend, reaction_launch(tissue)) / cells


class KernelTimeTable(LabTable):
    id = "kernel-times"
    title = "Time of the cell kernels"
    summary = (
        "TT06, epicardial, at rest, float64, lightweight Rush-Larsen. Generated: the equations as the model's file has "
        "them. By hand: the engine's own kernel. Time per step is that of 10 M cells, scaled from the cells that were "
        "measured. Code that keeps the states of a cell together is published alone."
    )
    columns = (
        Column("Kernel", result=False),
        Column("Time per step", "ms"),
        Column("Cells measured", digits=8),
        Column("Time", "ns per cell and step"),
    )
    published = published("table 5.4")
    cells: dict[str, int] = QUICK_CELLS
    thorough_cells: int = MANY

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        cells = self.thorough_cells if thorough else self.cells[backend.info.kind]
        progress("Reacting by generated code", 0.0)
        found = {GENERATED: _generated(backend, cells, False)}
        progress("Reacting by optimised code", 0.4)
        found[COMPILED] = _generated(backend, cells, True)
        progress("Reacting by the engine's kernel", 0.8)
        found[BY_HAND] = launch_seconds(backend, reaction_launch(epicardial(backend, cells))) / cells
        return [(name, 1e3 * MANY * each, cells, 1e9 * each) for name, each in found.items()]


class BoundTable(LabTable):
    id = "cell-bounds"
    title = "The cell kernel against its bounds"
    summary = (
        "TT06, epicardial, at rest, float64, 10 M cells or scaled from fewer. Memory: our kernel's bytes (313 a cell, "
        "305 in the work) at this device's copy. Arithmetic: instructions in the machine code for sm_90 at the "
        "measured rate of multiply-adds: of generated code below −40 mV, and of our kernel on all paths, some of "
        "which a cell does not take. On a CPU only the memory's bound is known."
    )
    columns = (Column("Quantity", result=False), Column("Value", digits=3))
    published = published("table 5.5")
    cells: dict[str, int] = QUICK_CELLS
    thorough_cells: int = MANY

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        cells = self.thorough_cells if thorough else self.cells[backend.info.kind]
        progress("Reacting", 0.0)
        tissue = epicardial(backend, cells)
        achieved = launch_seconds(backend, reaction_launch(tissue)) / cells
        memory = tissue.traffic.bytes / cells / backend.ceilings().copy
        progress("Counting instructions", 0.5)
        generated, optimised = _compute_bounds(backend)
        return [
            ("Achieved time [ms]", 1e3 * MANY * achieved),
            ("Memory bound [ms]", 1e3 * MANY * memory),
            ("Compute bound, generated [ms]", None if generated is None else 1e3 * MANY * generated),
            ("Compute bound, optimised [ms]", None if optimised is None else 1e3 * MANY * optimised),
            ("Memory bound / achieved", memory / achieved),
            ("Compute bound, optimised / achieved", None if optimised is None else optimised / achieved),
        ]


def _compute_bounds(backend: Backend) -> tuple[float | None, float | None]:
    """Seconds per cell of the instructions of generated code and of our kernel; None where they are not known."""
    if backend.info.kind == "cpu":
        return None, None
    cuda: CudaBackend = backend  # type: ignore[assignment]  # of kind "cuda"
    made = machine_code(path_step("epi", True, "LRL", False))
    try:
        ours = count_machine_code(compile_cubin(SOURCE, (REAL["float64"],), ARCHITECTURE).cubin, "float64").total
    except DeviceError:
        return None, None
    rate = peak_rate(cuda)
    return None if made is None else made.counted.total / rate, ours / rate
