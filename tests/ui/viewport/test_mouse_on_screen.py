"""The mouse on a view under a real (virtual) display: what a click picks, a drag turns and a handle moves."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QWheelEvent

from tests.ui.viewport.on_screen import NEEDS_DISPLAY, drag, send_mouse
from ui.scene.overlays.clip_handle import _points
from ui.scene.overlays.hud import Hud
from workbench.project.project import CameraView, ClipPlane, ViewSettings

pytestmark = NEEDS_DISPLAY


RADIUS = 11.0
"""Written out: what the sources have is held against it."""


def test_a_click_picks_the_cell_under_the_pointer(shown, qtbot) -> None:
    viewport = shown.viewport
    viewport.view_along("x")
    target = np.array([10.0, 3.1, 7.3])
    viewport.image()  # frames the scene to the widget's shape
    (at,), _ = viewport.scene.camera.to_pixels(target, viewport.width(), viewport.height())
    with qtbot.waitSignal(viewport.picked, timeout=1000) as caught:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPointF(*at).toPoint())
    cell, position = caught.args
    corners = shown.mesh.points[shown.mesh.cells[cell]]
    weights = np.linalg.solve(np.vstack([corners.T, np.ones(4)]), np.append(position, 1.0))
    assert (weights > -1e-5).all()
    assert np.array(position) == pytest.approx(target, abs=0.1)  # half a pixel is 0.03 mm here
    control = Qt.KeyboardModifier.ControlModifier
    with qtbot.assertNotEmitted(viewport.picked), qtbot.waitSignal(viewport.followed, timeout=1000) as followed:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, control, QPointF(*at).toPoint())
    assert followed.args == caught.args


def test_the_inspected_element_has_a_ring(shown) -> None:
    viewport, scene = shown.viewport, shown.viewport.scene
    viewport.view_along("x")
    viewport.image()  # frames the scene to the widget's shape
    target = (10.0, 3.1, 7.3)
    size = (viewport.width(), viewport.height())
    without = Hud().compose(scene, *size, 1.0)[1]
    viewport.mark_inspected(target)
    ring = Hud().compose(scene, *size, 1.0)[1][len(without) :]
    (middle,), _ = scene.camera.to_pixels(np.array([target]), *size)
    away = np.linalg.norm(np.array([stroke.start for stroke in ring]) - middle, axis=1)
    assert away == pytest.approx(np.full(len(ring), RADIUS))
    assert len(Hud().compose(scene, *size, 1.0, handles=False)[1]) == len(without)  # pictures are without it
    viewport.mark_inspected(None)
    assert len(Hud().compose(scene, *size, 1.0)[1]) == len(without)


def test_a_click_beside_the_geometry_picks_nothing(shown, qtbot) -> None:
    with qtbot.assertNotEmitted(shown.viewport.picked, wait=50):
        qtbot.mouseClick(shown.viewport, Qt.MouseButton.LeftButton, pos=QPointF(3, 3).toPoint())


def test_dragging_turns_panning_moves_wheel_zooms(shown, qtbot) -> None:
    viewport, camera = shown.viewport, shown.viewport.scene.camera
    viewport.image()
    azimuth, center, distance = camera.azimuth, camera.center.copy(), camera.distance
    with qtbot.assertNotEmitted(viewport.picked), qtbot.waitSignal(viewport.view_changed):
        drag(viewport, (100, 100), (140, 100))
    assert camera.azimuth == pytest.approx(azimuth - 20.0)
    drag(viewport, (100, 100), (140, 100), modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert np.linalg.norm(camera.center - center) == pytest.approx(40 * camera.mm_per_pixel(320), rel=1e-6)
    at = QPointF(200, 150)
    wheel = QWheelEvent(
        at, viewport.mapToGlobal(at), QPointF(0, 0).toPoint(), QPointF(0, 120).toPoint(),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    viewport.wheelEvent(wheel)
    assert camera.distance == pytest.approx(distance / 1.12)


def test_double_click_brings_the_point_to_the_middle(shown) -> None:
    viewport = shown.viewport
    viewport.image()
    hit = viewport.scene.pick(230, 150, viewport.width(), viewport.height())
    send_mouse(viewport, QEvent.Type.MouseButtonDblClick, (230, 150))
    assert viewport.scene.camera.center == pytest.approx(np.array(hit[1]))


def test_the_handle_pushes_and_tilts_the_plane(shown) -> None:
    viewport = shown.viewport
    viewport.apply_view(ViewSettings(camera=CameraView(azimuth=-60.0, elevation=15.0)))
    viewport.clip_to(ClipPlane(origin=(5, 5, 5), normal=(1, 0, 0)))
    viewport.image()
    foot, tip, _ = _points(viewport.scene)
    size = viewport.width(), viewport.height()
    (a, b), _ = viewport.scene.camera.to_pixels(np.vstack([foot, tip]), *size)
    drag(viewport, a + 0.4 * (b - a), a + 0.7 * (b - a))
    moved = viewport.scene.view.clip
    assert moved.normal == (1.0, 0.0, 0.0)
    # 0.3 of the arrow on the screen is 0.3 of its length, but for the perspective along it.
    assert moved.origin[0] - 5.0 == pytest.approx(0.3 * np.linalg.norm(tip - foot), rel=0.15)
    _, tip, _ = _points(viewport.scene)
    (b,), _ = viewport.scene.camera.to_pixels(tip, *size)
    drag(viewport, b, b + np.array([0.0, -40.0]))
    tilted = np.array(viewport.scene.view.clip.normal)
    assert np.linalg.norm(tilted) == pytest.approx(1.0)
    assert tilted[2] > 0.2
