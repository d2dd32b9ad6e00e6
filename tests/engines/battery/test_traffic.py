"""Bytes of a launch are those of the arrays that it reads and writes, whole, once each."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.particles.step.diffusion import MODE_DIFFUSION, PADDING, SHELL_DIFFUSION
from engines.battery.particles.step.schemes import ModeSolver, ShellSolver


@pytest.fixture
def cpu():
    backend = CpuBackend()
    yield backend
    backend.close()


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
