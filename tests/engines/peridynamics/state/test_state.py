"""The linear peridynamic solid on both backends: the list of bonds, mirrors, energy and checkpoints of the engine."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.body.bonded import filled
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.state.reference import StateReference
from engines.peridynamics.state.solver import STATE_SOLVER
from tests.engines.peridynamics.lattice.mirrors import assert_stays_mirrored
from tests.engines.peridynamics.lattice.test_solver import LOADS, pairs_of
from tests.engines.peridynamics.state.state_cases import BARE, made_of
from tests.engines.peridynamics.test_engine import SMALL

CASES = {
    "plate": {"kind": "plate", "size_x": 37, "size_y": 10, "holes": [{"center": (25, 5), "radius": 2}]},
    "block": {"kind": "block", "size_x": 8, "size_y": 7, "size_z": 6},
}
STEPS, POISSON, DECAY = 40, 0.4, 0.999
ENERGIES = {"plate": 12.0, "block": 10.0}
"""With which some bonds break, and none by a hair's breadth."""


@cache
def solved(body: str):
    """The reference after STEPS steps, and the smallest margin of a decision to break."""
    given = PeridynamicParameters.model_validate(
        {
            "body": CASES[body],
            "bonds": {"spacing": 1.0},
            "notches": [{"start": (0, 4), "end": (4.5, 5.2)}],
            "unbreakable": [{"kind": "side", "side": "right", "rows": 2}],
            "loads": LOADS,
        }
    )
    made, loads, solid = made_of(given, POISSON, fracture_energy=ENERGIES[body])
    pairs, weak, bits = pairs_of(made)
    values = (made.stiffness_values[made.places], made.dilation_values[made.places])
    cells = filled(given).cells[:, : made.layout.dimensions]
    reference = StateReference(cells, pairs, weak, *values, solid.critical_stretch)
    table, kind = loads.table(0, STEPS), loads.kind
    margin = 1.0
    for step in range(STEPS):
        stretch = reference.stretches()[0][reference.intact & weak]
        margin = min(margin, float(np.abs(stretch - solid.critical_stretch).min()))
        rows = table[step][kind]
        left = (1 + 3 * DECAY) / (3 + DECAY) if step == 0 else DECAY
        kick = (0.25 if step == 0 else 0.5) * (1 + left)
        reference.step(kick, rows[:, 0], rows[:, 1] != 0, rows[:, 2], rows[:, 3], left)
    return made, table, reference, pairs, bits, margin


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("body", ["plate", "block"])
def test_a_run_is_that_of_the_reference(device, body, precision):
    """fp64: rounding of 40 steps, 1e-11 of the largest displacement. fp32: 40 steps of 1e-7 each, times the sensitivity
    of a wave. No decision is closer than the fp32 error of a stretch."""
    made, table, reference, pairs, bits, margin = solved(body)
    assert margin > 2e-9
    broken = ~reference.intact
    assert 10 < broken.sum() < 0.8 * len(pairs)
    solver = STATE_SOLVER.open(device, made, precision)
    with device.active():
        solver.advance(table, half=True, decay=DECAY)
    u = device.to_host(solver.arrays["u"])[:, made.places].T
    v = device.to_host(solver.arrays["v"])[:, made.places].T
    words = device.to_host(solver.arrays["words"])
    tolerance = 1e-11 if precision == "float64" else 2e-5
    assert np.abs(u - reference.u).max() <= tolerance * np.abs(reference.u).max()
    assert np.abs(v - reference.v).max() <= tolerance * np.abs(reference.v).max()
    for end, known in enumerate((bits, made.family.opposite()[bits])):  # both ends agree
        holds = words[known // WORD, made.places[pairs[:, end]]] >> (known % WORD).astype(np.uint32) & 1
        assert (holds == reference.intact).all()
    close = 1e-9 if precision == "float64" else 1e-4
    assert device.to_host(solver.arrays["loss"]).sum() == pytest.approx(reference.loss, rel=close)
    assert device.to_host(solver.arrays["damped"]).sum() == pytest.approx(reference.damped, rel=close)
    with device.active():
        solver.measure()
        solver.find_damage()
    pull = device.to_host(solver.kick_values)[:, made.places].T
    assert np.abs(pull - reference.pull()).max() <= 3e-5 * np.abs(reference.pull()).max()
    assert device.to_host(solver.energy_values)[made.places].sum() == pytest.approx(reference.energy(), rel=1e-4)
    damage = device.to_host(solver.damage_values)[made.places]
    left = np.bincount(pairs[reference.intact].ravel(), minlength=len(made.places))
    assert np.allclose(damage, 1 - left / made.whole[made.places], atol=1e-6)


@pytest.mark.parametrize("body", ["plate", "block"])
def test_forces_add_up_to_nothing_and_mirror_exactly(device, body):
    given = PeridynamicParameters.model_validate({**BARE, "body": {**CASES[body], "holes": []}})
    made, loads, _ = made_of(given, POISSON, fracture_energy=100.0)
    assert_stays_mirrored(device, STATE_SOLVER.open(device, made, "float32"), made, loads, filled(given).cells)


ENGINE = PeridynamicsEngine()
CRACK = {
    **SMALL,
    "bonds": {"spacing": 1.0, "theory": "state-based"},
    "material": {"fracture_energy": 10.0, "poisson": 0.2},
}


def problem(**changes) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**CRACK, **changes}))


def test_energy_is_balanced_while_the_crack_runs(cpu):
    """0.1 % as VERIFICATION asks of a run in fine steps: the error is of second order in the step."""
    run = ENGINE.build(problem(numerics={"safety": 0.2}), cpu)
    worst = 0.0
    for _ in range(8):
        run.advance(42)
        seen = run.observe()
        worst = max(worst, seen["imbalance"])
    assert seen["bonds"] > 100
    assert seen["broken"] > 0.01 * seen["work"]
    assert worst <= 0.1
    run.close()


def test_a_restored_run_goes_on_bit_for_bit(device):
    run = ENGINE.build(problem(), device)
    run.advance(60)
    assert run.observe()["bonds"] > 20
    state = {name: np.array(values) for name, values in run.state().items()}
    again = ENGINE.build(problem(), device)
    again.restore(state)
    for one in (run, again):
        one.advance(5)
    for info in run.fields:
        # strain is not of particles that have lost their bonds
        assert np.array_equal(run.field(info.name), again.field(info.name), equal_nan=True), info.name
    assert run.observe() == again.observe()


def test_what_is_said_of_poissons_ratio(cpu):
    facts = {fact.title: fact.value for fact in ENGINE.estimate(problem(), cpu).facts}
    assert facts["Poisson's ratio"] == 0.2
    body = {**CRACK["body"], "formulation": "plane strain"}
    said = ENGINE.estimate(problem(body=body, material={"poisson": 0.49}), cpu).findings
    assert "hardly changes" in said[0].message
    for poisson in (-1.0, 0.5):
        with pytest.raises(ValueError, match="poisson"):
            problem(material={"poisson": poisson})
    with pytest.raises(ProblemError, match="use at most"):
        ENGINE.build(problem(numerics={"step": 5.0}), cpu)
