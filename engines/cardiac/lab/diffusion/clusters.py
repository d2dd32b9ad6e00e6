"""Figures 4.2 and 4.3: a diffusion step by the cells of a cluster and the threads of a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import DeviceError
from engines.api.lab import Column, LabTable, Row
from engines.cardiac.diffusion.clusters import reordered, step_seconds
from engines.cardiac.diffusion.cuda import CudaDiffusion
from engines.cardiac.lab.meshes import THESIS_CELLS, first_rows, tissue_matrix
from engines.cardiac.lab.published import published

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

THREADS = (32, 64, 128, 256, 512, 1024)
GROUP = 2
"""Entries of a row that a lane reads at once."""


class ClusterTable(LabTable):
    id = "clusters"
    title = "A diffusion step by clusters and blocks"
    summary = (
        "Milliseconds per step in float64, by the cells of a cluster and the threads of a block, on a jittered box of "
        "11.7 M cells where the published heart has as many. Clusters follow each other along a Hilbert curve, the "
        "cells inside of each have no order (those published: METIS, in the order of the mesh). Left empty "
        "where a block needs more registers than there are."
    )
    columns = (
        Column("Cells of a cluster", digits=7, result=False),
        *(Column(f"{threads} threads", "ms") for threads in THREADS),
    )
    published = published("fig. 4.2", "fig. 4.3")
    devices = ("cuda",)
    heat = True
    cells: tuple[int, int] = (2_000_000, THESIS_CELLS[-1])
    mesh: tuple[int, int] = (2_000_000, max(THESIS_CELLS))
    """Quick and thorough: the cells that are stepped, the first of those of a box, which other tables use as well."""
    sizes: tuple[int, ...] = (32, 128, 512, 2048, 8192, 32768, 131072, 524288, 1048576)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        progress("Assembling the operator", 0.0)
        cuda: CudaBackend = backend  # type: ignore[assignment]  # of kind "cuda", by ``devices``
        whole, _ = tissue_matrix(backend, self.mesh[thorough])
        matrix = first_rows(whole, self.cells[thorough])
        rows: list[Row] = []
        for number, size in enumerate(self.sizes):
            progress(f"Diffusing with clusters of {size:,} cells", (1 + number) / (1 + len(self.sizes)))
            ordered, _ = reordered(matrix, cluster_order(matrix.n_rows, size))
            diffusion = CudaDiffusion(cuda, ordered, 0.0, "float64", shapes=((GROUP, THREADS[0]),))
            rows.append((size, *(_milliseconds(cuda, diffusion, threads) for threads in THREADS)))
        return rows


def cluster_order(cells: int, size: int) -> Array:
    """(cells,) int32: runs of ``size`` where they are, the cells of each in random order."""
    keys = np.arange(cells) // size + np.random.default_rng(0).random(cells)
    return np.argsort(keys).astype(np.int32)


def _milliseconds(backend: CudaBackend, diffusion: CudaDiffusion, threads: int) -> float | None:
    diffusion.block = (threads,)
    try:
        return 1e3 * step_seconds(backend, diffusion)
    except DeviceError:
        return None
