"""A plane through the middle of a cube of side s cuts s², s²√2 (diagonal) or a regular hexagon."""

import numpy as np
import pytest

from tests.ui.scene.meshes import kuhn_cube
from ui.scene.shapes.cut import cut


def area(section) -> float:
    a, b, c = (section.points[section.triangles[:, k]].astype(float) for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize(
    ("normal", "expected"),
    [
        ((1.0, 0.0, 0.0), 100.0),
        ((2**-0.5, -(2**-0.5), 0.0), 100.0 * 2**0.5),
        # The regular hexagon through the middle of a cube has sides s/√2: area (3√3/2)(s²/2).
        ((3**-0.5, 3**-0.5, 3**-0.5), 1.5 * 3**0.5 * 50.0),
    ],
)
def test_area_through_the_middle(normal, expected) -> None:
    section = cut(kuhn_cube(5), np.full(3, 5.0), np.array(normal))
    assert area(section) == pytest.approx(expected, rel=1e-5)  # float32 points


def test_plane_through_mesh_points_gives_its_area_once() -> None:
    section = cut(kuhn_cube(4), np.array([5.0, 5.0, 5.0]), np.array([0.0, 0.0, 1.0]))
    assert area(section) == pytest.approx(100.0, rel=1e-5)


def test_triangles_face_the_hidden_side_and_lie_on_the_plane() -> None:
    normal = np.array([0.6, 0.0, 0.8])
    section = cut(kuhn_cube(5), np.array([4.0, 5.0, 6.0]), normal)
    a, b, c = (section.points[section.triangles[:, k]].astype(float) for k in range(3))
    assert (np.cross(b - a, c - a) @ normal >= -1e-9).all()
    assert section.points.astype(float) @ normal == pytest.approx(np.full(len(section.points), 7.2), abs=1e-5)


def test_each_vertex_is_a_mean_over_the_cut_cells_around_its_edge() -> None:
    mesh = kuhn_cube(4)
    section = cut(mesh, np.array([3.3, 5.0, 5.0]), np.array([1.0, 0.2, 0.1]) / np.linalg.norm([1.0, 0.2, 0.1]))
    offsets, elements = section.cells.offsets, section.cells.elements
    assert (np.diff(offsets) > 0).all()
    for triangle, owner in zip(section.triangles, section.owners, strict=True):
        for vertex in triangle:
            assert owner in elements[offsets[vertex] : offsets[vertex + 1]]
    # A linear field through its cell means is met to within the size of a cell's gradient step.
    values = mesh.centroids[:, 1]
    means = np.add.reduceat(values[elements], offsets[:-1]) / np.diff(offsets)
    assert np.abs(means - section.points[:, 1]).max() < 2.5


def test_plane_outside_cuts_nothing() -> None:
    section = cut(kuhn_cube(2), np.array([20.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert len(section.triangles) == 0
    assert len(section.cells) == 0
