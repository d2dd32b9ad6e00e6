"""Spheres that are put somewhere: apart, the same each time, in a box that they fill."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from engines.geometry import packing
from engines.geometry.packing import packed


def radii(n, spread, seed=0):
    return 5 * np.exp(spread * np.random.default_rng(seed).standard_normal(n))


@pytest.mark.parametrize(("n", "spread"), [(1, 0.0), (2, 0.3), (7, 0.5), (50, 0.3), (51, 0.0), (60, 0.9), (4000, 0.4)])
def test_none_overlap(n, spread):
    spheres = packed(radii(n, spread))
    away = np.linalg.norm(spheres.positions[:, None] - spheres.positions[None], axis=2) if n < 100 else None
    if away is None:
        pairs = cKDTree(spheres.positions).query_pairs(2 * spheres.radii.max(), output_type="ndarray")
        one, other = pairs.T
        gaps = np.linalg.norm(spheres.positions[one] - spheres.positions[other], axis=1)
        assert (gaps > spheres.radii[one] + spheres.radii[other]).all()
        return
    np.fill_diagonal(away, np.inf)
    assert (away > spheres.radii[:, None] + spheres.radii[None]).all()


def test_tiles_continue_each_other(monkeypatch):
    monkeypatch.setattr(packing, "MOST_PLACES", 200)
    size = radii(3000, 0.3)
    spheres = packed(size)
    assert (spheres.radii == size).all()
    pairs = cKDTree(spheres.positions).query_pairs(2 * size.max(), output_type="ndarray")
    one, other = pairs.T
    assert (np.linalg.norm(spheres.positions[one] - spheres.positions[other], axis=1) > size[one] + size[other]).all()
    low, high = spheres.bounds
    assert (4 / 3 * np.pi * size**3).sum() / np.prod(high - low) > 0.15


def test_the_same_radii_give_the_same_places():
    first, second = packed(radii(500, 0.3)), packed(radii(500, 0.3))
    assert (first.positions == second.positions).all()


def test_few_lie_flat_and_many_fill_a_box():
    few, many = packed(radii(12, 0.2)), packed(radii(2000, 0.2))
    assert (few.positions[:, 2] == 0).all()
    low, high = many.bounds
    assert (4 / 3 * np.pi * many.radii**3).sum() / np.prod(high - low) > 0.2
    # Neighbours in the numbering are not neighbours in the box.
    assert np.linalg.norm(np.diff(many.positions, axis=0), axis=1).mean() > 0.3 * (high - low).max()
