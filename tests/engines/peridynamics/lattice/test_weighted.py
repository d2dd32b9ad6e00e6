"""Kernels with everything on that bonds may differ in: influence, partial volumes, two materials with an interface,
surface correction, and a law by which bonds soften; against the list of bonds in float64."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numba import cfunc

from engines.peridynamics.body.bonded import filled
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.lattice.reference import Reference
from engines.peridynamics.lattice.solver import LATTICE_SOLVER
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.influence import INFLUENCES
from engines.peridynamics.material.laws.code import SIGNATURE
from engines.peridynamics.material.laws.law import Law
from engines.peridynamics.material.mixture import Mixture
from engines.peridynamics.material.surface import surface
from engines.peridynamics.watch.energies import energies
from engines.peridynamics.watch.totals.totals import totals_of
from tests.engines.peridynamics.lattice.mirrors import is_seen_mirrored, mirrored
from tests.engines.peridynamics.lattice.test_solver import discretised, pairs_of, parameters

STRETCH, STEPS, DECAY = 1.6e-4, 40, 0.99
FAILURE = np.array([[2.0, 1.5], [1.5, 2.5]])
"""Of each pair of materials, over the stretch at which it begins to soften."""


@cache
def bilinear():
    """Compiled where a test wants it, not while tests are collected."""

    def law_damages(stretches, damages, which, parameters, count):
        for k in range(count):
            s, p = stretches[k], parameters[which[k]]
            if s > p[0]:
                damages[k] = 1.0 if s >= p[1] else max(damages[k], 1 - p[0] / s * ((p[1] - s) / (p[1] - p[0])))

    return cfunc(SIGNATURE)(law_damages)


BILINEAR = """// as bonds.cu has it
DEVICE REAL law_damage(const REAL s, const REAL d, const REAL* p)
{
    const REAL found = REAL(1) - p[0] / s * ((p[1] - s) / (p[1] - p[0]));
    return s <= p[0] ? d : s >= p[1] ? REAL(1) : found > d ? found : d;
}"""


@cache
def made(body: str, reach: int, softening: bool, paired: bool = True):
    """(body on a lattice, its table of loads, kind, cells); paired: with two materials and corrected surfaces."""
    given = parameters(body, reach)
    plain, loads, lattice = discretised(given, STRETCH)
    cells = filled(given).cells
    weighted = Lattice(
        lattice.family, lattice.formulation, 72e9, 2440.0, 3.8, 1e-3, 1e-3, INFLUENCES["quartic"], partial_volumes=True
    )
    material = np.zeros(plain.size, np.uint8)
    material[plain.places] = cells[:, 0] > 5
    critical = STRETCH * np.array([[1.0, 0.8], [0.8, 1.1]])
    mixture = Mixture(material, np.array([[1.0, 0.7], [0.7, 1.4]]), (1 + critical) ** 2 - 1, np.array([1.0, 0.8]))
    shares = surface(filled(given), weighted).half_shares
    law = laws = None
    if softening:
        law = Law("bilinear", BILINEAR, bilinear(), (STRETCH, 2 * STRETCH), STRETCH, 2 * STRETCH, STRETCH**2)
        laws = np.stack([critical, critical * FAILURE], axis=-1)
    found = replace(
        plain, stiffness=weighted.stiffness(0.5 * weighted.stable_step), weights=weighted.weights, mixture=mixture,
        half_shares=shares, law=law, law_parameters=laws,
    )  # fmt: skip
    if not paired:
        found = replace(found, limit=(1 + STRETCH) ** 2 - 1, mixture=None, half_shares=None, law_parameters=None)
    return found, loads.table(0, STEPS), loads.kind, cells


@cache
def solved(body: str, reach: int, softening: bool, paired: bool):
    """The reference after STEPS steps, its bonds' bits, and the smallest margin of a decision."""
    lattice, table, kind, cells = made(body, reach, softening, paired)
    pairs, weak, bits = pairs_of(lattice)
    weights, critical, failure, mass = lattice.weights[bits], np.full(len(bits), STRETCH), 2 * STRETCH, 1.0
    if paired:
        mixture, material = lattice.mixture, lattice.mixture.material[lattice.places]
        of_pair = material[pairs[:, 0]], material[pairs[:, 1]]
        halves = lattice.half_shares.astype(float)[lattice.places]
        weights = weights * mixture.stiffness[of_pair] / halves[pairs].sum(axis=1)
        critical = np.sqrt(1 + mixture.limit[of_pair]) - 1
        failure, mass = critical * FAILURE[of_pair], 1 / mixture.lightness[material]

    def law(s, d):
        found = np.where(s >= failure, 1.0, 1 - critical / s * (failure - s) / (failure - critical))
        return np.where(s <= critical, d, found)

    reference = Reference(
        cells[:, : lattice.dimensions], pairs, weak, lattice.stiffness, critical, weights,
        mass, law if softening else None,
    )  # fmt: skip
    margin, damping = 1.0, (1 - DECAY) / (1 + DECAY)
    for step in range(STEPS):
        stretch = reference.stretches()[0]
        for bound in (critical, failure) if softening else (critical,):
            margin = min(margin, float(np.abs(stretch - bound)[reference.intact & weak].min()))
        rows = table[step][kind]
        half = damping / 2 if step == 0 else damping
        kick = (0.5 if step == 0 else 1.0) / (1 + half)
        reference.step(kick, rows[:, 0], rows[:, 1] != 0, rows[:, 2], rows[:, 3], (1 - half) / (1 + half))
    return reference, pairs, bits, margin


@pytest.mark.parametrize(
    ("body", "reach", "softening", "paired", "precision"),
    [
        ("plate", 3, True, True, "float64"),
        ("plate", 3, True, False, "float32"),
        ("block", 2, True, False, "float64"),
        ("block", 3, False, True, "float32"),
    ],
)
def test_a_run_is_that_of_the_reference(device, body, reach, softening, paired, precision):
    """fp64: the reference takes stretches from lengths and loses 1e-16 of 1e-4, over 40 steps; both backends are
    closer to each other. fp32: as in ``test_solver``."""
    lattice, table, _, _ = made(body, reach, softening, paired)
    reference, pairs, bits, margin = solved(body, reach, softening, paired)
    assert margin > (1e-13 if precision == "float64" else 1e-9)
    assert 10 < (~reference.intact).sum() < 0.8 * len(pairs)
    partly = (reference.damage > 0) & reference.intact
    assert (partly.sum() > 20) == softening
    solver = LATTICE_SOLVER.open(device, lattice, precision)
    with device.active():
        solver.advance(table, True, DECAY)
        solver.measure()
    arrays = {name: device.to_host(values) for name, values in solver.arrays.items()}
    tolerance = 2e-10 if precision == "float64" else 2e-5
    for name, wanted in (("u", reference.u), ("v", reference.v)):
        assert np.abs(arrays[name][:, lattice.places].T - wanted).max() <= tolerance * np.abs(wanted).max()
    close = 5e-9 if precision == "float64" else 2e-4
    for end, known in ((0, bits), (1, lattice.family.opposite()[bits])):
        at = lattice.places[pairs[:, end]]
        holds = arrays["words"][known // WORD, at] >> (known % WORD).astype(np.uint32) & 1
        assert (holds == reference.intact).all()
        if softening:
            soft = arrays["soft"][known // WORD, at] >> (known % WORD).astype(np.uint32) & 1
            assert (soft == partly).all()
            damage = arrays["history"][known, at]
            assert np.abs(damage - reference.damage).max() <= (5e-9 if precision == "float64" else 2e-4)
            if end == 0:
                first = damage
            else:
                assert (damage == first).all()  # both ends, to the last bit
    K = lattice.stiffness
    assert arrays["loss"].sum() == pytest.approx(K / 4 * reference.loss, rel=close)
    assert arrays["damped"].sum() == pytest.approx(reference.damped, rel=close)
    pull = device.to_host(solver.kick_values)[:, lattice.places].T / K
    wanted = reference.pull() / reference.mass
    assert np.abs(pull - wanted).max() <= 5e-5 * np.abs(wanted).max()
    stretch, _, length = reference.stretches()
    left = reference.intact * np.where(stretch > 0, 1 - reference.damage, 1)
    strain = device.to_host(solver.energy_values)[lattice.places].sum()
    assert strain == pytest.approx(K / 2 * (reference.weights * left * length * stretch**2).sum(), rel=2e-4)


def test_softening_keeps_symmetry_and_the_sum_of_forces(device):
    """A mirror-symmetric random field on a block with corrected surfaces: three steps keep it to the last bit in fp32.

    The forces of a bond's ends are opposite to the last bit, as their weights are
    equal: the sum is rounding, 1e-6."""
    given = parameters("block", 2).model_copy(update={"notches": [], "loads": [], "unbreakable": []})
    plain, loads, lattice = discretised(given, 1e-3)
    law = Law("bilinear", BILINEAR, bilinear(), (1e-3, 4e-3), 1e-3, 4e-3, 2e-6)
    body = replace(plain, half_shares=surface(filled(given), lattice).half_shares, law=law)
    cells, counts = filled(given).cells, body.layout.counts
    field = mirrored(np.random.default_rng(3).normal(size=(3, *counts)) * 2e-3)
    u = np.zeros((3, body.size), np.float32)
    u[:, body.places] = field[:, cells[:, 0], cells[:, 1], cells[:, 2]]
    solver = LATTICE_SOLVER.open(device, body, "float32")
    solver.restore({**{name: device.to_host(values) for name, values in solver.arrays.items()}, "u": u})
    with device.active():
        solver.advance(loads.table(0, 3), half=False)
    arrays = {name: device.to_host(values) for name, values in solver.arrays.items()}
    soft, held = (np.bitwise_count(arrays[name]).sum() for name in ("soft", "words"))
    assert 0.05 * held < soft < 0.95 * held
    assert is_seen_mirrored(device, solver, body.places, cells, counts)
    v = arrays["v"].astype(float)
    assert np.abs(v.sum(axis=1)).max() <= 1e-6 * np.abs(v).sum()


def test_energy_is_balanced_while_bonds_soften(cpu):
    """0.1 % of the work, with two materials, corrected surfaces and damping; only stresses act."""
    top = parameters("plate", 3).loads[0]
    given = parameters("plate", 3).model_copy(update={"loads": [top, top.model_copy(update={"side": "bottom"})]})
    body, loads, lattice = discretised(given, STRETCH)
    full = made("plate", 3, True)[0]
    body = replace(full, stiffness=0.04 * full.stiffness, kind=body.kind, scales=lattice.scales(1.0))
    table = loads.table(0, 1)
    table[:, 1:, 0] = [[1e-7, -4e-7], [1e-7, 4e-7]]
    solver = LATTICE_SOLVER.open(cpu, body, "float64")
    totals = totals_of(solver, np.zeros(len(body.places)), 1.0)
    decay = 0.999
    worst = 0.0
    for batch in range(12):
        with cpu.active():
            solver.advance(np.repeat(table, 30, axis=0), batch == 0, decay)
            solver.measure()
        found = energies(totals.read(table[0], decay), 1.0, decay, 0.0)
        worst = max(worst, found.imbalance)
    assert min(found.broken, found.damped) > 0.02 * found.work
    assert worst <= 1e-3
