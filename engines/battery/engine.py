"""The battery engine: single-particle models of lithium-ion cells, one or a million of them, under a protocol.

Method: diffusion in the particles as eigenmodes, exact while the current is constant (``particles/series.py``);
symmetric Butler-Volmer solved for the overpotential; in the SPMe implicit finite volumes of the electrolyte; a lumped
temperature. Each cell goes through the protocol by itself (``cells/``).
"""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from engines.api import Array, Benchmark, Engine, Estimate, Finding, Problem, Progress, no_progress
from engines.backend.base import Backend
from engines.battery.cells import Instruction, Kind, Row, make_cells
from engines.battery.cells.coefficients import ELECTROLYTE_CELLS, Coefficient
from engines.battery.cells.launcher import LONGEST
from engines.battery.ensemble import Distribution, sample
from engines.battery.parameter_sets import PARAMETER_SETS, ParameterSet
from engines.battery.parameters import BatteryParameters, Ensemble, Numerics
from engines.battery.protocol import drive_cycle, instructions, parse_step
from engines.battery.simulation import BatterySimulation
from engines.errors import ProblemError
from engines.geometry.particles import Particles, paired_rows

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
MICROMETRE = 1e-6
SAMPLE_CELLS = {"cpu": 512, "cuda": 262_144}
"""Cells that are timed for an estimate: enough to fill the device."""
SAMPLE_STEPS = 20


class BatteryEngine(Engine):
    """Lithium-ion cells: voltage, heat and where the lithium is in the particles."""

    id = "battery"
    title = "Lithium-ion battery"
    summary = "Single-particle models of one to a million cells under a protocol"
    time_unit = "s"
    Parameters = BatteryParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> BatteryParameters:
        return BatteryParameters()

    def geometry_of(self, problem: Problem) -> Particles:
        """The two particles of each cell, in µm."""
        parameters, cell, scalars, _ = _checked(problem)
        n = parameters.ensemble.cells
        return paired_rows(_radii(cell, scalars, "negative", n), _radii(cell, scalars, "positive", n))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, cell, _, plan = _checked(problem)
        n, step = parameters.ensemble.cells, parameters.numerics.step
        size = np.dtype(PRECISIONS[parameters.numerics.precision]).itemsize
        rows = Row.SALT + (3 * ELECTROLYTE_CELLS if parameters.model == "SPMe" else 0)
        seconds = n * _cell_seconds(backend, parameters)
        return Estimate(
            memory_bytes=n * (rows + len(Coefficient)) * size,
            bytes_per_step=n * (2 * rows + len(Coefficient)) * size,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=seconds / step,
            milestone=("hour", 3600.0),
            findings=_findings(parameters, cell, plan),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> BatterySimulation:
        progress("Drawing the cells", 0.0)
        parameters, cell, scalars, plan = _checked(problem)
        progress(f"Moving {parameters.ensemble.cells:,} cells to {backend.info.name}", 0.5)
        n = parameters.ensemble.cells
        cells = make_cells(
            backend,
            cell,
            plan,
            parameters.numerics.step,
            {"contact_resistance": np.full(n, cell.values()["contact_resistance"]), **scalars},
            electrolyte=parameters.model == "SPMe",
            thermal=parameters.thermal == "lumped",
            precision=PRECISIONS[parameters.numerics.precision],
            drive=_drive(parameters),
        )
        cells.factor = parameters.current_factor
        geometry = self.geometry_of(problem)
        progress("Ready", 1.0)
        return BatterySimulation(backend, cells, geometry, parameters.numerics.radial_points)

    def warm(self, backend: Backend) -> None:
        """A step of each model."""
        for model in ("SPM", "SPMe"):
            for thermal in ("isothermal", "lumped"):
                problem = Problem(BatteryParameters(model=model, thermal=thermal))
                simulation = self.build(problem, backend)
                simulation.advance(1)
                simulation.observe()
                simulation.close()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Cells that differ in three numbers, at 1C, in both models."""
        return [
            Benchmark(f"{n:,} cells {model}", n, partial(_benchmark, n, model))
            for n in (elements or (10_000, 1_000_000))
            for model in ("SPM", "SPMe")
        ]


def _benchmark(n: int, model: Any) -> Problem:
    names = ("negative_particle_radius", "positive_particle_radius", "positive_diffusivity")
    distributions = [Distribution(parameter=name, kind="lognormal", spread=0.05) for name in names]
    protocol = ["Discharge at 1C until 2.5 V", "Rest for 1 hour", "Charge at 1C until 4.2 V"]
    return Problem(
        BatteryParameters(
            model=model,
            protocol=protocol,
            cycles=1000,
            ensemble=Ensemble(cells=n, distributions=distributions),
            numerics=Numerics(step=10.0),
        )
    )


Checked = tuple[BatteryParameters, ParameterSet, dict[str, Array], list[Instruction]]


def _checked(problem: Problem) -> Checked:
    """Parameters, cell, what was drawn and the protocol. Raises ProblemError."""
    parameters = problem.parameters
    if not isinstance(parameters, BatteryParameters):
        raise TypeError(f"parameters of the battery engine, not {type(parameters).__name__}")
    cell = PARAMETER_SETS[parameters.parameter_set]
    ensemble = parameters.ensemble
    scalars = sample(cell, ensemble.distributions, ensemble.cells, ensemble.seed)
    steps = [parse_step(text, number) for number, text in enumerate(parameters.protocol, 1)]
    plan = instructions(steps, cell, parameters.numerics.step, _drive(parameters)) * parameters.cycles
    return parameters, cell, scalars, plan


def _drive(parameters: BatteryParameters) -> Array | None:
    cycle = parameters.drive_cycle
    if not cycle.times and not cycle.currents:
        return None
    return drive_cycle(np.array(cycle.times), np.array(cycle.currents), parameters.numerics.step)


def _radii(cell: ParameterSet, scalars: dict[str, Array], electrode: str, n: int) -> Array:
    """(n,) radii of an electrode's particles [µm]."""
    name = f"{electrode}_particle_radius"
    return np.broadcast_to(scalars.get(name, cell.scalars[name].value), n) / MICROMETRE


def _findings(parameters: BatteryParameters, cell: ParameterSet, plan: list[Instruction]) -> tuple[Finding, ...]:
    found = []
    step, capacity = parameters.numerics.step, cell.scalars["nominal_capacity"].value
    fastest = max((abs(each.value) for each in plan if each.kind == Kind.CURRENT), default=0.0)
    fastest *= parameters.current_factor
    if fastest > 0 and 3600 * capacity / fastest < 60 * step:
        seconds = 3600 * capacity / fastest
        found.append(
            Finding(
                f"At {fastest:g} A this cell is empty after some {seconds:.0f} s: cut-offs are met to the step of "
                f"{step:g} s, so use a shorter one to see the end well."
            )
        )
    if plan[0].kind in (Kind.CURRENT, Kind.POWER) and plan[0].value < 0:
        found.append(Finding("The cell starts full, and the protocol begins with a charge: it will end at once."))
    if any(each.steps == LONGEST and each.value == 0 and each.kind == Kind.CURRENT for each in plan):
        raise ProblemError("A rest in the protocol never ends: say how long.")
    if parameters.ensemble.distributions and parameters.ensemble.cells == 1:
        found.append(Finding("There are distributions but one cell: it is drawn from them too.", "info"))
    return tuple(found)


_measured: WeakKeyDictionary[Backend, dict[str, float]] = WeakKeyDictionary()


def _cell_seconds(backend: Backend, parameters: BatteryParameters) -> float:
    """Seconds per cell and step, measured at the first call for this backend, model and precision."""
    known = _measured.setdefault(backend, {})
    key = f"{parameters.model} {parameters.thermal} {parameters.numerics.precision}"
    if key not in known:
        count = SAMPLE_CELLS["cpu" if backend.id == "cpu" else "cuda"]
        cell = PARAMETER_SETS["Chen2020"]
        cells = make_cells(
            backend, cell, [Instruction(Kind.CURRENT, 0.0)], 1.0, {"contact_resistance": np.zeros(count)},
            electrolyte=parameters.model == "SPMe", thermal=parameters.thermal == "lumped",
            precision=PRECISIONS[parameters.numerics.precision],
        )  # fmt: skip
        best = float("inf")
        for _ in range(3):  # the first compiles
            backend.synchronize()
            with backend.active():
                started = clock.perf_counter()
                cells.advance(0, SAMPLE_STEPS)
                backend.synchronize()
                best = min(best, clock.perf_counter() - started)
        known[key] = best / (count * SAMPLE_STEPS)
    return known[key]
