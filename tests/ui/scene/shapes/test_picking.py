"""A ray into a cube meets the cell that holds the point just behind the surface."""

import numpy as np
import pytest

from tests.ui.scene.meshes import kuhn_cube
from ui.scene.layers.layer import Plan
from ui.scene.layers.tetrahedra import TetLayer
from ui.scene.shapes.picking import first_hit
from ui.scene.shapes.sphere_corner import CORNER
from workbench.project.project import ClipPlane


def inside(mesh, cell, point) -> bool:
    corners = mesh.points[mesh.cells[cell]]
    weights = np.linalg.solve(np.vstack([corners.T, np.ones(4)]), np.append(point, 1.0))
    return bool((weights > -1e-9).all())


@pytest.mark.parametrize("target", [(0.0, 3.1, 7.4), (0.0, 8.8, 0.7), (0.0, 5.3, 5.1)])
def test_pick_finds_the_cell_behind_the_surface(target) -> None:
    mesh = kuhn_cube(5)
    origin = np.array([-30.0, 4.0, 6.0])
    direction = (np.array(target) - origin) / np.linalg.norm(np.array(target) - origin)
    cell, position = TetLayer(mesh).pick(origin, direction)
    assert position == pytest.approx(target, abs=1e-5)
    assert inside(mesh, cell, position + 1e-4 * direction)


def test_pick_meets_the_cut_where_the_plane_hides_the_surface() -> None:
    mesh = kuhn_cube(5)
    layer = TetLayer(mesh)
    layer.adopt(layer.plan_shape(Plan(clip=ClipPlane(origin=(4.3, 0, 0), normal=(-1, 0, 0)))))
    cell, position = layer.pick(np.array([-30.0, 3.3, 6.1]), np.array([1.0, 0.0, 0.0]))
    assert position == pytest.approx([4.3, 3.3, 6.1], abs=1e-5)
    assert inside(mesh, cell, position)


def test_a_miss_is_none() -> None:
    mesh = kuhn_cube(2)
    triangles = mesh.cells[:, :3]
    assert first_hit(mesh.points, triangles, np.array([-5.0, 50.0, 0.0]), np.array([1.0, 0.0, 0.0])) is None


def test_the_corner_of_spheres_is_square_and_its_faces_are_seen_as_wide_as_is_said():
    np.testing.assert_allclose(CORNER @ CORNER.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(CORNER[:, 2], [0.41, 0.73, 0.54], atol=0.005)  # right, left, floor: towards the eye
