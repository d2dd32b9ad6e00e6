"""What a viewer is told of a body that breaks: where particles are, bonds of one of them, the path, the facts."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.device import Ceilings, DeviceInfo
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.setup.pace import BANDWIDTH, GPU_LEAST, seconds_per_step
from engines.peridynamics.watch.crack_path import crack_path

PARAMETERS = PeridynamicParameters.model_validate(
    {
        "body": {"kind": "plate", "size_x": 10.0, "size_y": 8.0, "thickness": 1.0},
        "bonds": {"spacing": 0.5, "reach": 3},
        "notches": [{"start": [0.0, 4.0], "end": [5.0, 4.0]}],
        "loads": [],
        "unbreakable": [],
    }
)


@pytest.fixture
def plate(cpu):
    simulation = PeridynamicsEngine().build(Problem(PARAMETERS), cpu)
    yield simulation
    simulation.close()


def stretched(simulation, strain: float) -> None:
    """Give every particle u = strain · y along y."""
    solver = simulation._solver
    places, spacing = solver.body.places, 0.5
    u = np.array(simulation._backend.to_host(solver.arrays["u"]))
    u[1, places] = strain * simulation.geometry.positions[:, 1] / spacing
    solver.arrays["u"] = simulation._backend.array(u)


def test_displacements_are_vectors_in_the_unit_of_the_geometry(plate) -> None:
    stretched(plate, 1e-3)
    moved = plate.field(plate.displaced.name)
    assert moved.shape == (320, 3)
    # float32 in spacings
    assert moved[:, 1] == pytest.approx(1e-3 * plate.geometry.positions[:, 1], rel=1e-6)
    assert not moved[:, [0, 2]].any()
    handle = plate.select(Selection(np.array([7, 3], np.int32)))
    assert (plate.gather(plate.displaced.name, handle) == moved[[7, 3]]).all()
    assert plate.displaced.unit == plate.geometry.length_unit


def test_colours_follow_displacements_for_nothing_tells_how_far_a_body_goes(plate) -> None:
    """Pieces that fly are beyond any range that bonds suggest: 70 % of a cylinder's values were."""
    following = {field.name: field.range for field in plate.fields if field.guessed and field.anchored}
    assert set(following) == {"displacement", "displacement_x", "displacement_y"}
    assert following["displacement"][0] == 0.0
    assert following["displacement_x"][0] == -following["displacement_x"][1]


def test_the_bonds_of_a_particle_have_their_stretch_and_say_which_are_gone(plate) -> None:
    strain = 1e-3
    stretched(plate, strain)
    element = int(plate.geometry.nearest(np.array([[2.25, 4.25, 0.0]]))[0])  # in the row above the notch
    inspection = plate.inspect(element)
    links = inspection.links
    ends = links.segments[:, 1] - links.segments[:, 0]
    assert len(links.values) == 28
    assert np.isnan(links.values).sum() == (ends[:, 1] < 0).sum() == 11
    lengths = np.linalg.norm(ends, axis=1)
    now = np.linalg.norm(ends * [1.0, 1.0 + strain, 1.0], axis=1)
    holds = np.isfinite(links.values)
    # u is float32 in spacings, up to 0.016: 1e-9 of a bond of one spacing
    assert links.values[holds] == pytest.approx((now / lengths - 1)[holds], abs=4e-9)
    moved = links.displacements[:, 1] - links.displacements[:, 0]
    assert moved[:, 1] == pytest.approx(strain * ends[:, 1], abs=1e-8)
    facts = {fact.title: fact.value for fact in inspection.facts}
    assert facts["Bonds that hold"] == 17
    assert facts["Part of the critical one"] == pytest.approx(np.nanmax(links.values) / links.range[1])


def test_the_path_begins_with_the_notch(plate) -> None:
    lines = plate.lines()
    x, y = lines.segments[..., 0], lines.segments[..., 1]
    assert y == pytest.approx(4.0)
    assert x.min() == pytest.approx(0.25)
    assert x.max() == pytest.approx(4.75, abs=0.51)  # by a column: damage of those before the tip
    assert np.abs(x[:, 1] - x[:, 0]) == pytest.approx(0.5)


def test_what_the_crack_left_behind_is_among_the_results(plate) -> None:
    """The notch's path and the bonds that it cuts, of the particles beside it alone."""
    found = plate.results()
    np.testing.assert_array_equal(found["crack/path [mm]"], plate.lines().segments)
    assert len(found["crack/path [mm]"])
    uncut, broken = found["bonds/uncut [1]"], found["bonds/broken [1]"]
    np.testing.assert_allclose(broken / uncut, plate.field("damage"), atol=1e-6)
    horizon = 4 * 2 * plate.geometry.radii[0]
    beside = np.abs(found["bonds/particle [mm]"][:, 1] - found["crack/path [mm]"][0, 0, 1]) < horizon
    assert broken[beside].any()
    assert not broken[~beside].any()


@pytest.mark.parametrize("axis", [0, 1])
def test_the_path_has_the_branches_of_the_crack(axis) -> None:
    """A row of damaged particles that forks: two ends, each joined to the fork."""
    along, across = np.meshgrid(np.arange(20.0), np.arange(21.0))
    apart = np.maximum(along - 9, 0) * 0.5
    damaged = (np.abs(np.abs(across - 10) - apart) <= 1).ravel()
    places = np.zeros((along.size, 3))
    places[:, axis], places[:, 1 - axis] = along.ravel(), across.ravel()
    lines = crack_path(places, np.zeros_like(places), damaged, axis, False, 1.0)
    ends = lines.segments[lines.segments[:, 1, axis] == 19.0, 1, 1 - axis]
    assert sorted(ends) == pytest.approx([5.0, 15.0], abs=1.0)
    before, after = lines.segments[:, 0, axis], lines.segments[:, 1, axis]
    assert (after - before == 1.0).all()
    backward = crack_path(places, np.zeros_like(places), damaged, axis, True, 1.0)
    assert (backward.segments[:, 1, axis] - backward.segments[:, 0, axis] == -1.0).all()


def test_without_a_crack_there_is_no_path() -> None:
    nothing = crack_path(np.random.default_rng(0).random((9, 3)), np.zeros((9, 3)), np.zeros(9, bool), 0, False, 0.1)
    assert nothing.segments.shape == (0, 2, 3)


def test_the_path_of_a_body_is_taken_in_slices() -> None:
    z, y, x = (
        axis.ravel().astype(float) for axis in np.meshgrid(np.arange(20), np.arange(6), np.arange(8), indexing="ij")
    )
    places = np.stack([x, y, z], axis=1)
    lines = crack_path(places, np.zeros_like(places), (np.abs(y - 2.5) < 1) & (x < 5), 0, False, 1.0)
    slices = np.unique(lines.segments[..., 2])
    assert len(slices) == 7
    assert slices[[0, -1]].tolist() == [0.0, 19.0]
    assert len(lines.segments) == 7 * 4


def test_the_estimate_has_what_the_lattice_is_judged_by(cpu) -> None:
    estimate = PeridynamicsEngine().estimate(Problem(PARAMETERS), cpu)
    facts = {fact.title: fact.value for fact in estimate.facts}
    assert facts["Horizon over spacing"] == 3
    assert facts["Horizon"] == pytest.approx(1.5)
    assert facts["Poisson's ratio"] == pytest.approx(1 / 3)
    assert facts["Step over the largest stable one"] == pytest.approx(estimate.step / estimate.stable_step)
    assert abs(facts["Stiffness along the axes: error"]) < 10  # %


def test_damage_counts_what_softening_has_taken(cpu) -> None:
    given = PARAMETERS.model_dump()
    given["material"]["law"] = {"kind": "bilinear", "begins": "stretch", "stretch": 1e-5}
    simulation = PeridynamicsEngine().build(Problem(PeridynamicParameters.model_validate(given)), cpu)
    solver, before = simulation._solver, simulation.field("damage")
    simulation._find_damage()
    assert before == pytest.approx(solver.damage_values[solver.body.places], abs=1e-6)  # bonds that the notch cuts
    failure = 5e-3  # beyond that of the law
    for strain, gone in ((1e-4, False), (failure, True)):
        stretched(simulation, strain)
        simulation.advance(1)
        damage, broken = simulation.field("damage"), solver.damage_values[solver.body.places]
        history = solver.arrays["history"][:, solver.body.places]
        lost = before + history.sum(axis=0) / solver.body.whole[solver.body.places]
        assert damage == pytest.approx(lost, abs=1e-6)
        assert (damage > before).all()
        assert (broken > before).any() == gone
        if gone:  # whoever is gone counts whole, whoever softens in part: float32 sums of 28
            held = (history * (history < 1)).sum(axis=0) / solver.body.whole[solver.body.places]
            assert damage == pytest.approx(broken + held, abs=1e-6)
    assert simulation.observe()["tip"] == pytest.approx(9.75)  # the last column
    simulation.close()


class Measured:
    """A device as fast as the one that steps were measured on; on it or on two cores."""

    info = DeviceInfo("Measured", "cuda", 1 << 37, 2, "", {})

    def __init__(self, kind: str) -> None:
        self.id = kind

    def ceilings(self) -> Ceilings:
        return Ceilings(BANDWIDTH, BANDWIDTH)


@pytest.mark.parametrize(
    ("kind", "dimensions", "microseconds"),
    [("plain", 2, 38), ("plain", 3, 192), ("softening", 2, 48), ("state-based", 3, 569), ("irregular", 3, 256)],
)
def test_wall_time_is_that_of_a_million_particles_as_measured(kind, dimensions, microseconds) -> None:
    """Published figures of one H200; smaller bodies take a launch at least, twice as many particles twice as long."""
    bonds = {2: 28e6, 3: 122e6}[dimensions]

    def on(count, device="cuda:0"):
        return seconds_per_step(Measured(device), 1, count, 4, dimensions, kind)

    assert on(bonds) == pytest.approx(microseconds * 1e-6, rel=1e-12)
    assert on(2 * bonds) == pytest.approx(2 * on(bonds), rel=1e-12)
    assert on(1e3) == GPU_LEAST[dimensions - 2]
    cpu = {2: 1790e6, 3: 1390e6}[dimensions]  # plain bonds a second, each counted once, on two cores
    if kind == "plain":
        assert on(bonds, "cpu") == pytest.approx(0.5 * bonds / cpu, rel=1e-12)
