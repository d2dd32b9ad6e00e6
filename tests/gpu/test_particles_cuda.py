"""The model "particles" on a real GPU beside the CPU."""

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters

pytestmark = pytest.mark.gpu


def build(backend, precision="fp32", **settings):
    given = {"model": "particles", "particles": settings, "numerics": {"precision": precision}}
    return BatteryEngine().build(Problem(BatteryParameters.model_validate(given)), backend)


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("fp64", 1e-6)])
@pytest.mark.parametrize(
    "settings",
    [
        {"scheme": "explicit"},
        {"scheme": "explicit", "diffusivity": {"kind": "linear"}},
        {"scheme": "implicit", "shells": 48},
        {"scheme": "eigenmodes"},
    ],
)
def test_both_backends_agree(gpu, precision, tolerance, settings):
    """Fields are float32, 6e-8 of 1; what the kernels round differently adds up to less than the tolerance."""
    common = {"number": 500, "radius_spread": 0.2, "pulses": {"on": 20.0, "off": 11.0}, **settings}
    here, there = build(CpuBackend(), precision, **common), build(gpu, precision, **common)
    for run in (here, there):
        run.advance(700)
    for info in here.fields:
        largest = max(abs(info.range[0]), info.range[1])
        np.testing.assert_allclose(here.field(info.name), there.field(info.name), rtol=0, atol=tolerance * largest)
    one, other = here.observe(), there.observe()
    assert {name: pytest.approx(value, abs=tolerance) for name, value in one.items()} == other
    assert there.non_finite() is None
    chosen = there.select(Selection(np.array([3, 499, 3], np.int32), np.array([0, 1, 3], np.int32)))
    assert there.gather("stoichiometry", chosen).shape == (2, here.spheres.shells)
    assert len(there.chart("profile").curves) >= 2
    assert there.inspect(7).title == "Particle 8"


def test_a_run_ends_when_a_surface_is_empty_and_restores(gpu):
    one, two = (build(gpu, number=300, radius_spread=0.1, drive={"kind": "flux", "value": -6e-5}) for _ in range(2))
    one.advance(400)
    two.restore(one.state())
    for run in (one, two):
        run.advance(100_000)
    assert one.finished
    assert "empty" in one.ending
    assert one.step == two.step
    assert 0 <= one.field("surface_stoichiometry").min() < 0.01
    for name, values in one.state().items():
        assert (values == two.state()[name]).all(), name
