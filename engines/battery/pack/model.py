"""The pack among the models of the engine: checked, estimated and built."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from engines.api import Array, Estimate, Finding, Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import best_seconds, measured_once
from engines.battery.pack.coupled import CoupledPack, Wiring
from engines.battery.pack.heat import HEAT
from engines.battery.pack.layout import MILLIMETRE, body_of, check_segments, grid_of, layout, n_cells, segments
from engines.battery.pack.simulation import CELSIUS, PackSimulation, environment, fields
from engines.battery.pack.stages import MOST_STAGES, count_for
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.balance import starts
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.parameters.pack import Arrangement, Pack
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
from engines.battery.setup.cell import ELECTROLYTE, parameter_set_findings, parameter_set_of
from engines.battery.setup.ensemble import sample
from engines.battery.setup.model import Model
from engines.battery.watch.cell_record import cells_on_disk
from engines.geometry.grid import Grid

MOST_VOXELS = 1_000_000_000
MOST_ALONG = 65_535
"""Voxels along an axis: blocks of a launch along z."""
MOST_PLACES = 2**31 - 1
"""Voxels with the ghosts at each side: the kernels number them by 32 bits."""
MOST_ELEMENTS = 1_000_000
ARRAYS = 11
"""Arrays over the voxels, in the precision of the run."""
BESIDE = 8 + 2 * 4
"""Bytes of a voxel beside them: its capacity in double precision, and whose it is, for the heat and for the view."""
WARM_VOXELS = (4, 64)
"""Side of the boxes that are timed for an estimate: one waits for launches, the other for memory."""
TYPICAL_OVERPOTENTIAL = 0.15
"""Heat of a cell over its current, per C-rate [V]: what an expected heat is made of. Chen2020 in the SPMe at 2C makes
2.7 to 3.1 W, 0.14 to 0.16 V."""


class PackHeat(Model):
    """Cells in a box of voxels."""

    alone = "The cells of a pack share its current and its heat, and run on one rank"

    def geometry(self, problem: Problem) -> Grid:
        pack = parameters_of(problem).pack
        _check_size(pack)
        return _grid(pack.arrangement.model_dump_json())

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, cell, plan, wiring = _checked(problem)
        pack, step = parameters.pack, step_of(parameters)
        voxels = self.geometry(problem).n_cells
        size = np.dtype(FLOAT_TYPES[parameters.numerics.precision]).itemsize
        count = count_for(step, _fastest(pack))
        if count > MOST_STAGES:
            raise ProblemError(
                f"Heat moves between voxels so fast that a step of {step:g} s takes {count:,} stages: use a shorter "
                "step, fewer voxels, or smaller conductivities."
            )
        launch, each = _measured_seconds(backend, parameters.numerics.precision)
        return Estimate(
            memory_bytes=voxels * (ARRAYS * size + BESIDE) + 500 * size * wiring.elements,
            bytes_per_step=8 * size * voxels * count,
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=((count + 8) * launch + each * voxels * count) / step,
            findings=_findings(parameters, cell, plan.instructions, wiring, voxels, count),
            facts=cells_on_disk(parameters, step, wiring.elements, True),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress) -> PackSimulation:
        progress("Placing the cells", 0.0)
        parameters, cell, plan, wiring = _checked(problem)
        pack, step = parameters.pack, step_of(parameters)
        precision = FLOAT_TYPES[parameters.numerics.precision]
        where = layout(pack, self.geometry(problem))
        progress("Computing conductances", 0.2)
        start = pack.initial_temperature - CELSIUS
        air = environment(pack.cooling.ambient, pack.cooling.plate_temperature)
        heat = HEAT.open(backend, body_of(pack, where), where.boxes, where.owner, step, air, start, precision)
        progress(f"Moving {where.n_elements:,} cells to {backend.info.name}", 0.8)
        scalars = _scalars(parameters, cell)
        coupled = CoupledPack(
            backend, cell, scalars, plan.instructions, plan.drive, wiring, heat,
            electrolyte=pack.cells == "SPMe", precision=precision,
        )  # fmt: skip
        coupled.factor = parameters.current_factor
        values = cell.values()
        progress("Ready", 1.0)
        simulation = PackSimulation(
            backend, coupled, where, _fields(parameters, cell, plan.instructions), pack.cooling,
            values["nominal_capacity"] / wiring.segments, starts(cell, scalars), parameters.recording,
            _drawn(parameters, cell),
        )  # fmt: skip
        simulation.sample_steps = sample_steps(plan.instructions, cell, step, parameters.current_factor)
        simulation.drives = drives_of(plan.instructions, step, cell)
        return simulation

    def ends(self, problem: Problem) -> bool:
        """Every step of a protocol has an end."""
        return True

    def warm(self, backend: Backend) -> None:
        """A step of each model and precision."""
        small = {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}
        for cells in ("SPM", "SPMe"):
            for precision in FLOAT_TYPES:
                parameters = {
                    "model": "pack",
                    "pack": {"cells": cells, "parallel": 2, "arrangement": small},
                    "numerics": {"precision": precision},
                }
                simulation = self.build(Problem(BatteryParameters.model_validate(parameters)), backend, no_progress)
                simulation.advance(1)
                simulation.observe()
                simulation.close()


@lru_cache(maxsize=8)
def _grid(arrangement: str) -> Grid:
    """The same object for the same arrangement."""
    return grid_of(Arrangement.model_validate_json(arrangement))[0]


def _check_size(pack: Pack) -> None:
    grid, _ = grid_of(pack.arrangement)
    if grid.n_cells > MOST_VOXELS:
        raise ProblemError(
            f"This pack has {grid.n_cells:,} voxels: use at most {MOST_VOXELS:,}, with fewer voxels per cell."
        )
    for axis, count in zip("zyx", grid.shape, strict=True):
        if count > MOST_ALONG:
            raise ProblemError(
                f"This pack has {count:,} voxels along {axis}: use at most {MOST_ALONG:,}, with fewer voxels per cell."
            )
    if math.prod(count + 2 for count in grid.shape) > MOST_PLACES:
        raise ProblemError(
            f"This pack of {' x '.join(f'{count:,}' for count in grid.shape[::-1])} voxels is too large where it is "
            "one voxel thick: use fewer voxels per cell along its other sides."
        )
    if n_cells(pack) * segments(pack) > MOST_ELEMENTS:
        raise ProblemError(
            f"This pack has {n_cells(pack) * segments(pack):,} cells and segments: use at most {MOST_ELEMENTS:,}."
        )


def _checked(problem: Problem) -> tuple[BatteryParameters, ParameterSet, Plan, Wiring]:
    """Parameters, cell, protocol of a cell, wiring. Raises ProblemError."""
    parameters = parameters_of(problem)
    pack = parameters.pack
    _check_size(pack)
    check_segments(pack)
    series, rest = divmod(n_cells(pack), pack.parallel)
    if rest:
        raise ProblemError(
            f"{n_cells(pack)} cells do not make groups of {pack.parallel} in parallel: "
            "choose a number that divides them."
        )
    cell = parameter_set_of(parameters)
    if pack.cells == "SPMe":
        cell.require(ELECTROLYTE, "A model with an electrolyte")
    plan = plan_of(parameters, cell)
    return parameters, cell, plan, Wiring(series, pack.parallel, segments(pack))


def _scalars(parameters: BatteryParameters, cell: ParameterSet) -> dict[str, Any]:
    """Of each element: a segment has its share of the area, and of a cell's contacts."""
    pack = parameters.pack
    parts = segments(pack)
    values: dict[str, Any] = {**cell.values(), **_drawn(parameters, cell)}
    values["electrode_area"] = values["electrode_area"] / parts
    values["contact_resistance"] = values["contact_resistance"] * parts
    values["initial_temperature"] = pack.initial_temperature + 273.15
    return values


def _drawn(parameters: BatteryParameters, cell: ParameterSet) -> dict[str, Array]:
    """(elements,) of what differs among the cells, the same for the segments of each."""
    n, ensemble = n_cells(parameters.pack), parameters.ensemble
    drawn = sample(cell, ensemble.distributions, n, ensemble.seed)
    return {name: np.repeat(each, segments(parameters.pack)) for name, each in drawn.items()}


def _fastest(pack: Pack) -> float:
    """The fastest rate in the pack [1/s], from one of few voxels that has every kind of neighbours."""
    a = pack.arrangement
    counts = {f"cells_{axis}": min(getattr(a, f"cells_{axis}"), 2) for axis in "xyz"}
    sizes = {}
    for axis, side in zip("xyz", ("thickness", "width", "height"), strict=True):
        voxels = getattr(a, f"voxels_{axis}")
        sizes[f"voxels_{axis}"] = min(voxels, 3)
        sizes[side] = getattr(a, side) / voxels * min(voxels, 3)
    few = pack.model_copy(
        update={"arrangement": a.model_copy(update={**counts, **sizes}), "segments_y": 1, "segments_z": 1}
    )
    return body_of(few, layout(few)).fastest


def _largest_rate(cell: ParameterSet, plan: list[Instruction], factor: float) -> float:
    capacity = cell.values()["nominal_capacity"]
    currents = [abs(each.value) for each in plan if each.kind == Kind.CURRENT]
    return max(factor * max(currents, default=capacity) / capacity, 0.1)


def _rounded_up(value: float) -> float:
    unit = 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / unit * 2 - 1e-9) * unit / 2


def _fields(parameters: BatteryParameters, cell: ParameterSet, plan: list[Instruction]) -> Any:
    """Fields with the ranges that these currents and this cooling let expect."""
    pack, values = parameters.pack, cell.values()
    a, c, m = pack.arrangement, pack.cooling, pack.material
    rate = _largest_rate(cell, plan, parameters.current_factor)
    volume = a.thickness * a.width * a.height * MILLIMETRE**3
    source = TYPICAL_OVERPOTENTIAL * rate * rate * values["nominal_capacity"] / volume
    lengths = [length * MILLIMETRE for length in _grid(a.model_dump_json()).lengths]
    air, plate = c.ambient, c.plate_temperature
    leak = flow = 0.0  # W/m³/K through all sides of a slab that is as thick as the pack, and that times what is beyond
    for length, k, sides in zip(
        lengths,
        (m.conductivity_through, m.conductivity_in_plane, m.conductivity_in_plane),
        (((c.ends, air), (c.ends, air)), ((c.sides, air), (c.sides, air)), ((c.plate, plate), (c.top, air))),
        strict=True,
    ):
        for h, beyond in sides:
            each = h / (1 + h * length / (2 * k)) / length
            leak, flow = leak + each, flow + each * beyond
    warmest = pack.initial_temperature + source * 3600 / rate / m.heat_capacity
    if leak > 0:
        warmest = min(warmest, (flow + source) / leak)
    known = (pack.initial_temperature, air, plate)
    low, high = math.floor(min(known)), math.ceil(max(*known, warmest) + 1)
    return fields(
        (float(low), float(high)),
        _rounded_up(2 * source / 1000),
        _rounded_up(1.2 * rate),
        (values["lower_cutoff"], values["upper_cutoff"]),
    )


def _findings(
    parameters: BatteryParameters, cell: ParameterSet, plan: list[Instruction], wiring: Wiring, voxels: int, count: int
) -> tuple[Finding, ...]:
    pack, step = parameters.pack, step_of(parameters)
    a = pack.arrangement
    kinds = f"{wiring.series} in series" + (f", {wiring.parallel} in parallel" if wiring.parallel > 1 else "")
    found = [*parameter_set_findings(parameters, cell)]
    found.append(Finding(f"{voxels:,} voxels, {count} stages of heat per step; {kinds}.", "info", ("pack",)))
    grid, gaps = grid_of(pack.arrangement)
    for axis, h, n, gap in zip("xyz", grid.spacing, (a.cells_x, a.cells_y, a.cells_z), gaps, strict=True):
        if n > 1 and abs(gap * h - a.gap) > 0.1 * a.gap:
            found.append(
                Finding(
                    f"Along {axis} the gap of {a.gap:g} mm is {gap} voxels of {h:g} mm: use more voxels to see it.",
                    place=("pack", "arrangement", "gap"),
                )
            )
    rate = _largest_rate(cell, plan, parameters.current_factor)
    if 3600 / rate < 20 * step:
        found.append(
            Finding(
                f"At {rate:g}C a cell is empty after some {3600 / rate:.0f} s: cut-offs are met to the step of "
                f"{step:g} s, so use a shorter one to see the end well.",
                place=("numerics", "step"),
                remedy=shorter_step(3600 / rate, 20),
            )
        )
    found += [*cycle_findings(parameters), *duration_findings(parameters), *start_findings(cell, plan[0])]
    if parameters.ensemble.cells not in (1, n_cells(pack)):
        found.append(
            Finding(
                f"The pack has {n_cells(pack)} cells; the ensemble's number does not count.",
                "info",
                ("ensemble", "cells"),
            )
        )
    return tuple(found)


def _measured_seconds(backend: Backend, precision: str) -> tuple[float, float]:
    """Seconds per launch, and per voxel and stage beyond that, measured at the first call."""

    def stage_seconds(side: int) -> float:
        arrangement = {"cells_x": 1, **{f"voxels_{axis}": side for axis in "xyz"}}
        pack = Pack.model_validate({"arrangement": arrangement})
        where = layout(pack)
        body = body_of(pack, where)
        heat = HEAT.open(
            backend, body, where.boxes, where.owner, 4 / body.fastest, (0.0,) * 6, 0.0, FLOAT_TYPES[precision]
        )

        def step() -> None:
            heat.advance(np.ones(1))
            heat.means()

        return best_seconds(backend, step, tries=4) / heat.stages.count

    def measure() -> tuple[float, float]:
        small, large = map(stage_seconds, WARM_VOXELS)
        return small, max(large - small, 0.0) / WARM_VOXELS[1] ** 3

    return measured_once(backend, (__name__, precision), measure)
