"""The brush: dabs without gaps, buttons of the mouse, the circle, and paint that shows at once in the window."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QSettings, Qt
from PySide6.QtGui import QAction, QUndoStack, QWheelEvent

from engines.api import Dab
from engines.geometry.grid import Grid
from tests.ui.doubles import FakeServices
from tests.ui.scene.grids import PAINT, PondServices, info
from tests.ui.scene.meshes import info as mesh_info
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.viewport.doubles import FakeViewport
from tests.ui.viewport.on_screen import drag, send_mouse
from tests.ui.wave import BRUSHES
from ui.panels.view.brush import BrushPanel
from ui.session.paint.painting import INTERVAL_MILLISECONDS, Painting
from ui.viewport.brush import SPACING, Brush
from ui.viewport.viewport import Viewport
from ui.window.main_window import MainWindow
from workbench.project.project import ClipPlane, ViewSettings
from workbench.run.frames import Frame

# Written out: what the sources have is held against these.
MOST_DABS = 400

needs_display = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"), reason="needs a display: run under xvfb-run"
)
GRID = Grid((60, 80), (0.5, 0.5))


# Strokes.


def test_a_fast_stroke_has_no_gap_and_a_slow_one_does_not_pile_up() -> None:
    fast, slow = Brush(radius=0.05, longest=40.0), Brush(radius=0.05, longest=40.0)
    dabs = [*fast.begin((0, 0, 0), False), *fast.go_on(np.array([30.0, 0, 0]))]
    x = np.array([dab.position[0] for dab in dabs])
    assert np.diff(x) == pytest.approx(SPACING * 2.0)
    assert x[0] == 0
    assert 30.0 - x[-1] < SPACING * 2.0
    crept = slow.begin((0, 0, 0), False)
    for place in np.linspace(0.0, 30.0, 1000):
        crept += slow.go_on(np.array([place, 0, 0]))
    assert abs(len(crept) - len(dabs)) <= 2


def test_a_stroke_that_leaves_the_geometry_draws_no_line_across() -> None:
    brush = Brush(longest=10.0)
    brush.begin((0, 0, 0), True)
    assert brush.go_on(None) == []
    (dab,) = brush.go_on(np.array([9.0, 0, 0]))
    assert dab.position == (9.0, 0.0, 0.0)
    assert dab.erase


def test_a_tiny_brush_across_the_whole_is_bounded() -> None:
    brush = Brush(radius=0.0001, longest=10.0)
    brush.begin((0, 0, 0), False)
    dabs = brush.go_on(np.array([10.0, 0, 0]))
    assert len(dabs) == MOST_DABS
    assert dabs[-1].position[0] == pytest.approx(10.0, abs=0.05)


@pytest.mark.keeps_time
def test_dabs_reach_the_run_together_and_seldom(qtbot) -> None:
    batches = []
    painting = Painting(
        lambda: SimpleNamespace(paint=lambda stroke, dabs: batches.append((stroke, dabs))), QUndoStack()
    )
    for wave in range(3):
        for k in range(50):
            painting.add(10 * wave + k)
        qtbot.wait(3)
    qtbot.waitUntil(lambda: sum(len(dabs) for _, dabs in batches) == 150, timeout=1000)
    # Three waves 3 ms apart: the first goes at once, the others with the next turn at the latest.
    assert len(batches) <= 1 + (60 // INTERVAL_MILLISECONDS)
    assert len({stroke for stroke, _ in batches}) == 1
    painting.add(1)
    painting.forget()
    qtbot.wait(2 * INTERVAL_MILLISECONDS)
    assert sum(len(dabs) for _, dabs in batches) == 150


def test_the_panel_shows_what_can_be_painted_and_switches_with_its_action(qtbot) -> None:
    panel, action = BrushPanel(), QAction("Brush")
    qtbot.addWidget(panel)
    told = []
    panel.share(action)
    panel.changed.connect(lambda *state: told.append(state))
    panel.set_brushes((PAINT,))
    assert action.isEnabled()
    assert (panel.amount.value(), panel.heading.text()) == (0.25, "Brush: Concentration")
    action.trigger()
    assert told[-1] == (PAINT, 0.05, 0.25)
    assert panel.choices == []
    panel.radius.setValue(panel.radius.maximum())
    assert told[-1][1] == pytest.approx(0.5)
    panel.set_brushes(())
    assert told[-1][0] is None
    assert not action.isEnabled()


def test_several_brushes_are_a_choice_and_each_keeps_its_radius_and_amount(qtbot) -> None:
    panel, action, told = BrushPanel(), QAction("Brush"), []
    qtbot.addWidget(panel)
    panel.share(action)
    panel.changed.connect(lambda *state: told.append(state))
    panel.set_brushes(BRUSHES)
    touch, scar = panel.choices
    assert [button.text() for button in panel.choices] == ["Touch", "Scar"]
    assert touch.isChecked()
    assert told[-1][0] is None, "nothing is in hand until it is taken up"
    scar.click()
    assert action.isChecked()
    assert told[-1] == (BRUSHES[1], 0.05, 0.0)
    assert panel.hint.text() == "It turns grey. Left button paints, right button erases."
    panel.amount.setText("7")
    panel.amount.editingFinished.emit()
    assert told[-1][2] == 1.0, "kept within its bounds"
    touch.click()
    assert told[-1] == (BRUSHES[0], 0.1, 5.0)
    assert (panel.amount_title.text(), panel.unit.text()) == ("Current", "mA")
    assert panel.hint.text() == "A click does it; a drag turns the view."
    scar.click()
    assert told[-1] == (BRUSHES[1], 0.05, 1.0)
    panel.set_brushes(())
    panel.set_brushes(BRUSHES)  # built anew
    assert scar.isChecked()
    assert not action.isChecked()


# In the viewport.


@pytest.fixture
def shown(qtbot):
    viewport, requests, dabs = Viewport(), [], []
    qtbot.addWidget(viewport)
    viewport.request_changed.connect(requests.append)
    viewport.dabbed.connect(dabs.append)
    viewport.resize(420, 320)
    viewport.set_geometry(GRID)
    viewport.apply_view(ViewSettings())
    viewport.show()
    qtbot.waitExposed(viewport)
    viewport.set_simulation(info(GRID, brushes=(PAINT,)))
    values = {part: np.zeros(len(asked), np.float32) for part, (_, asked) in requests[-1].parts.items()}
    viewport.show_frame(Frame(requests[-1].serial, 1, 0.1, values))
    viewport.image()
    viewport.set_brush(PAINT, 0.05, 0.25)
    yield SimpleNamespace(viewport=viewport, dabs=dabs)
    viewport.close_canvas()


def pixel(viewport, *position):
    (at,), _ = viewport.scene.camera.to_pixels(np.array([position]), viewport.width(), viewport.height())
    return at


@needs_display
def test_left_paints_right_erases_and_the_camera_stays(shown) -> None:
    viewport, dabs = shown.viewport, shown.dabs
    before = viewport.view_settings().camera
    start, end = pixel(viewport, 10.0, 10.0, 0.0), pixel(viewport, 30.0, 10.0, 0.0)
    drag(viewport, start, end)
    assert not any(dab.erase for dab in dabs)
    assert dabs[0].position == pytest.approx((10.0, 10.0, 0.0), abs=0.3)  # a pixel is 0.15 mm
    assert (dabs[0].radius, dabs[0].amount) == (2.0, 0.25)
    assert np.diff([dab.position[0] for dab in dabs]) == pytest.approx(1.0, abs=0.01)
    count = len(dabs)
    drag(viewport, start, end, button=Qt.MouseButton.RightButton)
    assert all(dab.erase for dab in dabs[count:])
    assert len(dabs) > count
    assert viewport.view_settings().camera == before
    viewport.set_geometry(replace(GRID, origin=(7.0, 0.0, 0.0)))
    assert viewport.brush.reach == 2.0, "a part of the grid's side, wherever it stands"


@needs_display
@pytest.mark.parametrize("brush", [True, False])
def test_beside_the_grid_or_with_the_brush_off_left_moves_a_flat_grid_and_right_turns_it(shown, brush) -> None:
    viewport, camera = shown.viewport, shown.viewport.scene.camera
    viewport.set_brush(PAINT if brush else None, 0.05, 0.25)
    start = (4.0, 4.0) if brush else tuple(pixel(viewport, 10.0, 10.0, 0.0))
    end = (start[0] + 36, start[1] + 20)
    (corner,) = camera.to_pixels(np.zeros((1, 3)), 420, 320)[0]
    drag(viewport, start, end)
    moved = camera.to_pixels(np.zeros((1, 3)), 420, 320)[0][0]
    assert moved - corner == pytest.approx((36, 20), abs=0.1)
    assert (camera.azimuth, camera.elevation) == (-90.0, 90.0)
    drag(viewport, start, end, button=Qt.MouseButton.RightButton)
    assert shown.dabs == []
    assert (camera.azimuth, camera.elevation) != (-90.0, 90.0)


@needs_display
def test_the_left_button_turns_a_relief(shown) -> None:
    viewport, camera = shown.viewport, shown.viewport.scene.camera
    viewport.set_brush(None, 0.05, 0.25)
    viewport.apply_view(ViewSettings(height=0.2))
    viewport.scene.overdue()
    viewport.scene.layer.adopt(viewport.scene.layer.plan_shape(viewport.scene.plan()))
    drag(viewport, (200, 100), (240, 130))
    assert camera.azimuth == -110.0


@needs_display
def test_the_circle_follows_the_pointer_and_the_wheel_makes_it_larger(shown, qtbot) -> None:
    viewport = shown.viewport
    at = pixel(viewport, 20.0, 15.0, 0.0)
    send_mouse(viewport, QEvent.Type.MouseMove, at, button=Qt.MouseButton.NoButton)
    position, radius = viewport.scene.brush
    assert (position[:2], radius) == (pytest.approx((20.0, 15.0), abs=0.01), 2.0)
    bright = viewport._view._painter.hud.compose(viewport.scene, 420, 320, 1.0)[1]
    assert len(bright) > 96
    distance, where = viewport.scene.camera.distance, QPointF(*at)
    wheel = QWheelEvent(
        where, viewport.mapToGlobal(where), QPointF(0, 0).toPoint(), QPointF(0, 120).toPoint(),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    with qtbot.waitSignal(viewport.brush_resized) as told:
        viewport.wheelEvent(wheel)
    assert told.args[0] == pytest.approx(0.056)
    assert viewport.scene.brush[1] == pytest.approx(2.24)
    assert viewport.scene.camera.distance == distance
    send_mouse(viewport, QEvent.Type.MouseMove, (3, 3), button=Qt.MouseButton.NoButton)
    assert viewport.scene.brush is None


# On the surface of a mesh.


@pytest.fixture
def cube(qtbot):
    viewport, dabs, picks = Viewport(), [], []
    qtbot.addWidget(viewport)
    viewport.dabbed.connect(dabs.append)
    viewport.picked.connect(lambda *pick: picks.append(pick))
    viewport.resize(420, 320)
    mesh = kuhn_cube(4)
    viewport.set_geometry(mesh)
    viewport.apply_view(ViewSettings())
    viewport.show()
    qtbot.waitExposed(viewport)
    viewport.set_simulation(replace(mesh_info(mesh), brushes=BRUSHES))
    yield SimpleNamespace(viewport=viewport, dabs=dabs, picks=picks)
    viewport.close_canvas()


@needs_display
def test_a_brush_without_strokes_acts_at_a_click_and_a_drag_turns_the_view(cube, qtbot) -> None:
    viewport = cube.viewport
    viewport.set_brush(BRUSHES[0], 0.1, 5.0)
    before = viewport.scene.camera.azimuth
    middle = (210.0, 160.0)
    drag(viewport, middle, (250.0, 160.0))
    drag(viewport, middle, (250.0, 160.0), button=Qt.MouseButton.RightButton)
    assert cube.dabs == []
    assert viewport.scene.camera.azimuth != before
    drag(viewport, middle, middle)
    (dab,) = cube.dabs
    assert (dab.brush, dab.radius, dab.amount, dab.erase) == ("touch", 1.0, 5.0, False)
    assert min(np.abs(np.array([dab.position, np.array(dab.position) - 10.0])).min(axis=1)) < 1e-3, "on the surface"
    assert cube.picks == []
    viewport.set_brush(None, 0.1, 5.0)
    drag(viewport, middle, middle)
    assert len(cube.picks) == len(cube.dabs) == 1


@needs_display
def test_the_circle_lies_on_the_surface_or_on_the_cut(cube) -> None:
    layer = cube.viewport.scene.layer
    for place, normal in (((5.0, 5.0, 10.0), (0, 0, 1)), ((0.0, 4.0, 6.0), (-1, 0, 0))):
        right, up = layer.tangents(np.array(place))
        assert np.abs(np.cross(right, up)) == pytest.approx(np.abs(normal), abs=1e-3)
        assert (right @ right, up @ up, right @ up) == pytest.approx((1, 1, 0), abs=1e-9)
    slanted = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    layer.adopt(layer.plan_shape(replace(layer.shape.plan, clip=ClipPlane(origin=(5, 5, 5), normal=tuple(slanted)))))
    right, up = layer.tangents(np.array([5.0, 5.0, 5.0]))
    assert np.abs(np.cross(right, up) @ slanted) == pytest.approx(1)


# In the window.


@pytest.fixture
def window(qtbot, tmp_path):
    services = PondServices(GRID)
    window = MainWindow(services, Viewport, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    yield window
    window.close_at_once()
    for runner in services.runners:
        runner.join(60)


@needs_display
def test_what_is_painted_while_paused_shows_at_once(window, qtbot) -> None:
    viewport = window.viewport
    qtbot.waitUntil(lambda: viewport.scene.shown_field is not None, timeout=5000)
    viewport.image()
    at = pixel(viewport, 8.0, 8.0, 0.0)
    before = viewport.image()[round(at[1]), round(at[0]), :3].astype(int)
    qtbot.keyClick(window, Qt.Key.Key_B)
    assert window.actions_["brush"].isChecked()
    drag(viewport, at, at + np.array([1.0, 0.0]))
    (pond,) = window.services.engine.built
    qtbot.waitUntil(lambda: len(pond.dabs) == 1, timeout=2000)

    def shows() -> bool:
        return bool(np.abs(viewport.image()[round(at[1]), round(at[0]), :3].astype(int) - before).max() > 30)

    qtbot.waitUntil(shows, timeout=1000)
    assert window.controller.phase == "ready"
    assert window.controller.info.brushes == (PAINT,)
    qtbot.keyClick(window, Qt.Key.Key_B)
    assert viewport.brush.info is None


@needs_display
def test_the_panel_lifts_the_relief_and_shows_it_from_the_side(window, qtbot) -> None:
    viewport, panel = window.viewport, window.view_panel
    assert viewport.scene.camera.elevation == 90.0
    assert panel.grid.isVisibleTo(panel)
    assert not panel.clip.isVisibleTo(panel)
    panel.grid.relief.setValue(200)
    qtbot.waitUntil(lambda: viewport.view_settings().height == pytest.approx(0.2), timeout=2000)
    assert viewport.scene.camera.elevation == 38.0
    viewport.reset_camera()
    assert viewport.scene.camera.elevation == 90.0


@needs_display
def test_what_a_touch_does_is_said_in_the_log(qtbot, tmp_path) -> None:
    services = FakeServices()
    window = MainWindow(services, FakeViewport, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    said = []
    window.controller.message.connect(lambda message: said.append(message.text))
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)

    def touched():  # again where the run began anew meanwhile, which forgets what was painted on it
        window.viewport.dabbed.emit(Dab("scar", (1.0, 2.0, 3.0), 1.0, 0.0))
        window.viewport.dabbed.emit(Dab("touch", (4.0, 2.0, 3.0), 1.0, 5.0))
        qtbot.wait(100)
        return "Touched at 4.0 mm." in said

    qtbot.waitUntil(touched, timeout=5000)
    assert {text for text in said if text.startswith("Touched")} == {"Touched at 4.0 mm."}
    window.close_at_once()
    for runner in services.runners:
        runner.join(60)
