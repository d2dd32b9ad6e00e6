"""What every geometry answers: meshes and grids of two and three dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from engines.geometry.base import Geometry
from engines.geometry.grid import Grid
from engines.geometry.meshes import mesh as mesh_module
from sample_data.make.slab import slab

GEOMETRIES: dict[str, Geometry] = {
    "mesh": slab((4.0, 2.0, 2.0), 1.0),
    "flat grid": Grid((3, 5), (0.5, 0.25), (-1.0, 2.0, 7.0), "um"),
    "grid": Grid((2, 3, 4), (0.1, 0.2, 0.3), (0.0, 0.0, 1e-3)),
}
everywhere = pytest.mark.parametrize("geometry", list(GEOMETRIES.values()), ids=list(GEOMETRIES))


@everywhere
def test_the_nearest_element_to_a_centre_is_its_own(geometry, monkeypatch):
    elements = np.random.default_rng(1).permutation(geometry.n_cells)
    for chunk in (7, 1_000_000):
        monkeypatch.setattr(mesh_module, "CHUNK", chunk)
        np.testing.assert_array_equal(geometry.nearest(geometry.centers(elements) + 1e-9), elements)


@everywhere
def test_the_nearest_element_is_that_of_a_plain_search(geometry):
    low, high = geometry.bounds
    places = np.random.default_rng(2).uniform(low - 0.5, high + 0.5, (50, 3))  # some are outside
    centers = geometry.centers(np.arange(geometry.n_cells))
    distances = np.linalg.norm(centers[None] - places[:, None], axis=2)
    found = distances[np.arange(50), geometry.nearest(places)]
    np.testing.assert_allclose(found, distances.min(axis=1), rtol=1e-12)  # round-off of the distances


@everywhere
def test_bounds_are_the_smallest_box_around_the_centres_and_half_a_cell(geometry):
    low, high = geometry.bounds
    centers = geometry.centers(np.arange(geometry.n_cells))
    assert low.shape == high.shape == (3,)
    assert (centers >= low).all()
    assert (centers <= high).all()
    assert geometry.length_unit in ("mm", "um")
    if isinstance(geometry, Grid):
        half = np.array([*geometry.spacing, 0.0][:3]) / 2
        np.testing.assert_allclose(centers.min(axis=0) - half, low, atol=1e-12)
        np.testing.assert_allclose(centers.max(axis=0) + half, high, atol=1e-12)


def test_a_mesh_gives_the_centres_that_are_asked_for():
    mesh = slab((4.0, 2.0, 2.0), 1.0)
    np.testing.assert_array_equal(mesh.centers(np.array([5, 3])), mesh.centroids[[5, 3]])
    np.testing.assert_array_equal(mesh.bounds, [mesh.points.min(axis=0), mesh.points.max(axis=0)])
