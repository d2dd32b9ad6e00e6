"""Strain and stress of irregular points on a device: the CPU's. Those of lattices are among the fields of runs."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

pytestmark = pytest.mark.gpu


def test_points_are_told_as_on_the_cpu(gpu, tmp_path):
    """fp64: rounding of 40 steps, seen through float32 fields."""
    x, y, z = (axis.ravel() for axis in np.meshgrid(np.arange(12), np.arange(8), np.arange(7), indexing="ij"))
    points = np.column_stack([x, y, z]) + np.random.default_rng(3).uniform(-0.2, 0.2, (len(x), 3))
    np.savetxt(tmp_path / "points.csv", points, delimiter=",")
    given = {
        "body": {"kind": "points", "file": str(tmp_path / "points.csv"), "formulation": "3D"},
        "bonds": {"spacing": 1.0},
        "notches": [],
        "unbreakable": [],
        "numerics": {"precision": "fp64"},
    }
    problem = Problem(PeridynamicParameters.model_validate(given))
    runs = [PeridynamicsEngine().build(problem, backend) for backend in (CpuBackend(), gpu)]
    for run in runs:
        run.advance(40)
    for name in ("strain", "von_mises", "mean_stress"):
        first, second = (run.field(name) for run in runs)
        assert (np.isnan(first) == np.isnan(second)).all(), name
        assert np.nanmax(np.abs(first - second)) <= 1e-6 * np.nanmax(np.abs(first)), name
