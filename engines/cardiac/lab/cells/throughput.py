"""Tables 6.1 and 6.2: the cell kernel by the path of its code and by the number of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.backend.precision import FLOAT_TYPES
from engines.cardiac.cells.tt06 import CellType
from engines.cardiac.cells.tt06_tissue import TT06_CELLS, Tt06Tissue
from engines.cardiac.compiler.tissue import CompiledTissue
from engines.cardiac.lab.published import published

MANY = 10_000_000
"""Cells that the thesis times its kernels on."""
QUICK_CELLS = {"cpu": 200_000, "cuda": 2_000_000}
DOUBLE_FIRST = dict(reversed(FLOAT_TYPES.items()))
"""Precisions in the order of the thesis' tables."""


def epicardial(backend: Backend, cells: int, precision: str = "float64") -> Tt06Tissue:
    """``cells`` TT06 cells at rest."""
    return TT06_CELLS.open(backend, np.full(cells, CellType.EPI, np.uint8), precision=precision)


def reaction_launch(tissue: Tt06Tissue | CompiledTissue, volts: float | None = None) -> Callable[[int], None]:
    """A step of the cells, all at ``volts`` [mV] (None: at rest). It is of 0 ms, which costs what any does and leaves
    the voltage where it is, on one path of the code."""
    voltage = tissue.new_voltage()
    if volts is not None:
        voltage = tissue.backend.array(np.full(tissue.n_padded, volts, tissue.dtype))
    return lambda _: tissue.step(voltage, voltage, 0, 0.0)


class CodePathTable(LabTable):
    id = "code-paths"
    title = "Time of the cell kernel by voltage"
    summary = (
        "TT06, epicardial, float64: the published form has other rates above −40 mV, and so do the kernels. Time per "
        "step is that of 10 M cells, scaled from the cells that were measured."
    )
    columns = (
        Column("Voltage", result=False),
        Column("Time per step", "ms", digits=3),
        Column("Cell steps", "1/s"),
        Column("Relative time", digits=3),
        Column("Cells measured", digits=8),
    )
    published = published("table 6.1")
    cells: dict[str, int] = QUICK_CELLS
    thorough_cells: int = MANY

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        cells = self.thorough_cells if thorough else self.cells[backend.info.kind]
        progress("Making cells", 0.0)
        tissue = epicardial(backend, cells)
        rows: list[Row] = []
        first = 0.0
        for title, volts in (("V ≥ −40 mV", 10.0), ("V < −40 mV", -80.0)):
            progress(f"Reacting at {title}", 0.2 + 0.4 * len(rows))
            each = launch_seconds(backend, reaction_launch(tissue, volts)) / cells
            first = first or each
            rows.append((title, 1e3 * MANY * each, 1 / each, each / first, cells))
        return rows


class ProblemSizeTable(LabTable):
    id = "problem-size"
    title = "Throughput of the cell kernel by problem size"
    summary = "TT06, epicardial, at rest. Throughput is relative to the best of its precision."
    columns = (
        Column("Precision", result=False),
        Column("Cells", digits=8, result=False),
        Column("Cell steps", "1/s"),
        Column("Relative throughput", digits=3),
    )
    published = published("table 6.2")
    sizes: tuple[int, ...] = tuple(125_000 << k for k in range(8))
    quick: int = 4
    """As many of the sizes where it must not take long."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        sizes = self.sizes if thorough else self.sizes[: self.quick]
        rows: list[Row] = []
        for precision, dtype in DOUBLE_FIRST.items():
            found: list[float] = []
            for cells in sizes:
                progress(f"Reacting {cells:,} cells in {precision}", (len(rows) + len(found)) / (2 * len(sizes)))
                tissue = epicardial(backend, cells, dtype)
                found.append(cells / launch_seconds(backend, reaction_launch(tissue)))
            rows += [(precision, n, rate, rate / max(found)) for n, rate in zip(sizes, found, strict=True)]
        return rows
