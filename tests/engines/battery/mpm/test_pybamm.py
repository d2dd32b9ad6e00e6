"""The many-particle model at 1C beside PyBaMM's, where it is installed: sizes in bins up to 2.5 means, x-averaged."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.battery.cells import Instruction, Kind
from engines.battery.mpm import make_many_particles
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.sizes import Lognormal, ParticleSizes, drawn_sizes

TIMES = np.array([60, 300, 900, 1800, 2400, 3000])


def test_one_hour_at_1c():
    pybamm = pytest.importorskip("pybamm")
    values = pybamm.get_size_distribution_parameters(pybamm.ParameterValues("Marquis2019"))
    points = {"x_n": 10, "x_s": 10, "x_p": 10, "r_n": 60, "r_p": 60, "R_n": 100, "R_p": 100}
    simulation = pybamm.Simulation(pybamm.lithium_ion.MPM(), parameter_values=values, var_pts=points, C_rate=1)
    solved = simulation.solve(np.arange(0, 3101, 10.0))
    backend, cell = CpuBackend(), PARAMETER_SETS["Marquis2019"]
    given = ParticleSizes(particles=500, negative=Lognormal(spread=0.3), positive=Lognormal(spread=0.3))
    sizes = tuple(
        drawn_sizes(given, name, cell.scalars[f"{name}_particle_radius"].value) for name in ("negative", "positive")
    )
    plan = [Instruction(Kind.CURRENT, cell.scalars["nominal_capacity"].value)]
    particles = make_many_particles(backend, cell, sizes, plan, 2.0)
    trace = particles.new_trace(1500)
    with backend.active():
        particles.advance(0, 1500, trace)
    assert trace[TIMES // 2 - 1, 0] == pytest.approx(solved["Voltage [V]"](TIMES), abs=1e-3)
