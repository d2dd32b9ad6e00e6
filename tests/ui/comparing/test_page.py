"""The page of two runs, with views that only note what they are shown: which moments, in which range of colours."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QWidget

from tests.ui.scene.meshes import info
from tests.ui.wave import slab
from ui.comparing.differences import Differences
from ui.comparing.page import ComparisonPage
from ui.comparing.pair import Take
from ui.recording.playback import LOOP_MILLISECONDS
from ui.recording.shelf import Footage
from workbench.project.project import CameraView, ViewSettings
from workbench.run.frames import Frame

INFO = info(slab((4, 2, 2)))


class Reel:
    branch = 0

    def __init__(self):
        self.frames = []

    def of(self, serials, branch):
        return [frame for frame in self.frames if frame.serial in serials]


class Scene:
    """Its frames' values are their range of colours; ``scale``: of displacements."""

    def __init__(self, scale):
        self.layer = self.info = self.shown_field = self.time = None
        self.deformation, self.common, self.auto_fit = scale, None, True
        self.camera = SimpleNamespace()

    def replay(self, shape, frame):
        self.shown_field, self.time, self._ends = shape.plan.field, frame.time, frame.values["surface"]

    def limits(self, field):
        return tuple(float(each) for each in self._ends)


class View(QWidget):
    view_changed = Signal()

    def __init__(self, parent, scale):
        super().__init__(parent)
        self.quality, self.scene = SimpleNamespace(shared_by=1), Scene(scale)
        self.drawn = self.fitted = self.closed = 0
        self.applied = None

    def set_geometry(self, geometry):
        self.scene.layer = SimpleNamespace(deformation=None)

    def apply_view(self, view):
        self.applied = view

    def view_settings(self):
        return ViewSettings(camera=CameraView(azimuth=77.0))

    def redraw(self):
        self.drawn += 1

    def reset_camera(self):
        self.fitted += 1

    def close_canvas(self):
        self.closed += 1


class AtOnce:
    """In place of work on another thread; ``held`` keeps it until it is let go."""

    def __init__(self):
        self.held, self.asked, self.failing = False, [], []

    def submit(self, lane, load, then, otherwise):
        self.asked.append(lambda: then(load()))
        self.failing.append(lambda: otherwise(OSError("gone")))
        if not self.held:
            self.asked.pop()()


def take(title, times, present=False, fields=("voltage",), low=-80.0):
    """Frames of ``fields`` in turn at these times, whose values are from ``low`` to the time."""
    footage = Footage(INFO, Reel())
    for place, time in enumerate(times):
        serial = place % len(fields)
        field = next(each for each in INFO.fields if each.name == fields[serial])
        seen = Frame(serial, place, time, {"surface": np.array([low, time])})
        footage.take(seen, serial, SimpleNamespace(plan=SimpleNamespace(field=field)), None)
        footage.reel.frames.append(seen)
    return Take(title, {}, footage, present)


@pytest.fixture
def page(qtbot):
    background, scales = AtOnce(), iter((3.0, 2.0))
    page = ComparisonPage(
        lambda parent: View(parent, next(scales)),
        lambda left, right: [("Step", ("a", "b"))] if left is not right else [],
        background,
        None,
    )
    page.background = background
    qtbot.addWidget(page)
    page.resize(900, 500)
    page.show()
    return page


def seen(page):
    return [view.scene.time for view in page.views]


def show(page, *takes, chosen=(0, 1), view=None, field="voltage"):
    page.set_takes(takes, chosen, view or ViewSettings(), field)


ONE, OTHER = (0.0, 10.0, 20.0, 30.0), (0.0, 4.0, 12.0, 25.0)


def test_two_runs_that_have_ended_are_seen_at_the_end_of_the_shorter_one(page):
    show(page, take("run 1", ONE), take("run 2", OTHER, low=-90.0), take("run 3", OTHER), chosen=(0, 1))
    assert [[box.itemText(k) for k in range(box.count())] for box in page.choosers] == [["run 1", "run 2", "run 3"]] * 2
    assert [box.currentText() for box in page.choosers] == ["run 1", "run 2"]
    assert page.stack.currentIndex() == 0
    assert page.time == 25.0
    assert seen(page) == [20.0, 25.0], "the nearest of each"
    assert page.clock.text() == "25.00 ms"
    assert page.slider.value() == round(1000 * 25 / 30)
    assert [view.scene.common for view in page.views] == [(-90.0, 25.0)] * 2
    assert [view.scene.layer.deformation for view in page.views] == [2.0] * 2, "as many times as where they are larger"
    assert [view.drawn for view in page.views] == [1, 1]
    assert [view.quality.shared_by for view in page.views] == [2, 2]
    assert all(view.scene.replays for view in page.views)
    assert [view.applied.field for view in page.views] == ["voltage"] * 2
    assert not page.now_button.isVisible()
    assert not page.run_button.isVisible()
    assert page.table.table.rowCount() == 1


@pytest.mark.parametrize(("share", "time"), [(0, 0.0), (250, 7.5), (1000, 30.0)])
def test_the_slider_goes_over_both_and_the_clock_tells_the_nearest_moment(page, share, time):
    show(page, take("run 1", ONE), take("run 2", OTHER))
    page.slider.setValue(share)
    assert page.time == time
    nearest = [min(times, key=lambda each: abs(each - time)) for times in (ONE, OTHER)]
    assert seen(page) == nearest
    assert page.clock.text() == f"{min(nearest, key=lambda each: abs(each - time)):.2f} ms"


@pytest.mark.parametrize(("share", "time"), [(0, 10.0), (250, 15.0), (900, 28.0), (1000, 30.0)])
def test_the_slider_begins_where_the_first_run_does(page, share, time):
    show(page, take("run 1", ONE[1:]), take("run 2", OTHER[2:]))
    assert (page.time, page.slider.value()) == (25.0, 750)
    page.slider.setValue(share)
    assert page.time == pytest.approx(time)
    page.look(time)
    assert page.slider.value() == share


def test_the_slider_goes_where_it_is_pressed(page, qtbot):
    show(page, take("run 1", ONE), take("run 2", OTHER))
    middle = QPoint(page.slider.width() // 2, page.slider.height() // 2)
    qtbot.mousePress(page.slider, Qt.MouseButton.LeftButton, pos=middle)
    assert page.time == pytest.approx(15.0, abs=0.5)
    page.look(3.0)
    assert page.slider.value() == pytest.approx(500, abs=10), "it stays in the hand"
    qtbot.mouseRelease(page.slider, Qt.MouseButton.LeftButton, pos=middle)


def test_a_loop_shows_every_moment_of_either_and_begins_again(page):
    show(page, take("run 1", ONE), take("run 2", OTHER))
    page.look(0.0)
    page.loop_button.click()
    assert page._loop.isActive()
    assert page._loop.interval() == LOOP_MILLISECONDS
    times = []
    for _ in range(7):
        page._loop.timeout.emit()
        times.append(page.time)
    assert times == [4.0, 10.0, 12.0, 20.0, 25.0, 30.0, 0.0]
    page.slider.setValue(500)
    assert not page.loop_button.isChecked()
    assert not page._loop.isActive()


def test_the_present_run_is_followed_until_another_moment_is_looked_at(page):
    present = take("the present run", OTHER, present=True)
    show(page, take("run 1", ONE), present)
    assert page.now_button.isVisible()
    assert page.run_button.isVisible()
    assert not page.now_button.isEnabled(), "it is followed"
    assert page.time == 25.0

    def come(time):
        frame = Frame(0, 9, time, {"surface": np.array([0.0, time])})
        present.footage.take(frame, 0, None, None)
        page.take(frame)

    come(60.0)
    assert (page.time, seen(page)) == (60.0, [30.0, 60.0])
    assert page.slider.value() == 1000
    page.look(12.0)
    assert page.now_button.isEnabled()
    assert page.slider.value() == 200
    come(120.0)
    assert page.time == 12.0
    assert page.slider.value() == 100, "there is more to look at"
    page.loop_button.click()
    page.now_button.click()
    assert not page.loop_button.isChecked()
    assert page.time == 120.0
    page.choosers[0].activated.emit(0)
    assert page.time == 120.0, "whatever else is chosen"
    texts = []
    for running in (True, False):
        page.set_running(running)
        texts.append(page.run_button.text())
    assert texts == ["Pause", "Run"]


def test_the_space_key_runs_a_run_that_is_seen_and_no_other(page, qtbot):
    asked = []
    page.run_asked.connect(lambda: asked.append(page.pair[1].title))
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    show(page, take("run 1", ONE), take("run 2", OTHER), take("the present run", OTHER, present=True))
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert asked == []
    page.choosers[1].setCurrentIndex(2)
    page.choosers[1].activated.emit(2)
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert asked == ["the present run"]


def test_what_cannot_be_compared_is_said_until_it_can(page):
    present = take("the present run", (), present=True)
    show(page, take("run 1", ONE), present, chosen=(0, 1))
    assert page.note.text().endswith("press Run, and come back.")
    parts = (page.slider, page.loop_button, page.clock)
    assert page.stack.currentWidget() is page.note
    assert not any(part.isEnabled() for part in parts)
    assert page.run_button.isVisible()
    field = next(each for each in INFO.fields if each.name == "voltage")
    frame = Frame(0, 1, 8.0, {"surface": np.array([0.0, 8.0])})
    present.footage.take(frame, 0, SimpleNamespace(plan=SimpleNamespace(field=field)), None)
    page.take(frame)
    assert page.note.text() == ""
    assert page.stack.currentIndex() == 0
    assert all(part.isEnabled() for part in parts)
    page.loop_button.click()
    page.choosers[1].setCurrentIndex(0)
    page.choosers[1].activated.emit(0)
    assert page.note.text() == "Choose two runs: this is one and the same."
    assert not page.loop_button.isChecked()
    page.take(frame)
    assert page.stack.currentWidget() is page.note, "frames of a run that is not looked at are none of its business"


def test_both_are_seen_as_the_problem_was_and_from_one_place(page):
    runs = [take(title, ONE, fields=("voltage", "activation")) for title in ("run 1", "run 2")]
    view = ViewSettings(camera=CameraView(azimuth=12.0), clip={"origin": (0, 0, 0), "normal": (1, 0, 0)})
    show(page, *runs, view=view, field="activation")
    for side in page.views:
        assert (side.applied.field, side.applied.camera.azimuth, side.applied.clip) == ("activation", 12.0, None)
    page.choosers[0].activated.emit(0)
    assert [side.applied.camera.azimuth for side in page.views] == [77.0] * 2, "where one has gone meanwhile"
    left, right = page.views
    assert left.scene.camera is right.scene.camera
    before = [side.drawn for side in page.views]
    left.scene.auto_fit = False
    left.view_changed.emit()
    assert right.scene.auto_fit is False
    assert [side.drawn for side in page.views] == [before[0], before[1] + 1]
    page.fit()
    assert [side.fitted for side in page.views] == [1, 1]


def test_of_many_moments_asked_for_while_one_is_read_the_last_is_read(page):
    show(page, take("run 1", ONE), take("run 2", OTHER))
    page.background.held = True
    for time in (0.0, 10.0, 30.0):
        page.look(time)
    page._show_next()
    assert page.time == 30.0, "a loop waits for what is read"
    (first,) = page.background.asked
    first()
    assert seen(page) == [0.0, 0.0]
    page.background.asked[-1]()
    assert seen(page) == [30.0, 25.0]
    assert len(page.background.asked) == 2
    page.look(10.0)
    page.look(20.0)
    page.background.failing[-1]()
    page.background.asked[-1]()
    assert seen(page) == [20.0, 25.0], "one that was dropped meanwhile holds up none that are asked for after it"
    page.look(0.0)
    page.close_views()
    page.background.asked[-1]()
    assert seen(page) == [20.0, 25.0], "nothing is shown any more"
    assert [view.closed for view in page.views] == [1, 1]
    assert not page._loop.isActive()


@pytest.mark.parametrize("count", [0, 1, 5, 6])
def test_what_differs_stands_in_a_table_that_is_as_high_as_five_rows_at_most(qtbot, count):
    parent = QWidget()
    qtbot.addWidget(parent)
    shown = Differences(parent)
    shown.show_rows(("run 1", "run 2"), [(f"Step {k}", (f"{k} ms", f"{k + 1} ms")) for k in range(count)])
    table = shown.table
    assert (table.isHidden(), shown.nothing.isHidden()) == (count == 0, count > 0)
    assert [table.horizontalHeaderItem(k).text() for k in range(table.columnCount())] == [
        "What differs",
        "run 1",
        "run 2",
    ]
    if count:
        assert [table.item(0, k).text() for k in range(3)] == ["Step 0", "0 ms", "1 ms"]
    heights = table.horizontalHeader().sizeHint().height() + min(count, 5) * table.rowHeight(0)
    assert table.height() == heights + 2 * table.frameWidth()


def test_a_run_of_one_moment_has_a_slider_that_stands_at_its_beginning(page):
    show(page, take("run 1", (5.0,)), take("run 2", (5.0,)))
    assert page.slider.value() == 0
    page.slider.setValue(1000)
    assert page.time == 6.0
