"""Many particles on a real GPU: one size is the published cell, blocks that meet give what the CPU gives."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.battery.mpm.many_particles import MANY_PARTICLES
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters.sizes import Lognormal, ParticleSizes
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.setup.sizes import drawn_sizes
from engines.battery.step.many_particle_rows import CellRow

pytestmark = pytest.mark.gpu

CHEN = PARAMETER_SETS["Chen2020"]
PUBLISHED = {60: 3.990533, 300: 3.950433, 900: 3.805905, 1800: 3.568219, 2400: 3.458966, 3000: 3.292921, 3500: 2.758989}
PLAN = [
    Instruction(Kind.CURRENT, 10.0, steps=60, lowest=3.0), Instruction(Kind.CURRENT, 0.0, steps=20),
    Instruction(Kind.POWER, 15.0, steps=20), Instruction(Kind.CURRENT, -5.0, highest=4.0, steps=60),
    Instruction(Kind.VOLTAGE, 4.0, least_current=0.5),
]  # fmt: skip


def sizes_of(n, spread):
    given = ParticleSizes(particles=n, negative=Lognormal(spread=spread), positive=Lognormal(spread=spread))
    return tuple(
        drawn_sizes(given, name, CHEN.scalars[f"{name}_particle_radius"].value) for name in ("negative", "positive")
    )


@pytest.mark.parametrize(("precision", "limit"), [("float32", 5e-6), ("float64", 1e-6)])
@pytest.mark.parametrize("n", [1, 3000])
def test_one_size_is_the_published_cell(gpu, n, precision, limit):
    particles = MANY_PARTICLES.open(
        gpu, CHEN, sizes_of(n, 0.0), [Instruction(Kind.CURRENT, 5.0, lowest=2.5)], 10.0, precision=precision
    )
    trace = particles.new_trace(360)
    with gpu.active():
        particles.advance(0, 360, trace)
    voltages = gpu.to_host(trace)[:, 0]
    for time, voltage in PUBLISHED.items():
        assert voltages[time // 10 - 1] == pytest.approx(voltage, abs=limit)
    assert particles.cell_on_host()[CellRow.ENDED] == pytest.approx(3567.695, abs=5e-3)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("n", [70, 5000, 200_000])
def test_every_block_size_gives_what_the_cpu_gives(gpu, n, precision):
    """200,000: more particles than threads that are resident. float32: sums in another order, 5e-7 of 4 V a step."""
    steps = 130 if n < 100_000 else 15
    found = []
    for backend in (gpu, CpuBackend()):
        particles = MANY_PARTICLES.open(backend, CHEN, sizes_of(n, 0.3), PLAN, 10.0, precision=precision)
        start = backend.to_host(particles.state), backend.to_host(particles.cell)
        for block in (128, 256, 512) if backend is gpu and precision == "float32" else (256,):
            particles.block = block
            with backend.active():
                particles.state[:], particles.cell[:] = backend.array(start[0]), backend.array(start[1])
                particles.advance(0, steps)
            assert particles.balance() <= (1e-6 if precision == "float32" else 1e-13)
            found.append((particles.cell_on_host(), particles.surfaces()))
    tolerance = 1e-9 if precision == "float64" else 2e-5
    for cell, surfaces in found[:-1]:
        assert cell[CellRow.VOLTAGE] == pytest.approx(found[-1][0][CellRow.VOLTAGE], abs=tolerance)
        assert np.abs(surfaces - found[-1][1]).max() <= 10 * tolerance


def test_batches_make_one_run(gpu):
    one, two = (MANY_PARTICLES.open(gpu, CHEN, sizes_of(3000, 0.3), PLAN, 10.0) for _ in range(2))
    two.block = one.block
    with gpu.active():
        one.advance(0, 100)
        for first, steps in ((0, 1), (1, 76), (77, 23)):
            two.advance(first, steps)
    assert (gpu.to_host(one.state) == gpu.to_host(two.state)).all()
    assert (one.cell_on_host() == two.cell_on_host()).all()
