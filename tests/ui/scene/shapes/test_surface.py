"""Boundary of a cube: area 6 s², closed, outward; every vertex knows all cells that touch it."""

import numpy as np
import pytest

from engines.geometry.meshes.adjacency import cells_at
from tests.ui.scene.meshes import kuhn_cube
from ui.scene.shapes.decimate import _candidates, _error, _quadrics, coarse_surface, decimate
from ui.scene.shapes.surface import surface


def area_vectors(points, triangles):
    a, b, c = (points[triangles[:, k]].astype(float) for k in range(3))
    return np.cross(b - a, c - a) / 2


def test_boundary_of_a_cube_is_closed_outward_and_has_its_area() -> None:
    mesh = kuhn_cube(4)
    found = surface(mesh)
    areas = area_vectors(found.points, found.triangles)
    assert len(found.triangles) == 6 * 2 * 4**2
    assert np.linalg.norm(areas, axis=1).sum() == pytest.approx(600.0, rel=1e-6)  # float32 points
    assert areas.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-4)
    middle = found.points[found.triangles].mean(axis=1)
    assert (np.einsum("ij,ij->i", areas, middle - 5.0) > 0).all()
    # A cube has edges: each vertex carries the normal of one face, corners are there once for each of the three.
    facing = np.einsum("ij,ij->i", found.normals, found.points - 5.0)
    assert facing == pytest.approx(np.full(len(found.points), 5.0), abs=1e-5)
    assert (np.bincount(found.nodes)[[0, -1]] == 3).all()


def test_round_bodies_stay_smooth() -> None:
    cube = kuhn_cube(12)
    offset = cube.points - 5.0
    largest = np.abs(offset).max(axis=1, keepdims=True)
    ball = type(cube)(offset * largest / np.maximum(np.linalg.norm(offset, axis=1, keepdims=True), 1e-9), cube.cells,
                      np.ones(cube.n_cells, np.int32))  # fmt: skip
    found = surface(ball)
    assert len(found.points) == len(np.unique(found.nodes))
    outward = found.points / np.linalg.norm(found.points, axis=1, keepdims=True)
    # Area-weighted normals of a sphere in 12 strips a quarter turn are off by less than half a strip's 7.5°.
    assert np.einsum("ij,ij->i", found.normals, outward).min() > np.cos(np.deg2rad(3.75))


def test_owner_holds_the_triangle() -> None:
    mesh = kuhn_cube(3)
    found = surface(mesh)
    for triangle, owner in zip(found.nodes[found.triangles], found.owners, strict=True):
        assert set(triangle) <= set(mesh.cells[owner])


def test_vertices_are_of_one_region_each() -> None:
    mesh = kuhn_cube(4)
    found = surface(mesh)
    rows = np.searchsorted([1, 2], mesh.regions[found.owners])
    assert (found.colours[found.triangles] == rows[:, None]).all()


def test_cells_at_lists_every_cell_of_each_node_once() -> None:
    mesh = kuhn_cube(2)
    nodes = np.array([0, 13, 13, 26], np.int32)
    selection = cells_at(mesh, nodes)
    for row, node in enumerate(nodes):
        mine = selection.elements[selection.offsets[row] : selection.offsets[row + 1]]
        assert sorted(mine) == sorted(np.flatnonzero((mesh.cells == node).any(axis=1)))


def test_decimation_keeps_shape_closedness_and_owners() -> None:
    mesh = kuhn_cube(16)
    full = surface(mesh)
    target = len(full.triangles) // 4
    coarse = coarse_surface(mesh, full, target)
    assert target - 2 < len(coarse.triangles) <= target, "a collapse takes two triangles"
    areas = area_vectors(coarse.points, coarse.triangles)
    # Collapses on a cube's faces keep it exactly; those on its edges may cut a corner by a part of a box (0.6 mm).
    assert np.linalg.norm(areas, axis=1).sum() == pytest.approx(600.0, rel=0.02)
    edges = np.sort(coarse.nodes[coarse.triangles][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    assert (count == 2).all()
    _, rows = decimate(mesh.points, full.nodes[full.triangles], target)
    assert (coarse.owners == full.owners[rows]).all()


def test_decimation_of_a_thin_shell_does_not_join_its_walls() -> None:
    mesh = kuhn_cube(16)
    thin = type(mesh)(mesh.points * [1.0, 1.0, 0.05], mesh.cells, mesh.regions)
    full = surface(thin)
    coarse = coarse_surface(thin, full, len(full.triangles) // 4)
    heights = coarse.points[coarse.triangles][:, :, 2]
    flat = np.ptp(heights, axis=1) < 1e-6
    for z in (0.0, 0.5):
        of_wall = flat & (np.abs(heights[:, 0] - z) < 1e-6)
        area = np.linalg.norm(area_vectors(coarse.points, coarse.triangles[of_wall]), axis=1).sum()
        assert area == pytest.approx(100.0, rel=0.05)  # only triangles at the rim lean


def test_what_a_collapse_costs_is_the_squared_distance_from_the_planes_around_by_twice_their_area() -> None:
    choose = np.random.default_rng(2)
    position = choose.normal((3.0, -2.0, 5.0), 1.0, (6, 3))
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 3, 2], [1, 5, 2]])
    at = choose.normal(size=(6, 3))
    told = _error(_quadrics(position, faces), at)
    for vertex in range(6):
        cost = 0.0
        for a, b, c in position[faces[(faces == vertex).any(axis=1)]]:
            across = np.cross(b - a, c - a)
            area = np.linalg.norm(across)
            cost += area * float((at[vertex] - a) @ across / area) ** 2
        assert told[vertex] == pytest.approx(cost)
    remove, keep, cost = _candidates(position, faces, _quadrics(position, faces))
    assert len({frozenset(edge) for edge in zip(remove.tolist(), keep.tolist(), strict=True)}) == len(remove) == 9
    both = _quadrics(position, faces)[remove] + _quadrics(position, faces)[keep]
    here, there = _error(both, position[keep]), _error(both, position[remove])
    assert (here <= there + 1e-12).all(), "the cheaper way round"
    length = np.linalg.norm(position[remove] - position[keep], axis=1)
    np.testing.assert_allclose(cost, here + 1e-3 * length**4, atol=1e-12)
