"""Slabs of a grid: where they lie, what they share with their neighbours, how long a round is."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.ranks.slabs import Slab, Widened
from tests.engines.ranks.threads import Post, ThreadRanks


def test_a_slab_lies_where_its_planes_are():
    grid = Grid((7, 5, 4), (0.5, 0.25, 2.0), (1.0, 0.0, -1.0))
    slabs = [Slab.of(grid, ThreadRanks(Post(3), rank), wraps=False) for rank in range(3)]
    assert slabs[0].rows == (0, 2, 4, 7)
    assert [slab.own.shape for slab in slabs] == [(2, 5, 4), (2, 5, 4), (3, 5, 4)]
    assert [(slab.below, slab.above) for slab in slabs] == [(None, 1), (0, 2), (1, None)]
    centers = np.concatenate([slab.own.centers(np.arange(slab.own.n_cells)) for slab in slabs])
    np.testing.assert_allclose(centers, grid.centers(np.arange(grid.n_cells)), rtol=1e-15)
    ring = [Slab.of(grid, ThreadRanks(Post(3), rank), wraps=True) for rank in range(3)]
    assert [(slab.below, slab.above) for slab in ring] == [(2, 1), (0, 2), (1, 0)]
    np.testing.assert_array_equal(Widened(ring[0], 1).planes, [6, 0, 1, 2])
    np.testing.assert_array_equal(Widened(ring[2], 2).planes, [2, 3, 4, 5, 6, 0, 1])
    assert [Widened(slab, 2).own for slab in slabs] == [slice(0, 2), slice(2, 4), slice(2, 5)]


def test_a_grid_of_few_planes_is_refused_in_a_sentence():
    with pytest.raises(ProblemError, match="A grid of 5 rows cannot be shared by 3 ranks, of which each needs two"):
        Slab.of(Grid((5, 40), (1.0, 1.0)), ThreadRanks(Post(3), 0), wraps=False)


def test_rounds_are_as_long_as_a_launch_and_as_thin_slabs_allow():
    def depth_of(planes, depth):
        slab = Slab.of(Grid((planes, 8), (1.0, 1.0)), ThreadRanks(Post(1), 0), wraps=False)
        return Widened.of(slab, ThreadRanks(Post(1), 0), depth).depth

    assert [depth_of(100, depth) for depth in (1, 2, 3, 4, 8, 16)] == [2, 2, 3, 4, 8, 16]
    assert depth_of(20, 16) == 10
    assert depth_of(2, 1) == 1
