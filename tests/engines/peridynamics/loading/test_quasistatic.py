"""Slow loading: against the static solution of a bar and beam theory, with cracks, and what has no equilibrium."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.parameters import PeridynamicParameters

ENGINE = PeridynamicsEngine()


def side(name, rows=3):
    return {"kind": "side", "side": name, "rows": rows}


def held(region, steady=False, **values):
    """Displacements; the others are free. Supports are there from the start, what moves grows at a constant rate."""
    kind = {"kind": "constant rate", "time": 100} if any(values.values()) else {"kind": "sudden"}
    return {"kind": "displacement", "region": region, "y": None, "history": kind, **values}


MIDDLE_LEFT = {"kind": "box", "low": (0, 5, 0), "high": (1, 7, 0)}
BAR = {
    "body": {"kind": "plate", "size_x": 36, "size_y": 12},
    "bonds": {"spacing": 1.0},
    "notches": [],
    "unbreakable": [],
    "material": {"young": 72.0, "fracture_energy": 1e6},
    "loads": [held(side("left"), x=0.0), held(MIDDLE_LEFT, y=0.0), held(side("right"), x=0.03)],
}


def problem(tolerance=1e-5, load_steps=1, precision="fp64", base=BAR, most=20_000, **changes) -> Problem:
    relaxation = {"load_steps": load_steps, "tolerance": tolerance, "most_iterations": most}
    numerics = {"precision": precision, "integrator": "dynamic relaxation", "relaxation": relaxation}
    return Problem(PeridynamicParameters.model_validate({**base, "numerics": numerics, **changes}))


def finished(run):
    while not run.finished:
        run.advance(1000)
    return run.observe()


def displacements(run, backend):
    scale = run._solver.body.scales.length
    return backend.to_host(run._solver.arrays["u"])[:, run._solver.body.places].T * scale


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_a_bar_in_tension(cpu, precision):
    """Static solution: reactions balance to the tolerance, 1e-5 (fp32: 1e-3); away from the ends the displacement is
    linear to 1 % of its strain (free sides lack bonds, which bends it a little over the height); the force is
    E k ε A, where the lattice's k is 1.0226 and the sides, which lack bonds over a horizon, carry less: 0.6 of 12
    spacings, as measured with bars of 20 and 40."""
    tolerance = 1e-5 if precision == "fp64" else 1e-3
    run = ENGINE.build(problem(tolerance, precision=precision), cpu)
    seen = finished(run)
    assert run.ending.startswith("All 1 load steps are done: the peak load is")
    force = seen["force_3_x"]
    assert abs(seen["force_1_x"] + force) <= tolerance * force
    positions, u = run.geometry.positions, displacements(run, cpu)
    inside = (positions[:, 0] > 12) & (positions[:, 0] < 24)
    strain, start = np.polyfit(positions[inside, 0], u[inside, 0], 1)
    away = u[inside, 0] - (strain * positions[inside, 0] + start)
    assert np.abs(away).max() <= 0.01 * strain * 12
    lattice = Lattice(family(2, 3), "plane stress", 72e9, 2440.0, 1e6, 1e-3, 1e-3)
    expected = lattice.young * lattice.stiffness_along_axis * strain * 1e3 * (12 - 0.6) * 1e-6
    assert force == pytest.approx(expected, rel=0.015)
    across = np.polyfit(positions[inside, 1], u[inside, 1], 1)[0]
    assert -across / strain == pytest.approx(1 / 3, rel=0.08)  # Poisson's ratio, with the soft sides
    assert seen["work"] == pytest.approx(0.5 * force * 0.03, rel=1e-6)
    assert seen["elastic"] == pytest.approx(seen["work"], rel=10 * tolerance)


def test_density_does_not_matter_at_rest(cpu):
    """A stress pulls at a bar whose right half is of another density: it comes to rest where equal halves do."""
    stress = {"kind": "stress", "side": "right", "stress": (1.0, 0.0, 0.0)}
    half = {"kind": "half-space", "point": (18, 0, 0), "direction": (1, 0, 0)}
    moved = []
    for density in (2440.0, 7320.0):
        second = {**BAR["material"], "density": density, "region": half}
        run = ENGINE.build(problem(loads=[*BAR["loads"][:2], stress], materials=[second]), cpu)
        moved.append(finished(run)["displacement_3_x"])
        assert run.ending.startswith("All")
    assert moved[1] == pytest.approx(moved[0], rel=1e-4)


def test_a_cantilever_against_beam_theory(cpu):
    """Timoshenko's deflection F l³/3EI + F l/κGA, 24 particles high. The lattice is 2.3 % stiffer along its axes and
    lacks bonds at its sides, 0.3 spacings each: (1 − 0.6/24)³ · 1.0226 = 0.948, so it bends 5.5 % more; within 2 %
    of that."""
    length, height, force = 96, 24, 20.0
    given = {
        **BAR,
        "body": {"kind": "plate", "size_x": length + 3, "size_y": height},
        "loads": [
            held(side("left"), x=0.0, y=0.0),
            {"kind": "force", "region": side("right", 1), "force": (0, -force, 0)},
        ],
        "measuring": {"gauges": [{"kind": "mean", "name": "end", "region": side("right", 1), "axis": "y"}]},
    }
    seen = finished(ENGINE.build(problem(1e-3, base=given), cpu))
    inertia, shear = 1e-3 * (height * 1e-3) ** 3 / 12, 72e9 / (2 * (1 + 1 / 3))
    bending = force * (length * 1e-3) ** 3 / (3 * 72e9 * inertia)
    sheared = force * length / (5 / 6 * shear * height * 1e-3)
    assert seen["force_1_y"] == pytest.approx(force, rel=1e-3)
    assert -seen["end"] * 1e-6 == pytest.approx((bending + sheared) / 0.948, rel=0.02)


NOTCHED = {
    **BAR,
    "body": {"kind": "plate", "size_x": 24, "size_y": 24},
    "notches": [{"start": (0, 12), "end": (8, 12)}],
    "material": {"young": 72.0, "fracture_energy": 10.0},
    "loads": [held(side("bottom"), x=0.0, y=0.0), held(side("top"), x=0.0, y=0.006)],
    "unbreakable": [side("top"), side("bottom")],
    "growth": "+x",
    "measuring": {
        "gauges": [{"kind": "opening", "first": (0.5, 11.5, 0), "second": (0.5, 12.5, 0)}],
        "curve": {"over": "CMOD"},
    },
}


def test_a_notched_plate_breaks(cpu):
    """The load rises to a peak and falls to 0 when the crack is through; the crack is straight; energy is
    freed and never gained, and the bonds took at least G0 times the area of the crack (16 mm² · 10 J/m² = 0.16 mJ, a
    tenth less for where bonds cannot break), more as all that load steps overshoot is counted."""
    run = ENGINE.build(problem(1e-3, load_steps=12, precision="fp32", base=NOTCHED), cpu)
    seen = finished(run)
    assert seen["load_step"] == 12
    chart = run.chart("load_displacement").curves[0]
    assert abs(chart.y[-1]) < 0.01 * seen["peak"]
    assert chart.x[-1] == pytest.approx(6, rel=0.01)
    assert 0.9 * 0.16 < seen["broken"] < seen["work"]
    assert seen["freed"] >= 0
    assert seen["work"] == pytest.approx(seen["elastic"] + seen["broken"] + seen["freed"])
    damage = run.field("damage").reshape(24, 24)
    assert (damage[12:, :].sum(axis=0) > 0)[:20].all()
    assert (damage[:8] == 0).all()
    assert (damage[16:] == 0).all()
    assert set(damage[:, 8:].argmax(axis=0)) <= {11, 12}
    assert run.results()["peak/force [N]"] == seen["peak"]


def test_a_restored_run_goes_on_bit_for_bit(cpu):
    run = ENGINE.build(problem(1e-3, load_steps=6, precision="fp32", base=NOTCHED), cpu)
    run.advance(613)
    state = {name: np.array(values) for name, values in run.state().items()}
    assert run.observe()["bonds"] > 10
    again = ENGINE.build(problem(1e-3, load_steps=6, precision="fp32", base=NOTCHED), cpu)
    again.restore(state)
    for one in (run, again):
        one.advance(300)
    assert run.observe() == again.observe()
    assert (run.field("displacement") == again.field("displacement")).all()


def test_both_devices_take_the_same_iterations(cpu, on_host):
    """fp64: rounding of 60 iterations, and sums in another order behind the damping."""
    small = {**NOTCHED, "body": {"kind": "plate", "size_x": 12, "size_y": 12}, "measuring": {}, "notches": [],
             "loads": [held(side("bottom"), y=0.0, x=0.0), held(side("top"), y=0.004, x=0.0)]}  # fmt: skip
    runs = [ENGINE.build(problem(1e-3, load_steps=3, base=small), backend) for backend in (cpu, on_host)]
    for run in runs:
        run.advance(60)
    first, second = (run.observe() for run in runs)
    assert first["load_step"] >= 1
    for name, value in first.items():
        assert second[name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), name


def test_a_body_that_has_failed_ends_the_run(cpu):
    """A force, not a displacement: once the crack runs nothing stops it."""
    loads = [held(side("bottom"), y=0.0, x=0.0), {"kind": "force", "region": side("top"), "force": (0, 500, 0)}]
    run = ENGINE.build(problem(1e-3, base={**NOTCHED, "loads": loads}, most=2000), cpu)
    finished(run)
    assert "does not come to rest in load step 1 of 1" in run.ending
    steps = run.step
    run.advance(10)
    assert run.step == steps


@pytest.mark.parametrize(
    "loads",
    [
        [],
        [held(side("left"), x=0.0)],
        [held({"kind": "box", "low": (0, 5, 0), "high": (1, 6, 0)}, x=0.0, y=0.0)],
        [{"kind": "stress"}],
    ],
)
def test_a_body_that_nothing_holds_is_refused(cpu, loads):
    with pytest.raises(ProblemError, match="Nothing keeps the body from moving away or turning"):
        ENGINE.estimate(problem(loads=loads), cpu)


def test_iterations_are_counted_and_the_run_ends(cpu):
    slow = problem()
    assert ENGINE.time_unit_of(slow.parameters) == "iterations"
    assert ENGINE.ends(slow)
    assert ENGINE.estimate(slow, cpu).step == 1
    run = ENGINE.build(slow, cpu)
    run.advance(7)
    assert run.time == 7
    usual = Problem(PeridynamicParameters())
    assert ENGINE.time_unit_of(usual.parameters) == "us"
    assert not ENGINE.ends(usual)


@pytest.mark.parametrize("rows", [1, 4])
def test_a_support_bears_what_acts_on_its_own_particles(backend, rows):
    """At rest its reaction is the weight of the whole body; it was that of the free particles alone. The tolerance is
    ten times that of the relaxation."""
    gravity = {"kind": "gravity", "acceleration": (0.0, -1e4, 0.0)}
    given = problem(loads=[held(side("bottom", rows), x=0.0, y=0.0), gravity])
    seen = finished(ENGINE.build(given, backend))
    material = given.parameters.material
    weight = 36e-3 * 12e-3 * given.parameters.body.thickness * 1e-3 * material.density * 1e4
    assert seen["force_1_y"] == pytest.approx(weight, rel=1e-4)
    assert seen["force_2_y"] == pytest.approx(-weight, rel=1e-9)


def test_a_stress_on_what_is_held_is_borne_there_and_its_work_is_counted(backend):
    """The right side moves by 30 µm and a stress pushes it on: the reaction there is less by all of its force, and
    nothing else changes. What is elastic is all that is done, to the steps of the load."""
    stress = {"kind": "stress", "side": "right", "stress": (10.0, 0.0, 0.0)}
    stress["history"] = {"kind": "constant rate", "time": 100}
    bare, pushed = (
        finished(ENGINE.build(problem(load_steps=4, loads=[*BAR["loads"], *more]), backend)) for more in ([], [stress])
    )
    force = 10e6 * 12e-3 * 1e-3
    assert pushed["force_3_x"] == pytest.approx(bare["force_3_x"] - force, rel=1e-4)
    assert pushed["force_4_x"] == pytest.approx(force, rel=1e-9)
    assert pushed["displacement_4_x"] == pytest.approx(30.0, rel=1e-6)
    assert pushed["force_1_x"] == pytest.approx(bare["force_1_x"], rel=1e-4)
    assert pushed["elastic"] == pytest.approx(bare["elastic"], rel=1e-4)
    assert pushed["work"] == pytest.approx(bare["work"], rel=1e-3)
    assert abs(pushed["freed"]) < 2e-3 * pushed["work"]


def test_an_end_on_the_way_to_rest_is_told(backend):
    """Iterations are no time: 100 of them are not 100 µs."""
    run = ENGINE.build(problem(load_steps=3), backend)
    run.advance(100)
    (told,) = run.noticed()
    assert told.message.startswith("Load step 1 of 3 is not at rest yet (forces are out of balance by ")
    assert told.distorts
    assert told.remedy.without_end
    finished(run)
    assert not run.noticed()
