"""Bytes of a launch are those of the arrays that it reads and writes, whole, once each."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Problem
from engines.battery.engine import BatteryEngine
from engines.battery.pack.heat import Heat
from engines.battery.parameters import BatteryParameters
from engines.battery.particles.step.diffusion import MODE_DIFFUSION, PADDING, SHELL_DIFFUSION
from engines.battery.particles.step.schemes import ModeSolver, ShellSolver


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_particles_shells_or_modes_and_three_numbers(cpu, precision):
    radius = np.full(PADDING, 5e-6)
    shells = SHELL_DIFFUSION.open(cpu, radius, 3e-14, 16, precision)
    modes = MODE_DIFFUSION.open(cpu, radius, 3e-14, precision)
    for diffusion, state, traffic in (
        (shells, shells.deviation, ShellSolver(shells, "explicit").traffic(1)),
        (modes, modes.state, ModeSolver(modes, 16).traffic(1)),
    ):
        flux = diffusion.per_particle(0.0)
        given = (state, diffusion._rate, diffusion._radius_per_diffusivity, flux)
        assert traffic.bytes_read == sum(each.nbytes for each in given)
        assert traffic.bytes_written == state.nbytes
    assert ShellSolver(shells, "explicit").traffic(4).bytes == shells.traffic.bytes // 4


@pytest.mark.parametrize("model", ["SPM", "SPMe"])
def test_a_cells_state_and_its_coefficients(cpu, model):
    parameters = BatteryParameters.model_validate({"model": model, "ensemble": {"cells": PADDING}})
    cells = BatteryEngine().build(Problem(parameters), cpu)._cells
    assert cells.n_padded == PADDING
    assert cells.traffic.bytes_read == cells.state.nbytes + cells.coefficients.nbytes
    assert cells.traffic.bytes_written == cells.state.nbytes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stage_of_heat_reads_seven_arrays_and_writes_one(dtype):
    """Temperature, three faces, the power's owner and both changes before; 24 operations of a voxel; no ghosts."""
    voxels = np.zeros((3, 4, 5), dtype)
    around = SimpleNamespace(dtype=np.dtype(dtype), shape=voxels.shape, stages=SimpleNamespace(count=6))
    told = Heat.traffic.fget(around)
    assert (told.kernel, told.bytes_read, told.bytes_written) == ("heat", 6 * 7 * voxels.nbytes, 6 * voxels.nbytes)
    assert told.flops == 6 * 24 * voxels.size


def test_operations_of_shells_follow_the_scheme(cpu):
    """6 of a shell in a step, of implicit ones 4 times as many, where D varies 3 times; 10 of a mode."""
    radius = np.full(PADDING, 5e-6)
    shells = SHELL_DIFFUSION.open(cpu, radius, 3e-14, 16, "float32")
    one = 6 * PADDING * 16
    assert ShellSolver(shells, "explicit").traffic(1).flops == one
    assert ShellSolver(shells, "implicit").traffic(5).flops == 4 * one
    assert ShellSolver(shells, "implicit").traffic(5).fused == 5
    shells.curve = object()
    assert ShellSolver(shells, "explicit").traffic(1).flops == 3 * one
    modes = ModeSolver(MODE_DIFFUSION.open(cpu, radius, 3e-14, "float32"), 16)
    assert modes.traffic(4).flops == 10 * 16 * PADDING // 4
    assert modes.traffic(4).fused == 4
    assert modes.traffic(4).bytes_read == modes.traffic(1).bytes_read // 4
    assert modes.traffic(4).bytes_written == modes.traffic(1).bytes_written // 4
