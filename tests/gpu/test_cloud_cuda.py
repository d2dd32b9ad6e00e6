"""Irregular points on a device: the same small bodies as on the CPU."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

pytestmark = pytest.mark.gpu


STIFF = {
    "young": 200.0,
    "density": 7800.0,
    "region": {"kind": "half-space", "point": (10, 0, 0), "direction": (1, 1, 0)},
}


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("counts", [(60, 24), (20, 16, 12)])
@pytest.mark.parametrize("several", [False, True])
def test_a_run_is_the_cpus(gpu, tmp_path, counts, precision, several):
    """fp64: rounding of 40 steps, seen through float32 fields. fp32: 1e-7 a step, times the sensitivity of a wave."""
    d = len(counts)
    lattice = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in counts), indexing="ij"), -1).reshape(-1, d)
    path = tmp_path / "points.csv"
    np.savetxt(path, lattice + np.random.default_rng(1).uniform(-0.25, 0.25, lattice.shape), delimiter=",")
    given = {
        "body": {"kind": "points", "file": str(path), "formulation": "3D" if d == 3 else "plane stress"},
        "bonds": {"spacing": 1.0},
        "notches": [{"start": (0, 8), "end": (10, 8)}],
        "loads": [
            {"kind": "stress", "stress": (0, 6, 0)},
            {"kind": "velocity", "region": {"side": "bottom", "kind": "side"}},
        ],
        "numerics": {"precision": precision},
        "material": {"fracture_energy": 3.8 if precision == "fp64" else 1e6},
    }
    if several:
        given["materials"] = [STIFF | {"fracture_energy": 3.0 if precision == "fp64" else 1e6}]
        given["interfaces"] = [{"stiffness": 0.8, "fracture_energy": 0.5}]
    problem = Problem(PeridynamicParameters.model_validate(given))
    runs = [PeridynamicsEngine().build(problem, backend) for backend in (CpuBackend(), gpu)]
    for run in runs:
        run.advance(40)
    for info in runs[0].fields:
        first, second = (run.field(info.name) for run in runs)
        tolerance = 1e-6 if precision == "fp64" else 1e-4
        assert (np.isnan(first) == np.isnan(second)).all(), info.name  # no data where bonds are too few
        assert np.nanmax(np.abs(first - second)) <= tolerance * max(np.nanmax(np.abs(first)), 1e-30), info.name
