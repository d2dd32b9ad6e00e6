"""The study of whole discharges: cells of Chen2020 that differ, at 1C from full to empty, a hundred voltages each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Published, Shape, Study, Variant
from engines.backend.lab.variants import Layout, array_variant, up_to
from engines.battery.cells.coefficients import coefficients
from engines.battery.cells.step.cells import CELLS, Cells
from engines.battery.lab.variants import expressions
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.particles.series import roots
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import Coefficient, Row
from engines.battery.step.particle_rows import MODES

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

STEPS = 100
DT = 36.0
"""[s]: an hour in a hundred steps."""
CELL = PARAMETER_SETS["Chen2020"]
CURRENT = CELL.scalars["nominal_capacity"].value
LOWEST = CELL.scalars["lower_cutoff"].value
PLAN = [Instruction(Kind.CURRENT, CURRENT, lowest=LOWEST)]
SPREAD = ("negative_particle_radius", "positive_particle_radius", "negative_diffusivity", "positive_diffusivity")
"""What differs among the cells: lognormally, by 5 %."""
BYTES = 4.0 + 4 * (2 * Row.SALT + len(Coefficient)) / STEPS
"""Per voltage: itself, and its share of the cell's state (in and out) and coefficients."""
FLOPS = 2 * MODES * 9 + 90.0
"""Per voltage, about: of each mode, and of two potentials, two inverse sines and two roots."""
CELL_KERNELS = Path(__file__).resolve().parents[2] / "cells" / "step"
CHUNK = 2048
"""Cells that the reference takes at a time, so that its arrays stay in the caches."""
COEFFICIENTS = ("RATE", "GAIN", "GROWTH", "KINETIC", "START")


def case(name: str, cells: int) -> Case:
    return Case(name, (cells, STEPS), cells * STEPS)


CASES = (case("10k", 10_000), case("100k", 100_000), case("1M", 1_000_000))
LARGEST_EXPRESSION = CASES[0].points

PYBAMM = Published(
    source="PyBaMM on two cores: 10,000 SPM discharges",
    device="PyBaMM",
    unit="ms",
    figures={"numba-engine": {"10k": 21_000.0}},
)


def inputs(case: Case, generator: np.random.Generator) -> Inputs:
    """(n,) of each number that differs."""
    n = case.size[0]
    return {name: CELL.scalars[name].value * np.exp(0.05 * generator.standard_normal(n)) for name in SPREAD}


def reference(inputs: Inputs, steps: int) -> Array:
    """(n, 100) voltages [V] in float64 by array expressions, with the potentials' own formulae."""
    per_cell = _coefficients(inputs)
    n = per_cell[0].shape[1]
    voltages = np.empty((STEPS, n))
    run = _expression(lambda values: values)
    for first in range(0, n, CHUNK):
        part = slice(first, first + CHUNK)
        run(voltages[:, part], *(values[:, part] for values in per_cell))
    return voltages.T


def reference_rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
    """Cells first … stop − 1 of :func:`reference`."""
    return reference({name: values[first:stop] for name, values in inputs.items()}, steps)


def _coefficients(inputs: Inputs) -> list[Array]:
    """(2, n) float64 of each of COEFFICIENTS."""
    rows = coefficients(CELL, {**CELL.values(), **inputs}, False)
    return [
        rows[[Coefficient[f"{electrode}_{name}"] for electrode in ("NEGATIVE", "POSITIVE")]] for name in COEFFICIENTS
    ]


def _expression(place: Callable[[Array], Any]) -> Callable[..., None]:
    """:func:`expressions.discharge` of (trace, coefficients), its constants put on a device by ``place``."""
    squares = place(roots(MODES) ** 2)
    weights = 2 / squares

    def run(trace: Any, *per_cell: Any) -> None:
        expressions.discharge(
            trace, *per_cell, squares=squares, weights=weights, potentials=(CELL.negative_ocp, CELL.positive_ocp),
            current=CURRENT, thermal_voltage=2 * GAS * REFERENCE_TEMPERATURE / FARADAY,
            resistance=CELL.scalars["contact_resistance"].value, lowest=LOWEST, dt=DT,
        )  # fmt: skip

    return run


class CellsPrepared(Prepared):
    """The engine's cells. A launch puts them back to where they start and takes them through their protocol.

    how: ``whole`` one launch; ``steps`` one per step; ``graph`` the same in a CUDA graph
    """

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, how: Literal["whole", "steps", "graph"]) -> None:
        self._backend, self._how = backend, how
        self._sets: list[Cells] = [CELLS.open(backend, CELL, PLAN, DT, inputs) for _ in range(sets)]
        self._starts = [backend.array(backend.to_host(cells.state)) for cells in self._sets]
        self._traces = [cells.new_trace(STEPS) for cells in self._sets]
        first = self._sets[0]
        # The start is read instead of the state, which is written.
        self.set_bytes = 2 * first.state.nbytes + first.coefficients.nbytes + self._traces[0].nbytes
        self._graphs: list[Any] = []
        if how == "graph":
            with backend.active():
                self._run(0)  # kernels are loaded before they are captured
            self._graphs = [self._captured(index) for index in range(sets)]

    def _run(self, index: int) -> None:
        cells, trace = self._sets[index], self._traces[index]
        cells.state[...] = self._starts[index]
        if self._how == "whole":
            cells.advance(0, STEPS, trace)
        else:
            for step in range(STEPS):
                cells.advance(step, 1, trace[step : step + 1])

    def _captured(self, index: int) -> Any:
        cuda: CudaBackend = self._backend  # type: ignore[assignment]  # no other device has graphs
        return cuda.captured(lambda: self._run(index))

    def launch(self, index: int) -> None:
        if self._graphs:
            self._graphs[index]()
        else:
            self._run(index)

    def poison(self, index: int) -> None:
        with self._backend.active():
            self._traces[index].fill(np.nan)
            self._sets[index].state.fill(np.nan)

    def result(self, index: int) -> Array:
        """As :func:`reference`: after the end, where the trace has NaN, the lowest voltage."""
        trace = self._backend.to_host(self._traces[index])[:, : self._sets[index].n_cells].T
        return _until_the_end(trace)

    def close(self) -> None:
        self._sets, self._starts, self._traces, self._graphs = [], [], [], []


def _until_the_end(trace: Array) -> Array:
    """(n, 100): the lowest voltage for what follows a cell's end. Other NaN stay: a trace begins with a number."""
    ended = np.isnan(trace) & (np.fmin.accumulate(trace, axis=1) <= LOWEST)
    return np.where(ended, LOWEST, np.maximum(trace, np.float32(LOWEST)))


def _cells(
    id: str, title: str, language: Literal["CUDA", "Numba"], how: Literal["whole", "steps", "graph"], note: str
) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return CellsPrepared(backend, inputs, sets, how)

    return Variant(
        id=id, title=title, language=language, bytes=BYTES, flops=FLOPS,
        source=CELL_KERNELS / ("cells.cu" if language == "CUDA" else "cpu.py"),
        symbol="run_cells" if language == "CUDA" else "advance", prepare=prepare, note=note,
    )  # fmt: skip


def _array(id: str, language: Literal["CuPy", "NumPy"], note: str) -> Variant:
    def compute(backend: Backend, case: Case) -> Callable[..., None]:
        return _expression(lambda values: backend.array(values.astype(np.float32)))

    return array_variant(
        id, "Array expressions", language, expressions.__file__, "discharge", compute, bytes=BYTES, flops=FLOPS,
        note=note, layout=VOLTAGES,
    )  # fmt: skip


VOLTAGES = Layout(
    lambda inputs: [values.astype(np.float32) for values in _coefficients(inputs)],
    lambda inputs: ((STEPS, len(inputs[SPREAD[0]])), np.float32),
    lambda output: output.T,
)

STUDY = Study(
    id="discharges",
    title="Whole discharges",
    summary="Single-particle models at 1C, 100 steps of 36 s, a voltage after each: a point is a cell's step.",
    cases=CASES,
    variants=(
        _cells(
            "steps", "A launch per step", "CUDA", "steps",
            "The state of a cell goes through memory a hundred times, and its modes' shares are computed anew.",
        ),
        _cells("graph", "A CUDA graph of 100 steps", "CUDA", "graph", "The same without the host's part."),
        _cells(
            "engine", "The whole protocol in one launch", "CUDA", "whole",
            "The engine's: a cell stays in registers and shared memory from full to empty.",
        ),
        _array("cupy", "CuPy", "Some forty kernels a step, the modes through memory."),
        _cells(
            "numba-steps", "A call per step", "Numba", "steps",
            "The modes' shares are computed anew in each step, and all threads meet after it.",
        ),
        _cells("numba-engine", "The whole protocol in one call", "Numba", "whole", "The engine's, a cell at a time."),
        up_to(LARGEST_EXPRESSION, _array("numpy", "NumPy", "Vectors over the cells, one core.")),
    ),
    inputs=inputs,
    reference=reference,
    reference_rows=reference_rows,
    tolerance=5e-5,
    tolerance_note=(
        "Potentials are steep where a cell ends, up to 25 V per unit of stoichiometry, which in float32 is known to "
        "some 1e-6 after a hundred steps: 0.03 mV; five times that, of 4.2 V, is allowed."
    ),
    published=(PYBAMM,),
)  # fmt: skip
