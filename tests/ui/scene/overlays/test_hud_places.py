"""Where the tags of probes stand in the 3D view."""

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from tests.ui.scene.test_categories import scene_of
from ui.scene.overlays.hud import Hud, free_place
from ui.scene.visuals.plates import thinned

TAG = (20, 60, 4)


def plate(left, top, wide, high):
    return "plate", np.zeros((high, wide, 4), np.uint8), left, top


def test_a_tag_stands_where_it_covers_nothing() -> None:
    spot = (200.0, 100.0)
    bar, left_tag = plate(215, 50, 80, 100), plate(100, 91, 50, 18)
    above = plate(180, 60, 40, 25)
    assert free_place(TAG, spot, [], 10) == (210, 90)
    assert free_place(TAG, spot, [bar], 10) == (130, 90), "left of the point"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag], 10) == (170, 70), "above"
    assert free_place(TAG, spot, [plate(215, 91, 80, 18), left_tag, above], 10) == (170, 110), "below"
    assert free_place(TAG, spot, [plate(0, 0, 400, 300)], 10) is None


def boxes(cells, height, ratio=1.0):
    """Name to (left, top, right, bottom) [pixels] of what lies over a grid in a view of 630 points and this height."""
    grid = Grid(cells, (1.0, 1.0))
    scene = scene_of(grid, FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, 630 / height)
    scene.time, scene.lines = 1.0, ["Bandwidth\t4.70 GB/s, 6 %", "Steps\t4650 /s", "Pace\t211 fs/s", "Remaining\t2 s"]
    placed, _ = Hud().compose(scene, round(630 * ratio), round(height * ratio), ratio)
    return {name: (x, y, x + image.shape[1], y + image.shape[0]) for name, image, x, y in placed}


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(
    ("cells", "height", "in_line"),
    [
        ((20, 120), 250, True),
        ((80, 80), 335, False),
        ((20, 120), 190, True),
        ((80, 80), 190, True),
        ((20, 120), 600, False),
        ((120, 100), 600, True),
        ((60, 80), 398, True),
        ((60, 80), 400, False),
    ],
)
def test_bars_and_meters_lie_apart_in_a_low_view(cells, height, in_line, ratio) -> None:
    """At 1280 × 720 the view is 335 points high, and 190 under a banner of several lines. In a high view they
    stand in a line where that covers far less."""
    found = boxes(cells, height, ratio)
    assert apart(found["bar"], found["scale"])
    assert all(apart(found["lines"], found[name]) for name in ("bar", "time", "scale", "axis y"))
    assert (found["lines"][1] < found["time"][3]) == in_line, "beside the time where they cover less of the field there"


@pytest.mark.parametrize(("pixels_per_unit", "every"), [(1.0, 1), (0.5, 2), (0.2, 4), (100.0, 1)])
def test_figures_of_a_low_bar_do_not_run_into_each_other(pixels_per_unit, every) -> None:
    assert thinned((-75.0, -50.0, -25.0, 0.0, 25.0), pixels_per_unit, 16) == every
    assert thinned((1.0,), pixels_per_unit, 16) == 1


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_axes_stand_in_the_lower_left_corner(ratio) -> None:
    """46 points from both edges, on any screen."""
    grid = Grid((20, 20), (1.0, 1.0))
    scene = scene_of(grid, FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0)))
    scene.camera.apply(scene.home, 630 / 400)
    placed, strokes = Hud().compose(scene, round(630 * ratio), round(400 * ratio), ratio)
    origin = (46 * ratio, (400 - 46) * ratio)
    assert sum(stroke.start == origin for stroke in strokes) >= 3  # and the point of one that looks at us
    for name, image, left, top in placed:
        if name.startswith("axis"):
            middle = np.array([left + image.shape[1] / 2, top + image.shape[0] / 2])
            assert np.linalg.norm(middle - origin) < 46 * ratio
