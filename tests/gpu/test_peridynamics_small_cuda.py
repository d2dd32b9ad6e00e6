"""Small bodies on a device: blocks that wait for each other step as launches do, and batches run as bodies alone do."""

from __future__ import annotations

import numpy as np
import pytest

from engines.peridynamics.lattice.cuda import CudaSolver
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.step.batch import Batch, varied

pytestmark = pytest.mark.gpu

BODIES = {
    "plate": {"kind": "plate", "size_x": 80, "size_y": 50},
    "block": {"kind": "block", "size_x": 20, "size_y": 16, "size_z": 12},
}


def given(body, precision="fp32", **changes) -> PeridynamicParameters:
    return PeridynamicParameters.model_validate(
        {
            "body": BODIES[body],
            "bonds": {"spacing": 1.0},
            "notches": [{"start": (0, 8), "end": (10, 8)}],
            "loads": [
                {"kind": "stress", "stress": (0, 8, 0)},
                {"kind": "velocity", "region": {"side": "bottom", "kind": "side"}},
            ],
            "numerics": {"precision": precision},
            **changes,
        }
    )


SOFT = {"material": {"law": {"kind": "bilinear", "strength": 8.0}}}


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("changes", [{}, SOFT], ids=["brittle", "softening"])
@pytest.mark.parametrize("body", list(BODIES))
def test_steps_are_the_same_to_the_last_bit(gpu, monkeypatch, body, changes, precision):
    """Over 200 steps in launches of 1 to 100 steps, with several blocks to a body, whether or not that is faster."""
    monkeypatch.setattr("engines.peridynamics.lattice.small.cuda.WORTH_MEASURING", 1 << 30)
    setup = BondSetup(given(body, precision, **changes), gpu)
    lattice, table = setup.discretised(), setup.loads.table(0, 200)
    usual, many = (CudaSolver(gpu, lattice, setup.precision) for _ in range(2))
    usual._many = None
    assert many._many is not None
    assert many._many.arrangement.group > 1
    with gpu.active():
        usual.advance(table, True)
        for first, last in ((0, 1), (1, 50), (50, 100), (100, 200)):
            many.advance(table[first:last], first == 0)
    assert (gpu.to_host(usual.arrays["words"]) != lattice.words).any()
    for name in usual.arrays:
        assert np.array_equal(gpu.to_host(usual.arrays[name]), gpu.to_host(many.arrays[name])), name


@pytest.mark.parametrize("bodies", [3, 40])
def test_bodies_at_once_are_as_alone(gpu, bodies):
    """fp64: sums in another order."""
    base = given("plate", "fp64", **SOFT)
    cases = [varied(base, {"material.law.strength": 7.0 + 0.1 * number}) for number in range(bodies)]
    at_once = Batch(cases, gpu).run(30.0)
    for number in (0, bodies - 1):
        (alone,) = Batch([cases[number]], gpu).run(30.0)
        assert np.abs(at_once[number].x - alone.x).max() <= 1e-9 * np.abs(alone.x).max()
        assert np.abs(at_once[number].force - alone.force).max() <= 1e-9 * np.abs(alone.force).max()
