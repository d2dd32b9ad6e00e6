"""The same body with other materials and loads: at once as one after the other, on both backends."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.step.batch import Batch, varied

PULLED = {
    "body": {"kind": "plate", "size_x": 20, "size_y": 9},
    "bonds": {"spacing": 1.0, "influence": "quartic"},
    "notches": [{"start": (10, 0), "end": (10, 4)}],
    "unbreakable": [],
    "material": {
        "young": 30.0,
        "density": 2400.0,
        "fracture_energy": 20.0,
        "law": {"kind": "bilinear", "strength": 8.0},
    },
    "loads": [
        {"kind": "velocity", "region": {"kind": "side", "side": "right"}, "x": 0.6, "y": None},
        {"kind": "velocity", "region": {"kind": "side", "side": "left"}, "x": 0.0, "y": 0.0},
    ],
    "numerics": {"precision": "fp64", "damping": 2e4},
}


def given(base, **changes) -> PeridynamicParameters:
    return PeridynamicParameters.model_validate({**base, **changes})


def agree(first, second, tolerance):
    for one, other in zip(first, second, strict=True):
        assert np.abs(one.x - other.x).max() <= tolerance * np.abs(other.x).max()
        assert np.abs(one.force - other.force).max() <= tolerance * np.abs(other.force).max()


def test_bodies_at_once_are_as_alone(cpu, on_host):
    """Modulus (and with it the step), strength, energy, speed of the load. fp64: sums in another order, 1e-9."""
    base = given(PULLED)
    changes = [
        {},
        {"material.young": 40.0},
        {"material.law.strength": 6.0},
        {"loads.0.x": 0.8, "numerics.damping": 0.0},
    ]
    cases = [varied(base, change) for change in changes]
    alone = Batch(cases, cpu).run(20.0)
    batch = Batch(cases, on_host)
    assert batch._groups() == [[0, 1, 2, 3]]
    at_once = batch.run(20.0)
    with pytest.raises(RuntimeError, match="runs once"):
        batch.run(20.0)
    agree(at_once, alone, 1e-9)
    for one in alone:  # they soften, and are not the same
        assert 0 < np.argmax(one.force) < len(one.force) - 1
    assert len({round(one.peak[0], 6) for one in alone}) == 4


def test_bodies_at_rest_at_once_are_as_alone(cpu, on_host):
    """Load steps in which bonds soften; each body takes iterations of its own. fp64: 1e-9, times what hundreds of
    iterations make of it."""
    rate = {"kind": "constant rate", "time": 100}
    loads = [
        {"kind": "displacement", "region": {"kind": "side", "side": "right"}, "x": 0.008, "y": None, "history": rate},
        {"kind": "displacement", "region": {"kind": "side", "side": "left"}, "x": 0.0, "y": 0.0},
    ]
    relaxation = {"load_steps": 2, "tolerance": 3e-3}
    numerics = {"precision": "fp64", "integrator": "dynamic relaxation", "relaxation": relaxation}
    body = {"kind": "plate", "size_x": 12, "size_y": 7}
    base = given(PULLED, body=body, numerics=numerics, loads=loads, notches=[])
    cases = [varied(base, {"material.law.strength": strength}) for strength in (3.0, 8.0)]
    alone = Batch(cases, cpu).run()
    at_once = Batch(cases, on_host).run()
    agree(at_once, alone, 1e-7)
    assert len(alone[0].x) > 3
    assert alone[0].force[-1] > 0 == alone[1].force[-1]  # of one energy the stronger is the more brittle


def test_what_differs_runs_on_its_own(on_host):
    base = given(PULLED)
    notched = base.model_copy(update={"notches": []})
    gauged = given(PULLED, measuring={"gauges": [{"kind": "point", "point": (3.5, 3.5, 0)}]})
    batch = Batch([base, notched, varied(base, {"material.young": 31.0}), gauged], on_host)
    assert batch._groups() == [[0, 2], [1], [3]]


@pytest.mark.parametrize("name", ["material.strength", "loads.7.x", "material", "loads.0.y", "body.kind"])
def test_a_number_that_is_not_there(name):
    with pytest.raises(ProblemError, match=f"no number '{name}'"):
        varied(given(PULLED), {name: 1.0})


def test_a_curve_needs_a_load(cpu):
    with pytest.raises(ProblemError, match="Without a load"):
        Batch([given({**PULLED, "loads": []})], cpu)
    with pytest.raises(ProblemError, match="how far"):
        Batch([given(PULLED)], cpu).run()
