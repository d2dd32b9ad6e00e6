"""Many particles on both backends: the single-particle model as a limit, the ODE reference, protocols, lithium."""

from dataclasses import replace

import numpy as np
import pytest

from engines.battery.cells.step.cells import CELLS
from engines.battery.mpm import reference
from engines.battery.mpm.many_particles import MANY_PARTICLES
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters.sizes import Lognormal, ParticleSizes
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.setup.sizes import drawn_sizes
from engines.battery.step.cell_rows import Row as CellsRow
from engines.battery.step.many_particle_rows import CellRow, Row

CHEN, MARQUIS = PARAMETER_SETS["Chen2020"], PARAMETER_SETS["Marquis2019"]
VARIED = replace(
    CHEN,
    id="varied",
    negative_diffusivity_law=lambda x: 10 ** (1 - 2 * np.asarray(x)),
    positive_diffusivity_law=lambda x: 10 ** (1.2 - 1.5 * np.asarray(x)),
)
"""Diffusivities over one and a half and two decades: particles are shells."""
BOTH = pytest.mark.parametrize("parameters", [CHEN, VARIED], ids=["modes", "shells"])
PUBLISHED = {60: 3.990533, 300: 3.950433, 900: 3.805905, 1800: 3.568219, 2400: 3.458966, 3000: 3.292921, 3500: 2.758989}
DISCHARGE = [Instruction(Kind.CURRENT, 5.0, lowest=2.5)]
PLAN = [
    Instruction(Kind.CURRENT, 10.0, steps=60, lowest=3.0), Instruction(Kind.CURRENT, 0.0, steps=20),
    Instruction(Kind.POWER, 15.0, steps=20), Instruction(Kind.CURRENT, -5.0, highest=4.0, steps=60),
    Instruction(Kind.VOLTAGE, 4.0, least_current=0.5), Instruction(Kind.DRIVE, 2.0, steps=5),
    Instruction(Kind.POWER_DRIVE, 2.0, steps=5),
]  # fmt: skip
DRIVE = np.array([0.0, 0.0, 3.0, -2.0, 8.0, 0.0, -6.0])


def sizes_of(n, spread, parameters=CHEN):
    given = ParticleSizes(particles=n, negative=Lognormal(spread=spread), positive=Lognormal(spread=spread))
    return tuple(
        drawn_sizes(given, name, parameters.scalars[f"{name}_particle_radius"].value)
        for name in ("negative", "positive")
    )


def run(backend, plan, dt, steps, n=5, spread=0.3, parameters=CHEN, **options):
    """The particles after ``steps``, with voltages and currents (steps, 2)."""
    particles = MANY_PARTICLES.open(backend, parameters, sizes_of(n, spread, parameters), plan, dt, **options)
    trace = particles.new_trace(steps)
    with backend.active():
        particles.advance(0, steps, trace)
    return particles, np.array(trace).astype(float)


@pytest.mark.parametrize(("precision", "limit"), [("float32", 2e-6), ("float64", 1e-6)])
def test_one_size_is_the_single_particle_model(backend, precision, limit):
    """The published table to its last digit (float32: some roundings of 4 V), whatever the number of particles."""
    particles, trace = run(backend, DISCHARGE, 10.0, 360, n=3, spread=0.0, precision=precision)
    for time, voltage in PUBLISHED.items():
        assert trace[time // 10 - 1, 0] == pytest.approx(voltage, abs=limit)
    cell = particles.cell_on_host()
    assert cell[CellRow.ENDED] == pytest.approx(3567.695, abs=2e-3)
    assert cell[CellRow.CHARGE] == pytest.approx(5 * cell[CellRow.ENDED], rel=1e-6)  # the last step is cut short
    assert cell[CellRow.VOLTAGE] == pytest.approx(2.5, abs=2e-6)
    assert np.isnan(trace[357:]).all()
    assert particles.ended


@BOTH
def test_one_size_follows_a_protocol_as_cells_do(backend, parameters):
    """Every kind of instruction, step for step; the cells' held voltage stops at 1e-7 of its current."""
    plan = {"precision": "float64", "drive": DRIVE}
    _, trace = run(backend, PLAN, 10.0, 400, n=2, spread=0.0, parameters=parameters, **plan)
    cells = CELLS.open(backend, parameters, PLAN, 10.0, **plan)
    expected = cells.new_trace(400)
    with backend.active():
        cells.advance(0, 400, expected)
    expected = np.array(expected)[:, 0]
    assert (np.isnan(trace[:, 0]) == np.isnan(expected)).all()
    kept = ~np.isnan(expected)
    assert 165 < kept.sum() < 400  # the held voltage lasts a while, and the end is reached
    assert np.abs(trace[kept, 0] - expected[kept]).max() <= 1e-8


@pytest.fixture(scope="module")
def solved():
    """{name: (times, voltages)} of four particles per electrode at 1C by the ODE solver."""
    times = np.array([60.0, 300.0, 900.0, 1800.0, 2400.0, 3000.0])
    return {
        each.id: (times, reference.voltage(each, sizes_of(4, 0.4, each), each.values()["nominal_capacity"], times))
        for each in (CHEN, MARQUIS)
    }


@pytest.mark.parametrize("parameters", [CHEN, MARQUIS], ids=lambda each: each.id)
def test_voltage_of_the_ode_reference(backend, solved, parameters):
    """Steps of 10 s: 0.14 mV (Chen2020) and 0.17 mV (Marquis2019) measured at 3000 s; its 60 shells 0.02 mV."""
    times, expected = solved[parameters.id]
    current = parameters.values()["nominal_capacity"]
    _, trace = run(backend, [Instruction(Kind.CURRENT, current)], 10.0, 300, 4, 0.4, parameters)
    assert trace[(times / 10).astype(int) - 1, 0] == pytest.approx(expected, abs=2.5e-4)


def test_first_order_in_time_where_currents_shift(backend):
    """Against steps of 1 s, of whose own error of first order the ratio knows."""
    ends = [run(backend, DISCHARGE, dt, 3000 // dt, 3, 0.4, precision="float64")[1][-1, 0] for dt in (10, 5, 1)]
    ratio = (ends[0] - ends[2]) / (ends[1] - ends[2])
    assert ratio == pytest.approx(9 / 4, abs=0.15)


def test_particles_of_the_ode_reference(backend):
    """At steps of 10 s the smallest particle is 6e-4 apart, the first order in time; here a fifth of it."""
    sizes = sizes_of(4, 0.4)
    particles, _ = run(backend, DISCHARGE, 2.0, 450, 4, 0.4)
    surfaces, currents = particles.surfaces().reshape(2, 4), particles.current_densities().reshape(2, 4)
    for e, name in enumerate(("negative", "positive")):
        _, x, j = reference.electrode(CHEN, name, sizes[e], 5.0, np.array([900.0]))
        assert surfaces[e] == pytest.approx(x[0], abs=1.5e-4)
        assert currents[e] == pytest.approx(j[0], rel=1e-2)


@BOTH
@pytest.mark.parametrize(("precision", "limit"), [("float32", 2e-7), ("float64", 1e-14)])
def test_lithium_and_current_balance(backend, precision, limit, parameters):
    """Sums to a few roundings; VERIFICATION asks 1e-5 in float32. Surface-averaged flux is the single particle's."""
    particles, _ = run(
        backend, PLAN, 10.0, 130, n=300 if parameters is CHEN else 70, parameters=parameters, precision=precision,
        drive=DRIVE,
    )  # fmt: skip
    assert particles.balance() <= limit
    state = backend.to_host(particles.state).astype(float)[Row.FLUX].reshape(2, -1)[:, : particles.n]
    current = particles.cell_on_host()[CellRow.CURRENT]
    assert current < -2  # the voltage is held
    for e in (0, 1):
        assert particles.sizes[e].shares @ state[e] == pytest.approx(current, rel=5 * limit)


@BOTH
def test_all_particles_are_at_one_potential(backend, parameters):
    particles, _ = run(backend, DISCHARGE, 10.0, 100, n=70, precision="float64", parameters=parameters)
    x, p = particles.surfaces().reshape(2, -1), CHEN
    for e, potential in enumerate((p.negative_ocp, p.positive_ocp)):
        columns = particles.columns_of(np.arange(70) + 70 * e)
        phi = potential(x[e]) + np.array([particles.overpotential(int(column)) for column in columns])
        assert np.ptp(phi) <= 2e-8  # the tables of the potentials


def test_one_size_whose_diffusivity_varies_ends_where_cells_do(backend):
    """The last step is cut short at the cut-off, in float32 too, and the profile has what the means have."""
    particles, _ = run(backend, [Instruction(Kind.CURRENT, 10.0, lowest=2.5)], 20.0, 100, 2, 0.0, VARIED)
    cells = CELLS.open(backend, VARIED, [Instruction(Kind.CURRENT, 10.0, lowest=2.5)], 20.0, precision="float64")
    with backend.active():
        cells.advance(0, 100)
    cell, ended = particles.cell_on_host(), backend.to_host(cells.state)[CellsRow.ENDED, 0]
    assert cell[CellRow.ENDED] == pytest.approx(ended, abs=2e-3)
    assert ended > 1735.81 + 30  # D constant: 1735.81 s
    assert cell[CellRow.CHARGE] == pytest.approx(10 * cell[CellRow.ENDED], rel=1e-6)
    shells = particles.stoichiometry(20)
    assert np.diff(np.linspace(0, 1, 21) ** 3) @ shells == pytest.approx(particles.means(), abs=1e-6)
    assert particles.profile(np.array([1.0]), 0)[0] == pytest.approx(particles.surfaces()[0], abs=1e-12)


def test_more_particles_converge(backend):
    """Equal shares of a smooth distribution: the voltage's error falls faster than 1/n."""
    ends = [run(backend, DISCHARGE, 30.0, 100, n, 0.3, precision="float64")[1][-1, 0] for n in (10, 40, 160, 640)]
    errors = np.abs(np.array(ends[:3]) - ends[3])
    assert errors[2] < 2e-4
    assert (errors[:2] > 4 * errors[1:]).all()


@BOTH
def test_batches_make_one_run(backend, parameters):
    whole, _ = run(backend, PLAN, 10.0, 120, n=70, drive=DRIVE, parameters=parameters)
    parts = MANY_PARTICLES.open(backend, parameters, sizes_of(70, 0.3), PLAN, 10.0, drive=DRIVE)
    with backend.active():
        for first, steps in ((0, 1), (1, 76), (77, 43)):
            parts.advance(first, steps)
    assert (backend.to_host(whole.state) == backend.to_host(parts.state)).all()
    assert (whole.cell_on_host() == parts.cell_on_host()).all()


@BOTH
def test_a_cutoff_that_is_beyond_from_the_start_ends_at_once(backend, parameters):
    particles, trace = run(backend, [Instruction(Kind.CURRENT, -5.0, highest=4.0)], 10.0, 3, parameters=parameters)
    cell = particles.cell_on_host()
    assert cell[CellRow.ENDED] == 0
    assert cell[CellRow.CHARGE] == 0
    assert particles.ended
    assert np.isnan(trace[1:]).all()


@BOTH
def test_a_power_that_no_cell_gives_is_the_largest(backend, parameters):
    """κ so large that the least resistance is that of a linear circuit: nothing breaks, and the run goes on."""
    _, trace = run(backend, [Instruction(Kind.POWER, 5000.0, steps=3)], 1.0, 3, parameters=parameters)
    assert np.isfinite(trace).all()
