"""What the form offers for which bodies, and what it says of points that are given a wrong size."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from engines.api import Problem
from engines.api.parameters import matters
from engines.peridynamics.cloud.density import mean_distance
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.parameters.body.bodies import LatticeBody, PlaneBody
from engines.peridynamics.parameters.body.kinds import FLAT, LATTICE


def test_kinds_of_bodies_are_those_that_there_are() -> None:
    def kinds(union):
        return {body.model_fields["kind"].default for body in get_args(union)}

    assert kinds(PlaneBody) == set(FLAT)
    assert kinds(LatticeBody) == set(LATTICE)


def test_points_and_state_based_bodies_are_offered_what_they_can_have() -> None:
    def offered(body: str, theory: str) -> set[str]:
        given = PeridynamicParameters.model_validate({"body": {"kind": body}, "bonds": {"theory": theory}})
        return {
            name
            for name, field in PeridynamicParameters.model_fields.items()
            if matters((field.json_schema_extra or {}).get("when", {}), {}, (given,))
        }

    everything = set(PeridynamicParameters.model_fields)
    assert offered("plate", "bond-based") == everything
    assert offered("block", "state-based") == everything - {"materials", "interfaces"}
    assert offered("points", "bond-based") == everything - {"penetrators", "contact"}


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_distance_of_points_is_found_from_the_points(dimensions) -> None:
    axes = np.meshgrid(*[0.5 * np.arange(40.0 if dimensions == 2 else 20.0)] * dimensions)
    lattice = np.stack([axis.ravel() for axis in axes], axis=1)
    assert mean_distance(lattice) == pytest.approx(0.5, rel=0.01)
    moved = lattice + np.random.default_rng(1).uniform(-0.15, 0.15, lattice.shape)
    assert mean_distance(moved) == pytest.approx(0.5, rel=0.04)
    assert mean_distance(lattice[:50]) == 0


def test_points_of_a_wrong_size_are_told(cpu, tmp_path) -> None:
    axis = 0.5 * np.arange(20.0)
    points = np.stack([each.ravel() for each in np.meshgrid(axis, axis)], axis=1)
    np.savetxt(tmp_path / "points.csv", points, delimiter=",", header="x,y", comments="")
    body = {"kind": "points", "file": str(tmp_path / "points.csv"), "formulation": "plane stress"}

    def told(spacing: float) -> str:
        given = {"body": body, "bonds": {"spacing": spacing}, "notches": [], "loads": [], "unbreakable": []}
        problem = Problem(PeridynamicParameters.model_validate(given))
        return " ".join(finding.message for finding in PeridynamicsEngine().estimate(problem, cpu).findings)

    assert "Points lie about 0.5 mm apart, and each stands for 0.33 mm" in told(1 / 3)
    assert "apart" not in told(0.5)
