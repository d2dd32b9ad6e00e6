"""Whole steps by size of the grid, precision and faces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import Column, LabTable, PublishedRows, Row
from engines.backend.precision import FLOAT_TYPES
from engines.fdtd.lab.benchmarks import LAYER, Counts, size_name
from engines.fdtd.lab.problems import Scene, make_lab_steps, make_scene, step_seconds
from engines.fdtd.step.traffic import traffic

FIGURES = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
STEPS = 12_000
"""Of the guide's run."""
GUIDE: Counts = (600, 600, 200)
QUICK: dict[str, tuple[Counts, ...]] = {
    "cpu": ((64,) * 3, (100,) * 3),
    "cuda": ((64,) * 3, (128,) * 3, (256,) * 3, GUIDE),
}
THOROUGH: dict[str, tuple[Counts, ...]] = {
    "cpu": ((64,) * 3, (100,) * 3, (128,) * 3, (200,) * 3, (256,) * 3, GUIDE),
    "cuda": ((64,) * 3, (100,) * 3, (128,) * 3, (200,) * 3, (256,) * 3, (400,) * 3, (512,) * 3, GUIDE),
}


class ThroughputTable(LabTable):
    id = "fdtd-throughput"
    title = "FDTD steps by grid and precision"
    summary = (
        f"Cells times steps per second of whole steps with material ids, in a CPML of {LAYER} cells on six faces and "
        "between perfect conductors. 'Of copy' is what a step moves, counted as two passes, over the measured copy of "
        "the memory; caches or one pass may bring it above 100 %. The published run on a T4 took less than 30 minutes, "
        "with dispersive materials, spectra and E_x written out; it tells neither precision nor faces, and the table "
        "of its figure 5 is a picture that we do not have."
    )
    columns = (
        Column("Grid", result=False),
        *(
            Column(f"{precision}, {faces}", "Mcell-steps/s")
            for precision in FLOAT_TYPES
            for faces in (f"CPML-{LAYER}", "walls")
        ),
        Column(f"Of copy, fp32, CPML-{LAYER}", "%", digits=3),
        Column(f"{STEPS:,} steps, fp32, CPML-{LAYER}", "min", digits=3),
    )
    published = (
        PublishedRows(
            FIGURES["source"],
            FIGURES["device"],
            tuple((grid, *[None] * 5, minutes) for grid, minutes in FIGURES["minutes of 12,000 steps"].items()),
        ),
    )
    quick: dict[str, tuple[Counts, ...]] = QUICK
    thorough: dict[str, tuple[Counts, ...]] = THOROUGH

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """A size that the device has no memory for has no figures."""
        sizes = (self.thorough if thorough else self.quick)[backend.info.kind]
        rows: list[Row] = []
        for number, counts in enumerate(sizes):
            found: dict[tuple[str, int], float] = {}
            moved = 0
            for half, layer in enumerate((LAYER, 0)):
                progress(f"Stepping {size_name(counts)} cells", (number + half / 2) / len(sizes))
                scene = make_scene(counts, layer)
                for precision in FLOAT_TYPES:
                    try:
                        found[precision, layer] = step_seconds(backend, make_lab_steps(backend, scene, precision))
                    except (WorkbenchError, MemoryError):
                        continue
                moved = moved or moved_bytes(scene, "fp32")
            rates = [
                scene.cells / found[key] / 1e6 if (key := (precision, layer)) in found else None
                for precision in FLOAT_TYPES
                for layer in (LAYER, 0)
            ]
            usual = found.get(("fp32", LAYER))
            last = (
                (None, None) if usual is None else (100 * moved / usual / backend.ceilings().copy, STEPS * usual / 60)
            )
            rows.append((size_name(counts), *rates, *last))
        return rows


def moved_bytes(scene: Scene, precision: str) -> int:
    """Of a step in two passes."""
    return traffic(scene.yee, scene.axes, np.dtype(FLOAT_TYPES[precision]).itemsize, False).bytes
