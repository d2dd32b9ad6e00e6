"""Irregular points of several materials: both backends against the list of bonds in float64, the lattice's own run, waves
and bars through interfaces, cracks along them, and what is refused."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from engines.api import Problem
from engines.errors import ProblemError
from engines.peridynamics.cloud.family import decoded
from engines.peridynamics.cloud.reference import CloudReference
from engines.peridynamics.cloud.setup import CloudSetup
from engines.peridynamics.cloud.solver import make_cloud_solver
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.family import WORD
from engines.peridynamics.parameters import PeridynamicParameters
from tests.engines.peridynamics.test_cloud import COUNTS, STEPS, pairs_of, parameters

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
    {"kind": "gravity", "acceleration": (0.0, -2e5, 0.0)},
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
    """Tolerances are those of one material (``test_cloud``). Bonds of every pair of materials are there, and some of each
    material and of each interface break."""
    made, table, reference, pairs, columns, ends, margin = solved(d, precision)
    assert margin > 1e-6
    pair_of = 3 * np.minimum(*ends) + np.maximum(*ends)
    assert set(pair_of) == {0, 1, 2, 4, 5, 8}
    assert len(set(pair_of[~reference.intact])) >= 4
    solver = make_cloud_solver(device, made, "float32" if precision == "fp32" else "float64")
    with device.active():
        solver.advance(table, True, 0.999)
        solver.measure()
    held = {name: device.to_host(values) for name, values in solver.arrays.items()}
    tolerance, loose = (1e-11, 1e-9) if precision == "fp64" else (2e-5, 2e-4)
    assert np.abs(held["u"].T - reference.u).max() <= tolerance * np.abs(reference.u).max()
    assert np.abs(held["v"].T - reference.v).max() <= tolerance * np.abs(reference.v).max()
    intact = {tuple(pair) for pair in reference.pairs[reference.intact]}
    for (i, j), column in zip(pairs, columns, strict=True):  # at both ends
        assert bool(held["words"][column // WORD, i] >> np.uint32(column % WORD) & 1) == (
            (min(i, j), max(i, j)) in intact
        )
    assert held["loss"].sum() == pytest.approx(reference.loss, rel=loose)
    assert held["work"].sum() == pytest.approx(reference.work, rel=loose)
    assert held["damped"].sum() == pytest.approx(reference.damped, rel=loose)
    pull = reference.force() / reference.masses[:, None]
    assert np.abs(device.to_host(solver.kick_values).T - pull).max() <= 5e-5 * np.abs(pull).max()
    assert device.to_host(solver.energy_values).sum(dtype=float) == pytest.approx(reference.elastic, rel=1e-4)


def test_families_too_large_for_shared_memory(on_host, solved):
    """Read through the caches, with the classes of bonds above the numbers of neighbours, they give the same bits."""
    from engines.peridynamics.cloud.cuda import THREADS, CudaCloudSolver

    made, table, *_ = solved(3, "fp64")
    found = []
    for threads in (THREADS, ()):
        solver = CudaCloudSolver(on_host, made, "float64", threads)
        assert solver.local == bool(threads)
        solver.advance(table, True, 0.999)
        solver.measure()
        found.append([solver.arrays[name] for name in ("u", "v", "words", "loss")] + [solver.kick_values])
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first, second)


def test_weights_are_those_of_the_pairs(cpu, tmp_path):
    """Of one material times the stiffness of the pair: two roundings of 2^-13. Masses and the stable step follow."""
    given = parameters(tmp_path, COUNTS[2], **MATERIALS)
    alone = CloudSetup(given.model_copy(update={"materials": [], "interfaces": []}), cpu)
    mixed = CloudSetup(given, cpu)
    plain, kin, material = alone.family, mixed.family, mixed.blend.material
    assert (kin.neighbours == plain.neighbours).all()
    for column in range(int(kin.counts.max())):
        mine, at = kin.column(column)
        wanted = decoded(plain.codes)[at] * plain.scale * of_pairs()[0][material[mine], material[kin.neighbours[at]]]
        assert np.abs(decoded(kin.codes)[at] * kin.scale / wanted - 1).max() < 2.0**-12 * 1.01
    assert np.allclose(kin.masses, kin.volumes * (RHO / RHO[0])[material])
    # where the stiffest bonds of a material are half of its bonds, and all of them
    worst = (of_pairs()[0].max(axis=1) * RHO[0] / RHO).max()
    assert alone.limit / math.sqrt(worst) < mixed.limit < alone.limit / math.sqrt(worst / 2)


def test_points_of_a_lattice_are_the_lattice(cpu, tmp_path):
    """As for one material: 30 steps differ by the rounding of weights (measured 2e-6 of the largest displacement)."""
    counts = (14, 13, 12)
    given = parameters(
        tmp_path, counts, jitter=0.0, volumes=False, body={"correction": "none"}, loads=LOADS, **MATERIALS,
        notches=[{"start": (0, 6), "end": (5.2, 6)}], numerics={"precision": "fp64", "step": 0.05},
    )  # fmt: skip
    body = {"kind": "block", "size_x": 14, "size_y": 13, "size_z": 12}
    lattice = given.model_copy(update={"body": PeridynamicParameters.model_validate({"body": body}).body})
    runs = [PeridynamicsEngine().build(Problem(each), cpu) for each in (lattice, given)]
    # the particles of the block run through x first, those of the file through z
    order = np.arange(np.prod(counts)).reshape(counts).transpose(2, 1, 0).ravel()
    for run in runs:
        run.advance(30)
    for info in runs[0].fields:
        first, second = runs[0].field(info.name), runs[1].field(info.name)[order]
        assert (np.isnan(first) == np.isnan(second)).all(), info.name
        tolerance = 1e-6 if info.name == "damage" else 1e-5 if info.name in ("displacement", "velocity") else 2e-4
        assert np.nanmax(np.abs(first)) > 0, info.name
        assert np.nanmax(np.abs(first - second)) <= tolerance * np.nanmax(np.abs(first)), info.name
    first, second = (run.observe() for run in runs)
    assert set(first) == set(second)
    for name in ("work", "kinetic", "elastic", "broken", *(name for name in first if name.startswith("force_"))):
        assert second[name] == pytest.approx(first[name], rel=2e-4), name
