"""Strain and stress of particles: uniform strain, turning, the reference, softened bonds, a plate with a hole."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.watch.strain.reference import stress_of, told
from engines.peridynamics.watch.strain.solid import ROWS, elastic

STRESSES = {name: row for name, row in ROWS.items() if name.startswith("stress_")}
FOUND = {name: row for name, row in ROWS.items() if name != "dilatation"}
BODIES = {
    "plate": {"kind": "plate", "size_x": 9.0, "size_y": 7.0},
    "strain": {"kind": "plate", "formulation": "plane strain", "size_x": 9.0, "size_y": 7.0},
    "block": {"kind": "block", "size_x": 6.0, "size_y": 5.0, "size_z": 4.0},
}
GRADIENT = 1e-3 * np.array([[0.3, 0.7, -0.2], [-0.1, 0.4, 0.5], [0.6, -0.8, -0.3]])
ROTATION = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])


def built(device, body: str, **changes):
    given = {"body": BODIES[body], "bonds": {"spacing": 1.0}, "notches": [], "loads": [], "unbreakable": []}
    return PeridynamicsEngine().build(Problem(PeridynamicParameters.model_validate(given | changes)), device)


def put(simulation, u: np.ndarray) -> None:
    """u: (n, d) in spacings."""
    solver = simulation._solver
    values = np.array(solver.arrays["u"])
    values[:, solver.body.places] = u.T
    solver.arrays["u"][...] = values


def gradient_of(simulation) -> np.ndarray:
    d = simulation._solver.body.dimensions
    return GRADIENT[:d, :d]


def expected(simulation, gradient: np.ndarray, poisson: float, formulation: str) -> np.ndarray:
    """(3,) of a uniform strain."""
    deformation = np.eye(len(gradient)) + gradient
    strain = 0.5 * (deformation.T @ deformation - np.eye(len(gradient)))
    stress = stress_of(strain, elastic(formulation, 72e9, poisson))
    deviator = stress - np.trace(stress) / 3 * np.eye(3)
    return np.array([np.linalg.eigvalsh(strain)[-1], np.sqrt(1.5 * (deviator**2).sum()), np.trace(stress) / 3])


@pytest.mark.parametrize("theory", ["bond-based", "state-based"])
@pytest.mark.parametrize(
    ("body", "formulation"), [("plate", "plane stress"), ("strain", "plane strain"), ("block", "3D")]
)
def test_uniform_strain_is_exact_at_every_particle(device, body, formulation, theory) -> None:
    """fp64, to the float32 of what is gathered; surfaces and corners too."""
    poisson = 0.4 if theory == "state-based" else (1 / 3 if formulation == "plane stress" else 1 / 4)
    simulation = built(
        device,
        body,
        bonds={"spacing": 1.0, "theory": theory},
        material={"poisson": 0.4},
        numerics={"precision": "fp64"},
    )
    gradient = gradient_of(simulation)
    positions = simulation.geometry.positions[:, : len(gradient)]
    put(simulation, positions @ gradient.T)
    wanted = expected(simulation, gradient, poisson, formulation)
    for name, value in zip(("strain", "von_mises", "mean_stress"), wanted, strict=True):
        assert simulation.field(name) == pytest.approx(value, rel=1e-6), name
    simulation.close()


def test_the_stress_of_simple_states_is_known() -> None:
    """E = 72 GPa: a bar, in a plate and in a body; a strip that cannot narrow across the plate."""
    bar = stress_of(np.diag([1e-3, -0.25e-3, -0.25e-3]), elastic("3D", 72e9, 0.25))
    assert bar == pytest.approx(np.diag([72.0, 0, 0]), abs=1e-12)
    plate = stress_of(np.diag([1e-3, -1e-3 / 3]), elastic("plane stress", 72e9, 1 / 3))
    assert plate == pytest.approx(np.diag([72.0, 0, 0]), abs=1e-12)
    strip = stress_of(np.diag([1e-3, 0.0]), elastic("plane strain", 72e9, 0.25))
    assert np.diag(strip) == pytest.approx([86.4, 28.8, 28.8])


def test_what_only_turns_has_no_strain(device) -> None:
    """By 53°, in float32: displacements of ten spacings, rounded to 5e-7, over a bond."""
    simulation = built(device, "plate")
    turned = simulation.geometry.positions[:, :2] @ (ROTATION[:2, :2] - np.eye(2)).T
    put(simulation, turned)
    assert np.abs(simulation.field("strain")).max() < 3e-7
    assert np.abs(simulation.field("von_mises")).max() < 72e3 * 6e-7
    simulation.close()


def test_dilatation_of_a_state_based_solid_is_that_of_its_forces(device) -> None:
    """Of a uniform dilation everywhere; of shear and stretch inside, where the family is as it is in all directions.
    e is that of finite strain: to the strain squared."""
    simulation = built(device, "plate", bonds={"spacing": 1.0, "theory": "state-based"}, numerics={"precision": "fp64"})
    positions = simulation.geometry.positions[:, :2]
    put(simulation, 1e-3 * positions)
    assert simulation.field("dilatation") == pytest.approx(2e-3, rel=1e-6)
    simulation._strained = -1
    gradient = gradient_of(simulation)
    put(simulation, positions @ gradient.T)
    inside = (np.abs(positions - [4.5, 3.5]) < [1.5, 0.5]).all(axis=1)
    assert inside.any()
    assert simulation.field("dilatation")[inside] == pytest.approx(np.trace(gradient), abs=2e-6)
    simulation.close()


def pairs_of(body) -> tuple[np.ndarray, np.ndarray]:
    """(m, 2) particles and (m,) bits: bonds that hold, from both ends."""
    number = np.full(body.layout.size, -1)
    number[body.places] = np.arange(len(body.places))
    found, bits = [], []
    for bit, step in enumerate(body.layout.steps(body.family.offsets)):
        here = body.places[(body.words[bit // WORD, body.places] >> np.uint32(bit % WORD)) & 1 > 0]
        found.append(np.stack([number[here], number[here + step]], axis=1))
        bits.append(np.full(len(here), bit))
    return np.concatenate(found), np.concatenate(bits)


@pytest.mark.parametrize("body", ["plate", "block"])
def test_any_displacement_is_that_of_the_reference(device, body) -> None:
    """A notch, two materials, an influence function and bonds that have softened."""
    right = {"region": {"kind": "half-space", "point": [4.6, 0, 0], "direction": [1, 0, 0]}, "young": 10.0}
    simulation = built(
        device, body, bonds={"spacing": 1.0, "influence": "quartic"}, notches=[{"start": [0, 3], "end": [3, 3]}],
        materials=[right | {"fracture_energy": 5e3, "law": {"kind": "bilinear", "strength": 20.0}}],
        material={"law": {"kind": "bilinear", "strength": 20.0}, "fracture_energy": 5e3},
        numerics={"precision": "fp64"},
    )  # fmt: skip
    solver, random = simulation._solver, np.random.default_rng(4)
    placed, d = solver.body, solver.body.dimensions
    u = 1e-3 * random.standard_normal((len(placed.places), d))
    put(simulation, u)
    pairs, bits = pairs_of(placed)
    softened, damage = random.random(len(pairs)) < 0.3, random.random(len(pairs))
    at = placed.places[pairs[:, 0]]
    soft, history = np.zeros_like(placed.words), np.zeros(solver.arrays["history"].shape)
    np.bitwise_or.at(soft, (bits // WORD, at), softened.astype(np.uint32) << (bits % WORD).astype(np.uint32))
    history[bits, at] = damage
    solver.arrays["soft"][...], solver.arrays["history"][...] = soft, history
    positions = simulation.geometry.positions[:, :d]
    xi, eta = positions[pairs[:, 1]] - positions[pairs[:, 0]], u[pairs[:, 1]] - u[pairs[:, 0]]
    longer = (eta * (2 * xi + eta)).sum(axis=1) > 0
    left = np.where(softened & longer, 1 - damage, 1.0)
    formulation, poisson = ("3D", 1 / 4) if d == 3 else ("plane stress", 1 / 3)
    solids = [elastic(formulation, (10e9 if x > 4.6 else 72e9), poisson) for x in positions[:, 0]]
    wanted = told(positions, u, pairs, placed.bond_weights[bits], solids, left)
    largest = np.abs(wanted[list(STRESSES.values())]).max()
    for name, row in FOUND.items():
        scale = np.abs(wanted[row]).max() if name not in STRESSES else largest
        assert np.abs(simulation.field(name) - wanted[row]).max() <= 1e-6 * scale, name
    simulation.close()


def test_points_have_their_strain_too(device, tmp_path) -> None:
    """Irregular ones, weighted by their volumes; a uniform strain and any displacement."""
    random = np.random.default_rng(2)
    x, y = np.meshgrid(np.arange(9) + 0.5, np.arange(7) + 0.5)
    table = np.column_stack([x.ravel(), y.ravel(), np.zeros(63)])
    table[:, :2] += random.uniform(-0.25, 0.25, (63, 2))
    table[:, 2] = random.uniform(0.5, 1.5, 63)
    np.savetxt(tmp_path / "points.csv", table, delimiter=",")
    points = {"kind": "points", "file": str(tmp_path / "points.csv"), "formulation": "plane stress"}
    given = {"body": points, "notches": [], "loads": [], "unbreakable": [], "numerics": {"precision": "fp64"}}
    simulation = PeridynamicsEngine().build(Problem(PeridynamicParameters.model_validate(given)), device)
    solver = simulation._solver
    kin, spacing = solver.body.family, solver.body.scales.length * 1e3
    gradient = gradient_of(simulation)
    positions = kin.grid[solver.body.places, :2] * kin.unit
    put(simulation, positions @ gradient.T)
    wanted = expected(simulation, gradient, 1 / 3, "plane stress")
    assert simulation.field("von_mises") == pytest.approx(wanted[1], rel=1e-6)
    assert spacing == pytest.approx(1.0, abs=0.1)
    u = 1e-3 * random.standard_normal((63, 2))
    put(simulation, u)
    simulation._strained = -1
    number = np.full(solver.body.size, -1)
    number[solver.body.places] = np.arange(63)
    columns = [kin.column(column) for column in range(int(kin.counts.max()))]
    pairs = np.concatenate([np.stack([number[mine], number[kin.neighbours[at]]], axis=1) for mine, at in columns])
    volumes = kin.masses[solver.body.places][pairs[:, 1]]
    wanted = told(positions, u, pairs, volumes, [elastic("plane stress", 72e9, 1 / 3)] * 63)
    largest = np.abs(wanted[list(STRESSES.values())]).max()
    for name, row in FOUND.items():
        scale = np.abs(wanted[row]).max() if name not in STRESSES else largest
        assert np.abs(simulation.field(name) - wanted[row]).max() <= 1e-6 * scale, name
    simulation.close()


def test_too_few_bonds_tell_nothing_and_do_not_spoil_means(device) -> None:
    simulation = built(device, "plate")
    put(simulation, simulation.geometry.positions[:, :2] @ gradient_of(simulation).T)
    solver, words = simulation._solver, np.array(simulation._solver.arrays["words"])
    lone, line = (solver.body.places[number] for number in (20, 40))
    words[:, lone] = 0
    along = (solver.body.family.offsets[:, 1] == 0).nonzero()[0]
    words[0, line] &= np.uint32(sum(1 << int(bit) for bit in along))
    solver.arrays["words"][...] = words
    for name in FOUND:
        values = simulation.field(name)
        assert np.flatnonzero(np.isnan(values)).tolist() == [20, 40]
        pair = simulation.select(Selection(np.array([20, 21], np.int32), np.array([0, 2], np.int32)))
        assert simulation.gather(name, pair)[0] == pytest.approx(values[21])
    simulation.close()


def test_strain_waits_until_somebody_looks(cpu) -> None:
    simulation = built(cpu, "plate")
    simulation.advance(2)
    simulation.observe()
    assert simulation._strains.values is None
    names = {fact.title: fact.value for fact in simulation.inspect(30).facts}
    assert names["Von Mises stress"] == 0
    assert simulation._strains.values is not None
    simulation.close()


@pytest.mark.parametrize(("body", "formulation"), [("plate", "plane stress"), ("block", "3D")])
def test_components_of_stress_and_displacement(device, body, formulation) -> None:
    """Of a uniform strain, in fields of their own; there is memory for components when one is asked for."""
    simulation = built(device, body, numerics={"precision": "fp64"})
    gradient = gradient_of(simulation)
    d, positions = len(gradient), simulation.geometry.positions
    put(simulation, positions[:, : len(gradient)] @ gradient.T)
    assert simulation.field("von_mises").shape == (len(positions),)
    assert len(simulation._strains.values) == 3
    deformation = np.eye(d) + gradient
    strain = 0.5 * (deformation.T @ deformation - np.eye(d))
    stress = stress_of(strain, elastic(formulation, 72e9, 1 / 3 if d == 2 else 1 / 4))
    names = {field.name: field for field in simulation.fields}
    for i, a in enumerate("xyz"[:d]):
        assert names[f"displacement_{a}"].unit == "um"
        moved = 1e3 * positions[:, :d] @ gradient[i]
        assert simulation.field(f"displacement_{a}") == pytest.approx(moved, abs=2e-6 * np.abs(moved).max())
        for j in range(i, d):
            name = f"stress_{'xyz'[i]}{'xyz'[j]}"
            assert simulation.field(name) == pytest.approx(stress[i, j], abs=1e-6 * np.abs(stress).max()), name
    smallest, *_, largest = np.linalg.eigvalsh(stress[:d, :d])
    assert simulation.field("stress_largest") == pytest.approx(largest, rel=1e-6)
    assert simulation.field("stress_smallest") == pytest.approx(smallest, rel=1e-6)
    wanted = expected(simulation, gradient, 1 / 3 if d == 2 else 1 / 4, formulation)
    assert simulation.field("von_mises") == pytest.approx(wanted[1], rel=1e-6)
    simulation.close()


def hole(cpu, radius: int):
    """(n,) von Mises stress over that far away, and places from the middle in radii; 12 radii wide, drawn along y."""
    width = 12.0 * radius
    body = {"kind": "plate", "size_x": width, "size_y": width, "thickness": 1.0}
    body |= {"holes": [{"center": [width / 2, width / 2], "radius": radius}]}
    sides = [
        {"kind": "displacement", "region": {"kind": "side", "side": side, "rows": 3}, "x": x, "y": y, "z": None}
        for side, x, y in (("top", None, 1e-3 * width), ("bottom", 0.0, 0.0))
    ]
    given = {
        "body": body, "bonds": {"spacing": 1.0}, "notches": [], "unbreakable": [], "loads": sides,
        "material": {"young": 72.0, "fracture_energy": 1e4},
        "numerics": {"integrator": "dynamic relaxation", "relaxation": {"load_steps": 1}},
    }  # fmt: skip
    simulation = PeridynamicsEngine().build(Problem(PeridynamicParameters.model_validate(given)), cpu)
    while not simulation.finished:
        simulation.advance(200)
    far = abs(simulation.observe()["force_1_y"]) / width
    places = (simulation.geometry.positions[:, :2] - width / 2) / radius
    found = simulation.field("von_mises") / far
    simulation.close()
    return found, places


def test_stress_gathers_beside_a_hole(cpu) -> None:
    """Kirsch (1898), 3 at the edge of a hole in an endless plate, 3.09 in one of 12 radii (Howland 1930).

    Strain is a mean over a horizon, one-sided at the edge: with 6 and 12 spacings to a radius 2.19 and 2.54 are found
    (20: 2.70), an error of the first order, so that their difference leads to 2.88: 5 % of 3. Further than half a
    radius from the edge Kirsch's field is met to 7 %, 4 % of which are the width.
    """
    largest = {}
    for radius in (6, 12):
        found, places = hole(cpu, radius)
        near = np.linalg.norm(places, axis=1) < 2
        largest[radius] = float(found[near].max())
        at = places[near][found[near].argmax()]
        assert abs(at[0]) < 1.1  # beside the hole
        assert abs(at[1]) < 0.2
    assert 2.45 < largest[12] < 3.09
    assert 2 * largest[12] - largest[6] == pytest.approx(3, rel=0.05)
    r = places[:, 0]
    ligament = (np.abs(places[:, 1]) < 0.5 / 12) & (r > 1.5) & (r < 4)
    r = r[ligament]
    along, radial = 0.5 * (2 + r**-2 + 3 * r**-4), 1.5 * (r**-2 - r**-4)
    assert found[ligament] == pytest.approx(np.sqrt(along**2 + radial**2 - along * radial), rel=0.07)


@pytest.mark.parametrize(("radius", "low"), [(6.0, 29), (12.0, 18), (20.0, 13)])
def test_how_much_too_low_stress_beside_a_hole_is_told(cpu, radius, low) -> None:
    """The figures of ``watch/strain`` in the engine's README, to 2 %; the remedy is one that is not told any more."""
    body = {
        "kind": "plate",
        "size_x": 64.0,
        "size_y": 64.0,
        "holes": [{"kind": "circle", "center": (32, 32), "radius": radius}],
    }
    given = {"body": body, "bonds": {"spacing": 1.0}, "notches": [], "loads": []}
    (said,) = _told(given, cpu)
    assert float(said.message.split("about ")[1].split(" %")[0]) == pytest.approx(low, abs=2.5)
    ((_, spacing),) = said.remedy.changes.items()
    assert not _told({**given, "bonds": {"spacing": spacing}}, cpu)


def _told(given, cpu):
    found = PeridynamicsEngine().estimate(Problem(PeridynamicParameters.model_validate(given)), cpu).findings
    return [each for each in found if "too low" in each.message]
