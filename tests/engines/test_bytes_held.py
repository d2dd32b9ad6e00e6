"""What an estimate says that a problem takes and moves, beside the arrays of the simulation that is then built."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.api import Engine, Problem, Simulation
from engines.battery import engine as engine_module
from engines.battery.cells import model as cells_model
from engines.battery.engine import BatteryEngine
from engines.battery.mpm import model as mpm_model
from engines.battery.mpm.many_particles import OF_SHELLS
from engines.battery.pack import model as pack_model
from engines.battery.parameters import BatteryParameters
from engines.battery.particles import model as particles_model
from engines.battery.particles.step.diffusion import PADDING
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.watch.cell_record import QUANTITIES
from engines.cardiac import engine as engine_of_hearts
from engines.geometry.meshes.box import box_mesh
from engines.peridynamics import engine as bonds_module
from engines.peridynamics.engine import PeridynamicsEngine
from engines.spiking import engine as engine_of_neurons
from engines.spiking.engine import SpikingEngine
from engines.spiking.events.sparse.formats import Rows
from engines.stencil.engine import StencilEngine
from engines.stencil.gray_scott.cpu import gray_scott_traffic
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.problems import ENGINE as CARDIAC
from tests.engines.cardiac.problems import SMALL as MITCHELL
from tests.engines.cardiac.problems import problem as heart
from tests.engines.cardiac.traffic import bytes_of_a_step
from tests.engines.fdtd.problems import ENGINE as FDTD
from tests.engines.fdtd.problems import small as fdtd
from tests.engines.peridynamics.loading.test_quasistatic import problem as resting
from tests.engines.peridynamics.test_engine import problem as plate
from tests.engines.spiking.problems import general, plain
from tests.engines.stencil.problems import problem as grid

N = 2 * PADDING
MESH = box_mesh((4, 3, 3), (2.0, 1.5, 1.5))
BATTERY = BatteryEngine()


def battery(model: str, **given: Any) -> Problem:
    return Problem(BatteryParameters.model_validate({"model": model, **given}))


def bytes_of(*arrays: Any) -> int:
    return sum(array.nbytes for array in arrays)


def cells(simulation: Any) -> int:
    return bytes_of(simulation._cells.state, simulation._cells.coefficients, simulation._cells.record)


def many(simulation: Any) -> int:
    own = simulation._particles
    return bytes_of(own.state, own.shares, own.scratch, own.coefficients)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
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
    model: str, given: dict[str, Any], taken: Callable[[Simulation], int], precision: str
):
    """Of a card whole arrays, exactly, as many cells as rows are padded to; on a processor building takes more."""
    problem, card = battery(model, numerics={"precision": precision}, **given), HostCudaBackend()
    assert BATTERY.estimate(problem, card).memory_bytes == taken(BATTERY.build(problem, card))


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("SPM", {"ensemble": {"cells": N}}),
        ("SPMe", {"ensemble": {"cells": N}}),
        ("MPM", {"sizes": {"particles": N}}),
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
    assert told == pytest.approx(traffic.bytes * (traffic.fused if model.startswith("SPM") else 1), abs=2)
    assert traffic.fused == (1 if model == "MPM" else simulation.sample_steps)


@pytest.mark.parametrize("scheme", ["explicit", "implicit", "eigenmodes"])
def test_bare_particles_take_their_state_twice(cpu, scheme: str):
    """Shells with the two rows that they count from, or modes, and a copy of either towards the end of a run; three
    factors of a tridiagonal matrix for each shell; twelve numbers."""
    shells = 40
    one = np.zeros(16 + 2 if scheme == "eigenmodes" else shells + 2, np.float32)
    factors = np.zeros((3, shells if scheme == "implicit" else 0), np.float32)
    problem = battery("particles", particles={"number": N, "shells": shells, "scheme": scheme})
    told = BATTERY.estimate(problem, cpu)
    assert told.memory_bytes == N * (2 * one.nbytes + factors.nbytes + 12 * one.itemsize)
    assert told.milestone == ("hour", 3600.0)


def test_operations_of_a_step_are_those_that_were_counted(cpu):
    """250 of a cell; 8 of a mode and 60 more of a particle: what meters divide by seconds."""
    spm = BATTERY.build(battery("SPM", ensemble={"cells": N}), cpu)
    (many_particles,) = BATTERY.build(battery("MPM", sizes={"particles": N}), cpu).traffic
    assert spm.traffic[0].flops == 250 * N
    assert many_particles.flops == (8 * 16 + 60) * 2 * N


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


@pytest.mark.parametrize(
    ("engine", "problem"),
    [
        (FDTD, fdtd),
        (PeridynamicsEngine(), plate),
        (PeridynamicsEngine(), resting),
        (SpikingEngine(), plain),
        (SpikingEngine(), general),
        (StencilEngine(), lambda: grid({"kind": "Gray-Scott"})),
        (CARDIAC, lambda: heart(MESH, MITCHELL, step=0.01)),
    ],
    ids=["fdtd", "bonds", "bonds at rest", "plain network", "network", "patterns", "heart"],
)
def test_an_estimate_is_of_the_step_that_the_run_takes_and_of_what_it_moves(
    cpu, engine: Engine, problem: Callable[[], Problem]
):
    given = problem()
    told, simulation = engine.estimate(given, cpu), engine.build(given, cpu)
    assert told.step == pytest.approx(simulation.dt, rel=1e-12)
    moved = bytes_of_a_step(simulation, given) if engine is CARDIAC else sum(each.bytes for each in simulation.traffic)
    assert told.bytes_per_step == moved
    assert told.stable_step is None or told.step <= told.stable_step
    simulation.close()


@pytest.mark.parametrize("problem", [plain, general], ids=["plain", "general"])
@pytest.mark.parametrize("most", [engine_of_neurons.SAMPLE_MEMORY, 40_000])
def test_a_network_that_is_not_tried_takes_what_memory_takes_to_move_its_bytes(cpu, monkeypatch, problem, most):
    """Tried whole, or of so few neurons as take 40 kB, of which it is told per byte that is moved."""
    monkeypatch.setattr(engine_of_neurons, "SAMPLE_MEMORY", most)
    monkeypatch.setattr(engine_of_neurons, "small_pace", lambda backend, key, build, memory, otherwise: otherwise)
    told = SpikingEngine().estimate(problem(), cpu)
    seconds = told.seconds_per_simulated_unit * told.step
    assert seconds == pytest.approx(told.bytes_per_step / cpu.ceilings().best)


@pytest.mark.parametrize("reaction", [1e-4, 1e9])
def test_the_stable_step_of_a_heart_is_the_smaller_of_its_halves_each_of_whose_substeps_are_stable(
    cpu, monkeypatch, reaction: float
):
    """Of diffusion it falls with the conductivity."""
    monkeypatch.setattr(engine_of_hearts, "step_limit", lambda _: reaction)
    limits = {}
    for scale, diffusing, reacting in ((1.0, 1, 1), (2.0, 1, 1), (1.0, 3, 1), (1.0, 1, 4)):
        given = heart(MESH, MITCHELL, step=0.001, diffusion_substeps=diffusing, reaction_substeps=reacting)
        given = Problem(given.parameters.model_copy(update={"conductivity_scale": scale}), MESH)
        limits[scale, diffusing, reacting] = CARDIAC.estimate(given, cpu).stable_step
    whole = limits[1.0, 1, 1]
    expected = {key: whole * key[2] if reaction < 1 else whole * key[1] / key[0] for key in limits}
    assert limits == pytest.approx(expected)
    assert (whole == reaction) == (reaction < 1)


@pytest.mark.parametrize("sorts", [False, True])
def test_a_matrix_counts_the_arrays_that_it_has(sorts: bool):
    array = np.zeros(7, np.int32)
    weights = SimpleNamespace(codes=np.zeros(11, np.int8), row_scale=np.zeros(5, np.float32))
    first, order = (array, array) if sorts else (None, None)
    rows = Rows(5, 9, 11, first, None, order, np.zeros(11, np.int32), weights, 2, 1, 1, 0)
    assert rows.bytes == (2 * array.nbytes if sorts else 0) + 11 * 4 + 11 + 5 * 4


@pytest.mark.parametrize(
    ("model", "given", "module", "measured", "seconds"),
    [
        ("SPM", {"ensemble": {"cells": N}}, cells_model, ("_cell_seconds", 2e-6), N * 2e-6),
        ("MPM", {"sizes": {"particles": N}}, mpm_model, ("_step_seconds", 3e-3), 3e-3),
        ("particles", {"particles": {"number": N, "shells": 40}}, particles_model, ("_seconds", 1e-9), N * 40 * 1e-9),
    ],
)
def test_seconds_are_those_measured_of_a_cell_a_step_or_a_shell(
    cpu, monkeypatch, model: str, given: dict[str, Any], module: Any, measured: tuple[str, float], seconds: float
):
    monkeypatch.setattr(module, measured[0], lambda *_: measured[1])
    told = engine_module._model(battery(model, **given)).estimate(battery(model, **given), cpu)
    assert told.seconds_per_simulated_unit * told.step == pytest.approx(seconds)


def test_the_battery_says_seconds_of_its_unit_of_time(cpu, monkeypatch):
    """And what a step takes beside the model's own."""
    monkeypatch.setattr(engine_module, "small_pace", lambda backend, key, build, memory, seconds: 2 * seconds)
    monkeypatch.setattr(engine_module, "seconds_beside", lambda *_: 1e-3)
    monkeypatch.setattr(mpm_model, "_step_seconds", lambda *_: 3e-3)
    told = BATTERY.estimate(battery("MPM", sizes={"particles": N}), cpu)
    assert told.step != 1.0
    assert told.seconds_per_simulated_unit == pytest.approx(2 * (3e-3 + 1e-3) / told.step)


def test_particles_whose_diffusivity_varies_take_and_move_shells(cpu, monkeypatch):
    """No shares of modes; five solutions read them and one writes."""
    problem = battery("MPM", sizes={"particles": N})
    parameters, _, *others = mpm_model._checked(problem)
    monkeypatch.setattr(mpm_model, "_checked", lambda _: (parameters, mpm_model.VARYING, *others))
    monkeypatch.setattr(mpm_model, "_step_seconds", lambda *_: 3e-3)
    sizes = mpm_model._sizes(parameters.sizes, mpm_model._radii(mpm_model.VARYING))
    plan = [Instruction(Kind.CURRENT, 5.0)]
    own = mpm_model.MANY_PARTICLES.open(cpu, mpm_model.VARYING, sizes, plan, 1.0, precision="float32")
    told = mpm_model.ManyParticleModel().estimate(problem, cpu)
    assert told.bytes_per_step == own.traffic.bytes
    assert told.memory_bytes == 2 * bytes_of(own.state, own.scratch, own.coefficients) + 2 * N * mpm_model.BESIDE
    assert own.traffic.flops == OF_SHELLS * 2 * N


def test_seconds_of_a_pack_are_of_its_launches_and_of_its_voxels(cpu, monkeypatch):
    """Each stage is a launch over all voxels; eight launches more are of the cells and of the means."""
    problem = battery("pack")
    monkeypatch.setattr(pack_model, "_measured_seconds", lambda *_: (1e-5, 2e-9))
    told = engine_module._model(problem).estimate(problem, cpu)
    heat = BATTERY.build(problem, cpu)._pack.heat
    voxels, stages = BATTERY.geometry_of(problem).n_cells, heat.stages.count
    assert told.seconds_per_simulated_unit * told.step == pytest.approx((stages + 8) * 1e-5 + stages * voxels * 2e-9)


@pytest.mark.parametrize(("model", "heats"), [("MPM", False), ("SPM", False), ("pack", True)])
def test_rows_on_disk_are_told_with_temperatures_where_there_are_any(cpu, model: str, heats: bool):
    """Of each cell a number at each interval of an hour, in single precision."""
    recording = {**dict.fromkeys(QUANTITIES, False), "cells": 3, "interval": 60.0, "temperature": True, "voltage": True}
    problem = battery(model, recording=recording, **({"ensemble": {"cells": 5}} if model == "SPM" else {}))
    told = engine_module._model(problem).estimate(problem, cpu)
    (fact,) = told.facts
    rows = np.zeros((1 if model == "MPM" else 3, 60, 2 if heats else 1), np.float32)
    assert (fact.value, fact.unit) == (pytest.approx(rows.nbytes / 1e6), "MB")


@pytest.mark.parametrize("problem", [plate, resting], ids=["steps", "at rest"])
def test_seconds_of_bonds_are_of_a_microsecond_or_of_an_iteration(cpu, monkeypatch, problem: Callable[[], Problem]):
    """A step of so many seconds, and its limit in the unit of time."""
    monkeypatch.setattr(bonds_module, "small_pace", lambda *_: 2e-4)
    told, setup = PeridynamicsEngine().estimate(problem(), cpu), bonds_module._setup(problem(), cpu)
    still = problem is resting
    assert told.seconds_per_simulated_unit == pytest.approx(2e-4 if still else 2e-4 / (setup.step * 1e6))
    assert told.stable_step == (None if still else pytest.approx(setup.limit * 1e6))
    assert told.memory_bytes == setup.memory


@pytest.mark.parametrize("shape", [(5, 7), (3, 4, 5)])
def test_two_fields_react_and_diffuse(shape: tuple[int, ...]):
    """Of each the Laplacian's 4 d operations; 12 of the reaction."""
    told, size = gray_scott_traffic(shape, 4), np.zeros((2, *shape), np.float32).nbytes
    assert (told.bytes_read, told.bytes_written) == (size, size)
    assert told.flops == (2 * 4 * len(shape) + 12) * size // 8
