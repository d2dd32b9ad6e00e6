"""Tables 6.3 and 6.4, and 6.5 and 6.6 for one GPU: whole steps on five meshes, against the bound of the memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.lab.cells.throughput import DOUBLE_FIRST, epicardial
from engines.cardiac.lab.meshes import THESIS_CELLS, first_rows, tissue_matrix
from engines.cardiac.lab.published import published

STEPS = 50_000
"""Of 0.02 ms: a second."""
ROW = 16
"""Entries of a row as the thesis stores it, beside the diagonal, with columns of four bytes."""
STATES = 19
QUICK = {"cpu": 100, "cuda": 10}


def bound_seconds(backend: Backend, cells: int, value_bytes: int) -> float:
    """Eq. 6.8 with this device's bandwidths: in float64 216 bytes a cell at the triad's, 305 at the copy's."""
    diffusion = ROW * (value_bytes + 4) + 3 * value_bytes
    reaction = 2 * STATES * value_bytes + 1
    ceilings = backend.ceilings()
    return cells * (diffusion / ceilings.triad + reaction / ceilings.copy)


class WholeStepTable(LabTable):
    id = "whole-steps"
    title = "Whole steps on one device"
    summary = (
        "TT06 on jittered boxes of as many cells as the published hearts, or a hundredth of them (a tenth on a GPU) "
        "where it must not take long. The bound is that of the published work with this device's bandwidths: 521 "
        "bytes per cell and step in float64, with rows of 16 entries and columns of 32 bits; our diffusion moves less, "
        "so a share above 1 is possible. A second of activity is 50,000 steps, scaled from a few hundred."
    )
    columns = (
        Column("Mesh", result=False),
        Column("Precision", result=False),
        Column("Cells", digits=8),
        Column("Cell model", "ms"),
        Column("Diffusion", "ms"),
        Column("Cell model, cell steps", "1/s"),
        Column("Diffusion, cell steps", "1/s"),
        Column("Whole step", "ms"),
        Column("Bound", "ms"),
        Column("Bound / achieved", digits=3),
        Column("50,000 steps", "s"),
        Column("As counted", "B per cell"),
    )
    published = published("table 6.3", "table 6.6, one GPU", "table 6.4", "table 6.5, one GPU")
    meshes: tuple[int, ...] = THESIS_CELLS
    quick: Mapping[str, int] = QUICK
    """By what factor cells are fewer on each kind of device where it must not take long."""
    both: tuple[int, ...] = (6,)
    """Meshes that are measured in float32 as well; the others in float64."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        sizes = [cells if thorough else cells // self.quick[backend.info.kind] for cells in self.meshes]
        progress("Assembling the operator", 0.0)
        whole, _ = tissue_matrix(backend, max(sizes))
        rows: list[Row] = []
        for number, cells in enumerate(sizes):
            matrix = first_rows(whole, cells)
            for precision in list(DOUBLE_FIRST)[: 2 if number + 1 in self.both else 1]:
                progress(f"Stepping {matrix.n_rows:,} cells in {precision}", (1 + number) / (1 + len(sizes)))
                rows.append((str(number + 1), precision, *_measured(backend, matrix, DOUBLE_FIRST[precision])))
        return rows


def _measured(backend: Backend, matrix: SlicedMatrix, precision: str) -> tuple[float, ...]:
    """A step of 0 ms from rest, which costs what any does."""
    n = matrix.n_rows
    tissue = epicardial(backend, n, precision)
    diffusion = DIFFUSION.open(backend, matrix, 0.0, precision)
    voltages = [tissue.new_voltage(), tissue.new_voltage()]

    def diffuse(number: int) -> None:
        diffusion.step(voltages[number % 2], voltages[1 - number % 2])

    def react(number: int) -> None:
        tissue.step(voltages[1 - number % 2], voltages[number % 2], 0, 0.0)

    def whole(number: int) -> None:
        diffuse(number)
        react(number)

    reaction, diffused, both = (launch_seconds(backend, launch) for launch in (react, diffuse, whole))
    bound = bound_seconds(backend, n, np.dtype(precision).itemsize)
    counted = (tissue.traffic.bytes + diffusion.traffic.bytes) / n
    return (
        n, 1e3 * reaction, 1e3 * diffused, n / reaction, n / diffused,
        1e3 * both, 1e3 * bound, bound / both, STEPS * both, counted,
    )  # fmt: skip
