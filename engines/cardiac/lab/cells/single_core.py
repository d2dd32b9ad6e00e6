"""TT06 on one core of a processor: our kernel against plain generated code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.backend.threads import parallel_region
from engines.cardiac.lab.cells.plain_c import c_source, compiled, start_states
from engines.cardiac.lab.cells.throughput import epicardial, reaction_launch

OPTIONS = {"Plain C, -O3": ("-O3",), "Plain C, -O3 -march=native -ffast-math": ("-O3", "-march=native", "-ffast-math")}


class SingleCoreTable(LabTable):
    id = "single-core"
    title = "TT06 on a CPU core against plain generated code"
    summary = (
        "float64, epicardial cells at rest, one core. Ours takes a lightweight Rush-Larsen step; the plain C is "
        "written from the same model's equations by Myokit, in a loop over cells, and takes a forward Euler step, "
        "which has one exponential fewer. Empty without Myokit (extra 'cellml') or a C compiler."
    )
    columns = (
        Column("Code", result=False),
        Column("Time", "ns per cell and step"),
        Column("Ours is faster by", "×", digits=3),
    )
    devices = ("cpu",)
    cells: int = 4096
    """Their states (0.6 MB) stay in a second-level cache, so that it is arithmetic that is compared."""

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        progress("Stepping our kernel", 0.0)
        ours = self._nanoseconds(backend, reaction_launch(epicardial(backend, self.cells)))
        rows: list[Row] = [("Our kernel, float64", ours, None)]
        for name, options in OPTIONS.items():
            progress(name, len(rows) / (1 + len(OPTIONS)))
            try:
                plain = self._nanoseconds(backend, self._plain(options))
            except ProblemError:
                rows.append((name, None, None))
            else:
                rows.append((name, plain, plain / ours))
        return rows

    def _plain(self, options: Sequence[str]) -> Callable[[int], None]:
        advance = compiled(c_source(), options)
        states = np.tile(start_states(), (self.cells, 1))
        return lambda _: advance(states, 0.0)

    def _nanoseconds(self, backend: Backend, launch: Callable[[int], None]) -> float:
        def on_one_core(number: int) -> None:
            with parallel_region(1):
                launch(number)

        return 1e9 * launch_seconds(backend, on_one_core) / self.cells
