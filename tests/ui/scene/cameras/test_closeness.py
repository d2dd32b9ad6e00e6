"""Which part of a flat grid is looked at: all that is in view and a margin, in steps, from any side."""

import numpy as np
import pytest

from engines.geometry.grid import Grid
from ui.scene.cameras.camera import Camera
from ui.scene.cameras.closeness import looked_at

GRID = Grid((2000, 3000), (0.5, 0.25), origin=(-10.0, 20.0, 3.0))
ASPECT = 1.5


def camera(azimuth, elevation, distance):
    middle = np.array([365.0, 270.0, 3.0])
    made = Camera(azimuth=azimuth, elevation=elevation)
    made.fit(np.array([middle - 1, middle + 1]))
    made.distance = distance
    return made


@pytest.mark.parametrize("azimuth", range(-90, 270, 45))
@pytest.mark.parametrize("elevation", [90.0, 50.0])
def test_all_that_is_in_view_is_found_with_a_margin(azimuth, elevation):
    eye = camera(azimuth, elevation, 90.0)
    cells = []
    for corner in ((0, 0), (ASPECT, 0), (0, 1), (ASPECT, 1)):
        origin, direction = eye.ray(*corner, ASPECT, 1.0)
        place = origin + (3.0 - origin[2]) / direction[2] * direction
        cells.append((place[:2] - (-10.0, 20.0)) / GRID.spacing)
    low, high = np.min(cells, axis=0), np.max(cells, axis=0)
    found = np.array(looked_at(GRID, eye, ASPECT)).reshape(2, 2)
    step = 2.0 ** np.floor(np.log2((high - low) / 8))
    assert (found[0] <= low - 0.25 * (high - low)).all()
    assert (found[0] > low - 0.25 * (high - low) - step).all()
    assert (found[1] >= high + 0.25 * (high - low)).all()
    assert (found[1] < high + 0.25 * (high - low) + step).all()
    assert (found % step == 0).all()


def test_most_of_it_or_none_of_it_has_no_part():
    assert looked_at(GRID, camera(-90.0, 90.0, 3000.0), ASPECT) is None
    assert looked_at(GRID, camera(-90.0, 5.0, 90.0), ASPECT) is None, "the upper corners look into the sky"
    beside = camera(-90.0, 90.0, 90.0)
    assert looked_at(Grid((20, 30), (0.5, 0.25), origin=(-10.0, 20.0, 3.0)), beside, ASPECT) is None
