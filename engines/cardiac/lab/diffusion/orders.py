"""Tables 4.1 to 4.4: a diffusion step with cells numbered at random and in the best order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.cardiac.diffusion.clusters import reordered, voltage_bytes
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.lab.meshes import THESIS_CELLS, first_rows, tissue_matrix
from engines.cardiac.lab.published import published

WARP, BLOCK = 32, 256
SAMPLE = 8192
"""Slices whose reads of the voltage are counted, on a processor: a quarter of a million rows."""


class OrderTable(LabTable):
    id = "orders"
    title = "A diffusion step by the cells' order"
    summary = (
        "float64 on a jittered box, of 11.7 M cells where the published heart has as many; our step reads columns of "
        "16 bits where the order allows it. Without reordering: numbered at random, for a box as it is made, plane by "
        "plane, is in order already. Best reordering: the engine's, a Hilbert curve. Bytes of voltage: what 32 or 256 "
        "rows read in whole sectors of 32 bytes, each once. What a profiler counts in the memory is published alone."
    )
    columns = (
        Column("Order", result=False),
        Column("Time per step", "ms"),
        Column("Bandwidth as counted", "GB/s"),
        Column("Of the triad", "%", digits=3),
        Column("As counted", "B per cell"),
        Column("Voltage, warps", "B per cell", digits=3),
        Column("Voltage, blocks of 256", "B per cell", digits=3),
        Column("DRAM read", "GB/s"),
        Column("DRAM written", "GB/s"),
        Column("DRAM read transactions", digits=6),
        Column("DRAM write transactions", digits=6),
    )
    published = published("tables 4.1 and 4.2", "tables 4.3 and 4.4")
    cells: tuple[int, int] = (500_000, THESIS_CELLS[-1])
    mesh: tuple[int, int] = (500_000, max(THESIS_CELLS))
    """Quick and thorough: the cells that are stepped, the first of those of a box, which other tables use as well."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        progress("Assembling the operator", 0.0)
        whole, order = tissue_matrix(backend, self.mesh[thorough])
        matrix = first_rows(whole, self.cells[thorough])
        # the best first: launch shapes are chosen with the first matrix of a size
        places: dict[str, Array | None] = {
            "Best reordering": None,
            "As the box is made": np.argsort(order[: matrix.n_rows]).astype(np.int32),
            "No reordering": np.random.default_rng(0).permutation(matrix.n_rows).astype(np.int32),
        }
        rows: list[Row] = []
        for number, (name, place) in enumerate(places.items()):
            progress(f"Diffusing: {name.lower()}", (1 + number) / (1 + len(places)))
            rows.append((name, *_measured(backend, matrix if place is None else reordered(matrix, place)[0])))
        return rows[::-1]


def _measured(backend: Backend, matrix: SlicedMatrix) -> tuple[float | None, ...]:
    diffusion = DIFFUSION.open(backend, matrix, 0.0, "float64")
    v, out = (backend.array(np.zeros(matrix.n_rows)) for _ in range(2))
    seconds = launch_seconds(backend, lambda _: diffusion.step(v, out))
    moved = diffusion.traffic.bytes
    slices = min(SAMPLE, len(matrix.starts) - 1)
    sample = SlicedMatrix(
        min(slices * WARP, matrix.n_rows), matrix.starts[: slices + 1], matrix.columns, matrix.weights
    )
    return (
        1e3 * seconds,
        1e-9 * moved / seconds,
        100 * moved / seconds / backend.ceilings().triad,
        moved / matrix.n_rows,
        voltage_bytes(sample, WARP, 8),
        voltage_bytes(sample, BLOCK, 8),
        *[None] * 4,
    )
