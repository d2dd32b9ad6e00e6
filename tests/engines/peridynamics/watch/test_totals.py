"""Sums over particles on both backends against NumPy."""

import numpy as np
import pytest

from engines.peridynamics.lattice.solver import LATTICE_SOLVER
from engines.peridynamics.watch.totals.totals import NOWHERE, sums_over, totals_of
from tests.engines.peridynamics.lattice.test_solver import discretised, parameters

DECAY, THRESHOLD = 0.9, 0.3


@pytest.fixture
def seen(device):
    """A solver with random numbers everywhere, and where its particles are [mm] along the crack."""
    body, loads, _ = discretised(parameters("plate", 3), 1e-4)
    solver, rng = LATTICE_SOLVER.open(device, body, "float32"), np.random.default_rng(1)

    def random(shape, real=True):
        return device.array(rng.normal(size=shape).astype(np.float32 if real else np.float64))

    d, size = body.dimensions, body.size
    for name in ("u", "v"):
        solver.arrays[name] = random((d, size))
    for name in ("work", "loss", "damped"):
        solver.arrays[name] = random(size, False)
    solver.kick_values, solver.energy_values = random((d, size)), random(size)
    solver.damage_values = device.array(np.float32(rng.integers(0, body.whole + 1) / np.maximum(body.whole, 1)))
    solver.mass = device.array(rng.uniform(0.5, 2, size).astype(np.float32))
    solver.volume = device.array(rng.uniform(0.5, 2, size).astype(np.float32))
    along = rng.uniform(0, 100, len(body.places))
    return solver, along, loads.table(3, 1)[0]


def host(solver, *names):
    return [np.asarray(solver.backend.to_host(solver.arrays[name]), float) for name in names]


@pytest.mark.parametrize(("begun", "touching"), [(False, False), (True, False), (True, True)])
def test_totals(seen, begun, touching):
    """Everything in float64 but what was kept in float32: 1e-12 of the sum of sizes."""
    solver, along, table = seen
    table = table + np.random.default_rng(2).normal(size=table.shape) * np.array([1, 0, 1, 1])[:, None]
    work, damped, loss, v = host(solver, "work", "damped", "loss", "v")
    mass, share, inner, damage, elastic = (
        np.asarray(solver.backend.to_host(values), float)
        for values in (solver.mass, solver.volume, solver.kick_values, solver.damage_values, solver.energy_values)
    )
    if touching:
        solver.pushes = solver.backend.array(np.random.default_rng(4).normal(size=v.shape).astype(np.float32))
        inner = inner + np.asarray(solver.backend.to_host(solver.pushes), float)
    totals = totals_of(solver, along, THRESHOLD)
    found = totals.read(table, DECAY) if begun else totals.read()
    kind = solver.body.kind
    push, held = table[kind, 0].T, table[kind, 1].T != 0
    after, ahead, rubbed = v, 0.0, 0.0
    if begun:
        assert held.any()
        assert not held.all()
        half = np.where(held, v, (1 + DECAY) / 2 * v + (1 + DECAY) / 4 * (inner + push * share / mass))
        after = 2 * half - v
        ahead = 0.5 * (np.where(held, -inner * mass, push * share) * v)[:, kind > 0].sum()
        rubbed = (half * v * mass)[~held].sum()
    expected = [work.sum(), damped.sum(), loss.sum(), elastic.sum(), ahead, rubbed, (mass * v * after).sum()]
    got = [found.work, found.damped, found.loss, found.elastic, found.ahead, found.rubbed, found.momentum_squares]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * 10 * v.size)
    assert found.intact == np.rint(solver.body.whole * (1 - damage)).sum()
    lost = solver.backend.to_host(solver.damage_values)[solver.body.places] >= np.float32(THRESHOLD)
    assert found.tip == pytest.approx(along[lost].max(), rel=1e-7)
    again = totals.read(table, DECAY) if begun else totals.read()
    assert again == found  # the same bits


def test_nothing_is_damaged(seen):
    solver, along, _ = seen
    solver.damage_values = solver.backend.array(np.zeros(solver.body.size, np.float32))
    found = totals_of(solver, along, THRESHOLD).read()
    assert found.farthest == NOWHERE
    assert np.isnan(found.tip)


def test_list_sums(seen):
    solver, _, _ = seen
    rng = np.random.default_rng(3)
    lists = [rng.choice(solver.body.size, count, replace=False).astype(np.int32) for count in (1, 40, 300)]
    found = sums_over(solver, [0, 4, 1], lists).read()
    (u,) = host(solver, "u")
    kick, mass = (np.asarray(solver.backend.to_host(values), float) for values in (solver.kick_values, solver.mass))
    expected = [u[0, lists[0]].sum(), (kick[1] * mass)[lists[1]].sum(), u[1, lists[2]].sum()]
    # products and, on a CPU, their sums of at most 300 in float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=300 * 6e-8)
    assert sums_over(solver, [], []).read().shape == (0,)
