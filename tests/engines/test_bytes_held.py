"""What an estimate says that a problem takes and moves, beside the arrays of the simulation that is then built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engines.api import Problem, Simulation
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.particles.step.diffusion import PADDING

N = 2 * PADDING
BATTERY = BatteryEngine()


@pytest.fixture(scope="module")
def cpu():
    backend = CpuBackend()
    yield backend
    backend.close()


def battery(model: str, **given: Any) -> Problem:
    return Problem(BatteryParameters.model_validate({"model": model, **given}))


def bytes_of(*arrays: Any) -> int:
    return sum(array.nbytes for array in arrays)


def cells(simulation: Any) -> int:
    return bytes_of(simulation._cells.state, simulation._cells.coefficients, simulation._cells.record)


def many(simulation: Any) -> int:
    own = simulation._particles
    return bytes_of(own.state, own.shares, own.scratch, own.coefficients)


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize(
    ("model", "given", "taken"),
    [
        ("SPM", {"ensemble": {"cells": N}}, cells),
        ("SPMe", {"ensemble": {"cells": N}}, cells),
        ("SPM", {"ensemble": {"cells": N}, "ageing": {"sei": "reaction limited"}}, cells),
        ("MPM", {"sizes": {"particles": N}}, many),
    ],
)
def test_a_battery_takes_its_state_and_what_stands_beside_it(
    cpu, model: str, given: dict[str, Any], taken: Callable[[Simulation], int], precision: str
):
    """Whole arrays, exactly: as many cells as their rows are padded to."""
    problem = battery(model, numerics={"precision": precision}, **given)
    assert BATTERY.estimate(problem, cpu).memory_bytes == taken(BATTERY.build(problem, cpu))


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("SPM", {"ensemble": {"cells": N}}),
        ("SPMe", {"ensemble": {"cells": N}}),
        ("particles", {"particles": {"number": N, "scheme": "explicit"}}),
        ("particles", {"particles": {"number": N, "scheme": "implicit"}}),
        ("particles", {"particles": {"number": N, "scheme": "eigenmodes", "pulses": {"on": 10.0, "off": 5.0}}}),
    ],
)
def test_a_battery_moves_what_its_meters_will_say(cpu, model: str, given: dict[str, Any]):
    """A launch takes the steps of a sample; what it reads and writes is rounded down for itself."""
    problem = battery(model, **given)
    simulation = BATTERY.build(problem, cpu)
    (traffic,) = simulation.traffic
    told = BATTERY.estimate(problem, cpu).bytes_per_step
    assert told == pytest.approx(traffic.bytes * (traffic.fused if model != "particles" else 1), abs=2)
    assert traffic.fused == simulation.sample_steps


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_a_pack_takes_the_arrays_of_its_heat(cpu, precision: str):
    """Per voxel, without ghosts, and a bound for the cells."""
    problem = battery("pack", numerics={"precision": precision})
    simulation = BATTERY.build(problem, cpu)
    heat = simulation._pack.heat
    arrays = [heat.temperature, heat._error, heat._rates, heat._outflow, *heat._changes, heat._per_capacity]
    arrays += [*heat._faces, heat._owner, heat._capacity, simulation._owner]
    each = sum(array.dtype.itemsize for array in arrays)
    told = BATTERY.estimate(problem, cpu)
    of_elements = 500 * heat.dtype.itemsize * heat.n_elements  # their cells, with room to spare
    assert told.memory_bytes == simulation.geometry.n_cells * each + of_elements
    (of_heat,) = [kernel for kernel in simulation.traffic if kernel.kernel == "heat"]
    assert told.bytes_per_step == of_heat.bytes
