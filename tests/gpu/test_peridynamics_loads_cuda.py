"""Forces of supports, gauges and slow loading on a device: as on the CPU."""

import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

pytestmark = pytest.mark.gpu
SIDE = {"kind": "side", "rows": 3}
GIVEN = {
    "body": {"kind": "plate", "size_x": 40, "size_y": 24},
    "bonds": {"spacing": 1.0},
    "notches": [{"start": (0, 12), "end": (10, 12)}],
    "material": {"fracture_energy": 10.0},
    "loads": [
        {"kind": "displacement", "region": {**SIDE, "side": "bottom"}, "x": 0.0, "y": 0.0},
        {"kind": "displacement", "region": {**SIDE, "side": "top"}, "x": 0.0, "y": 0.004},
        {"kind": "gravity"},
    ],
    "measuring": {"gauges": [{"kind": "opening", "first": (0.5, 10, 0), "second": (0.5, 14, 0)}]},
}


@pytest.mark.parametrize("integrator", ["velocity Verlet", "dynamic relaxation"])
def test_what_is_measured_is_what_the_cpu_measures(gpu, integrator):
    """fp64, rounding of 150 steps."""
    numerics = {"precision": "fp64", "integrator": integrator, "relaxation": {"load_steps": 4}}
    problem = Problem(PeridynamicParameters.model_validate({**GIVEN, "numerics": numerics}))
    runs = [PeridynamicsEngine().build(problem, backend) for backend in (CpuBackend(), gpu)]
    for run in runs:
        run.advance(150)
    first, second = (run.observe() for run in runs)
    assert first["force_2_y"] > 1
    for name, value in first.items():
        assert second[name] == pytest.approx(value, rel=1e-7, abs=1e-8, nan_ok=True), name
    assert runs[1].ending == runs[0].ending
