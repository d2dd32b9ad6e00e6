"""Another field is shown: frames of the one before stay, and are there again once it is shown again."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from engines.geometry.grid import Grid
from tests.ui.scene.grids import CONCENTRATION, info
from tests.ui.scene.test_categories import STATE
from ui.panels.timeline import NOT_RECORDED, RECORDED_FROM, Timeline
from ui.recording.shelf import Footage
from ui.scene.scene import Scene
from workbench.project.project import ViewSettings
from workbench.run.frames import Frame


class Seen:
    """A view, its recorder, and the run that answers what the view asks."""

    def __init__(self, qtbot, playback):
        self._qtbot, self.playback, self.scene = qtbot, playback, Scene()
        told = info(Grid((4, 4), (1.0, 1.0)), CONCENTRATION, STATE)
        self.footage = Footage(told, playback.reel)
        self.scene.aspect, self.scene.earlier = 1.0, self.footage.asked
        self.request = self.scene.set_simulation(told)

    def show(self, field):
        self.request = self.scene.apply_view(ViewSettings(field=field), 1.0) or self.request

    def come_to(self, *steps):
        for step in steps:
            values = {part: np.full(len(of), step, np.float32) for part, (_, of) in self.request.parts.items()}
            frame = Frame(self.request.serial, step, float(step), values)
            self.playback.reel._due = 0.0
            self.playback.take(frame)
            assert self.scene.show_frame(frame)
            self.footage.take(frame, *self.scene.shown, None)
            self._qtbot.waitUntil(lambda: not self.playback._background.busy, timeout=5000)

    @property
    def steps(self):
        return [kept.step for kept in self.playback.frames()]


def heard(signal):
    """What a signal has told so far."""
    found = []
    signal.connect(found.append)
    return found


@pytest.fixture
def seen(qtbot, playback):
    return Seen(qtbot, playback)


def test_frames_of_a_field_are_there_again_once_it_is_shown_again(seen, qtbot):
    kept, missed = heard(seen.playback.kept_changed), heard(seen.playback.missed_changed)
    seen.show("u")
    seen.come_to(0, 1, 2)
    assert (kept[-1], missed[-1]) == ((0.0, 2.0), False)
    seen.show("state")
    seen.come_to(2)
    assert (kept[-1], missed[-1]) == (None, True)
    seen.come_to(3)
    assert (seen.steps, kept[-1], missed[-1]) == ([2, 3], (2.0, 3.0), True)
    seen.show("u")
    seen.come_to(3, 4)
    assert (seen.steps, kept[-1], missed[-1]) == ([0, 1, 2, 3, 4], (0.0, 4.0), False)
    assert list(seen.footage.fields()) == ["state", "u"], "the newest last"
    looked = heard(seen.playback.looked)
    seen.playback.look(1.0)
    qtbot.waitUntil(lambda: bool(looked), timeout=5000)
    assert seen.scene.show_frame(looked[0])
    assert seen.scene.time == 1.0


def test_who_looks_back_stays_there_in_another_field_that_was_recorded_then(seen, qtbot):
    """It went to what is now, without a word; where nothing was recorded then, that is said."""
    looked, unseen = heard(seen.playback.looked), heard(seen.playback.unseen)
    seen.show("u")
    seen.come_to(0, 1, 2)
    seen.show("state")
    seen.come_to(2, 3, 4)
    seen.playback.look(3.0)
    qtbot.waitUntil(lambda: len(looked) == 1, timeout=5000)
    assert seen.scene.show_frame(looked[0])
    seen.show("u")
    seen.come_to(5)
    qtbot.waitUntil(lambda: len(looked) == 2, timeout=5000)
    assert seen.playback.looking_back
    assert (looked[1].step, seen.playback.time) == (2, 2.0), "the nearest that was recorded in it"
    assert seen.scene.show_frame(looked[1])
    assert not unseen
    seen.playback.look(1.0)
    qtbot.waitUntil(lambda: len(looked) == 3, timeout=5000)
    seen.show("state")
    seen.come_to(6)
    assert looked[3] is None
    assert not seen.playback.looking_back
    assert unseen == [1.0]


def test_a_field_that_is_shown_again_where_the_run_stands_is_not_kept_twice(seen):
    seen.show("u")
    seen.come_to(0, 1)
    seen.show("state")
    seen.come_to(1)
    seen.show("u")
    seen.come_to(1)
    assert seen.steps == [0, 1]


def test_a_run_that_is_built_anew_is_asked_anew(seen):
    seen.show("u")
    seen.come_to(0, 1)
    serial = seen.request.serial
    assert seen.scene.set_simulation(seen.scene.info).serial > serial


def test_the_timeline_says_why_earlier_moments_cannot_be_seen(qtbot):
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.resize(900, 60)
    timeline.show()
    timeline.set_unit("ms")
    timeline.set_until(100.0)
    timeline.set_time(80.0)
    timeline.set_missed(True)
    bar = timeline.bar

    def told(part):
        qtbot.mouseMove(bar, QPoint(round(part * bar.bar_width()), 9))
        qtbot.wait(20)
        return bar.toolTip()

    assert told(0.3) == NOT_RECORDED
    assert told(0.9) == bar.note, "there is nothing yet"
    with qtbot.waitSignal(timeline.missed_asked) as asked:
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(0.3 * bar.bar_width()), 9))
    assert asked.args == [NOT_RECORDED]
    timeline.set_kept((60.0, 80.0))
    assert told(0.31) == RECORDED_FROM.format(time="60.00 ms")
    assert told(0.7) == bar.note
    said = []
    timeline.missed_asked.connect(said.append)
    left, place = Qt.MouseButton.LeftButton, lambda part: QPoint(round(part * bar.bar_width()), 9)
    qtbot.mousePress(bar, left, pos=place(0.7))
    assert said == []
    for part in (0.5, 0.4, 0.3):
        qtbot.mouseMove(bar, place(part))
    qtbot.waitUntil(lambda: said == [RECORDED_FROM.format(time="60.00 ms")])
    qtbot.mouseRelease(bar, left, pos=place(0.3))
    qtbot.mouseClick(bar, left, pos=place(0.2))
    assert len(said) == 2
    timeline.set_missed(False)
    assert told(0.3) == bar.note
