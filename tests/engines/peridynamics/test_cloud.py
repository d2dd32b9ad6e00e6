"""Irregular points: both backends against the list of bonds in float64, moduli, waves, the lattice's own solver."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from engines.api import Problem
from engines.peridynamics.cloud.family import decoded, encoded
from engines.peridynamics.cloud.reference import CloudReference
from engines.peridynamics.cloud.setup import CloudSetup
from engines.peridynamics.cloud.solver import Cloud, make_cloud_solver
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.family import WORD
from engines.peridynamics.measures import energies
from engines.peridynamics.parameters import PeridynamicParameters

COUNTS = {2: (30, 14), 3: (10, 9, 8)}
LOADS = [
    {"kind": "stress", "side": "top", "stress": (0.3, 2.0, 0.0), "rise": 0.5},
    {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}, "x": None, "y": -3.0},
    {"kind": "displacement", "region": {"kind": "side", "side": "left"}, "x": -2e-3, "y": None, "rise": 3.0},
]
STEPS = 40


def points_of(counts: tuple[int, ...], jitter: float, seed: int = 5) -> np.ndarray:
    axes = np.meshgrid(*(np.arange(count) + 0.5 for count in counts), indexing="ij")
    lattice = np.stack(axes, axis=-1).reshape(-1, len(counts))
    return lattice + np.random.default_rng(seed).uniform(-jitter, jitter, lattice.shape)


def parameters(folder, counts, jitter=0.3, volumes=True, **changes) -> PeridynamicParameters:
    points = points_of(counts, jitter)
    d = len(counts)
    columns = [points]
    if volumes:
        columns.append(np.random.default_rng(8).uniform(0.5, 1.5, (len(points), 1)))
    path = folder / f"points{d}.csv"
    np.savetxt(path, np.concatenate(columns, axis=1), delimiter=",", fmt="%.17g")
    body = {"kind": "points", "file": str(path), "formulation": "3D" if d == 3 else "plane stress"}
    body |= changes.pop("body", {})
    given = {"body": body, "bonds": {"spacing": 1.0, "reach": 3}, "notches": [], "loads": [], "unbreakable": []}
    return PeridynamicParameters.model_validate(given | changes)


def pairs_of(cloud: Cloud) -> tuple[np.ndarray, ...]:
    """(m, 2) places, and (m,) of weight, weak, column and entry at the first end: all bonds, both ways."""
    kin, found = cloud.family, []
    weights = decoded(kin.codes).astype(float)
    for column in range(int(kin.counts.max())):
        mine, at = kin.column(column)
        bit = np.uint32(1 << column % WORD)
        holds = (cloud.words[column // WORD, mine] & bit) != 0
        weak = (cloud.breakable[column // WORD, mine] & bit) != 0
        found.append((mine[holds], kin.neighbours[at][holds], weights[at][holds], weak[holds], np.full(holds.sum(), column)))
    first, second, weight, weak, column = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return np.stack([first, second], axis=1), weight, weak, column


def reference_of(cloud: Cloud, stretch: float, pairs, weights, weak) -> CloudReference:
    kin, d = cloud.family, cloud.dimensions
    once = pairs[:, 0] < pairs[:, 1]
    places = kin.grid[:, :d] * kin.unit
    return CloudReference(places, kin.masses, pairs[once], weights[once], weak[once], cloud.stiffness, stretch)


@pytest.fixture(scope="module")
def solved(cpu, tmp_path_factory):
    """By dimensions and precision: the points, loads, and the reference after STEPS steps."""

    @cache
    def solve(d: int, precision: str):
        given = parameters(
            tmp_path_factory.mktemp("cloud"), COUNTS[d],
            notches=[{"start": (0, 6.1), "end": (5.2, 7.3)}], loads=LOADS,
            unbreakable=[{"kind": "side", "side": "right", "rows": 2}],
            numerics={"precision": precision, "damping": 2e4}, material={"fracture_energy": 0.02},
        )  # fmt: skip
        setup = CloudSetup(given, cpu)
        made = setup.cloud()
        stretch = setup.continuum.critical_stretch
        pairs, weights, weak, columns = pairs_of(made)
        reference = reference_of(made, stretch, pairs, weights, weak)
        table = setup.loads.table(0, STEPS)
        margin = 1.0
        for step in range(STEPS):
            left = reference.stretches()[0][reference.intact & reference.weak]
            margin = min(margin, float(np.abs(left - stretch).min()))
            rows = table[step][made.kind]
            decay = (1 + 3 * 0.999) / (3 + 0.999) if step == 0 else 0.999
            kick = (0.25 if step == 0 else 0.5) * (1 + decay)
            reference.step(kick, rows[:, 0], rows[:, 1] != 0, rows[:, 2], rows[:, 3], decay)
        return made, table, reference, pairs, columns, margin, stretch

    return solve


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_run_is_that_of_the_reference(device, solved, d, precision):
    """fp64: rounding of 40 steps. fp32: 40 steps of 1e-7 each, times the sensitivity of a wave. No decision to break is
    closer than the fp32 error of a stretch."""
    made, table, reference, pairs, columns, margin, stretch = solved(d, precision)
    assert margin > 1e-6 * stretch
    broken = ~reference.intact
    assert 10 < broken.sum() < 0.8 * len(broken)
    solver = make_cloud_solver(device, made, "float32" if precision == "fp32" else "float64")
    with device.active():
        solver.advance(table, True, 0.999)
    held = {name: device.to_host(values) for name, values in solver.arrays.items()}
    tolerance = 1e-11 if precision == "fp64" else 2e-5
    assert np.abs(held["u"].T - reference.u).max() <= tolerance * np.abs(reference.u).max()
    assert np.abs(held["v"].T - reference.v).max() <= tolerance * np.abs(reference.v).max()
    intact = {tuple(pair) for pair in reference.pairs[reference.intact]}
    for (i, j), column in zip(pairs, columns, strict=True):  # at both ends
        assert bool(held["words"][column // WORD, i] >> np.uint32(column % WORD) & 1) == ((min(i, j), max(i, j)) in intact)
    loose = 1e-9 if precision == "fp64" else 2e-4
    assert held["loss"].sum() == pytest.approx(reference.loss, rel=loose)
    assert held["work"].sum() == pytest.approx(reference.work, rel=loose)
    assert held["damped"].sum() == pytest.approx(reference.damped, rel=loose)
    with device.active():
        solver.measure()
        solver.find_damage()
    pull = reference.force() / reference.masses[:, None]
    assert np.abs(device.to_host(solver.kick_values).T - pull).max() <= 5e-5 * np.abs(pull).max()
    assert device.to_host(solver.energy_values).sum(dtype=float) == pytest.approx(reference.elastic, rel=1e-4)
    left = np.bincount(reference.pairs[reference.intact].ravel(), minlength=made.size)
    damage = 1 - left / np.maximum(made.whole, 1)
    n = len(made.places)
    assert np.allclose(device.to_host(solver.damage_values)[:n], damage[:n], atol=1e-6)
