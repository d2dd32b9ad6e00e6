"""The published crack, and each preset's figure, on a device; the CPU's long forms of the same tests."""

import pytest

from tests.engines.peridynamics import test_engine
from tests.engines.peridynamics.presets import test_presets

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(
    "check",
    [
        test_engine.test_crack_branching,
        test_presets.test_the_cracks_of_kalthoff_and_winkler_leave_at_65_degrees,
        test_presets.test_the_beams_load_lies_in_the_measured_band,
        test_presets.test_the_disc_splits_along_the_loaded_diameter,
        test_presets.test_a_cone_breaks_out_of_the_disc_and_cracks_run_to_its_rim,
        test_presets.test_the_cylinder_breaks_into_strips,
    ],
    ids=lambda check: check.__name__.removeprefix("test_"),
)
def test_what_the_cpu_shows(gpu, check):
    check(gpu)
