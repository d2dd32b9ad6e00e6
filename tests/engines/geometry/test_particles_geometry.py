"""Spheres as a geometry: bounds, places, and pairs that do not touch."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from engines.geometry.heaps import facing_heaps
from engines.geometry.particles import Particles, paired_rows


def test_bounds_and_places():
    spheres = Particles(np.array([[0.0, 0, 0], [5, 0, 0]]), np.array([1.0, 3.0]))
    low, high = spheres.bounds
    assert low.tolist() == [-1, -3, -3]
    assert high.tolist() == [8, 3, 3]
    assert spheres.n_cells == 2
    assert spheres.centers(np.array([1, 0])).tolist() == [[5, 0, 0], [0, 0, 0]]
    # 1.6 from the first centre is 0.6 from its surface, 3.4 from the second centre 0.4.
    assert spheres.nearest(np.array([[1.6, 0, 0], [-4, 0, 0]])).tolist() == [1, 0]


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_pairs_do_not_touch(n):
    rng = np.random.default_rng(n)
    spheres = paired_rows(rng.uniform(2, 6, n), rng.uniform(1, 5, n))
    assert spheres.n_cells == 2 * n
    distance = squareform(pdist(spheres.positions)) - spheres.radii - spheres.radii[:, None]
    assert distance[~np.eye(2 * n, dtype=bool)].min() > 0
    assert (spheres.positions[n:, 0] > spheres.positions[:n, 0]).all()


@pytest.mark.parametrize("small", [5e-6, 1e-9, 1e-30])
def test_heaps_of_sizes_as_of_other_units_lie_apart(small):
    """A radius in metres where µm are asked for: the floor has no cell for each place of so small spheres."""
    heaps = facing_heaps(np.full(30, 5.0), np.full(40, small))
    assert np.isfinite(heaps.positions).all()
    assert heaps.positions[:30, 0].max() < heaps.positions[30:, 0].min()


def test_what_is_no_sphere():
    with pytest.raises(ValueError, match="positive"):
        Particles(np.zeros((1, 3)), np.zeros(1))
    with pytest.raises(ValueError, match="2 radii"):
        Particles(np.zeros((1, 3)), np.ones(2))
