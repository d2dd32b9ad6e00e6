"""How the two passes over the fields are launched, and whether one pass does better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import free_bytes
from engines.fdtd.lab.benchmarks import LAYER, Counts, size_name
from engines.fdtd.lab.problems import LabYee, make_lab_steps, make_scene, step_seconds
from engines.fdtd.lab.throughput import GUIDE
from engines.fdtd.step.cuda import PACKED, Shape
from engines.fdtd.step.curl.one_pass import one_shapes

BLOCK = (32, 8)
SPANS = (1, 4, 16, 64)
SHARE = 0.8
"""Of the free memory, for the second pair of fields that one pass writes."""


class CoarseningTable(LabTable):
    id = "fdtd-coarsening"
    title = "FDTD passes by values and planes per thread"
    summary = (
        "The two passes between walls, blocks of 32 × 8 threads. A thread takes 1, 2 or 4 neighbours of a row in one "
        "access of up to 16 bytes, and marches over planes, keeping what two planes share in registers."
    )
    columns = (
        Column("Precision", result=False),
        Column("Values", result=False),
        Column("Planes", result=False),
        Column("E", "ms"),
        Column("H", "ms"),
        Column("Both", "Mcell-steps/s"),
    )
    devices = ("cuda",)
    counts: Counts = (256, 256, 256)
    thorough_counts: Counts = GUIDE
    spans: tuple[int, ...] = SPANS

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        scene = make_scene(self.thorough_counts if thorough else self.counts)
        rows: list[Row] = []
        for number, (precision, dtype) in enumerate(FLOAT_TYPES.items()):
            progress(f"Passes in {precision}", number / len(FLOAT_TYPES))
            steps = make_lab_steps(backend, scene, precision, shape=(1, *BLOCK, SPANS[0]))
            for packed in sorted(PACKED[dtype]):
                for span in self.spans:
                    shape = (packed, *BLOCK, span)
                    seconds = [pass_seconds(backend, steps, name, shape) for name in ("electric", "magnetic")]
                    rows.append(
                        (precision, packed, span, *(1e3 * each for each in seconds), scene.cells / sum(seconds) / 1e6)
                    )
        return rows


def pass_seconds(backend: Backend, steps: LabYee, name: str, shape: Shape) -> float:
    """Of one of the two passes alone."""
    return launch_seconds(backend, lambda _: steps.launch(name, shape))


class PassesTable(LabTable):
    id = "fdtd-passes"
    title = "FDTD in one pass over memory against two"
    summary = (
        f"Whole steps in a CPML of {LAYER} cells. Two passes in the shape that tuning found; one pass computes E and "
        "then H of a tile, and E once more beside it, and writes another pair of fields: its shape is values, "
        "rows, resident blocks and planes of a tile. Both find the same bits."
    )
    columns = (
        Column("Grid", result=False),
        Column("Precision", result=False),
        Column("Two passes", "Mcell-steps/s"),
        Column("One pass", "Mcell-steps/s"),
        Column("One over two", "", digits=3),
        Column("Shape"),
    )
    devices = ("cuda",)
    sizes: tuple[Counts, ...] = ((64,) * 3, (128,) * 3, (256,) * 3)
    thorough_sizes: tuple[Counts, ...] = ((64,) * 3, (128,) * 3, (256,) * 3, (400,) * 3, GUIDE)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """A grid that has no room for a second pair of fields is stepped in two passes alone."""
        sizes = self.thorough_sizes if thorough else self.sizes
        rows: list[Row] = []
        for number, counts in enumerate(sizes):
            progress(f"Stepping {size_name(counts)} cells", number / len(sizes))
            scene = make_scene(counts, LAYER)
            for precision, dtype in FLOAT_TYPES.items():
                two = scene.cells / step_seconds(backend, make_lab_steps(backend, scene, precision, room=0.0)) / 1e6
                best, chosen = None, None
                pair = 6 * scene.yee.places * np.dtype(dtype).itemsize
                for shape in one_shapes(np.dtype(dtype)):
                    if 2 * pair > SHARE * free_bytes(backend):
                        continue
                    made = make_lab_steps(backend, scene, precision, shape=(1, *BLOCK, SPANS[1]), one_pass=shape)
                    rate = scene.cells / step_seconds(backend, made) / 1e6
                    if best is None or rate > best:
                        best, chosen = rate, "×".join(map(str, shape))
                rows.append((size_name(counts), precision, two, best, None if best is None else best / two, chosen))
        return rows
