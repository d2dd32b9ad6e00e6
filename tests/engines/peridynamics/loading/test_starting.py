"""Bodies that move at the start: where they go, what energy they bring, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.loading.starting import start_velocities
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.parameters.loading.starting import Expanding

ENGINE = PeridynamicsEngine()
FREE = {
    "body": {"kind": "plate", "size_x": 20, "size_y": 12},
    "bonds": {"spacing": 1.0},
    "notches": [],
    "loads": [],
    "unbreakable": [],
}


def problem(**changes) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**FREE, **changes}))


def test_a_flying_body_goes_its_way(cpu):
    """u = v t for all particles, and all of its energy stays kinetic: to float32's rounding of 40 steps."""
    run = ENGINE.build(problem(start={"kind": "flying", "velocity": (3.0, -4.0, 0.0)}), cpu)
    seen = run.observe()
    kinetic = 0.5 * 2440 * 20e-3 * 12e-3 * 1e-3 * 5.0**2 * 1e3
    assert seen["work"] == pytest.approx(kinetic, rel=1e-6)
    assert seen["imbalance"] < 1e-4
    run.advance(40)
    seen = run.observe()
    assert seen["kinetic"] == pytest.approx(kinetic, rel=1e-5)
    assert seen["imbalance"] < 1e-3
    moved, velocity = (run.field(vector.parts[0]) for vector in run.vectors)
    assert moved == pytest.approx(np.tile([3e-3, -4e-3, 0.0], (240, 1)) * run.time, rel=1e-4)
    assert velocity == pytest.approx(np.tile([3.0, -4.0, 0.0], (240, 1)), rel=1e-4)
    run.close()


@pytest.mark.parametrize("integrator", ["velocity Verlet", "Euler-Cromer"])
def test_a_plate_that_flies_apart_keeps_its_energy(cpu, integrator):
    """A fifth of what it starts with becomes elastic or breaks bonds; 0.1 % is VERIFICATION's."""
    start = {"kind": "expanding", "center": (10, 6, 0), "outward": 10.0, "scatter": 5.0}
    tough = {"fracture_energy": 400.0}
    run = ENGINE.build(problem(start=start, material=tough, numerics={"integrator": integrator}), cpu)
    begun = run.observe()
    assert begun["kinetic"] == pytest.approx(0.5 * 2440 * 20e-3 * 12e-3 * 1e-3 * 10.0**2 * 1e3, rel=0.01)
    run.advance(30)
    seen = run.observe()
    assert seen["work"] == pytest.approx(begun["kinetic"], rel=1e-6)
    assert seen["elastic"] + seen["broken"] > 0.2 * seen["work"]
    assert seen["bonds"] > 0
    assert seen["imbalance"] < 0.1
    run.close()


def test_the_velocities_of_a_tube():
    """Those of Peridigm's example: (200 − 50 (z/a)²) outward, 100 z/a along the axis."""
    start = Expanding(outward=200.0, slower_ends=50.0, lengthwise=100.0)
    centers = np.array([[20.0, 0, 0], [0, 25.0, 50.0], [-3.0, 4.0, -50.0], [0, 0, 0]])
    found = start_velocities(start, centers, 3)
    expected = [[200.0, 0, 0], [0, 150.0, 100.0], [-90.0, 120.0, -100.0], [0, 0, 0]]
    assert found == pytest.approx(np.array(expected))


def test_scatter_is_the_same_in_every_run_and_bounded():
    centers = np.random.default_rng(1).normal(size=(500, 3))
    one, again, other = (
        start_velocities(Expanding(outward=100.0, scatter=2.0, seed=seed), centers, 3) for seed in (0, 0, 1)
    )
    assert (one == again).all()
    assert (one != other).any()
    outward = np.linalg.norm(one, axis=1)
    assert 98 <= outward.min() < 98.2
    assert 101.8 < outward.max() <= 102


def test_what_loads_hold_does_not_fly(cpu):
    load = {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}, "y": 0.0}
    run = ENGINE.build(problem(loads=[load], start={"kind": "flying", "velocity": (1.0, 1.0, 0.0)}), cpu)
    velocity = run.field("velocity").reshape(12, 20)
    assert velocity[0] == pytest.approx(1.0)  # free along x
    assert velocity[1:] == pytest.approx(2**0.5)
    run.close()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"start": {"kind": "expanding", "axis": "x"}}, "along z only"),
        (
            {
                "start": {"kind": "flying"},
                "numerics": {"integrator": "dynamic relaxation"},
                "loads": [{"kind": "displacement", "x": 0.0, "y": 0.0}],
            },
            "starts at rest",
        ),
    ],
)
def test_what_cannot_start_is_refused(cpu, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(problem(**changes), cpu)
