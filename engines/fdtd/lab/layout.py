"""An array for each component of the fields against structures of them."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import call_seconds
from engines.fdtd.lab.benchmarks import Counts, size_name
from engines.fdtd.lab.problems import start_fields
from engines.fdtd.lab.throughput import GUIDE
from engines.fdtd.lab.variants.forms import BLOCK, LAYOUTS, LayoutForm

TITLES = {
    "arrays": "Arrays: six",
    "structures": "Structures: three of a field",
    "one structure": "Structures: six of both fields",
    "padded": "Structures: three and a pad, 16 bytes",
}

QUICK: dict[str, tuple[Counts, ...]] = {"cpu": ((100,) * 3,), "cuda": ((128,) * 3, (256,) * 3)}
THOROUGH: dict[str, tuple[Counts, ...]] = {
    "cpu": ((64,) * 3, (100,) * 3, (200,) * 3),
    "cuda": ((64,) * 3, (128,) * 3, (256,) * 3, GUIDE),
}


class LayoutTable(LabTable):
    id = "fdtd-layout"
    title = "FDTD fields as arrays and as structures"
    summary = (
        f"A step in vacuum between walls, fp32, one cell per thread in blocks of {BLOCK[0]} × {BLOCK[1]}, the same "
        "arithmetic in each layout; on a CPU row by row. The engine has arrays, and several values per thread."
    )
    columns = (
        Column("Grid", result=False),
        Column("Layout", result=False),
        Column("E", "ms"),
        Column("H", "ms"),
        Column("Both", "Mcell-steps/s"),
        Column("Over arrays", "", digits=3),
    )
    sizes: dict[str, tuple[Counts, ...]] = QUICK
    thorough_sizes: dict[str, tuple[Counts, ...]] = THOROUGH

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        sizes = (self.thorough_sizes if thorough else self.sizes)[backend.info.kind]
        cases = [(counts, layout) for counts in sizes for layout in LAYOUTS]
        rows: list[Row] = []
        arrays = 1.0
        for number, (counts, layout) in enumerate(cases):
            progress(f"{TITLES[layout]}, {size_name(counts)}", number / len(cases))
            form = LayoutForm(backend, counts, layout)
            form.put(*start_fields(counts))
            electric, magnetic = (call_seconds(backend, half) for half in (form.electric, form.magnetic))
            rate = counts[0] * counts[1] * counts[2] / (electric + magnetic) / 1e6
            arrays = rate if layout == LAYOUTS[0] else arrays
            rows.append((size_name(counts), TITLES[layout], 1e3 * electric, 1e3 * magnetic, rate, rate / arrays))
        return rows
