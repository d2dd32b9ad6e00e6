"""Both backends' kernels against the list of bonds in float64, with bonds that break, loads and notches."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engines.peridynamics.body.bonded import bonded, filled
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.lattice.reference import Reference
from engines.peridynamics.lattice.solver import LATTICE_SOLVER, Discretised
from engines.peridynamics.loading.loads import Loads, loads_on
from engines.peridynamics.material.brittle import Formulation, Lattice
from engines.peridynamics.parameters import PeridynamicParameters
from tests.engines.peridynamics.lattice.mirrors import assert_stays_mirrored

CASES = {
    "plate": {"kind": "plate", "size_x": 37, "size_y": 10, "holes": [{"center": (25, 5), "radius": 2}]},
    "block": {"kind": "block", "size_x": 9, "size_y": 8, "size_z": 7},
}
LOADS = [
    {"kind": "stress", "side": "top", "stress": (0.3, 2.0, 0.5), "rise": 0.5},
    {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}, "x": None, "y": -3.0},
    {"kind": "displacement", "region": {"kind": "side", "side": "left"}, "x": -2e-3, "y": None, "rise": 3.0},
]


def parameters(body: str, reach: int) -> PeridynamicParameters:
    return PeridynamicParameters.model_validate(
        {
            "body": CASES[body],
            "bonds": {"spacing": 1.0, "reach": reach},
            "notches": [{"start": (0, 4), "end": (4.5, 5.2)}],
            "unbreakable": [{"kind": "side", "side": "right", "rows": 2}],
            "loads": LOADS,
        }
    )


def discretised(
    given: PeridynamicParameters, stretch: float, plane: Formulation = "plane stress"
) -> tuple[Discretised, Loads, Lattice]:
    body = filled(given)
    bonds = bonded(given, body)
    formulation = "3D" if body.dimensions == 3 else plane
    lattice = Lattice(bonds.family, formulation, 72e9, 2440.0, 3.8, 1e-3, 1e-3)
    dt = 0.5 * lattice.stable_step
    loads = loads_on(body, given.loads, dt, 1e-3, 2440.0)
    kind = np.zeros(bonds.layout.size, np.uint8)
    kind[bonds.places] = loads.kind
    made = Discretised(
        bonds.places, bonds.whole, kind, lattice.scales(dt), bonds.layout, bonds.family, bonds.words, bonds.breakable,
        lattice.stiffness(dt), (1 + stretch) ** 2 - 1,
    )  # fmt: skip
    return made, loads, lattice


def pairs_of(body: Discretised) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(m, 2) particles, (m,) weak, (m,) bit at the first end; each bond once."""
    number = np.full(body.layout.size, -1)
    number[body.places] = np.arange(len(body.places))
    found, weak, bits = [], [], []
    for bit, step in enumerate(body.layout.steps(body.family.offsets)):
        if step < 0:
            continue
        mask = np.uint32(1 << bit % WORD)
        here = body.places[(body.words[bit // WORD, body.places] & mask) != 0]
        found.append(np.stack([number[here], number[here + step]], axis=1))
        weak.append((body.breakable[bit // WORD, here] & mask) != 0)
        bits.append(np.full(len(here), bit))
    return np.concatenate(found), np.concatenate(weak), np.concatenate(bits)


STRETCH, STEPS = 4e-4, 40
DECAY = {"plate": 0.98, "block": 1.0}
"""What a step leaves of velocities."""


@cache
def solved(body: str, reach: int):
    """The reference after STEPS steps, and the smallest margin of a decision to break."""
    given = parameters(body, reach)
    made, loads, _ = discretised(given, STRETCH)
    d = made.layout.dimensions
    pairs, weak, bits = pairs_of(made)
    reference = Reference(filled(given).cells[:, :d], pairs, weak, made.stiffness, STRETCH)
    table, kind = loads.table(0, STEPS), loads.kind
    margin, damping = 1.0, (1 - DECAY[body]) / (1 + DECAY[body])  # c dt/2
    for step in range(STEPS):
        stretch = reference.stretches()[0][reference.intact & weak]
        margin = min(margin, float(np.abs(stretch - STRETCH).min()))
        rows = table[step][kind]
        half = damping / 2 if step == 0 else damping
        kick = (0.5 if step == 0 else 1.0) / (1 + half)
        reference.step(kick, rows[:, 0], rows[:, 1] != 0, rows[:, 2], rows[:, 3], (1 - half) / (1 + half))
    return made, table, reference, pairs, bits, margin


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("body", "reach"), [("plate", 3), ("plate", 4), ("block", 2), ("block", 3)])
def test_a_run_is_that_of_the_reference(device, body, reach, precision):
    """fp64: rounding of 40 steps, 1e-11 of the largest displacement. fp32: 40 steps of 1e-7 each, times the sensitivity
    of a wave (measured 2e-6). No decision is closer than the fp32 error of a stretch (2e-6 of 4e-4)."""
    made, table, reference, pairs, bits, margin = solved(body, reach)
    assert margin > 2e-9
    broken = ~reference.intact
    assert 10 < broken.sum() < 0.8 * len(pairs)
    solver = LATTICE_SOLVER.open(device, made, precision)
    with device.active():
        solver.advance(table, True, DECAY[body])
    u = device.to_host(solver.arrays["u"])[:, made.places].T
    v = device.to_host(solver.arrays["v"])[:, made.places].T
    words = device.to_host(solver.arrays["words"])
    tolerance = 1e-11 if precision == "float64" else 2e-5
    assert np.abs(u - reference.u).max() <= tolerance * np.abs(reference.u).max()
    assert np.abs(v - reference.v).max() <= tolerance * np.abs(reference.v).max()
    holds = words[bits // WORD, made.places[pairs[:, 0]]] >> (bits % WORD).astype(np.uint32) & 1
    assert (holds == reference.intact).all()
    back = made.family.opposite()[bits]
    holds = words[back // WORD, made.places[pairs[:, 1]]] >> (back % WORD).astype(np.uint32) & 1
    assert (holds == reference.intact).all()  # both ends agree
    damped = device.to_host(solver.arrays["damped"]).sum()
    assert damped == pytest.approx(reference.damped, rel=1e-9 if precision == "float64" else 1e-4)
    loss = device.to_host(solver.arrays["loss"]).sum()
    assert loss == pytest.approx(made.stiffness / 4 * reference.loss, rel=1e-9 if precision == "float64" else 1e-4)
    with device.active():
        solver.measure()
        solver.find_damage()
    pull = device.to_host(solver.kick_values)[:, made.places].T / made.stiffness
    assert np.abs(pull - reference.pull()).max() <= 3e-5 * np.abs(reference.pull()).max()
    stretch, _, length = reference.stretches()
    strain = device.to_host(solver.energy_values)[made.places].sum()
    assert strain == pytest.approx(made.stiffness / 2 * (length * stretch**2)[reference.intact].sum(), rel=1e-4)
    damage = device.to_host(solver.damage_values)[made.places]
    left = np.bincount(pairs[reference.intact].ravel(), minlength=len(made.places))
    assert np.allclose(damage, 1 - left / made.whole[made.places], atol=1e-6)


def test_loads_that_stand_still_are_laid_out_as_any_others(cpu, monkeypatch):
    """Relaxation repeats one row without copying it; with the strides of that every kernel would be compiled again."""
    made, table, *_ = solved("plate", 3)
    solver, given = LATTICE_SOLVER.open(cpu, made, "float32"), []
    monkeypatch.setattr(solver, "_step", lambda prepared, *_: given.append(prepared[0]))
    solver.advance(np.broadcast_to(table[0], table.shape), True)
    assert len(given) == len(table)
    assert all(each.flags.c_contiguous for each in given)
    assert (given[0] == table[:1].astype(np.float32)).all()


@pytest.mark.parametrize("body", ["plate", "block"])
def test_forces_add_up_to_nothing_and_mirror_exactly(device, body):
    given = PeridynamicParameters.model_validate(
        {"body": {**CASES[body], "holes": []}, "bonds": {"spacing": 1.0}, "notches": [], "loads": [], "unbreakable": []}
    )
    made, loads, _ = discretised(given, 1e-3)
    assert_stays_mirrored(device, LATTICE_SOLVER.open(device, made, "float32"), made, loads, filled(given).cells)


@pytest.mark.parametrize(("dimensions", "formulation"), [(2, "plane stress"), (2, "plane strain"), (3, "3D")])
def test_the_bulk_modulus_after_calibration(cpu, dimensions, formulation):
    """Energy of uniform dilation inside the body: to the strain, 1e-7, in fp64."""
    strain, poisson = 1e-7, 1 / 3 if formulation == "plane stress" else 1 / 4
    given = PeridynamicParameters.model_validate(
        {
            "body": {"kind": "plate", "size_x": 9, "size_y": 9}
            if dimensions == 2
            else {"kind": "block", "size_x": 9, "size_y": 9, "size_z": 9},
            "bonds": {"spacing": 1.0}, "notches": [], "loads": [], "unbreakable": [],
        }
    )  # fmt: skip
    made, _, lattice = discretised(given, 1e-3, formulation)
    solver = LATTICE_SOLVER.open(cpu, made, "float64")
    cells = filled(given).cells
    u = np.zeros((dimensions, made.layout.size))
    u[:, made.places] = strain * cells[:, :dimensions].T
    solver.restore({**solver.arrays, "u": u})
    with cpu.active():
        solver.measure()
    middle = made.places[(cells[:, :dimensions] == 4).all(axis=1)]
    density = made.scales.energy / lattice.volume * solver.energy_values[middle][0]
    E = lattice.young
    wanted = {
        "plane stress": E / (1 - poisson),
        "plane strain": E / ((1 + poisson) * (1 - 2 * poisson)),
        "3D": 4.5 * E / (3 * (1 - 2 * poisson)),
    }[formulation]
    assert density == pytest.approx(wanted * strain**2, rel=1e-6)
