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


def test_a_vertex_without_triangles_keeps_its_value() -> None:
    operator = smoothing(np.array([[0, 1, 2]]), np.arange(4))
    assert smoothed(operator, np.array([0.0, 0.0, 0.0, 5.0], np.float32))[3] == 5.0
