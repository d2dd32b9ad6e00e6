"""Two runs side by side: frames of a run that has ended beside those of the present one, and what they differ in."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QPushButton, QTableWidgetSelectionRange

from tests.ui.scene.meshes import info
from tests.ui.wave import slab
from ui.charts.runs.dialog import DIFFERS, NAME
from ui.charts.runs.runs import SessionRun
from ui.comparing.area import NONE_YET
from ui.comparing.pair import Take, _fill_one_space, common_field, refusal
from ui.recording.reel import Reel, read, write
from ui.recording.shelf import Footage, Shelf
from ui.viewport.viewport import Viewport
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
from workbench.run.frames import Frame
from workbench.words.units import clock_text

# Written out: what the sources have is held against these.
MOST_FRAMES = 240
MOST_RUNS = 4


@pytest.fixture
def window(qtbot, qapp, services, tmp_path):
    """With the real 3D view."""
    theme().apply("dark", qapp)
    window = MainWindow(services, Viewport, QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    yield window
    window.close_at_once()
    for runner in services.runners:
        runner.join(60)


def run(window, qtbot, until):
    """As far as that, and until its end is seen, which is kept; with luck some frames before."""
    window.timeline.until_edited.emit(until)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == "finished", timeout=10_000)
    qtbot.waitUntil(lambda: window.recording.playback.newest.time == pytest.approx(until), timeout=10_000)


def reset(window, qtbot, step):
    window.model.edit(("parameters", "numerics", "step"), step)
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)


def test_a_run_that_has_ended_stands_beside_the_present_one(window, qtbot):
    run(window, qtbot, 30.0)
    reset(window, qtbot, 0.04)
    run(window, qtbot, 20.0)
    window.actions_["compare"].trigger()
    page = window.comparing.page
    assert window.stack.currentWidget() is page
    assert not window.dock_layout.docks["problem"].isVisible()
    assert [chooser.currentText() for chooser in page.choosers] == ["run 1: Time step 0.02 ms", "the present run"]
    rows = [[page.table.table.item(0, column).text() for column in range(3)]]
    assert rows == [["Numerics › Time step", "0.02 ms", "0.04 ms"]]

    def nearest(time):
        frames = (take.frame_at("voltage", time) for take in page.pair)
        return [kept.time for kept in frames]

    def seen():
        return [view.scene.time for view in page.views]

    present = window.recording.playback.newest.time
    qtbot.waitUntil(lambda: seen() == [nearest(present)[0], present])
    page.look(10.0)
    qtbot.waitUntil(lambda: seen() == nearest(10.0))
    said = min(seen(), key=lambda time: abs(time - 10.0))  # frames are kept at some moments only
    assert page.clock.text() == clock_text(said, "ms")
    one, other = (view.scene for view in page.views)
    assert one.camera is other.camera
    assert one.shown_field.name == other.shown_field.name == "voltage"
    assert one.limits(one.shown_field) == other.limits(other.shown_field)
    for scene in (one, other):  # each its own moment of a plane wave
        assert scene.layer.has_values
        behind = scene.layer.full.points[:, 0] > 0.5 * scene.time + 2
        np.testing.assert_allclose(scene.layer.drawn_values[0][behind], -85.0, atol=1e-3)
    qtbot.mouseClick(page.slider, Qt.MouseButton.LeftButton, pos=QPoint(page.slider.width() // 2, 8))
    frames = [take.footage.frames("voltage") for take in page.pair]
    ends = min(each[0].time for each in frames), max(each[-1].time for each in frames)
    assert ends[1] == pytest.approx(30.0, abs=0.1)  # of the longer one
    assert page.time == pytest.approx(sum(ends) / 2, abs=0.02 * (ends[1] - ends[0]))
    azimuth = other.camera.azimuth
    qtbot.mousePress(page.views[0], Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    qtbot.mouseMove(page.views[0], QPoint(260, 150))
    qtbot.mouseMove(page.views[0], QPoint(300, 150))
    qtbot.mouseRelease(page.views[0], Qt.MouseButton.LeftButton, pos=QPoint(300, 150))
    assert other.camera.azimuth != azimuth
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.viewport
    assert window.comparing.page is None
    assert window.dock_layout.docks["problem"].isVisible()


def test_a_run_that_is_to_go_on_is_followed_again(window, qtbot):
    """Else nothing moves where Run was pressed; here it is finished, and what to do is asked for all to see."""
    run(window, qtbot, 20.0)
    reset(window, qtbot, 0.04)
    run(window, qtbot, 30.0)
    window.actions_["compare"].trigger()
    page = window.comparing.page
    page.look(10.0)
    assert page.now_button.isEnabled()
    qtbot.mouseClick(page.run_button, Qt.MouseButton.LeftButton)
    assert page.time == window.recording.playback.newest.time
    assert not page.now_button.isEnabled()
    assert window.banner.isVisible()
    button = next(each for each in window.banner.findChildren(QPushButton) if each.text().startswith("Run on to"))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.time > 30.5, timeout=10_000)
    assert window.stack.currentWidget() is page


def test_the_list_of_runs_leads_there_and_the_button_back(window, qtbot):
    run(window, qtbot, 5.0)
    for step in (0.04, 0.05):
        reset(window, qtbot, step)
        run(window, qtbot, 5.0)
    window.actions_["runs"].trigger()
    dialog = window.charts.runs.dialog
    assert not dialog.compare_button.isEnabled()
    dialog.table.selectAll()
    assert not dialog.compare_button.isEnabled(), "three: the present run stands at its end and is listed"
    dialog.table.setRangeSelected(QTableWidgetSelectionRange(0, 0, 0, DIFFERS), False)
    qtbot.mouseClick(dialog.compare_button, Qt.MouseButton.LeftButton)
    page = window.comparing.page
    texts = [chooser.currentText() for chooser in page.choosers]
    assert texts == ["run 1: Time step 0.02 ms", "run 2: Time step 0.04 ms"]
    assert not page.now_button.isVisible()
    page.choosers[1].setCurrentIndex(0)
    page.choosers[1].activated.emit(0)
    assert page.note.text() == "Choose two runs: this is one and the same."
    assert page.stack.currentWidget() is page.note
    page.choosers[1].setCurrentIndex(2)
    page.choosers[1].activated.emit(2)
    qtbot.waitUntil(lambda: all(view.scene.time is not None for view in page.views))
    qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)
    assert window.stack.currentWidget() is window.viewport


def test_the_present_run_that_is_listed_at_its_end_is_no_other_run(window, qtbot):
    """Whether it is chosen from the list or nothing is: it stands beside the one before."""
    run(window, qtbot, 5.0)
    window.actions_["runs"].trigger()
    window.charts.runs.dialog.table.selectRow(0)
    qtbot.mouseClick(window.charts.runs.dialog.compare_button, Qt.MouseButton.LeftButton)
    assert window.banner.text == NONE_YET
    reset(window, qtbot, 0.04)
    run(window, qtbot, 5.0)
    beside = ["run 1: Time step 0.02 ms", "the present run"]
    window.actions_["runs"].trigger()
    dialog = window.charts.runs.dialog
    assert [dialog.table.item(row, NAME).text() for row in range(2)] == ["run 2", beside[0]]
    for chosen in ([0], [1], [0, 1], []):
        window.actions_["runs"].trigger()
        dialog = window.charts.runs.dialog
        for row in chosen:
            dialog.table.setRangeSelected(QTableWidgetSelectionRange(row, 0, row, DIFFERS), True)
        if chosen:
            qtbot.mouseClick(dialog.compare_button, Qt.MouseButton.LeftButton)
        else:
            window.actions_["compare"].trigger()
        page = window.comparing.page
        assert [chooser.currentText() for chooser in page.choosers] == beside
        assert [chooser.count() for chooser in page.choosers] == [2, 2]
        qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)


def test_without_another_run_a_sentence_says_how_to_have_one(window):
    window.actions_["compare"].trigger()
    assert window.banner.text == NONE_YET
    assert window.banner.property("severity") == "info"
    assert window.comparing.page is None


# ---- what cannot stand beside each other -----------------------------------------------------------------------


class Shape:
    def __init__(self, field):
        self.plan = type("Plan", (), {"field": field})


@pytest.fixture
def take():
    """Makes a run of which one frame is kept of each of ``fields``."""
    reels = []

    def make(title, fields=("voltage",), shape=(4, 2, 2), present=False):
        simulated = info(slab(shape))
        reel = Reel(seconds=0.0)
        reels.append(reel)
        footage = Footage(simulated, reel)
        for serial, name in enumerate(fields):
            field = next(each for each in simulated.fields if each.name == name)
            seen = Frame(serial, serial, float(serial), {"surface": np.zeros(3, np.float32)})
            footage.take(seen, serial, Shape(field), None)
            reel.add(*write(seen, reel.begin()))
        return Take(title, {}, footage, present)

    yield make
    for reel in reels:
        reel.clear()


def test_what_cannot_stand_beside_each_other_is_said(take):
    one = take("run 1")
    assert refusal(one, take("run 2")) == ""
    assert "only the last 4 runs" in refusal(one, Take("run 2", {}, None))
    assert refusal(one, take("the present run", fields=(), present=True)).endswith("press Run, and come back.")
    assert "run 1 has 4 × 2 × 2 mm, run 2 6 × 2 × 2 mm" in refusal(one, take("run 2", shape=(6, 2, 2)))
    assert "“Activation time”" in refusal(one, take("run 2", fields=("activation",)))


def test_the_newest_frame_of_the_present_run_is_seen_before_it_is_kept(take):
    """Writing it may take a while."""
    one, present = take("run 1"), take("the present run", present=True)
    present.footage.reel.clear()
    assert refusal(one, present) == ""
    assert present.frame_at("voltage", 100.0) is present.footage.newest
    assert present.frame_at("activation", 100.0) is None


def test_the_field_in_view_is_compared_where_both_have_it(take):
    one, other = take("run 1", fields=("voltage", "activation")), take("run 2", fields=("activation", "voltage"))
    assert common_field(one, other, "voltage").name == "voltage"
    assert common_field(one, other, "calcium").name == "activation"


def test_few_runs_keep_their_frames_and_those_few_of_them(window):
    """Those that are pinned stay longer; nothing stays on disk of the others."""
    runs, footage = window.charts.runs.runs, []
    shelf = Shelf(runs)
    for number in range(MOST_RUNS + 2):
        reel = Reel(seconds=0.0)
        for step in range(20):
            reel.add(*write(Frame(1, step, float(step), {"surface": np.full(9, step, np.float32)}), reel.begin()))
        seen = Footage(None, reel)
        last = Frame(1, 20, 20.0, {"surface": np.zeros(9, np.float32)})
        seen.take(last, 1, Shape(None), None)
        seen.end(reel, last)
        footage.append(seen)
        runs.runs.append(SessionRun(str(number), None, {}, 1.0, {}, pinned=number == 0))
        shelf.put(runs.runs[-1], seen)
    kept = [shelf.of(run) is not None for run in runs.runs]
    assert kept == [True, False, False, True, True, True]
    assert [bool(each.reel.frames) for each in footage] == kept
    runs.remove(runs.runs[-1:])
    assert footage[-1].reel.frames == []
    shelf.clear()


def test_a_run_that_is_over_keeps_a_few_of_its_frames_and_its_end():
    reel = Reel(seconds=0.0)
    for step in range(3 * MOST_FRAMES):
        reel.add(*write(Frame(1, step, float(step), {"surface": np.full(9, step, np.float32)}), reel.begin()))
    reel.thin(MOST_FRAMES, 1 << 30)
    assert len(reel.frames) == 3 * MOST_FRAMES // 4
    assert reel.frames[-1].step == 3 * MOST_FRAMES - 1
    assert read(reel.frames[0]).values["surface"][0] == reel.frames[0].step
    few = list(reel.frames)
    reel.thin(len(few), reel.size)
    assert reel.frames == few, "as many as may be, and of the size that they may have"
    reel.thin(MOST_FRAMES, 1)
    assert len(reel.frames) <= 2
    reel.clear()


@pytest.mark.parametrize(
    ("corners", "unit", "one"),
    [
        ([(100.0, 100.0, 100.0), (110.0, 105.0, 100.0)], "mm", True),
        ([(100.000001, 100.0, 100.0), (110.0, 105.0, 100.0)], "mm", True),
        ([(100.0001, 100.0, 100.0), (110.0, 105.0, 100.0)], "mm", False),
        ([(100.0, 100.0, 100.0), (110.0, 106.0, 100.0)], "mm", False),
        ([(100.0, 100.0, 100.0), (110.0, 105.0, 100.0)], "µm", False),
    ],
)
def test_runs_fill_one_space_where_both_corners_are_the_same(corners, unit, one):
    first = SimpleNamespace(bounds=np.array([(100.0, 100.0, 100.0), (110.0, 105.0, 100.0)]), length_unit="mm")
    assert _fill_one_space(first, first)
    assert _fill_one_space(first, SimpleNamespace(bounds=np.array(corners), length_unit=unit)) == one
