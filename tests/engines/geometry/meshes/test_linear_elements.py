"""Gradients of linear shape functions."""

import numpy as np

from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.linear_elements import shape_gradients


def test_shapes_give_back_linear_functions():
    """Within the rounding of a few products of coordinates over edges: 1e-13."""
    mesh = box_mesh((3, 2, 2), (1.5, 1.0, 1.0), jitter=0.3, seed=3)
    slope = np.array([0.7, -1.3, 2.1])
    shapes, volumes = shape_gradients(mesh.points, mesh.cells)
    found = np.einsum("nk,nka->na", (mesh.points @ slope)[mesh.cells], shapes)
    assert np.abs(found - slope).max() < 1e-13
    assert np.abs(shapes.sum(axis=1)).max() < 1e-13 * np.abs(shapes).max()
    np.testing.assert_allclose(volumes, mesh.volumes, rtol=1e-13)
    other = np.ascontiguousarray(mesh.cells[:, [1, 0, 2, 3]])  # in the layout that all cells have
    turned, signed = shape_gradients(mesh.points, other)
    np.testing.assert_allclose(signed, -volumes, rtol=1e-13)
    np.testing.assert_allclose(turned[:, [1, 0, 2, 3]], shapes, atol=1e-13 * np.abs(shapes).max())


def test_the_unit_tetrahedron():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    shapes, volumes = shape_gradients(points, np.array([[0, 1, 2, 3]], np.int32))
    np.testing.assert_array_equal(shapes[0], [[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert volumes[0] == 1 / 6
