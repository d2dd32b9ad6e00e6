"""How many times displacements are drawn so that they are seen."""

import numpy as np
import pytest

from ui.scene.cameras.deformation import visible_scale

# Written out: what the sources have is held against these.
MOST = 20_000


def moved(length, count=1000):
    """So many elements, all of them by as much."""
    return np.tile([0.0, 0.0, length], (count, 1))


@pytest.mark.parametrize(
    ("length", "scale"),
    [(5.0, 1.0), (50.0, 1.0), (2.6, 1.0), (2.5, 2.0), (1.01, 2.0), (1.0, 5.0), (0.51, 5.0), (0.5, 10.0), (0.03, 100.0),
     (0.024, 200.0), (0.005, 1000.0), (1e-6, 1000.0)],
)  # fmt: skip
def test_the_largest_is_drawn_as_a_twentieth_of_the_longest_side_or_less(length, scale):
    assert visible_scale(moved(length), 100.0, None) == scale


@pytest.mark.parametrize(
    ("length", "before", "scale"), [(0.5, 10.0, 10.0), (0.1, 10.0, 10.0), (0.099, 10.0, 50.0), (0.51, 10.0, 5.0)]
)
def test_a_scale_stays_until_one_five_times_as_large_is_right(length, before, scale):
    assert visible_scale(moved(length), 100.0, before) == scale


@pytest.mark.parametrize(("before", "scale"), [(None, 1.0), (20.0, 20.0)])
def test_where_nothing_has_moved_it_stays(before, scale):
    assert visible_scale(moved(0.0), 100.0, before) == scale
    assert visible_scale(np.full((5, 3), np.nan), 100.0, before) == scale
    assert visible_scale(np.zeros((0, 3)), 100.0, before) == scale


def test_fragments_that_fly_away_and_what_is_no_number_do_not_count():
    body = moved(0.5, 1000)
    body[:4] = 1e6
    body[4] = np.nan
    assert visible_scale(body, 100.0, None) == 10.0
    body[:20] = 1e6
    assert visible_scale(body, 100.0, None) == 1.0


def test_of_many_elements_some_are_looked_at():
    many = moved(0.5, 5 * MOST)
    many[1::5] = many[2::5] = 1e6
    assert visible_scale(many, 100.0, None) == 10.0
