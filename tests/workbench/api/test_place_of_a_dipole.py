"""Where a point source acts, as its form says."""

import numpy as np
import pytest

import workbench as wb
from engines.fdtd.parameters.sources import PointSource


@pytest.mark.parametrize(
    ("place", "acts"), [((1.52, 1.48, 1.55), (1.5, 1.5, 1.55)), ((1.57, 1.5, 1.51), (1.6, 1.5, 1.55))]
)
def test_it_acts_at_the_nearest_edge_along_its_axis(place, acts):
    """Which nothing said: it is up to half a cell off."""
    assert "nearest edge" in str(PointSource.model_fields["place"].description)
    problem = wb.open("fdtd_dipole").set({"monitors": [], "sources.0.place": place, "sources.0.signal.wavelength": 4.0})
    problem.set({f"grid.cells_{axis}": 30 for axis in "xyz"} | {f"grid.size_{axis}": 3.0 for axis in "xyz"})
    with problem.simulate(device="cpu") as run:
        run.advance(3)
        field = run.field("Ez")
        size = np.abs(np.asarray(field))
        for axis, expected in zip("zyx", reversed(acts), strict=True):
            across = tuple(k for k, name in enumerate("zyx") if name != axis)
            middle = (size.sum(axis=across) * np.asarray(field.coordinates[axis])).sum() / size.sum()
            assert middle == pytest.approx(expected, abs=1e-3)
