"""A run that is told to go on from an end between two samples has the curves and results of one that never stopped."""

import numpy as np
import pytest

import workbench as wb

ENDS = {
    # preset: an end between two samples, and the later one [us]
    "brazilian_disc": (5.137, 12),
    "notched_concrete_beam": (83, 200),
}


@pytest.mark.parametrize("preset", ENDS)
def test_the_load_curve_has_no_point_of_an_end_that_was_gone_on_from(preset):
    end, later = ENDS[preset]
    project = wb.open(preset)
    with project.run(until=later, device="cpu") as whole, project.run(until=end, device="cpu") as run:
        assert run.step % 10
        before = len(run.curves["load_displacement/Calculated"])
        assert len(run.curves["load_displacement/Calculated"]) == before  # looking takes no point away, nor adds one
        run.run(later)
        assert len(run.curves["load_displacement/Calculated"]) > before
        for name in whole.results:
            np.testing.assert_array_equal(run.results[name], whole.results[name], name)
