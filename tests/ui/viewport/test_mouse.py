"""Each button, key and movement of the mouse by what it does to the scene, on a view that draws nothing."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent

from engines.api import FieldInfo, PaintInfo
from engines.geometry.grid import Grid
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.overlays.test_gripping import placement
from ui.scene.marks import Marks
from ui.scene.overlays.clip_handle import _points
from ui.scene.scene import Scene
from ui.viewport.brush import Brush
from ui.viewport.mouse import Mouse
from workbench.project.project import CameraView, ClipPlane, ViewSettings

# Written out: what the sources have is held against these.
CLICK_TRAVEL = 4.0

LEFT, RIGHT, MIDDLE, NONE = (getattr(Qt.MouseButton, f"{each}Button") for each in ("Left", "Right", "Middle", "No"))
PLAIN, SHIFT, CTRL = (getattr(Qt.KeyboardModifier, f"{each}Modifier") for each in ("No", "Shift", "Control"))
WIDE, HIGH = 800, 600
STROKES = PaintInfo("scar", "Scar", "1", 0.0, 0.05)
HEARD = (
    "picked", "followed", "stroke_began", "dabbed", "brush_resized", "item_chosen", "item_dragged", "item_dropped",
    "fit_asked",
)  # fmt: skip
TOUCH = PaintInfo("touch", "Touch", "mA", 5.0, 0.1, stroke=False, erasable=False)


class View(QObject):
    """What the mouse asks of a viewport; notes what it hears."""

    picked, followed = Signal(int, tuple), Signal(int, tuple)
    stroke_began, dabbed, brush_resized = Signal(), Signal(object), Signal(float)
    fit_asked = Signal()
    item_chosen, item_dragged, item_dropped = Signal(object), Signal(object, str, tuple), Signal(bool)

    def __init__(self, geometry, info, view) -> None:
        super().__init__()
        self.scene, self.brush = Scene(), Brush(longest=10.0)
        self.scene.set_simulation(info(geometry))
        self.scene.apply_view(view, WIDE / HIGH)
        self.quality = SimpleNamespace(hands_on=False)
        self.picking, self.heard, self.shape = False, [], None
        for name in HEARD:
            getattr(self, name).connect(lambda *given, name=name: self.heard.append((name, *given)))
        self.mouse = Mouse(self)

    def width(self):
        return WIDE

    def height(self):
        return HIGH

    def clip_to(self, clip):
        self.scene.view.clip = clip
        self.heard.append(("clip",))

    def push_clip(self, distance):
        self.heard.append(("pushed", distance))

    def camera_moved(self):
        self.heard.append(("camera",))

    def redraw_overlay(self):
        self.heard.append(("overlay",))

    def hover_item(self, path):
        self.heard.append(("hover", path))

    def setCursor(self, shape):
        self.shape = shape

    def said(self, *but):
        """What was heard since the last time, without these."""
        heard, self.heard = [each for each in self.heard if each[0] not in ("overlay", "hover", *but)], []
        return heard

    def event(self, kind, at, button, keys):
        at = QPointF(*at)
        return QMouseEvent(kind, at, at, button, button, keys)

    def drag(self, *places, button=LEFT, keys=PLAIN):
        self.mouse.press(self.event(QMouseEvent.Type.MouseButtonPress, places[0], button, keys))
        for place in places[1:]:
            self.mouse.move(self.event(QMouseEvent.Type.MouseMove, place, NONE, keys))
        self.mouse.release(self.event(QMouseEvent.Type.MouseButtonRelease, places[-1], button, keys))

    def move(self, *place):
        self.mouse.move(self.event(QMouseEvent.Type.MouseMove, place, NONE, PLAIN))

    def turn(self, notches, at=(400.0, 300.0), keys=PLAIN, pixels=0):
        at = QPointF(*at)
        turned, still = QPoint(0, round(120 * notches)), Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(at, at, QPoint(0, pixels), turned, NONE, keys, still, False)
        event.ignore()
        self.mouse.wheel(event)
        return event.isAccepted()

    def pixel(self, *point):
        (at,), _ = self.scene.camera.to_pixels(np.array([point], float), WIDE, HIGH)
        return float(at[0]), float(at[1])


@pytest.fixture
def solid(qapp):
    """A cube of tetrahedra from 0 to 10 mm, seen from x."""
    camera = CameraView(azimuth=0.0, elevation=0.0, distance=40.0)
    return View(kuhn_cube(2), of_mesh, ViewSettings(field="voltage", camera=camera))


@pytest.fixture
def flat(qapp):
    field = FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0))
    return View(Grid((10, 10), (1.0, 1.0)), lambda grid: of_grid(grid, field), ViewSettings(field="u"))


def camera_of(view):
    camera = view.scene.camera
    return camera.azimuth, camera.elevation, camera.distance, tuple(camera.center)


MID = (400.0, 300.0)


def test_the_left_button_turns_by_half_a_degree_a_pixel_or_so_and_back(solid):
    before = camera_of(solid)
    solid.drag(MID, (440.0, 300.0))
    azimuth, elevation, distance, center = camera_of(solid)
    assert azimuth < before[0]
    assert (elevation, distance, center) == before[1:]
    solid.drag(MID, (400.0, 340.0))
    assert camera_of(solid)[1] > elevation
    solid.drag((400.0, 340.0), MID)
    solid.drag((440.0, 300.0), MID)
    assert camera_of(solid)[:2] == pytest.approx(before[:2])
    assert solid.said() == [("camera",)] * 4


@pytest.mark.parametrize(("button", "keys"), [(MIDDLE, PLAIN), (LEFT, SHIFT)])
def test_what_is_panned_stays_under_the_pointer(solid, button, keys):
    solid.scene.auto_fit = True
    before = solid.pixel(5, 5, 5)
    solid.drag(MID, (430.0, 320.0), (450.0, 280.0), button=button, keys=keys)
    after = solid.pixel(5, 5, 5)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((50, -20), abs=0.5)
    assert not solid.scene.auto_fit
    assert solid.said() == [("camera",)] * 2


def test_the_right_button_zooms_about_the_middle_and_the_wheel_about_the_pointer(solid):
    solid.scene.auto_fit = True
    _, _, distance, center = camera_of(solid)
    solid.drag(MID, (400.0, 290.0), button=RIGHT)
    assert camera_of(solid)[2] == pytest.approx(distance / 1.01**10)
    assert camera_of(solid)[3] == pytest.approx(center)
    assert not solid.scene.auto_fit
    solid.scene.auto_fit = True
    before = solid.pixel(5, 2, 8)
    assert solid.turn(2, at=before)
    assert camera_of(solid)[2] == pytest.approx(distance / 1.01**10 / 1.12**2)
    assert solid.pixel(5, 2, 8) == pytest.approx(before, abs=1e-6)
    assert not solid.scene.auto_fit
    assert solid.turn(0, pixels=-80)
    assert camera_of(solid)[2] == pytest.approx(distance / 1.01**10)
    assert not solid.turn(0)
    assert solid.said() == [("camera",)] * 3


def test_a_flat_picture_is_panned_by_the_left_button_and_turned_by_the_right(flat):
    before = flat.pixel(5, 5, 0)
    flat.drag(MID, (420.0, 310.0))
    after = flat.pixel(5, 5, 0)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((20, 10), abs=0.5)
    distance = flat.scene.camera.distance
    elevation = flat.scene.camera.elevation
    flat.drag(MID, (400.0, 260.0), button=RIGHT)
    assert flat.scene.camera.distance == distance
    assert flat.scene.camera.elevation < elevation


@pytest.mark.parametrize(("keys", "heard"), [(PLAIN, "picked"), (CTRL, "followed")])
def test_a_click_tells_the_cell_and_the_place(solid, keys, heard):
    solid.drag(solid.pixel(10, 5, 5), keys=keys)
    ((name, cell, place),) = solid.said()
    assert name == heard
    assert 0 <= cell < 48
    assert place == pytest.approx((10, 5, 5), abs=0.1)
    solid.drag(solid.pixel(10, 5, 5), button=RIGHT)
    solid.drag((5.0, 5.0))
    assert solid.said() == []


@pytest.mark.parametrize("brush", [None, STROKES])
def test_a_click_on_what_says_that_values_are_beyond_the_range_asks_to_fit_it(solid, brush):
    """Whatever lies below it; a drag from there turns the view, and elsewhere all is as ever."""
    solid.brush.info = brush
    x, y = solid.pixel(10, 5, 5)
    solid.scene.fit_offered = (x - 20.0, y - 20.0, 40.0, 40.0)
    solid.move(x, y)
    assert solid.shape is Qt.CursorShape.PointingHandCursor
    solid.drag((x, y))
    assert solid.said() == [("fit_asked",)]
    solid.drag((x, y), (x + 30, y))
    assert solid.said() == [("camera",)]
    solid.drag((x, y), button=RIGHT)
    assert ("fit_asked",) not in solid.said()
    solid.scene.fit_offered = None
    solid.drag((x, y))
    assert ("fit_asked",) not in solid.said()


@pytest.mark.parametrize(
    ("away", "clicked"), [(CLICK_TRAVEL - 1, True), (CLICK_TRAVEL, False), (CLICK_TRAVEL + 3, False)]
)
def test_a_press_that_moves_is_no_click(solid, away, clicked):
    x, y = solid.pixel(10, 5, 5)
    solid.drag((x, y), (x + away, y))
    heard = [name for name, *_ in solid.said()]
    assert heard == (["picked"] if clicked else ["camera"])


def test_hands_are_on_while_a_button_is_down(solid):
    solid.mouse.press(solid.event(QMouseEvent.Type.MouseButtonPress, MID, LEFT, PLAIN))
    assert solid.quality.hands_on
    solid.mouse.release(solid.event(QMouseEvent.Type.MouseButtonRelease, MID, LEFT, PLAIN))
    assert not solid.quality.hands_on


def test_a_double_click_brings_what_is_under_it_to_the_middle_and_picks_nothing(solid):
    solid.scene.auto_fit = True
    at = solid.pixel(10, 7, 3)
    solid.mouse.double_click(solid.event(QMouseEvent.Type.MouseButtonDblClick, at, LEFT, PLAIN))
    solid.mouse.release(solid.event(QMouseEvent.Type.MouseButtonRelease, at, LEFT, PLAIN))
    assert tuple(solid.scene.camera.center) == pytest.approx((10, 7, 3), abs=0.1)
    assert not solid.scene.auto_fit
    assert solid.said() == [("camera",)]
    solid.mouse.double_click(solid.event(QMouseEvent.Type.MouseButtonDblClick, (3.0, 3.0), LEFT, PLAIN))
    assert solid.said() == []


def test_the_handle_of_the_plane_is_pushed_tilted_and_shown_by_the_pointer(solid):
    solid.scene.view.clip = ClipPlane(origin=(5.0, 5.0, 4.0), normal=(0.0, 0.0, 1.0))
    foot, tip, _ = _points(solid.scene)
    at, end = solid.pixel(*foot), solid.pixel(*tip)
    half = ((at[0] + end[0]) / 2, (at[1] + end[1]) / 2)
    solid.move(*half)
    assert solid.shape is Qt.CursorShape.OpenHandCursor
    solid.drag(half, (half[0], half[1] - 20))
    pushed = solid.scene.view.clip
    assert pushed.normal == (0.0, 0.0, 1.0)
    assert pushed.origin[2] > 4.2
    assert solid.said() == [("clip",)]
    _, tip, _ = _points(solid.scene)
    end = solid.pixel(*tip)
    solid.drag(end, (end[0] + 30, end[1]))
    assert solid.scene.view.clip.normal[1] > 0.1, "to the right is y"
    solid.drag(solid.pixel(*_points(solid.scene)[1]))
    assert [name for name, *_ in solid.said("clip")] == [], "a click on the handle picks nothing"
    solid.turn(3, keys=CTRL)
    assert solid.said() == [("pushed", pytest.approx(0.06 * solid.scene.camera.radius))]
    solid.scene.view.clip = None
    solid.turn(1, keys=CTRL)
    assert solid.said() == [("camera",)], "without a plane it zooms"
    solid.move(*MID)
    assert solid.shape is Qt.CursorShape.ArrowCursor


@pytest.mark.parametrize(("button", "erases"), [(LEFT, False), (RIGHT, True)])
def test_a_brush_paints_along_a_drag_and_the_right_button_erases(solid, button, erases):
    solid.brush.info = STROKES
    places = [solid.pixel(10, 3, 5), solid.pixel(10, 5, 5), solid.pixel(10, 7, 5)]
    solid.drag(*places, button=button)
    heard = solid.said()
    assert heard[0] == ("stroke_began",)
    dabs = [each[1] for each in heard[1:]]
    assert {name for name, *_ in heard[1:]} == {"dabbed"}
    assert len(dabs) > 3
    assert all(dab.erase == erases for dab in dabs)
    assert dabs[0].position == pytest.approx((10, 3, 5), abs=0.1)
    assert dabs[-1].position[1] == pytest.approx(7, abs=0.6)
    assert solid.scene.brush is not None
    solid.mouse.leave()
    assert solid.scene.brush is None


def test_beside_the_body_or_with_shift_a_brush_moves_the_camera(solid):
    solid.brush.info = STROKES
    solid.drag((5.0, 5.0), (50.0, 5.0))
    solid.drag(MID, (450.0, 300.0), keys=SHIFT)
    assert solid.said() == [("camera",)] * 2
    before = solid.brush.radius
    solid.turn(1, keys=CTRL)
    assert solid.said() == [("brush_resized", pytest.approx(1.12 * before))]


def test_a_brush_without_strokes_acts_at_a_click_and_with_ctrl_follows(solid):
    solid.brush.info = TOUCH
    at = solid.pixel(10, 5, 5)
    solid.drag(at, (at[0] + 50, at[1]))
    assert solid.said() == [("camera",)]
    at = solid.pixel(10, 5, 5)
    solid.drag(at)
    assert [name for name, *_ in solid.said()] == ["stroke_began", "dabbed"]
    solid.drag(at, keys=CTRL)
    assert [name for name, *_ in solid.said()] == ["followed"]
    solid.drag(at, (at[0] + 50, at[1]), button=RIGHT)
    assert solid.said() == [("camera",)], "it has nothing to erase"


def test_the_pointer_is_told_of_while_no_button_is_down(solid):
    solid.move(200.0, 450.0)
    assert solid.scene.pointer == (0.25, 0.75)
    solid.drag((200.0, 450.0), (300.0, 450.0))
    assert solid.scene.pointer is None
    solid.move(200.0, 450.0)
    solid.mouse.leave()
    assert solid.scene.pointer is None
    assert ("hover", None) in solid.heard


@pytest.fixture
def placed(qapp):
    """A square of 2 mm in a cube of ten cells, seen along z and chosen."""
    field = FieldInfo("u", "Temperature", "K", "grid", (0.0, 1.0))
    view = View(Grid((10, 10, 10), (1.0, 1.0, 1.0)), lambda grid: of_grid(grid, field), ViewSettings(field="u"))
    view.scene.camera.look_along("z")
    view.scene.marks = Marks(placement(), ("objects", 0), None, grips=True)
    return view


def test_an_item_is_dragged_by_its_handles_and_let_go(placed):
    start, end = placed.pixel(5, 5, 5), placed.pixel(6.9, 5.4, 5)
    for keys, place in ((PLAIN, (6.75, 5.75, 5.0)), (CTRL, (6.9, 5.4, 5.0))):
        placed.drag(start, end, keys=keys)
        (name, item, handle, at), dropped = placed.said()
        assert (name, item.path, handle) == ("item_dragged", ("objects", 0), "move")
        assert at == pytest.approx(place)
        assert dropped == ("item_dropped", True)
        assert placed.shape is Qt.CursorShape.ArrowCursor
    placed.mouse.press(placed.event(QMouseEvent.Type.MouseButtonPress, start, LEFT, PLAIN))
    assert placed.mouse.let_go()
    assert placed.said() == [], "nothing was dragged yet"
    placed.mouse.press(placed.event(QMouseEvent.Type.MouseButtonPress, start, LEFT, PLAIN))
    placed.move(*end)
    assert placed.shape is Qt.CursorShape.ClosedHandCursor
    assert placed.scene.pointer == pytest.approx((end[0] / WIDE, end[1] / HIGH))
    assert placed.mouse.let_go()
    assert placed.said("item_dragged") == [("item_dropped", False)]
    assert not placed.mouse.let_go()


def test_a_click_on_an_outline_chooses_what_it_is_of_and_one_beside_everything_nothing(placed):
    placed.scene.marks = Marks(placement(), None, None, grips=True)
    edge = placed.pixel(5, 4, 5)
    placed.move(*edge)
    assert ("hover", ("objects", 0)) in placed.heard
    assert placed.shape is Qt.CursorShape.PointingHandCursor
    placed.heard.clear()
    placed.drag(edge)
    assert placed.said() == [("item_chosen", ("objects", 0))]
    placed.drag((3.0, 3.0))
    assert placed.said() == [], "none was chosen"
    placed.scene.marks = Marks(placement(), ("objects", 0), None, grips=False)
    placed.drag((3.0, 3.0))
    assert placed.said() == [("item_chosen", None)]
    placed.drag(edge, keys=CTRL)
    assert [name for name, *_ in placed.said()] == ["followed"]
    placed.picking = True
    placed.drag(edge)
    assert [name for name, *_ in placed.said()] == ["picked"], "a place is asked for"
