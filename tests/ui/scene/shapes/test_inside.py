"""The front inside the wall: known areas of planes and balls, its recent side only, few cells for many, the glass."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import FrontInfo, Selection
from engines.geometry.grid import Grid
from tests.ui.scene.meshes import ACTIVATION, VOLTAGE, gather, info, kuhn_cube
from tests.ui.scene.test_renderer import SIZE, canvas, egl  # noqa: F401 — fixtures
from ui.panels.view.panel import ViewPanel
from ui.scene.layers.layer import Plan
from ui.scene.layers.tetrahedra import TetLayer
from ui.scene.painter import Painter
from ui.scene.scene import Scene
from ui.scene.shapes.inside import Inside, front_surface, inside_of
from ui.scene.shapes.smoothing import recurring, smoothing
from workbench.project.project import CameraView, ClipPlane, ViewSettings
from workbench.run.frames import Frame, FrameRequest

FRONT = FrontInfo("activation", 4.0, "voltage", -20.0)
NOW = np.float32(100.0)


def all_recent(inside: Inside) -> np.ndarray:
    return np.full(2 * len(inside.points), NOW, np.float32)


def area(found) -> float:
    a, b, c = (found.points[found.triangles[:, k]].astype(float) for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize(
    ("offsets", "cells"),
    [
        ([0, 2, 3], [7, 8, 9, 9]),
        ([0, 3, 3], [7, 8, 9, 9]),
        ([0, 0, 3], [7, 7, 7, 8]),
        ([0, 1, 3], [7, 7, 8, 9]),
    ],
)
def test_two_cells_around_each_point_are_asked_for(offsets, cells) -> None:
    """The first and the middle one; points without cells take any."""
    inside = Inside(np.zeros((2, 3)), np.zeros((0, 4), int), Selection(np.array([7, 8, 9]), np.array(offsets)))
    assert inside.some.elements.tolist() == cells


def test_a_linear_field_crosses_in_a_plane_that_faces_upwards() -> None:
    inside = inside_of(kuhn_cube(5), 10**6)
    found = front_surface(inside, inside.points @ (0.6, 0.0, 0.8) - 7.1, all_recent(inside), 99.0)
    assert area(found) == pytest.approx(10 * (10 / 0.8), rel=1e-5), "the plane leaves through two opposite sides"
    assert np.abs(found.normals - np.float32((0.6, 0.0, 0.8))).max() < 1e-5


def test_a_ball_has_its_area_and_its_normals() -> None:
    """Chords of cells of 0.83 mm in a ball of 3 mm lose some 2 % of its area."""
    inside = inside_of(kuhn_cube(12), 10**6)
    away = inside.points - 5.0
    found = front_surface(inside, 3.0 - np.linalg.norm(away, axis=1), all_recent(inside), 99.0)
    assert 0.96 < area(found) / (4 * np.pi * 9) < 1.0
    inwards = -(found.points - 5.0) / np.linalg.norm(found.points - 5.0, axis=1, keepdims=True)
    assert np.einsum("ij,ij->i", found.normals, inwards).min() > 0.9
    corners = found.points[found.triangles].astype(float)
    facets = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    means = np.zeros(found.points.shape)
    np.add.at(means, found.triangles.ravel(), np.repeat(facets, 3, axis=0))
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(found.normals, means, atol=1e-4, err_msg="facets weigh as much as they are large")


def test_only_where_the_front_passed_a_moment_ago() -> None:
    """A wave between x = 2.3 and 7.3: its front is recent, its tail is not; cells without a value are left out."""
    mesh = kuhn_cube(10)
    inside = inside_of(mesh, 10**6)
    x = inside.points[:, 0]
    levels = np.minimum(x - 2.3, 7.3 - x)
    times = np.where(mesh.centroids[inside.some.elements, 0] > 6.0, NOW, NOW - 50)
    found = front_surface(inside, levels, times, NOW - 10)
    assert np.abs(found.points[:, 0] - 7.3).max() < 1e-5
    assert area(found) == pytest.approx(100.0, rel=1e-5)
    gone = np.where(inside.points[:, 2] > 5.5, np.nan, levels)
    assert area(front_surface(inside, gone, times, NOW - 10)) == pytest.approx(50.0, rel=1e-5)
    assert len(front_surface(inside, levels, np.full_like(times, -1.0), NOW - 10).triangles) == 0


@pytest.mark.parametrize("most", [3000, 800])
def test_few_cells_stand_for_many(most) -> None:
    mesh = kuhn_cube(14)
    inside = inside_of(mesh, most)
    assert 0.65 * most < len(inside.cells) <= most < mesh.n_cells
    found = front_surface(inside, inside.points[:, 0] - 4.0, all_recent(inside), 99.0)
    assert np.abs(found.points[:, 0] - 4.0).max() < 1e-5
    width = (10 - 2 * np.ptp(inside.points[:, 1]) / most ** (1 / 3)) ** 2  # the middles of the outermost boxes
    assert 0.8 * width < area(found) < 115, "once over the section, but for its rim"
    around = gather(mesh.centroids[:, 1], inside.around)
    assert np.abs(around - inside.points[:, 1]).max() < 3.0, "the cells are those around the points"


def test_where_a_lattice_leaves_too_many_cells_a_wider_one_is_taken() -> None:
    mesh = kuhn_cube(14)
    slanted = replace(mesh, points=mesh.points @ [[1.0, 0.0, 0.0], [0.9, 1.0, 0.0], [0.5, 0.7, 1.0]])
    for most in (1500, 3000):
        assert 0.6 * most < len(inside_of(slanted, most).cells) <= most


def test_a_vertex_that_the_front_comes_to_again_has_not_been_reached() -> None:
    """A row of vertices: the new front at the third, the last beat 200 ms ago beyond it."""
    triangles = np.array([[i, i + 1, i + 2] for i in range(8)], np.int32)
    operator = smoothing(triangles, np.arange(10))
    times = np.array([96.0, 98.0, 99.5, *[-101.0] * 7], np.float32)
    again = recurring(operator, times, 100.0, 2.0, 100.6)
    assert (again[:3] == times[:3]).all()
    assert (again[3:6] == np.float32(100.6)).all()
    assert (again[9:] == times[9:]).all(), "far from the front nothing is expected"


def shown(fraction: float) -> Scene:
    """A cube whose wave has come to ``fraction`` of x, with the front inside."""
    mesh, scene = kuhn_cube(8), Scene()
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), front=FRONT)
    camera = CameraView(azimuth=-90.0, elevation=0.0)
    request = scene.apply_view(ViewSettings(front_inside=True, camera=camera), SIZE[0] / SIZE[1])
    assert set(request.parts) == {"surface", "surface front", "inside", "inside front"}
    answer(scene, fraction, request)
    return scene


def answer(scene: Scene, fraction: float, request=None) -> None:
    request = request or FrameRequest(scene._shown_serial, scene.layer.parts(scene.layer.shape))
    x, end = scene.layer.mesh.centroids[:, 0], 10 * fraction
    fields = {"voltage": np.where(x < end, 20.0, -85.0), "activation": np.where(x < end, 100.0 - (end - x), -1.0)}
    values = {part: gather(fields[name], selection) for part, (name, selection) in request.parts.items()}
    assert scene.show_frame(Frame(request.serial, 1, 100.0, values))


def test_one_sees_it_through_the_surface_and_it_is_kept_for_a_tenth_of_a_second(canvas) -> None:  # noqa: F811
    scene, painter = shown(0.5), Painter()
    scene.camera.azimuth = -20.0
    assert scene.layer.is_behind
    painter.draw_scene(scene, *SIZE, ratio=1.0, resolution=1.0)
    assert not scene.layer.is_behind
    image = painter.read_scene().astype(int)
    spot, _ = scene.camera.to_pixels(np.array([[5.0, 5.0, 5.0]]), *SIZE)
    blue = image[round(spot[0, 1]), round(spot[0, 0])]
    assert blue[2] > blue[0] + 20, "the front's cold colour comes through"
    answer(scene, 0.7)
    scene.layer._inside_front._due = np.inf  # the tenth of a second is not over
    painter.draw_scene(scene, *SIZE, ratio=1.0, resolution=1.0)
    assert scene.layer.is_behind
    scene.layer._inside_front._due = 0.0
    painter.draw_scene(scene, *SIZE, ratio=1.0, resolution=1.0)
    assert not scene.layer.is_behind
    scene.layer.release()
    painter.release()


def test_it_is_asked_for_only_where_a_front_has_a_level() -> None:
    mesh = kuhn_cube(2)
    layer = TetLayer(mesh)
    plan = Plan(VOLTAGE, FRONT, ACTIVATION, inside=100)
    shape = layer.plan_shape(plan)
    assert layer.parts(shape)["inside"][0] == "voltage"
    assert layer.parts(shape)["inside front"][0] == "activation"
    assert layer.plan_shape(replace(plan, clip=None)).inside is shape.inside, "made once"
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = info(mesh)  # a front without a level
    scene.view = ViewSettings(front_inside=True)
    assert scene.plan().inside == 0


def test_a_mesh_is_planned_without_what_grids_alone_have_and_mixes_values() -> None:
    """So that what makes no difference to it asks nothing new; and values in between are called nothing."""
    layer, clip = TetLayer(kuhn_cube(2)), ClipPlane(origin=(0.5, 0.5, 0.5), normal=(1.0, 0.0, 0.0))
    of_mesh = Plan(VOLTAGE, FRONT, ACTIVATION, clip, inside=100, levels=50, fibres=True)
    of_grids = replace(of_mesh, height=0.3, slices=(0.1, 0.2, 0.3), volume=True, samples=7, cuts=True, coarse=True)
    assert layer.settled(of_grids) == layer.settled(of_mesh) == of_mesh
    scene = Scene()
    scene.set_geometry(kuhn_cube(2))
    named = replace(VOLTAGE, names=("rest", "peak"))
    assert scene.names(named) == ()
    scene.set_geometry(Grid((2, 2), (1.0, 1.0)))
    assert scene.names(named) == named.names


def test_fields_at_hand_are_shown_as_a_frame_would_be(monkeypatch) -> None:
    """All parts of the plan."""
    layer = TetLayer(kuhn_cube(2))
    layer.adopt(layer.plan_shape(Plan(VOLTAGE, FRONT, ACTIVATION, inside=100)))
    x = layer.mesh.centroids[:, 0].astype(np.float32)
    fields = {"voltage": -80 + x, "activation": 3 * x}
    wanted = {part: gather(fields[name], chosen) for part, (name, chosen) in layer.parts(layer.shape).items()}
    shown = {}
    monkeypatch.setattr(layer, "set_values", lambda values, time: shown.update(values, time=time))
    layer.set_fields(fields, 7.0)
    assert shown.pop("time") == 7.0
    assert set(shown) == set(wanted) == {"surface", "surface front", "inside", "inside front"}
    for part, values in wanted.items():
        np.testing.assert_allclose(shown[part], values, rtol=1e-5, err_msg=part)


def test_the_switch_is_offered_with_a_front_that_has_a_level(qtbot) -> None:
    panel = ViewPanel()
    qtbot.addWidget(panel)
    mesh = kuhn_cube(1)
    panel.set_info(info(mesh))
    assert not panel.inside.isEnabled()
    panel.set_info(replace(info(mesh), front=FRONT))
    assert panel.inside.isEnabled()
    views = []
    panel.edited.connect(views.append)
    panel.inside.click()
    assert views[-1].front_inside
    panel.front.click()
    assert not panel.inside.isEnabled()


def test_what_a_front_of_long_ago_has_left_inside_is_none(monkeypatch) -> None:
    """What was reached more than five widths of the front ago is of a beat before."""
    scene, taken = shown(0.5), []
    monkeypatch.setattr(scene.layer._inside_front, "take", lambda *given: taken.append(given[-1]))
    answer(scene, 0.5)
    assert taken == [100.0 - 5.0 * FRONT.width]
    scene.layer.release()
