"""What a ray meets of a box, a relief and a volume, against places that are known; and which part of a grid is near."""

import numpy as np
import pytest

from engines.geometry.grid import Grid
from tests.ui.scene.grids import CONCENTRATION, gather
from ui.scene.cameras.camera import Camera
from ui.scene.cameras.closeness import MARGIN, looked_at
from ui.scene.layers.grid import GridLayer
from ui.scene.layers.layer import Plan
from ui.scene.layers.marching import first_above, first_crossing, first_opaque, through

# Written out: what the sources have is held against these.
FIELD_OF_VIEW = 28.0
STEPS = 768
DENSITY = 22.0

LOW, HIGH = np.zeros(3), np.array([4.0, 2.0, 1.0])
FLAT = np.array([4.0, 2.0, 0.0])
X, DOWN = np.array([1.0, 0, 0]), np.array([0.0, 0, -1.0])


@pytest.mark.parametrize(
    ("origin", "direction", "span"),
    [
        ((-3, 1, 0.5), (1, 0, 0), (3, 7)),
        ((7, 1, 0.5), (-1, 0, 0), (3, 7)),
        ((1, 1, 0.5), (1, 0, 0), (0, 3)),
        ((5, 1, 0.5), (1, 0, 0), None),
        ((-3, 3, 0.5), (1, 0, 0), None),
        ((-3, 0, 0.5), (1, 0, 0), (3, 7)),
        ((-1, -1, 0.5), (0.6, 0.8, 0), (5 / 3, 3.75)),
        ((2, 1, 9), (0, 0, -1), (8, 9)),
    ],
)
def test_a_ray_enters_and_leaves_a_box(origin, direction, span):
    found = through(LOW, HIGH, np.array(origin, float), np.array(direction, float))
    assert found == (None if span is None else pytest.approx(span))


def slope(places):
    """A relief that rises by a quarter along x, from 0 to 1."""
    return places[:, 0] / 4


@pytest.mark.parametrize(
    ("origin", "direction", "met"),
    [
        ((2.0, 1.0, 5.0), (0, 0, -1), (2.0, 1.0, 0.5)),
        ((-1.0, 1.0, 0.5), (1, 0, 0), (2.0, 1.0, 0.5)),
        ((3.0, 1.0, 0.25), (0, 0, -1), (3.0, 1.0, 0.25)),
        ((2.0, 1.0, 5.0), (0, 0, 1), None),
        ((0.5, -1.0, 0.9), (0, 1, 0), None),
        ((9.0, 1.0, 5.0), (0, 0, -1), None),
    ],
)
def test_a_ray_meets_the_relief_where_it_dips_under_it(origin, direction, met):
    found = first_above(slope, (0.0, 1.0), LOW, FLAT, np.array(origin), np.array(direction, float))
    if met is None:
        assert found is None
    else:
        np.testing.assert_allclose(found, met, atol=1e-4)


def test_heights_are_above_the_plane_of_the_grid():
    lifted = np.array([0.0, 0.0, 3.0])
    found = first_above(slope, (0.0, 1.0), LOW + lifted, FLAT + lifted, np.array([2.0, 1.0, 9.0]), DOWN)
    np.testing.assert_allclose(found, (2.0, 1.0, 3.5), atol=1e-4)
    below = first_above(lambda at: -slope(at), (-1.0, 0.0), LOW, FLAT, np.array([2.0, 1.0, 9.0]), DOWN)
    np.testing.assert_allclose(below, (2.0, 1.0, -0.5), atol=1e-4)


@pytest.mark.parametrize("corner", [(0.0, 0.0, 0.0), (20.0, -7.0, 3.0)])
@pytest.mark.parametrize("value", [1.0, 0.5, 0.3])
def test_a_ray_stops_in_a_volume_where_half_of_its_light_is_met(value, corner):
    values = np.zeros((4, 8, 16))
    values[:, :, 4:] = value  # from x = 1 on
    corner = np.array(corner)
    eye = corner + np.array([-3.0, 1.0, 0.5])
    found = first_opaque(2 + 3 * values, (2.0, 5.0), LOW + corner, HIGH + corner, eye, X)
    deep = np.log(2) / (DENSITY * value**2) * 4.0
    if deep < 3:
        np.testing.assert_allclose(found - corner, (1 + deep, 1.0, 0.5), atol=3 * 4 / STEPS + 0.01)
    else:
        assert found is None, "all of it is clear"


def test_nothing_is_met_beside_a_volume_or_in_a_clear_one():
    clear = np.zeros((2, 2, 2))
    assert first_opaque(clear, (0.0, 1.0), LOW, HIGH, np.array([-3.0, 1.0, 0.5]), X) is None
    assert first_opaque(clear + 1, (0.0, 1.0), LOW, HIGH, np.array([-3.0, 9.0, 0.5]), X) is None
    along_y = np.zeros((1, 2, 1))
    along_y[0, 1] = 1.0  # the farther half
    found = first_opaque(along_y, (0.0, 1.0), LOW, HIGH, np.array([2.0, -3.0, 0.5]), np.array([0.0, 1.0, 0.0]))
    assert 1.0 <= found[1] < 1.5


@pytest.mark.parametrize(
    ("origin", "direction", "levels", "far"),
    [
        ((-3.0, 1.0, 0.5), (1.0, 0.0, 0.0), (2.0,), 5.0),
        ((7.0, 1.0, 0.5), (-1.0, 0.0, 0.0), (2.0,), 5.0),
        ((-3.0, 1.0, 0.5), (1.0, 0.0, 0.0), (3.0, 1.0), 4.0),
        ((7.0, 1.0, 0.5), (-1.0, 0.0, 0.0), (3.0, 1.0), 4.0),
        ((2.0, -1.0, 0.5), (0.6, 0.8, 0.0), (3.0,), 5 / 3),
        ((1.0, 2.0, 1.0), (0.8, -0.48, -0.36), (2.0,), 1.25),
        ((-3.0, 1.0, 0.5), (1.0, 0.0, 0.0), (9.0,), None),
        ((2.0, -1.0, 0.5), (0.0, 1.0, 0.0), (3.0,), None),
        ((-3.0, 9.0, 0.5), (1.0, 0.0, 0.0), (2.0,), None),
    ],
)
def test_a_ray_meets_a_level_where_the_values_first_cross_it_from_either_side(origin, direction, levels, far):
    """Of a box that holds x itself, in cells of 0.01."""
    values = np.broadcast_to((np.arange(400) + 0.5) / 100, (10, 20, 400))
    found = first_crossing(values, levels, LOW, HIGH, np.array(origin), np.array(direction))
    assert found == (None if far is None else pytest.approx(far, abs=4 / STEPS + 0.02))


def above(x, y, distance):
    """A camera that looks down on (x, y)."""
    camera = Camera(azimuth=-90.0, elevation=90.0, distance=distance)
    camera.center = np.array([x, y, 0.0])
    return camera


@pytest.mark.parametrize("distance", [60.0, 110.0, 220.0])
def test_the_part_in_view_has_a_margin_in_steps_of_an_eighth(distance):
    grid = Grid((1000, 2000), (0.5, 0.5))
    high = 2 * distance * np.tan(np.deg2rad(FIELD_OF_VIEW / 2))
    camera, aspect = above(400.0, 300.0, distance), 1.5
    first_x, first_y, last_x, last_y = looked_at(grid, camera, aspect)
    for first, last, center, side in ((first_x, last_x, 400, aspect * high), (first_y, last_y, 300, high)):
        ends = [2 * (center + sign * (0.5 + MARGIN) * side) for sign in (-1, 1)]
        coarse = 2.0 ** np.floor(np.log2(2 * side / 8))
        assert first % coarse == last % coarse == 0
        assert ends[0] - coarse < first <= ends[0]
        assert ends[1] <= last < ends[1] + coarse
    crept = above(400.0 + 0.01, 300.0, distance)
    assert looked_at(grid, crept, aspect) == (first_x, first_y, last_x, last_y)


def test_most_of_a_grid_and_none_of_it_is_no_part():
    grid = Grid((1000, 2000), (0.5, 0.5))
    assert looked_at(grid, above(500.0, 250.0, 2000.0), 1.5) is None
    assert looked_at(grid, above(5000.0, 300.0, 60.0), 1.5) is None
    level = Camera(azimuth=0.0, elevation=0.0, distance=60.0)
    assert looked_at(grid, level, 1.5) is None, "some rays go up"
    corner = looked_at(grid, above(0.0, 0.0, 60.0), 1.5)
    assert corner[:2] == (0, 0)
    end = looked_at(grid, above(1000.0, 500.0, 60.0), 1.5)
    assert end[2:] == (2000, 1000)


@pytest.mark.parametrize("forward", [1.0, -1.0])
@pytest.mark.parametrize("x", [0.52, 2.0, 3.37])
def test_a_click_meets_an_isosurface_where_it_is_drawn(x, forward):
    """Of a slope in samples of several cells, the last of fewer: the place was up to a sample off, and beyond."""
    grid = Grid((21, 33, 37), (0.1, 0.1, 0.1))
    layer = GridLayer(grid)
    layer.levels = (x,)
    shape = layer.plan_shape(Plan(field=CONCENTRATION, levels=200))
    layer.adopt(shape)
    assert max(shape.levels.strides) > 1
    slope = grid.centers(np.arange(grid.n_cells))[:, 0]
    layer.set_values({name: gather(slope, of) for name, (_, of) in layer.parts(shape).items()}, 0.0)
    _, place = layer.pick(np.array([2.0 - 9 * forward, 1.7, 1.1]), np.array([forward, 0.0, 0.0]))
    np.testing.assert_allclose(place, (x, 1.7, 1.1), atol=1e-5)


def test_a_volume_whose_last_samples_are_of_fewer_cells():
    """Ten samples of four cells and one of one: what is opaque from cell 32 on begins there."""
    values = np.zeros((1, 1, 11))
    values[:, :, 8:] = 9.0
    high = np.array([4.1, 1.0, 1.0])
    eye = np.array([-1.0, 0.5, 0.5])
    found = first_opaque(values, (0.0, 1.0), LOW, high, eye, X, np.array([41 / 4, 1.0, 1.0]))
    assert found[0] == pytest.approx(3.2, abs=0.15)
