"""Smoothing keeps constants, and planes inside a regular mesh; doubled vertices stay equal."""

import numpy as np
import pytest

from tests.ui.scene.meshes import kuhn_cube
from ui.scene.shapes.smoothing import smoothed, smoothing
from ui.scene.shapes.surface import surface


def test_constants_stay_and_doubled_vertices_agree() -> None:
    found = surface(kuhn_cube(6))
    operator = smoothing(found.triangles, found.nodes)
    assert smoothed(operator, np.full(len(found.points), 7.0, np.float32)) == pytest.approx(7.0, rel=1e-6)
    noise = np.random.default_rng(1).normal(size=len(found.points)).astype(np.float32)
    by_node = {}
    result = smoothed(operator, noise[np.searchsorted(found.nodes, found.nodes)])
    for node, value in zip(found.nodes, result, strict=True):
        assert by_node.setdefault(node, value) == value
    assert len(by_node) < len(found.nodes)


def test_planes_stay_inside_the_faces_of_a_regular_mesh() -> None:
    found = surface(kuhn_cube(8))
    values = found.points[:, 1]
    result = smoothed(smoothing(found.triangles, found.nodes), values)
    # Two passes reach two boxes (2.5 mm) from the edges of the cube.
    inner = (np.sum((found.points > 2.6) & (found.points < 7.4), axis=1) == 2) & (np.abs(found.normals[:, 1]) < 0.1)
    assert inner.sum() > 10
    assert result[inner] == pytest.approx(values[inner], abs=1e-5)


def test_a_vertex_is_half_itself_and_half_the_mean_of_those_that_it_has_an_edge_with() -> None:
    """Alone it keeps its value; an edge of two triangles counts once."""
    apart, half = np.array([0.25, 0.25, 0.25]), 0.5 * np.eye(3)
    one = np.pad(np.tile(apart, (3, 1)) - 0.25 * np.eye(3) + half, (0, 1))
    one[3] = 0.0
    one[3, 3] = 1.0
    np.testing.assert_allclose(smoothing(np.array([[0, 1, 2]]), np.arange(4)).toarray(), one)
    two = smoothing(np.array([[0, 1, 2], [2, 1, 3]]), np.arange(4)).toarray()
    np.testing.assert_allclose(2 * two[0], [1, 1 / 2, 1 / 2, 0])
    np.testing.assert_allclose(2 * two[1], [1 / 3, 1, 1 / 3, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(2 * two[3], [0, 1 / 2, 1 / 2, 1])
