"""Isosurfaces: the radius, volume and side of a ball, whole ones among coarse samples, and where a grid has them."""

from dataclasses import replace

import numpy as np
import pytest

from engines.geometry.grid import Grid
from tests.ui.scene.grids import CONCENTRATION, FLOW, gather, info
from tests.ui.scene.meshes import ACTIVATION, kuhn_cube
from tests.ui.scene.meshes import gather as gathered
from tests.ui.scene.meshes import info as of_mesh
from ui.scene.scene import Scene
from ui.scene.shapes.levels import level_surface
from workbench.project.project import ViewSettings
from workbench.run.frames import Frame


def ball(count):
    """Distances from the middle of a box from -1 to 1, and where the samples are."""
    axis = np.linspace(-1, 1, count)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    return np.sqrt(x**2 + y**2 + z**2).astype(np.float32), (axis, axis, axis)


def test_a_ball_has_its_radius_its_volume_and_its_normals():
    """Of second order: half the spacing, a quarter of the error."""
    lost = []
    for count in (21, 41):
        found = level_surface(*ball(count)[:1], 0.7, ball(count)[1], 10**6)
        radii = np.linalg.norm(found.points, axis=1)
        assert abs(radii - 0.7).max() < 2.5 / count**2
        a, b, c = (found.points[found.triangles[:, k]].astype(float) for k in range(3))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        lost.append(1 - volume / (4 / 3 * np.pi * 0.7**3))
        assert np.einsum("ij,ij->i", found.normals, found.points / radii[:, None]).min() > 0.99  # towards higher values
        edges = np.sort(np.concatenate([found.triangles[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
        assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all(), "it is closed"
    assert lost[0] / lost[1] == pytest.approx(4, rel=0.15)


def test_what_leaves_the_box_stays_open_and_what_is_nowhere_is_empty():
    values = np.broadcast_to(np.arange(6, dtype=np.float32), (4, 5, 6))
    axes = (10 * np.arange(6.0), np.arange(5.0), np.arange(4.0))
    found = level_surface(values, 2.25, axes, 10**6)
    np.testing.assert_allclose(found.points[:, 0], 22.5)
    np.testing.assert_allclose(np.abs(found.normals), np.broadcast_to((1, 0, 0), found.normals.shape), atol=1e-6)
    assert len(found.triangles) == 2 * 2 * 3
    assert len(level_surface(values, 9.0, axes, 10**6).triangles) == 0
    assert len(level_surface(np.full((3, 3, 3), np.nan), 0.0, (np.arange(3.0),) * 3, 1).triangles) == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_beside_what_is_no_number_the_surface_has_places_and_normals(value):
    """It went through no place at all there, and spoiled the normals around it."""
    values, axes = ball(21)
    values[9:12, 3:18, 3:18] = value
    found = level_surface(values, 0.7, axes, 10**6)
    assert np.isfinite(found.points).all()
    assert np.isfinite(found.normals).all()
    far = np.abs(found.points[:, 2]) > 0.3
    assert abs(np.linalg.norm(found.points[far], axis=1) - 0.7).max() < 2.5 / 21**2


def test_more_triangles_than_there_is_time_for_are_found_among_fewer_samples():
    values, axes = ball(61)
    whole, fewer = (level_surface(values, 0.7, axes, most) for most in (10**6, 5_000))
    assert len(fewer.triangles) <= 5_000 < len(whole.triangles)
    assert abs(np.linalg.norm(fewer.points, axis=1) - 0.7).max() < 2.5 / 31**2
    noise = np.random.default_rng(1).random((40, 40, 40)).astype(np.float32)
    assert len(level_surface(noise, 0.5, (np.arange(40.0),) * 3, 5_000).triangles) <= 5_000


def scene_of(geometry, simulated, **view):
    scene = Scene()
    scene.inside_cells = 60_000
    scene.view = ViewSettings(**view)
    return scene, scene.set_simulation(simulated)


def test_a_grid_shows_them_in_the_place_of_its_slices_and_is_picked_on_them():
    grid = Grid((40, 40, 40), (0.05, 0.05, 0.05), (-1.0, -1.0, -1.0))
    scene, request = scene_of(grid, info(grid), levels=[0.5])
    assert set(request.parts) == {"levels"}
    distance = np.linalg.norm(grid.centers(np.arange(grid.n_cells)), axis=1)
    values = {name: gather(1 - distance, selection) for name, (_, selection) in request.parts.items()}
    scene.show_frame(Frame(request.serial, 1, 1.0, values))
    layer = scene.layer
    found = layer._level_surface(layer._level_values, 0.5)
    assert np.linalg.norm(found.points, axis=1) == pytest.approx(0.5, abs=2e-3)
    _, place = layer.pick(np.array([5.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]))
    assert place[0] == pytest.approx(0.5, abs=0.05)
    values["levels"][7] = np.nan
    scene.show_frame(Frame(request.serial, 2, 2.0, values))
    assert layer._level_values.max() < 1, "what is not there has no surface around it"
    scene.view.levels = [0.8]
    assert scene.replan() is None, "another level needs no other values"
    assert layer.levels == (0.8,)
    scene.view.level_slices = True
    assert len(scene.replan().parts) == 4


@pytest.mark.parametrize(("field", "shape"), [(FLOW, (9, 9, 9)), (CONCENTRATION, (9, 9)), (CONCENTRATION, (9, 9, 1))])
def test_where_there_is_no_inside_or_no_number_there_are_none(field, shape):
    grid = Grid(shape, (1.0,) * len(shape))
    _, request = scene_of(grid, info(grid, field), levels=[0.5])
    assert "levels" not in request.parts


def test_a_mesh_shows_them_through_its_surface():
    mesh = kuhn_cube(12)
    scene, request = scene_of(mesh, of_mesh(mesh), levels=[-20.0], front=False)
    distance = np.linalg.norm(mesh.centroids - 5.0, axis=1)
    values = {name: gathered(20.0 - 10 * distance, selection) for name, (_, selection) in request.parts.items()}
    scene.show_frame(Frame(request.serial, 1, 1.0, values))
    layer = scene.layer
    found = layer._level_surface(layer._level_values, -20.0)
    assert np.linalg.norm(found.points - 5.0, axis=1) == pytest.approx(4.0, abs=0.15)
    assert layer._seen_through
    held = layer._level_values
    layer.adopt(layer.plan_shape(replace(layer.shape.plan, contours=5)))
    assert layer._level_values is held, "of the same field in the same places: nothing is asked for anew"
    layer.adopt(layer.plan_shape(replace(layer.shape.plan, field=replace(layer.shape.plan.field, name="other"))))
    assert layer._level_values is None, "of another"
    scene.view.field = ACTIVATION.name  # which is missing in places
    assert "levels" not in scene.replan().parts


def test_a_surface_of_as_many_triangles_as_may_be_is_whole_and_one_of_more_is_coarser():
    values, axes = ball(17)
    whole = len(level_surface(values, 0.7, axes, 10**6).triangles)
    assert len(level_surface(values, 0.7, axes, whole).triangles) == whole
    coarser = len(level_surface(values, 0.7, axes, whole - 1).triangles)
    assert whole / 8 < coarser < whole / 2, "of every second sample: a quarter"
