"""Irregular points of several materials: both backends against the list of bonds in float64, the lattice's own run,
waves and bars through interfaces, cracks along them, and what is refused."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.cloud.family import decoded
from engines.peridynamics.cloud.reference import CloudReference
from engines.peridynamics.cloud.rows import SLICE
from engines.peridynamics.cloud.solver import POINT_SOLVER
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.setup.cloud import CloudSetup
from tests.engines.peridynamics.cloud.cloud_checks import (
    COUNTS_OF_BLOCK,
    are_alike_without_shared_memory,
    run_like,
    runs_of_lattice_and_points,
)
from tests.engines.peridynamics.cloud.test_points import COUNTS, STEPS, pairs_of, parameters, points_of

E, RHO, G = np.array([72.0, 30.0, 200.0]), np.array([2440.0, 1500.0, 7800.0]), np.array([0.02, 0.03, 0.01])
FACTORS = {(0, 1): (0.8, 0.5), (1, 2): (1.5, 0.9)}
"""On stiffness and fracture energy."""
MATERIALS = {
    "material": {"young": E[0], "density": RHO[0], "fracture_energy": G[0]},
    "materials": [
        {
            "young": E[k], "density": RHO[k], "fracture_energy": G[k],
            "region": {"kind": "half-space", "point": (at, 0, 0), "direction": (1, 0.2, 0)},
        }
        for k, at in ((1, 4.5), (2, 6.0))
    ],
    "interfaces": [
        {"first": i, "second": j, "stiffness": stiffness, "fracture_energy": energy}
        for (i, j), (stiffness, energy) in FACTORS.items()
    ],
}  # fmt: skip
LOADS = [
    {"kind": "stress", "side": "top", "stress": (0.3, 2.0, 0.0), "rise": 0.5},
    {"kind": "gravity", "acceleration": (0.0, -2e4, 0.0)},
    {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}, "x": None, "y": -3.0},
]


def of_pairs() -> tuple[np.ndarray, np.ndarray]:
    """(3, 3) stiffness over that of the first material, and critical stretch over its: halves in series, the lower
    fracture energy, and the factors; a crack takes c s₀² times what depends on the horizon alone."""
    stiffness, energy = 2 / (1 / E[:, None] + 1 / E) / E[0], np.minimum(G[:, None], G)
    for pair, (stiffer, tougher) in FACTORS.items():
        for ends in (pair, pair[::-1]):
            stiffness[ends] *= stiffer
            energy[ends] *= tougher
    return stiffness, np.sqrt(energy / G[0] / stiffness)


@pytest.fixture(scope="module")
def solved(cpu, tmp_path_factory):
    """By dimensions and precision: the points, their loads, and the reference after STEPS steps."""

    @cache
    def solve(d: int, precision: str):
        setup = CloudSetup(
            parameters(
                tmp_path_factory.mktemp("materials"), COUNTS[d], loads=LOADS, **MATERIALS,
                notches=[{"start": (0, 6.1), "end": (5.2, 7.3)}], numerics={"precision": precision, "damping": 2e4},
            ),
            cpu,
        )  # fmt: skip
        made = setup.cloud()
        material = made.blend.material
        pairs, weights, weak, columns = pairs_of(made)
        once = pairs[:, 0] < pairs[:, 1]
        ends = tuple(material[pairs[once]].T)
        critical = setup.lattice.critical_stretch * of_pairs()[1][ends]
        reference = CloudReference(
            made.family.grid[:, :d] * made.family.unit, made.family.volumes * (RHO / RHO[0])[material], pairs[once],
            weights[once], weak[once], made.stiffness, critical,
        )  # fmt: skip
        per_volume = (RHO[0] / RHO)[material][:, None]
        table, margin = setup.loads.table(0, STEPS), 1.0
        for step in range(STEPS):
            found = np.abs(reference.stretches()[0] / critical - 1)[reference.intact & reference.weak]
            margin = min(margin, float(found.min()))
            rows = table[step][made.kind]
            decay = (1 + 3 * 0.999) / (3 + 0.999) if step == 0 else 0.999
            kick = (0.25 if step == 0 else 0.5) * (1 + decay)
            reference.step(kick, rows[:, 0] * per_volume, rows[:, 1] != 0, rows[:, 2], rows[:, 3], decay)
        return made, table, reference, pairs, columns, ends, margin

    return solve


@pytest.mark.parametrize(("d", "precision"), [(2, "fp32"), (3, "fp64")])
def test_a_run_is_that_of_the_reference(device, solved, d, precision):
    """Tolerances are those of one material (``test_cloud``). Bonds of every pair of materials are there, and those of
    most break."""
    made, table, reference, pairs, columns, ends, margin = solved(d, precision)
    assert margin > 1e-6
    pair_of = 3 * np.minimum(*ends) + np.maximum(*ends)
    assert set(pair_of) == {0, 1, 2, 4, 5, 8}
    assert len(set(pair_of[~reference.intact])) >= 4
    run_like(device, made, table, reference, pairs, columns, precision)


def test_families_too_large_for_shared_memory(on_host, solved):
    """Read through the caches, with the classes of bonds above the numbers of neighbours, they give the same bits."""
    made, table, *_ = solved(3, "fp64")
    assert are_alike_without_shared_memory(on_host, made, table)


def test_weights_are_those_of_the_pairs(cpu, tmp_path):
    """Of one material times the stiffness of the pair: two roundings of 2^-13; equal at both ends. Masses and the
    stable step follow."""
    given = parameters(tmp_path, COUNTS[2], **MATERIALS)
    alone = CloudSetup(given.model_copy(update={"materials": [], "interfaces": []}), cpu)
    mixed = CloudSetup(given, cpu)
    plain, kin, material = alone.family, mixed.family, mixed.blend.material
    assert (kin.neighbours == plain.neighbours).all()
    for column in range(int(kin.counts.max())):
        mine, at = kin.column(column)
        wanted = decoded(plain.codes)[at] * plain.scale * of_pairs()[0][material[mine], material[kin.neighbours[at]]]
        assert np.abs(decoded(kin.codes)[at] * kin.scale / wanted - 1).max() < 2.0**-12 * 1.01
    ways = {}
    pairs, weights, _, columns = pairs_of(made := mixed.cloud())
    places = kin.starts[pairs[:, 0] // SLICE] + columns * SLICE + pairs[:, 0] % SLICE
    for (i, j), weight, of_class in zip(pairs, weights, made.blend.classes[places], strict=True):
        ways.setdefault((min(i, j), max(i, j)), set()).add((weight, of_class))
    assert all(len(told) == 1 for told in ways.values())  # at both ends, to the last bit
    assert np.allclose(kin.masses, kin.volumes * (RHO / RHO[0])[material])
    # where the stiffest bonds of a material are half of its bonds, and all of them
    worst = (of_pairs()[0].max(axis=1) * RHO[0] / RHO).max()
    assert alone.limit / math.sqrt(worst) < mixed.limit < alone.limit / math.sqrt(worst / 2)


def test_points_of_a_lattice_are_the_lattice(cpu, tmp_path):
    """As for one material: 30 steps differ by the rounding of weights (measured 1e-6 of the largest displacement), and
    the same bonds break."""
    given = parameters(
        tmp_path, COUNTS_OF_BLOCK, jitter=0.0, volumes=False, body={"correction": "none"}, loads=LOADS[:2], **MATERIALS,
        notches=[{"start": (0, 6), "end": (5.2, 6)}], numerics={"precision": "fp64", "step": 0.05},
    )  # fmt: skip
    runs, order = runs_of_lattice_and_points(cpu, given)
    for info in runs[0].fields:
        first, second = runs[0].field(info.name), runs[1].field(info.name)[order]
        assert (np.isnan(first) == np.isnan(second)).all(), info.name
        tolerance = {"damage": 1e-6, "displacement": 5e-6, "velocity": 5e-6}.get(info.name, 2e-4)
        assert np.nanmax(np.abs(first)) > 0, info.name
        assert np.nanmax(np.abs(first - second)) <= tolerance * np.nanmax(np.abs(first)), info.name
    first, second = (run.observe() for run in runs)
    assert set(first) == set(second)
    for name in ("work", "kinetic", "elastic", "broken", *(name for name in first if name.startswith("force_"))):
        assert second[name] == pytest.approx(first[name], rel=2e-4), name


HALF = {"region": {"kind": "half-space", "point": (40.0, 0, 0), "direction": (1, 0, 0)}, "fracture_energy": 1e9}
STRONG = {"fracture_energy": 1e9}


@pytest.mark.parametrize(("young", "density"), [(200.0, 7800.0), (72.0, 2440.0)])
def test_an_interface_reflects_and_transmits_waves(cpu, young, density, tmp_path):
    """A pulse along a strip with no strain across meets the other half: of its displacement (Z₁ − Z₂)/(Z₁ + Z₂) comes
    back and 2Z₁/(Z₁ + Z₂) goes on, Z = √(E ρ/(1 − ν²)); by areas in the middle of the strip, which dispersion leaves
    alone. Measured within 0.018 and 0.003, with halves alike 0.009 and 0.002: the disorder's and the surfaces' part."""
    given = parameters(
        tmp_path, (160, 24), jitter=0.2, volumes=False, material=STRONG,
        materials=[HALF | {"young": young, "density": density, "region": HALF["region"] | {"point": (80.0, 0, 0)}}],
    )  # fmt: skip
    setup = CloudSetup(given, cpu)
    made, n = setup.cloud(), len(setup.family.order)
    solver = POINT_SOLVER.open(cpu, made, "float32")
    x, y = (made.family.grid[:, axis] * made.family.unit for axis in range(2))
    unit = made.scales.time / made.scales.length / math.sqrt(1 - 1 / 9)
    before, behind = (math.sqrt(e * 1e9 / rho) * unit for e, rho in ((72.0, 2440.0), (young, density)))
    shape = np.exp(-(((x - 40) / 10) ** 2)) * (np.arange(made.size) < n)
    u, v = np.zeros((2, made.size)), np.zeros((2, made.size))
    u[0], v[0] = 1e-4 * shape, 1e-4 * shape * 2 * (x - 40) / 100 * before
    solver.restore({**solver.arrays, "u": u.astype(np.float32), "v": v.astype(np.float32)})
    table = np.zeros((1, 2, 4, 2))
    table[:, 1, 1, 1] = 1  # nothing moves along y
    solver._kind = np.ones(made.size, np.uint8)
    steps = int(40 / before + 40 / max(before, behind))
    with cpu.active():
        solver.advance(np.repeat(table, steps, axis=0), True)
    middle = (np.abs(y - 12) < 4) & (np.arange(made.size) < n)
    moved = solver.arrays["u"][0].astype(float) / (1e-4 * shape[middle].sum())
    one, other = math.sqrt(72 * 2440), math.sqrt(young * density)
    assert moved[middle & (x < 80)].sum() == pytest.approx((one - other) / (one + other), abs=0.03)
    assert moved[middle & (x > 80)].sum() * before / behind == pytest.approx(2 * one / (one + other), abs=0.015)


def stiffness_of_bar(cpu, tmp_path, pulled, **second) -> float:
    """Force over displacement [N/µm] of the right end, at rest."""
    held = {"kind": "displacement", "region": {"kind": "side", "side": "left", "rows": 2}, "x": 0.0, "y": 0.0}
    numerics = {"integrator": "dynamic relaxation", "relaxation": {"load_steps": 1, "tolerance": 1e-4}}
    given = parameters(
        tmp_path, (60, 10), jitter=0.2, volumes=False, material=STRONG, loads=[held, pulled], numerics=numerics,
        materials=[HALF | {"region": HALF["region"] | {"point": (30.0, 0, 0)}} | second] if second else [],
    )  # fmt: skip
    run = PeridynamicsEngine().build(Problem(given), cpu)
    while not run.finished:
        run.advance(500)
    assert run.ending.startswith("All")
    found = run.observe()
    return -found["force_1_x"] / found["displacement_2_x"]


def test_two_halves_in_series(cpu, tmp_path):
    """A bar whose right half is four times as stiff, pulled slowly, is 1.6 times as stiff as one of the first material
    (measured 1.607), and the same whatever the densities, also where a stress pulls at the denser end."""
    right = {"kind": "side", "side": "right", "rows": 2}
    moved = {"kind": "displacement", "region": right, "x": 0.01, "y": None}
    pulled = {"kind": "stress", "side": "right", "stress": (1.0, 0.0, 0.0)}
    alone = stiffness_of_bar(cpu, tmp_path, moved)
    assert stiffness_of_bar(cpu, tmp_path, moved, young=288.0) == pytest.approx(1.6 * alone, rel=0.01)
    equal, denser = (stiffness_of_bar(cpu, tmp_path, pulled, young=288.0, density=rho) for rho in (2440.0, 9760.0))
    assert denser == pytest.approx(equal, rel=2e-3)


@pytest.mark.parametrize(
    ("factor", "along", "straight"), [(1.0, (0.0, 0.2), (0.6, 1.0)), (0.25, (0.5, 1.0), (0.0, 0.1))]
)
def test_a_crack_follows_a_weak_interface(cpu, tmp_path, factor, along, straight):
    """The halves of a plate differ in nothing, and meet in a line at 30° from the tip of the notch. Where this is as
    tough as they are, the crack goes straight on, else along it: parts of the damaged points within 2 mm of both ways
    (measured 0.04 and 0.77, 0.69 and 0.02). Energy is balanced to 0.1 % all the way (measured 4e-5 %)."""
    tip, normal = (20.0, 20.0), (-0.5, math.sqrt(0.75))
    given = parameters(
        tmp_path, (60, 40), jitter=0.25, volumes=False, interfaces=[{"fracture_energy": factor}],
        materials=[{"region": {"kind": "half-space", "point": (*tip, 0), "direction": (*normal, 0)}}],
        notches=[{"start": (0, tip[1]), "end": tip}],
        loads=[{"kind": "stress", "side": side, "stress": (0, s, 0)} for side, s in (("top", 2.5), ("bottom", -2.5))],
        unbreakable=[{"kind": "side", "side": side, "rows": 3} for side in ("top", "bottom")],
    )  # fmt: skip
    run = PeridynamicsEngine().build(Problem(given), cpu)
    start, places = run.field("damage"), np.asarray(run.geometry.positions)[:, :2] - tip
    for _ in range(12):
        run.advance(20)
        assert run.observe()["imbalance"] < 0.1
    new = places[(run.field("damage") - start > 0.25) & (places[:, 0] > 3)]
    assert len(new) > 100
    assert along[0] <= (np.abs(new @ normal) < 2).mean() <= along[1]
    assert straight[0] <= (np.abs(new[:, 1]) < 2).mean() <= straight[1]


def test_a_run_continues_and_is_measured_in_groups(device, tmp_path):
    """Materials and gauges by the numbers of the file; a restored run goes on to the last bit; stress is by the
    material of each point: at equal strain, in proportion to its modulus."""
    points = points_of((24, 12), 0.2)
    table = np.column_stack([points, np.ones(len(points)), points[:, 0] > 12])
    np.savetxt(tmp_path / "groups.csv", table, delimiter=",", fmt="%.17g")
    stiff = {"kind": "group", "group": "1"}
    given = parameters(
        tmp_path, (2, 2), body={"file": str(tmp_path / "groups.csv")}, material=STRONG,
        materials=[STRONG | {"region": stiff, "young": 144.0, "density": 5000.0}],
        measuring={"gauges": [{"kind": "mean", "name": "stiff", "axis": "x", "region": stiff}]},
        loads=[{"kind": "stress", "side": "right", "stress": (2.0, 0, 0)}],
    )  # fmt: skip
    setup = CloudSetup(given, device)
    assert (setup.mixed.mixture.material == (points[:, 0] > 12)).all()
    run = PeridynamicsEngine().build(Problem(given), device)
    run.advance(20)
    state = run.state()
    run.advance(5)
    after, seen = run.field("displacement"), {name: value for name, value in run.observe().items() if value == value}
    run.restore(state)
    run.advance(5)
    assert (run.field("displacement") == after).all()
    assert {name: value for name, value in run.observe().items() if value == value} == seen
    moved = run.field("displacement_vector")[points[:, 0] > 12, 0]
    assert seen["stiff"] == pytest.approx(1e3 * moved.mean(dtype=float), rel=1e-5)
    places = setup.family.grid[:, :2].T * setup.family.unit
    run.restore({**state, "u": (1e-4 * places).astype(np.float32)})
    stress = run.field("von_mises") / run.field("strain")
    soft, hard = np.nanmedian(stress[points[:, 0] < 12]), np.nanmedian(stress[points[:, 0] > 12])
    assert hard == pytest.approx(2 * soft, rel=1e-3)


def group(name: str) -> dict:
    return {"region": {"kind": "group", "group": name}}


LAW = {"kind": "bilinear", "strength": 3.0}


@pytest.mark.parametrize(
    ("change", "place", "sentence"),
    [
        ({"materials": [group("1")]}, ("materials", 0, "region", "kind"), "Only points from a mesh, or from a table"),
        ({"materials": [{"region": {"kind": "side", "rows": 2}, "law": LAW}]}, ("materials", 0, "law"), "Softening"),
        ({"interfaces": [{}]}, ("interfaces", 0), "add a material"),
        (
            {"materials": [{"region": {"kind": "side", "side": "left"}, "young": 1e-3}]},
            ("materials",),
            r"times the weight of the softest, and .* 65,536 .* differ less",
        ),
        (
            {"materials": [{"region": {"kind": "side", "rows": 8 - k}, "fracture_energy": 1.0 + k} for k in range(8)]},
            ("materials",),
            "break at 9 different stretches, and 8 is the most: use fewer",
        ),
    ],
)  # fmt: skip
def test_what_points_cannot_be(cpu, tmp_path, change, place, sentence):
    with pytest.raises(ProblemError, match=sentence) as found:
        PeridynamicsEngine().estimate(Problem(parameters(tmp_path, (16, 12), **change)), cpu)
    assert found.value.place == place


def test_groups_that_nothing_is_made_of_are_told(cpu, tmp_path):
    points = points_of((12, 8), 0.1)
    table = np.column_stack([points, np.ones(len(points)), np.where(points[:, 0] > 6, 7, 3)])
    np.savetxt(tmp_path / "groups.csv", table, delimiter=",")
    body = {"file": str(tmp_path / "groups.csv")}

    def told(**changes) -> str:
        given = parameters(tmp_path, (2, 2), body=body, **changes)
        return " ".join(each.message for each in CloudSetup(given, cpu).findings)

    assert "tells groups 3, 7, and the body is of one material" in told()
    assert "groups" not in told(materials=[group("7")])
    with pytest.raises(ProblemError, match="has no group 'steel': there is 3, 7") as found:
        told(materials=[group("steel")])
    assert found.value.place == ("materials", 0, "region", "group")
