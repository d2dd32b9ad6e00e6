"""The single-particle models, SPM and SPMe: checked, estimated and built."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from engines.api import Array, Estimate, Finding, Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.simulation.ranks import Part, Ranks
from engines.backend.cpu import CpuBackend
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import best_seconds, measured_once
from engines.backend.twins import pick
from engines.battery.cells.ageing import ageing_of
from engines.battery.cells.coefficients import coefficient_rows
from engines.battery.cells.forecast import CellForecast
from engines.battery.cells.simulation import CellSimulation
from engines.battery.cells.step.cells import CELLS, PADDING, RECORDED, state_rows_beside
from engines.battery.cells.step.reference import spm
from engines.battery.parameter_sets import PARAMETER_SETS, ParameterSet
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.protocol.durations import drives_of, sample_steps
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.protocol.plan import (
    Plan,
    cycle_findings,
    duration_findings,
    plan_of,
    shorter_step,
    start_findings,
    step_of,
)
from engines.battery.protocol.steps import parse
from engines.battery.setup.cell import parameter_set_findings, parameter_set_of
from engines.battery.setup.ensemble import sample
from engines.battery.setup.model import Model
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, CycleRow, Row
from engines.battery.watch.cell_record import CellRecord, cells_on_disk
from engines.geometry.particles import Particles, interned, named_parts, paired_rows
from engines.ranks.ranges import bounds_of

MICROMETRE = 1e-6
SAMPLE_CELLS = {"cpu": 512, "cuda": 262_144}
"""Cells that are timed for an estimate: enough to fill the device."""
SAMPLE_STEPS = 20
BUILDING = 22
"""Bytes that a row of a cell takes of a computer's own memory while cells are built on it, in either precision, as
measured (20 to 24): what is drawn, coefficients and the start are there in float64, too. A run holds half of that."""
ELECTRODE_TITLES = ("Negative electrode", "Positive electrode")


class SingleParticle(Model):
    """Each electrode of a cell is one sphere; the model says whether there is an electrolyte."""

    def geometry(self, problem: Problem) -> Particles:
        """The two particles of each cell, in µm."""
        parameters, cell, scalars, _ = _checked(problem)
        n = parameters.ensemble.cells
        pairs = paired_rows(_radii(cell, scalars, "negative", n), _radii(cell, scalars, "positive", n))
        return interned(named_parts(pairs, ELECTRODE_TITLES, (1, 1)) if n == 1 else pairs)

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, cell, scalars, plan = _checked(problem)
        n, step = parameters.ensemble.cells, step_of(parameters)
        size = np.dtype(FLOAT_TYPES[parameters.numerics.precision]).itemsize
        ageing = ageing_of(parameters)
        rows = Row.SALT + (3 * ELECTROLYTE_CELLS if parameters.model == "SPMe" else 0)
        varying = bool(cell.laws)
        rows += state_rows_beside(ageing, varying)
        given = coefficient_rows({**cell.values(), **scalars}, ageing, varying)
        recorded = 0 if ageing is None else min(RECORDED, n * parameters.cycles * len(CycleRow))
        seconds = n * _cell_seconds(backend, parameters, varying)
        each = pick(backend, cpu=BUILDING, cuda=size)
        return Estimate(
            memory_bytes=n * (rows + given) * each + recorded * size,
            bytes_per_step=n * (2 * rows + given) * size,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=seconds / step,
            findings=_findings(parameters, cell, plan.instructions),
            facts=cells_on_disk(parameters, step, n, parameters.heats),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress) -> CellSimulation:
        progress("Drawing the cells", 0.0)
        checked = _checked(problem)
        n = checked[0].ensemble.cells
        progress(f"Moving {n:,} cells to {backend.info.name}", 0.5)
        simulation = _built(checked, backend, slice(0, n), self.geometry(problem))
        progress("Ready", 1.0)
        return simulation

    def part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress) -> Part:
        """A range of the cells. What is seen of all of them rank 0 finds from their states, on its host."""
        progress("Drawing the cells", 0.0)
        checked = _checked(problem)
        parameters, cell, scalars, _ = checked
        n = parameters.ensemble.cells
        bounds = bounds_of(n, ranks.size, PADDING, "An ensemble", "cells")
        of_rank = slice(*bounds[ranks.rank : ranks.rank + 2])
        negative, positive = (_radii(cell, scalars, each, n)[of_rank] for each in ("negative", "positive"))
        progress(f"Moving {of_rank.stop - of_rank.start:,} cells to {backend.info.name}", 0.5)
        simulation = _built(checked, backend, of_rank, paired_rows(negative, positive))
        geometry = self.geometry(problem)
        whole = None if ranks.rank else _built(checked, CpuBackend(), slice(0, n), geometry)
        progress("Ready", 1.0)
        elements = tuple((first + of_rank.start, first + of_rank.stop) for first in (0, n))
        shares = simulation.shares(of_rank.start, n)
        return Part(simulation, geometry, elements, shares, None, whole=whole, seen=tuple(simulation.state()))

    def ends(self, problem: Problem) -> bool:
        """Every step of a protocol has an end."""
        return True

    def few(self, problem: Problem) -> Problem:
        """One cell, the mean one."""
        parameters = parameters_of(problem)
        one = parameters.ensemble.model_copy(update={"cells": 1, "distributions": []})
        return Problem(parameters.model_copy(update={"ensemble": one}))

    def forecast(self, problem: Problem, backend: Backend) -> CellForecast:
        return CellForecast(problem, backend)

    def warm(self, backend: Backend) -> None:
        """A step of each, with and without heat and ageing, and of a cell whose diffusivity varies."""
        cell = replace(PARAMETER_SETS["Chen2020"], negative_diffusivity_law=np.ones_like)
        cells = CELLS.open(backend, cell, [Instruction(Kind.CURRENT, 0.0)], 1.0)
        with backend.active():
            cells.advance(0, 1)
        laws: tuple[dict[str, str], ...] = ({}, {"sei": "solvent-diffusion limited"})
        for model, thermal, ageing in product(("SPM", "SPMe"), ("isothermal", "lumped"), laws):
            chosen = {"model": model, "thermal": thermal, "ageing": ageing}
            problem = Problem(BatteryParameters.model_validate(chosen))
            simulation = self.build(problem, backend, no_progress)
            simulation.advance(1)
            simulation.observe()
            simulation.close()


def _built(checked: Checked, backend: Backend, of: slice, geometry: Particles) -> CellSimulation:
    """Those cells of a problem, which ``geometry`` has."""
    parameters, cell, scalars, plan = checked
    chosen = {name: np.asarray(values)[of] for name, values in scalars.items()}
    cells = CELLS.open(
        backend,
        cell,
        plan.instructions,
        step_of(parameters),
        {"contact_resistance": np.full(of.stop - of.start, cell.values()["contact_resistance"]), **chosen},
        electrolyte=parameters.model == "SPMe",
        thermal=parameters.thermal == "lumped",
        precision=FLOAT_TYPES[parameters.numerics.precision],
        drive=plan.drive,
        ageing=ageing_of(parameters),
        cycles=parameters.cycles,
    )
    cells.factor = parameters.current_factor
    every = sample_steps(plan.instructions, cell, step_of(parameters), parameters.current_factor)
    simulation = CellSimulation(
        backend,
        cells,
        geometry,
        parameters.numerics.radial_points,
        every,
        driven=plan.drive is not None,
        record=CellRecord(cells, parameters.recording, chosen),
    )
    simulation.drives = drives_of(plan.instructions, cells.dt, cell)
    return simulation


Checked = tuple[BatteryParameters, ParameterSet, dict[str, Array], Plan]


def _checked(problem: Problem) -> Checked:
    """Parameters, cell, what was drawn and the protocol. Raises ProblemError."""
    parameters = parameters_of(problem)
    cell = parameter_set_of(parameters)
    ensemble = parameters.ensemble
    if (ageing := ageing_of(parameters)) is not None:
        ageing.check(cell)
    scalars = sample(cell, ensemble.distributions, ensemble.cells, ensemble.seed)
    return parameters, cell, scalars, plan_of(parameters, cell)


def _radii(cell: ParameterSet, scalars: dict[str, Array], electrode: str, n: int) -> Array:
    """(n,) radii of an electrode's particles [µm]."""
    name = f"{electrode}_particle_radius"
    return np.broadcast_to(scalars.get(name, cell.scalars[name].value), n) / MICROMETRE


def _findings(parameters: BatteryParameters, cell: ParameterSet, plan: list[Instruction]) -> tuple[Finding, ...]:
    found = list(parameter_set_findings(parameters, cell))
    step, capacity = step_of(parameters), cell.scalars["nominal_capacity"].value
    fastest = max((abs(each.value) for each in plan if each.kind == Kind.CURRENT), default=0.0)
    fastest *= parameters.current_factor
    if fastest > 0 and 3600 * capacity / fastest < 60 * step:
        seconds = 3600 * capacity / fastest
        found.append(
            Finding(
                f"At {fastest:g} A this cell is empty after some {seconds:.0f} s: cut-offs are met to the step of "
                f"{step:g} s, so use a shorter one to see the end well.",
                place=("numerics", "step"),
                remedy=shorter_step(seconds, 60),
            )
        )
    found += [*cycle_findings(parameters), *duration_findings(parameters)]
    found += _at_the_start(parameters, cell, plan[0])
    if any(each.period is not None for each in parse(parameters.protocol)):
        found.append(
            Finding(
                "Periods in brackets change nothing: the time step says when values are taken.", "info", ("protocol",)
            )
        )
    if parameters.ensemble.distributions and parameters.ensemble.cells == 1:
        found.append(Finding("There are distributions but one cell: it is drawn from them too.", "info", ("ensemble",)))
    return tuple(found)


def _at_the_start(parameters: BatteryParameters, cell: ParameterSet, first: Instruction) -> list[Finding]:
    """What keeps the protocol from getting anywhere."""
    if found := start_findings(cell, first):
        return found
    if first.kind == Kind.CURRENT and first.value > 0:
        step, low = step_of(parameters), cell.scalars["lower_cutoff"].value
        current = first.value * parameters.current_factor
        at_start = {f"{name}_diffusivity": _at_start(cell, name) for name in cell.laws}
        with np.errstate(invalid="ignore"):  # beyond what the electrode holds
            if not spm(cell.changed(at_start, "at the start"), current, step)[0] > low:
                sentence = f"its voltage is below {low:g} V within {step:g} s; use a smaller current."
                return [Finding(f"This cell cannot carry {current:g} A: {sentence}", place=("protocol",))]
    return []


def _at_start(cell: ParameterSet, electrode: str) -> float:
    """The diffusivity [m²/s] of a law where the protocol starts."""
    p = cell.values()
    x = p[f"{electrode}_initial_concentration"] / p[f"{electrode}_maximum_concentration"]
    return p[f"{electrode}_diffusivity"] * float(cell.laws[electrode](np.array(x)))


def _cell_seconds(backend: Backend, parameters: BatteryParameters, varying: bool) -> float:
    """Seconds per cell and step, measured at the first call for this backend, model and precision; ``varying``: with a
    diffusivity that may (here it does not: a solution takes as long)."""
    ageing, precision = ageing_of(parameters), parameters.numerics.precision
    key = __name__, parameters.model, parameters.thermal, precision, ageing is not None, varying
    cell = PARAMETER_SETS["OKane2022"]
    cell = replace(cell, negative_diffusivity_law=np.ones_like) if varying else cell

    def measure() -> float:
        count = pick(backend, **SAMPLE_CELLS)
        cells = CELLS.open(
            backend, cell, [Instruction(Kind.CURRENT, 0.0)], 1.0,
            {"contact_resistance": np.zeros(count)}, electrolyte=parameters.model == "SPMe",
            thermal=parameters.thermal == "lumped", precision=FLOAT_TYPES[precision], ageing=ageing,
        )  # fmt: skip
        return best_seconds(backend, lambda: cells.advance(0, SAMPLE_STEPS)) / (count * SAMPLE_STEPS)

    return measured_once(backend, key, measure)
