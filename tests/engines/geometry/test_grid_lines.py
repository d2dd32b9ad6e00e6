"""Grids with lines of their own: cells, their centres, which one a place is in, and the raster that viewers draw."""

import numpy as np
import pytest

from engines.geometry.grid import Grid, rectilinear

X, Y, Z = np.array([1.0, 1.5, 3.0, 3.25]), np.array([-1.0, 1.0, 2.0]), np.array([0.0, 0.5, 2.0])


def test_cells_are_between_their_lines():
    grid = rectilinear([X, Y, Z])
    assert grid.shape == (2, 2, 3)
    assert grid.lengths == pytest.approx((2.25, 3.0, 2.0))
    assert np.concatenate(grid.bounds) == pytest.approx([1.0, -1.0, 0.0, 3.25, 2.0, 2.0])
    centers = grid.centers(np.arange(12))
    assert centers[1] == pytest.approx([2.25, 0.0, 0.25])
    assert centers[11] == pytest.approx([3.125, 1.5, 1.25])
    assert (grid.nearest(centers) == np.arange(12)).all()
    places = [(1.49, 0.9, 0.1), (1.51, 1.1, 0.6), (99.0, -99.0, 0.0)]
    assert grid.nearest(np.array(places)).tolist() == [0, 10, 2]


def test_a_grid_of_two_dimensions_lies_at_its_height():
    grid = rectilinear([X, Y], 0.7)
    assert grid.shape == (2, 3)
    assert grid.centers(np.array([4]))[0] == pytest.approx([2.25, 1.5, 0.7])


def test_lines_that_do_not_ascend_are_refused():
    with pytest.raises(ValueError, match="ascend"):
        rectilinear([X[::-1], Y])


def test_a_raster_covers_the_same_box_by_cells_of_the_smallest_size():
    grid = rectilinear([X, Y])
    raster = grid.raster
    assert raster.shape == (3, 9)
    assert raster.spacing == pytest.approx((0.25, 1.0))
    beneath = grid.under(np.arange(27)).reshape(3, 9)
    assert beneath[0].tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 2]
    assert beneath[:, 0].tolist() == [0, 0, 3]
    even = Grid((3, 4), (1.0, 1.0))
    assert even.raster is even
    elements = np.arange(12)
    assert even.under(elements) is elements
