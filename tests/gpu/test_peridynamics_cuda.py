"""Bonds on a device: the same small body as on the CPU."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(
    "body",
    [{"kind": "plate", "size_x": 60, "size_y": 24}, {"kind": "block", "size_x": 20, "size_y": 16, "size_z": 12}],
    ids=lambda body: body["kind"],
)
def test_a_run_is_the_cpus(gpu, body):
    """fp64: rounding of 40 steps, seen through float32 fields."""
    given = {
        "body": body,
        "bonds": {"spacing": 1.0},
        "notches": [{"start": (0, 8), "end": (10, 8)}],
        "loads": [
            {"kind": "stress", "stress": (0, 6, 0)},
            {"kind": "velocity", "region": {"side": "bottom", "kind": "side"}},
        ],
        "numerics": {"precision": "fp64"},
    }
    problem = Problem(PeridynamicParameters.model_validate(given))
    runs = [PeridynamicsEngine().build(problem, backend) for backend in (CpuBackend(), gpu)]
    for run in runs:
        run.advance(40)
    for info in runs[0].fields:
        first, second = (run.field(info.name) for run in runs)
        assert (np.isnan(first) == np.isnan(second)).all(), info.name
        assert np.nanmax(np.abs(first - second)) <= 1e-6 * max(np.nanmax(np.abs(first)), 1e-30), info.name
