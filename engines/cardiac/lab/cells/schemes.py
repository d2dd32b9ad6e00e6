"""Tables 3.2, 3.3 and 3.4: errors, instructions and time to solution of the cell model's schemes."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import launch_seconds
from engines.cardiac.compiler.convergence import REFERENCE, STEPS, convergence
from engines.cardiac.compiler.schemes import SCHEMES
from engines.cardiac.compiler.tissue import make_compiled_tissue
from engines.cardiac.lab.cells.paths import machine_code, path_step, tt06
from engines.cardiac.lab.cells.throughput import MANY, QUICK_CELLS, reaction_launch
from engines.cardiac.lab.published import published
from engines.formulas.counts import count

MILLISECONDS = 1000.0
USUAL_STEP, EULER_STEP = 0.02, 0.002
"""Steps of the thesis' table 3.4 [ms]: forward Euler is not stable beyond."""


class SchemeErrorTable(LabTable):
    id = "scheme-errors"
    title = "Errors of the cell model's schemes"
    summary = (
        "Relative root-mean-square error (eq. 3.22) of the voltage of an endocardial TT06 cell over 10 ms, stimulated "
        "with 52 mV/ms from 1 to 2 ms (the work does not tell its strength). Against GRL2 at the smallest step; the "
        "work took GRL1 at 6.1e-5 ms. Empty: not stable."
    )
    columns = (Column("Step", "ms", digits=6, result=False), *(Column(scheme, "%", digits=3) for scheme in SCHEMES))
    published = published("table 3.2")
    steps: tuple[float, ...] = STEPS
    quick: int = 9
    """As many of the steps, and a reference eight times coarser, where it must not take long."""
    milliseconds: float = 10.0

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        steps = self.steps if thorough else self.steps[: self.quick]
        reference = min(REFERENCE * (1 if thorough else 8), steps[-1])
        errors: dict[tuple[str, float], float | None] = {}
        for number, scheme in enumerate(SCHEMES):
            progress(f"Stepping a cell by {scheme}", number / len(SCHEMES))
            for row in convergence(tt06("endo"), (scheme,), steps, self.milliseconds, reference):
                errors[scheme, row.dt] = None if row.error is None else 100 * row.error
        return [(dt, *(errors[scheme, dt] for scheme in SCHEMES)) for dt in steps]


class SchemeInstructionsTable(LabTable):
    id = "scheme-instructions"
    title = "Instructions of the cell model's schemes"
    summary = (
        "float64 instructions of a step of an endocardial TT06 cell below −40 mV: generated code, as the model's file "
        "has it, and what our compiler leaves, both with the short exponentials and quotients of our kernels. Counted "
        "in the machine code for sm_90, where the work counted what was executed. The static count is by the "
        "published costs, and all that there is without NVRTC."
    )
    columns = (
        Column("Code", result=False),
        Column("Instructions", result=False),
        *(Column(scheme) for scheme in SCHEMES),
    )
    published = published("table 3.3")

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        rows: list[Row] = []
        for number, code in enumerate(("generated", "optimised")):
            columns: list[list[float | None]] = []
            for k, scheme in enumerate(SCHEMES):
                progress(f"Compiling {scheme}, {code}", (number * len(SCHEMES) + k) / (2 * len(SCHEMES)))
                compiled = path_step("endo", True, scheme, code == "optimised")
                static, made = count(compiled.after).total, machine_code(compiled)
                if made is None:
                    columns.append([None] * 6 + [static])
                    continue
                of = made.counted
                columns.append([of.add, of.mul, of.fma, of.total, of.total + of.fma, made.registers, static])
            titles = (
                "FP64 ADD", "FP64 MUL", "FP64 FMA", "FP64 instructions", "FP64 FLOPS", "Registers used", "Static count",
            )  # fmt: skip
            rows += [(code, title, *values) for title, *values in zip(titles, *columns, strict=True)]
        return rows


class SchemeTimeTable(LabTable):
    id = "scheme-times"
    title = "Time to solution of the cell model's schemes"
    summary = (
        "TT06, epicardial, float64, by our compiler: 1,000 ms of 10 M cells. Time per step and to the solution are "
        "scaled from the cells that were measured, for a few hundred steps; the last columns say from what."
    )
    columns = (
        Column("Scheme", result=False),
        Column("Step", "ms", digits=2),
        Column("Steps", digits=7),
        Column("Time per step", "ms"),
        Column("Time to solution", "s"),
        Column("Cells measured", digits=8),
        Column("Time", "ns per cell and step"),
    )
    published = published("table 3.4")
    cells: dict[str, int] = QUICK_CELLS
    thorough_cells: int = MANY

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        cells = self.thorough_cells if thorough else self.cells[backend.info.kind]
        rows: list[Row] = []
        for number, scheme in enumerate(SCHEMES):
            progress(f"Reacting by {scheme}", number / len(SCHEMES))
            tissue = make_compiled_tissue(backend, path_step("epi", None, scheme, True), cells)
            each = launch_seconds(backend, reaction_launch(tissue)) / cells
            dt = EULER_STEP if scheme == "FE" else USUAL_STEP
            steps = round(MILLISECONDS / dt)
            rows.append((scheme, dt, steps, 1e3 * MANY * each, steps * MANY * each, cells, 1e9 * each))
        return rows
