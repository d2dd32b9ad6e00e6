"""Contact: the run of the reference on both backends, momentum and energy, steps, shapes, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.peridynamics.body.bonded import filled
from engines.peridynamics.contact.contact import contact_on
from engines.peridynamics.contact.limits import contact_step, repulsion_rate
from engines.peridynamics.contact.reference import ReferenceContact
from engines.peridynamics.contact.rigid import rigid_on
from engines.peridynamics.contact.shapes import solid_of
from engines.peridynamics.lattice.reference import Reference
from engines.peridynamics.lattice.solver import LATTICE_SOLVER
from engines.peridynamics.material.mixture import Mixture
from engines.peridynamics.parameters.contact import Ball, Cuboid, Cylinder, Plane
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.setup.state import StateSetup
from tests.engines.peridynamics.contact.scenes import ENGINE, PLATE, SCENES, ball, problem
from tests.engines.peridynamics.lattice.test_solver import discretised, pairs_of

STEPS = 40


@pytest.mark.parametrize("scene", SCENES)
def test_a_run_is_that_of_the_reference(device, scene):
    """fp64: rounding of 40 steps, 1e-11 of the largest velocity (bonds alone: as in test_solver). Half of the plate has
    0.4 times the density, in stripes, so that light particles meet heavy ones."""
    given = problem(**SCENES[scene]).parameters
    made, loads, lattice = discretised(given, 1e-2)
    body, dt = filled(given), made.scales.time
    rigid = rigid_on(body, given.penetrators, lattice, dt)
    pairs, weak, _ = pairs_of(made)
    mass = np.ones(len(body.cells))
    if scene == "plate":
        stripe = body.cells[:, 0] % 2
        mass, material = np.where(stripe, 0.4, 1.0), np.zeros(made.size, np.uint8)
        material[made.places] = stripe
        mixture = Mixture(material, np.ones((2, 2)), np.full((2, 2), made.limit), np.array([1.0, 2.5]))
        made = replace(made, mixture=mixture)
    bonds = Reference(body.cells[:, : body.dimensions], pairs, weak, made.stiffness, 1e-2, mass=mass)
    reference = ReferenceContact(bonds, rigid, repulsion_rate(given, lattice) * dt**2, given.contact.radius)
    solver = LATTICE_SOLVER.open(device, made, "float64")
    contact = contact_on(solver, made, body, given, rigid, lattice)
    with device.active():
        for follower in solver.followers:
            follower.prepare(0, STEPS)
        solver.advance(loads.table(0, STEPS), half=True)
    nothing = np.zeros_like(bonds.u)
    for step in range(STEPS):
        bonds.step(0.5 if step == 0 else 1.0, nothing, nothing != 0, nothing, nothing)
        reference.step()
    largest = np.abs(bonds.v).max()
    v = device.to_host(solver.arrays["v"])[:, made.places].T
    assert np.abs(v - bonds.v).max() <= 1e-11 * largest
    seen, scales = contact.penetrators.seen(), made.scales
    assert np.abs(seen.forces).min(axis=0)[0] > 0 or np.abs(seen.forces).any(axis=1).all()
    assert np.abs(seen.forces - reference.forces * scales.force).max() <= 1e-9 * np.abs(seen.forces).max()
    assert seen.stored == pytest.approx(reference.potential * scales.energy, rel=1e-9)
    assert seen.friction == pytest.approx(reference.slid * scales.energy, rel=1e-9)
    assert contact.particles.stored() == pytest.approx(reference.repelled * scales.energy, rel=1e-9)
    assert reference.repelled > 1e-6 * reference.potential > 0
    assert reference.slid > 0


def momentum(run) -> np.ndarray:
    """[kg m/s] of the particles, with what penetrators have given them for the coming step."""
    solver = run._solver
    v = run._backend.to_host(solver.arrays["v"] + solver.pushes).sum(axis=1)
    return v * solver.body.scales.velocity * solver.body.scales.mass


def missing(seen) -> float:
    """[mJ]"""
    kept = sum(seen[name] for name in ("kinetic", "elastic", "broken", "damped", "contact", "friction"))
    return abs(seen["work"] - kept)


def test_a_sphere_that_hits_a_block_keeps_momentum_and_energy(cpu):
    """Momentum: rounding, 1e-12 of the sphere's. Energy: 0.1 % of the work in the end, an error of second order in the
    step."""
    mass, start = 1.0, np.array([4.0, -20.0, 0.0])
    struck = problem(
        body={"kind": "block", "size_x": 12, "size_y": 8, "size_z": 12},
        penetrators=[ball((6, 11.02, 6), 3, {"kind": "free", "mass": mass, "velocity": tuple(start)})],
        numerics={"precision": "fp64", "safety": 0.4},
    )
    run = ENGINE.build(struck, cpu)
    worst = most = 0.0
    for _ in range(10):
        run.advance(20)
        seen = run.observe()
        velocity = run._contact.penetrators._states[0, 3:6] * run._solver.body.scales.velocity
        exchanged = mass * 1e-3 * (start - velocity)
        assert np.abs(momentum(run) - exchanged).max() <= 1e-12 * mass * 1e-3 * 20
        worst, most = max(worst, missing(seen)), max(most, seen["contact"])
    assert seen["penetrator_1_velocity_y"] > 0  # it is thrown back
    assert seen["contact"] == 0.0 < most
    assert worst <= 1e-3 * seen["work"]
    run.close()


def test_energy_is_balanced_with_friction(cpu):
    """A free ball and a driven box rub along a cut plate: 0.1 % of the work in the end, an error of second order in the
    step."""
    run = ENGINE.build(problem(**SCENES["plate"], numerics={"precision": "fp64", "safety": 0.35}), cpu)
    worst = 0.0
    for _ in range(6):
        run.advance(20)
        seen = run.observe()
        worst = max(worst, missing(seen))
    assert worst <= 1e-3 * seen["work"]
    assert seen["friction"] > 0.1 * seen["work"]
    run.close()


def test_a_struck_and_rubbed_plate_keeps_its_energy_at_the_longer_step(device):
    """At 0.7 of the stable step no more than 0.1 % of the work is missing at any of 12 moments (measured 0.02; 0.11 to
    0.22 by forces that begin and end at the ends of steps), and at half of it at most a third of that."""
    worst = []
    for safety in (0.7, 0.35):
        run = ENGINE.build(problem(**SCENES["plate"], numerics={"precision": "fp64", "safety": safety}), device)
        found = 0.0
        for _ in range(12):
            run.advance(round(0.79 / run.dt))
            seen = run.observe()
            found = max(found, missing(seen))
        worst.append(found / seen["work"])
        run.close()
    assert worst[0] <= 1e-3
    assert worst[1] <= 0.34 * worst[0]


def test_energy_that_is_missing_is_told_with_a_step_that_keeps_it(cpu):
    """A box that is driven fast against a block, which it meets with its edges: at 0.7 of the stable step 0.3 % is
    missing in the end, and at what it is told to take below 0.1 %."""
    box = {"body": SCENES["block"]["body"], "penetrators": SCENES["block"]["penetrators"][1:]}

    def noticed(safety: float):
        run = ENGINE.build(problem(**box, numerics={"precision": "fp64", "safety": safety}), cpu)
        run.advance(round(9.49 / run.dt))
        found, missed = run.noticed(), run.observe()["imbalance"]
        run.close()
        assert bool(found) == (missed > 0.1)
        return found

    (told,) = noticed(0.7)
    assert "of the energy is missing" in told.message
    assert not noticed(0.7 * float(told.message.split("one of ")[1].split(" times")[0]))


def test_the_default_step_is_shorter_with_friction(cpu):
    """Where nothing rubs it is 0.7 of the stable one, with contact and without, with friction 0.45."""
    shares, smooth = [], [{**each, "friction": 0.0} for each in LEANING["penetrators"]]
    for changes in (
        {},
        {"contact": {"kind": "repulsion"}},
        {"penetrators": smooth},
        {"penetrators": LEANING["penetrators"]},
    ):
        given = {"body": LEANING["body"], "numerics": {"precision": "fp64"}, **changes}
        estimate = ENGINE.estimate(problem(**given), cpu)
        shares.append(estimate.step / estimate.stable_step)
    assert shares == pytest.approx([0.7, 0.7, 0.7, 0.45])


LEANING = {
    "body": {"kind": "plate", "size_x": 8, "size_y": 4},
    "loads": [
        {"kind": "stress", "side": "top", "stress": (9.0, -20.0, 0), "rise": 0.5},
        {"kind": "velocity", "region": {"kind": "side", "side": "left", "rows": 1}, "x": None, "y": -0.3},
    ],
    "penetrators": [{"form": {"kind": "plane"}, "motion": {"kind": "fixed"}, "friction": 0.3}],
}


@pytest.mark.parametrize("theory", ["bond-based", "state-based"])
def test_energy_is_balanced_with_damping_and_contact(device, theory):
    """A body that is pressed on a plane and slides, while damping is as strong as to take most of its energy: what is
    missing is 0.1 % of the work at the default step, and a quarter of that (a third, for slip comes and goes) at half
    of it. Contact that counts as motion to be damped would miss a tenth."""
    found = []
    for safety in (0.7, 0.35):
        numerics = {"precision": "fp64", "safety": safety, "damping": 1e6}
        bonds = {"spacing": 1.0, "theory": theory}
        run = ENGINE.build(problem(**LEANING, bonds=bonds, numerics=numerics), device)
        worst = 0.0
        for _ in range(4):
            run.advance(round(1.0 / run.dt))
            seen = run.observe()
            worst = max(worst, missing(seen))
        assert seen["damped"] > 0.1 * seen["work"]
        assert seen["contact"] > 0 < seen["friction"]
        found.append(worst / seen["work"])
        run.close()
    assert found[0] <= 1e-3
    assert found[1] <= max(0.34 * found[0], 1e-5)


def test_two_halves_of_a_cut_body_collide_and_bounce(cpu):
    """Momentum stays with the two halves to rounding, energy to 0.1 %; their rows never come closer than half a
    spacing (contact begins at 0.95)."""
    cut = problem(
        body={"kind": "plate", "size_x": 12, "size_y": 8},
        notches=[{"start": (-1, 4), "end": (13, 4)}],
        contact={"kind": "repulsion"},
        penetrators=[ball((6, 13.02, 0), 5, {"kind": "free", "mass": 0.5, "velocity": (0, -20, 0)})],
        numerics={"precision": "fp64", "safety": 0.25},
    )
    run = ENGINE.build(cut, cpu)
    places, below = run._solver.body.places, run.geometry.positions[:, 1] < 4
    worst, nearest, handed = 0.0, 1.0, []
    for _ in range(12):
        run.advance(40)
        seen = run.observe()
        worst = max(worst, missing(seen))
        u, v = run._solver.arrays["u"][1, places], run._solver.arrays["v"][1, places]
        y = run.geometry.positions[:, 1] + u
        nearest = min(nearest, y[~below].min() - y[below].max())
        handed.append((v[below].sum(), v.sum()))
    assert nearest > 0.5
    assert worst <= 1e-3 * seen["work"]
    lower, whole = handed[-1]
    assert abs(lower / whole) > 0.5  # of two equal halves the lower one goes ahead
    assert handed[-1][1] == pytest.approx(handed[-2][1], rel=1e-12)
    run.close()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"penetrators": [ball((5, 11.0, 0), 4, {"kind": "fixed"})]}, "1 starts inside the body: move it away by"),
        ({"penetrators": [ball((5, 13, 0), 4, {"kind": "free"})]}, "1 has no mass: give it at least"),
        ({"penetrators": [ball((5, 13, 0), 4, {"kind": "free", "mass": 1e-4})]}, "1 is too light to be followed"),
        (
            {
                "penetrators": [ball((5, 13, 0), 4, {"kind": "fixed"}, stiffness=50)],
                "numerics": {"precision": "fp64", "step": 0.2},
            },
            "stable limit of this contact: use at most .*, or a softer contact",
        ),
        ({"contact": {"kind": "repulsion", "radius": 1.2}}, "be 1 spacing at most"),
        ({"penetrators": [{"form": {"kind": "cylinder"}}]}, "take a ball"),
        ({"penetrators": [{"form": {"kind": "plane", "normal": (0, 0, 1)}}]}, "has no length"),
        ({"penetrators": [{"form": {"kind": "cuboid", "low": (9, 9, 0), "high": (8, 10, 0)}}]}, "exchange them"),
    ],
)
def test_what_cannot_run_is_refused(cpu, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(problem(body=PLATE, **changes), cpu)


def test_contact_shortens_the_step_only_where_it_is_stiff(cpu):
    """Half of a lattice's bonds are behind a particle at a surface, and the row along it."""

    def limit(stiffness=5.0, **bonds):
        contact = {"kind": "repulsion", "stiffness": stiffness} if stiffness else {"kind": "none"}
        return BondSetup(problem(body=PLATE, contact=contact, bonds={"spacing": 1.0, **bonds}).parameters, cpu).limit

    assert limit() > 0.95 * limit(0)
    assert limit(60.0) < 0.5 * limit(0)
    given = BondSetup(problem(body=PLATE).parameters, cpu)
    assert 0.5 < given.lattice.surface_share < 0.75  # the row along the surface is whole
    assert contact_step(given.parameters, given.lattice, given.limit, 1.0) == np.inf
    # bonds at a surface that are as stiff as inside leave less for contact
    assert limit(surface_correction=True) < limit() < limit(0)


@pytest.mark.parametrize("setup", [BondSetup, StateSetup])
def test_particles_push_each_other_as_hard_by_either_theory(cpu, setup):
    """c_s is a multiple of a bond's stiffness, which is the same at the ratio that bond-based bodies have: rounding.
    The bound of contact has all bonds that a particle at a surface has."""
    material = {"fracture_energy": 1e6, "poisson": 1 / 3}
    plain = BondSetup(problem(body=PLATE, material=material).parameters, cpu)
    alone = setup(problem(body=PLATE, material=material).parameters, cpu)
    given = setup(problem(body=PLATE, material=material, contact={"kind": "repulsion"}).parameters, cpu)
    expected = repulsion_rate(given.parameters, plain.lattice)
    assert repulsion_rate(given.parameters, given.lattice) == pytest.approx(expected, rel=1e-12)
    bound = given.lattice.surface_share * 4 / alone.limit**2 + 3 * expected
    assert given.limit == pytest.approx(min(alone.limit, (4 / bound) ** 0.5), rel=1e-12)


@pytest.mark.parametrize(
    "form",
    [
        Ball(center=(1, 2, 3), radius=2),
        Cylinder(center=(1, 2, 3), direction=(1, 1, 0), radius=2, length=6),
        Cuboid(low=(0, 0, 0), high=(2, 3, 4)),
        Plane(point=(1, 2, 3), normal=(0, 1, 1)),
    ],
    ids=lambda form: form.kind,
)
def test_outlines_lie_on_the_surface_and_the_way_out_is_its_gradient(form):
    """1e-9 mm: rounding. The gradient by differences of 1e-6 mm: 1e-5, beside edges that none of 200 points is near."""
    solid = solid_of(form, 3)
    for line in solid.outline(10.0):
        assert np.abs(solid.distance(line)[0]).max() <= 1e-9
    points = np.random.default_rng(1).uniform(-4, 8, (200, 3))
    distance, out = solid.distance(points)
    for axis in range(3):
        step = 1e-6 * np.eye(3)[axis]
        slope = (solid.distance(points + step)[0] - solid.distance(points - step)[0]) / 2e-6
        assert np.abs(slope - out[:, axis]).max() <= 1e-5
    assert np.abs(np.linalg.norm(out, axis=1) - 1).max() <= 1e-12
    assert (distance < 0).any()
