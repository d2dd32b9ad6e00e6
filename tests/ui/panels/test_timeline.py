"""The timeline by itself: what its buttons offer in each state, and where on its bar a run, its past and its
checkpoints stand."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QWidget

from tests.ui.rules import lost_items
from ui.panels.timeline import Timeline
from ui.panels.timeline_bar import Tick
from ui.session.running.phase import Phase
from ui.widgets.icons import pixmap
from workbench.run.states.history import Mark

MARKS = (Mark(100, 10.0), Mark(300, 30.0))


@pytest.fixture
def timeline(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    timeline = Timeline(window)
    timeline.resize(1000, 60)
    window.show()
    timeline.set_unit("ms")
    yield timeline
    window.close()


@pytest.mark.parametrize(
    ("phase", "text", "step", "reset", "note"),
    [
        (Phase.EMPTY, "Run", False, False, ""),
        (Phase.IDLE, "Run", True, False, ""),
        (Phase.BUILDING, "Run", True, False, ""),
        (Phase.READY, "Run", True, True, ""),
        (Phase.RUNNING, "Pause", False, True, ""),
        (Phase.PAUSED, "Go on", True, True, ""),
        (Phase.FINISHED, "Run", False, True, "finished"),
        (Phase.FAILED, "Run", True, True, "broken off"),
    ],
)
def test_what_the_buttons_offer(timeline, qtbot, phase, text, step, reset, note):
    timeline.set_phase(phase)
    some = phase is not Phase.EMPTY
    assert (timeline.run_button.text(), timeline.run_button.isEnabled()) == (text, some)
    assert (timeline.step_button.isEnabled(), timeline.reset_button.isEnabled()) == (step, reset)
    assert (timeline.pace.isEnabled(), timeline.until.isEnabled()) == (some, some)
    assert timeline.bar.note == note
    for button, signal in (
        (timeline.run_button, timeline.toggled),
        (timeline.step_button, timeline.step_asked),
        (timeline.reset_button, timeline.reset_asked),
    ):
        if button.isEnabled():
            with qtbot.waitSignal(signal, timeout=100):
                button.click()


def test_a_run_that_was_begun_in_an_earlier_session_goes_on(timeline):
    timeline.set_phase(Phase.READY)
    timeline.set_time(2.0)
    assert timeline.run_button.text() == "Go on"
    timeline.set_time(0.0)
    assert timeline.run_button.text() == "Run"


@pytest.mark.parametrize(
    ("width", "shown", "unit"),
    [
        (800, (True, True), "s = 1 h 23 min"),
        (700, (True, True), "s"),
        (600, (True, True), "s"),
        (500, (False, True), "s"),
        (440, (False, False), "s"),
    ],
)
def test_fields_are_left_out_where_there_is_no_room(timeline, width, shown, unit):
    timeline.set_unit("s")
    timeline.set_until(5000.0)
    timeline.resize(width, 60)
    assert (timeline.pace.isVisible(), timeline.until.isVisible()) == shown
    assert timeline.until.unit_label.text() == unit
    assert timeline.until.box.toolTip() == "Stop by itself at this time = 1 h 23 min"
    assert timeline.pace.unit_label.text() == "s/s"
    timeline.set_until(20.0)
    assert timeline.until.unit_label.text() == "s"
    assert timeline.until.box.toolTip() == "Stop by itself at this time"


def test_what_goes_from_the_row_to_the_column_leaves_no_item_behind(timeline):
    assert not lost_items()
    for width in (650, 1000, 650):
        timeline.resize(width, 60)
        assert not lost_items()


def test_beside_open_meters_pace_and_end_stand_below_each_other(timeline, qtbot):
    """In a window of 1280 points; each as high as in one row, so that nothing above them moves."""
    timeline.set_unit("ms")
    timeline.resize(588, 64)
    qtbot.waitUntil(lambda: timeline.pace.x() == timeline.until.x() and timeline.pace.y() < timeline.until.y())
    assert timeline.pace.box.x() == timeline.until.box.x()
    assert timeline.until.mapTo(timeline, timeline.until.rect().bottomLeft()).y() < timeline.height()
    assert timeline.time_label.geometry().right() < timeline.pace.mapTo(timeline, QPoint()).x()
    bar = timeline.bar.geometry()
    timeline.set_left(((0.0, 2.0),))
    timeline.look_back(1.0)
    qtbot.wait(50)
    assert not timeline.pace.isVisible()
    places = []
    for button in (timeline.now_button, timeline.loop_button, timeline.branch_button):
        shown = QRect(button.mapTo(timeline, QPoint()), button.size())
        assert button.isVisible()
        assert timeline.rect().contains(shown)
        assert not any(shown.intersects(other) for other in (timeline.time_label.geometry(), *places))
        places.append(shown)
    assert timeline.bar.geometry() == bar, "who pulls along it looks back meanwhile"
    timeline.look_back(None)
    timeline.resize(700, 64)
    qtbot.waitUntil(lambda: timeline.pace.y() == timeline.until.y() and timeline.pace.x() < timeline.until.x())


@pytest.mark.parametrize(("width", "both"), [(332, True), (500, False)])
def test_fields_without_room_are_opened_by_a_button(timeline, qtbot, width, both):
    """As beside the meters in a window of 1024 points; the pace could not be reached there."""
    timeline.set_phase(Phase.READY)
    timeline.set_pace(20.0)
    paces = []
    timeline.pace_edited.connect(paces.append)
    assert not timeline.more_button.isVisible()
    timeline.resize(width, 64)
    qtbot.waitUntil(timeline.more_button.isVisible)
    assert timeline.more_button.toolTip() == ("Pace and end of the run" if both else "Pace of the run")
    assert timeline.more_button.geometry().right() < width
    assert timeline.more_button.geometry().bottom() < timeline.run_button.geometry().top()
    seen = []

    def type_in_menu():
        seen.append((timeline.pace.isVisible(), timeline.until.isVisible()))
        qtbot.mouseClick(timeline.more_button.menu().actions()[0].defaultWidget(), Qt.MouseButton.LeftButton)
        assert timeline.more_button.menu().isVisible(), "a press beside the fields closes nothing"
        type_into(qtbot, timeline.pace.box, "7")
        timeline.more_button.menu().close()

    QTimer.singleShot(50, type_in_menu)
    timeline.more_button.showMenu()
    assert seen == [(True, True)]
    assert paces == [7.0]
    timeline.look_back(1.0)
    assert not timeline.more_button.isVisible()
    timeline.look_back(None)
    for wide in (600, 700, 500, 700, 332, 1000):
        timeline.resize(wide, 64)
        qtbot.waitUntil(lambda wide=wide: timeline.pace.isVisible() == (wide >= 540))
        if wide >= 700:
            qtbot.waitUntil(lambda: timeline.pace.y() == timeline.until.y() and timeline.pace.x() < timeline.until.x())
    assert not timeline.more_button.isVisible()


def test_the_fields_show_what_is_set_and_ask_for_what_is_typed(timeline, qtbot):
    timeline.set_unit("iterations")
    timeline.set_phase(Phase.PAUSED)
    assert (timeline.until.unit_label.text(), timeline.pace.unit_label.text()) == ("", "/s")
    for field, put, usual, signal in (
        (timeline.until, timeline.set_until, 1000.0, timeline.until_edited),
        (timeline.pace, timeline.set_pace, 30.0, timeline.pace_edited),
    ):
        assert (field.check.isChecked(), field.box.value()) == (False, usual)
        put(7.5)
        assert (field.check.isChecked(), field.box.value()) == (True, 7.5)
        put(None)
        assert (field.check.isChecked(), field.box.value()) == (False, 7.5)
        with qtbot.waitSignal(signal) as asked:
            field.check.click()
        assert asked.args == [7.5]
        with qtbot.waitSignal(signal) as asked:
            field.check.click()
        assert asked.args == [None]
    timeline.set_until(7.5)
    asked = []
    timeline.until_edited.connect(asked.append)
    for typed, left in (("2", 2.0), ("0", 2.0), ("-1", 2.0)):
        type_into(qtbot, timeline.until.box, typed)
        assert timeline.until.box.value() == left, "a run does not end before it began"
    assert asked == [2.0]
    timeline.forget()
    assert (timeline.until.box.value(), timeline.pace.box.value()) == (1000.0, 30.0)


def type_into(qtbot, box, text):
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("-3", "Give a number above 0, or switch 'until' off."),
        ("0", "Give a number above 0, or switch 'until' off."),
        ("3 min", "Give 180 (s) instead of '3 min'."),
        ("1e400", "'1e400' is too large: give a number below 1e308."),
    ],
)
def test_what_is_no_end_is_said_stays_and_does_not_hide_which_end_holds(timeline, qtbot, typed, why):
    timeline.resize(800, 60)
    timeline.set_phase(Phase.PAUSED)
    timeline.set_unit("s")
    timeline.set_until(5000.0)  # whose unit is told with a clock: not that of the number
    told = []
    timeline.refused.connect(told.append)
    type_into(qtbot, timeline.until.box, typed)
    box, sentence = timeline.until.box, f"In 'until': {why} Until then 5000 holds."
    assert (box.text(), box.property("wrong"), told) == (typed, True, [sentence])
    timeline.set_unit("s")
    assert box.toolTip() == sentence
    timeline.set_phase(Phase.RUNNING)
    timeline.set_phase(Phase.RUNNING)
    assert told == [sentence] * 2, "a run goes on without it"
    type_into(qtbot, box, "20")
    assert (box.property("wrong"), box.toolTip()) == (False, "Stop by itself at this time = 1 h 23 min")
    type_into(qtbot, box, typed)
    timeline.until.check.click()  # switched off, it is the number again that it was
    assert (box.text(), box.property("wrong"), len(told)) == ("20", False, 3)


def test_no_pace_is_said_and_not_taken_back(timeline, qtbot):
    told = []
    timeline.refused.connect(told.append)
    timeline.set_phase(Phase.PAUSED)
    timeline.set_pace(4.0)
    type_into(qtbot, timeline.pace.box, "0")
    assert told == ["In 'pace': Give a number above 0, or switch 'pace' off. Until then 4 holds."]
    assert timeline.pace.box.text() == "0"
    mended = []
    timeline.mended.connect(mended.append)
    type_into(qtbot, timeline.pace.box, "5")
    type_into(qtbot, timeline.pace.box, "6")
    assert mended == told, "what was said holds no more"


def test_the_bar_is_as_long_as_the_run_will_be(timeline, qtbot):
    bar = timeline.bar
    timeline.set_time(0.0)
    assert bar.fraction is None
    timeline.set_time(10.0)
    assert bar.fraction is None, "nobody knows how far it goes"
    timeline.set_until(40.0)
    assert bar.fraction == 0.25
    timeline.set_time(80.0)
    assert bar.fraction == 1.0, "it went further"
    timeline.set_time(10.0)
    timeline.set_marks(MARKS)
    assert bar._ticks == (Tick(0.25, 100, "Rewind to 10.00 ms"), Tick(0.75, 300, "Rewind to 30.00 ms"))
    timeline.set_kept((4.0, 10.0))
    timeline.set_left(((20.0, 80.0), (0.0, 8.0)))
    assert (bar._kept, bar.past) == ((0.05, 0.125), None)
    assert bar._left == ((0.25, 1.0), (0.0, 0.1))
    assert bar.fraction == 0.125
    timeline.look_back(20.0)
    assert bar.past == 0.25
    with qtbot.waitSignal(timeline.look_asked) as asked:
        bar.scrubbed.emit(0.5)
    assert asked.args == [40.0]
    with qtbot.waitSignal(timeline.rewind_asked) as asked:
        bar.tick_clicked.emit(300)
    assert asked.args == [300]
    timeline.look_back(None)
    timeline.set_until(None)
    timeline.set_left(())
    assert bar.fraction == pytest.approx(10 / 30), "as far as the last checkpoint"
    timeline.set_marks(())
    assert bar.fraction == 1.0, "as far as it has come, where frames of its past are kept"
    timeline.set_kept(None)
    assert bar.fraction is None


def test_a_run_whose_first_frame_alone_is_kept_has_an_empty_bar(timeline):
    """Without an end, and before the first step: there is nothing to divide by."""
    timeline.set_time(0.0)
    timeline.set_marks((Mark(0, 0.0),))
    timeline.set_kept((0.0, 0.0))
    timeline.set_left(((0.0, 0.0),))
    timeline.look_back(0.0)
    bar = timeline.bar
    assert (bar.fraction, bar.past, bar._kept, bar._left, bar._ticks) == (None, None, None, (), ())


def test_a_run_that_will_end_before_its_time_has_a_bar_that_ends_there(timeline):
    timeline.set_until(100.0)
    timeline.set_part(0.5)
    timeline.set_time(20.0)
    assert timeline.bar.fraction == 0.5
    timeline.set_time(80.0)
    assert timeline.bar.fraction == 0.8, "its time comes first"
    timeline.set_time(20.0)
    timeline.set_marks((Mark(1, 60.0),))
    assert timeline.bar.fraction == pytest.approx(1 / 3)
    timeline.set_marks(())
    timeline.set_until(None)
    assert timeline.bar.fraction == 1.0


def test_what_is_left_is_told_while_it_runs(timeline):
    timeline.set_phase(Phase.RUNNING)
    timeline.set_until(100.0)
    timeline.set_time(20.0, 90.0)
    assert timeline.bar.note == "1 min 30 s left"
    timeline.set_until(None)
    assert timeline.bar.note == ""
    timeline.set_phase(Phase.PAUSED)
    timeline.set_time(20.0, 90.0)
    assert timeline.bar.note == ""


def test_who_looks_back_has_buttons_in_place_of_fields(timeline, qtbot):
    backs = (timeline.now_button, timeline.loop_button)
    timeline.set_time(50.0)
    assert timeline.time_label.text() == "50.00 ms"
    assert not any(button.isVisible() for button in (*backs, timeline.branch_button))
    timeline.look_back(20.0)
    assert timeline.time_label.text() == "20.00 ms"
    assert timeline.time_label.toolTip() == "Looking back; the run is at 50.00 ms"
    assert all(button.isVisible() for button in backs)
    arrow = pixmap("now", 48).toImage()
    inked = [x for x in range(48) if any(arrow.pixelColor(x, y).alpha() > 128 for y in range(48))]
    tall = {x: sum(arrow.pixelColor(x, y).alpha() > 128 for y in range(48)) for x in inked}
    assert max(tall, key=tall.get) > 36, "it points to an end at the right, where now is"
    assert not timeline.branch_button.isVisible()
    assert not timeline.pace.isVisible()
    assert not timeline.until.isVisible()
    timeline.loop_button.setChecked(True)
    for button, signal, told in (
        (timeline.now_button, timeline.now_asked, []),
        (timeline.branch_button, timeline.branch_asked, []),
        (timeline.loop_button, timeline.loop_asked, [False]),
    ):
        with qtbot.waitSignal(signal) as asked:
            button.click()
        assert asked.args == told
    timeline.loop_button.setChecked(True)
    timeline.look_back(None)
    assert not timeline.loop_button.isChecked()
    assert (timeline.time_label.text(), timeline.time_label.toolTip()) == ("50.00 ms", "")
    assert not any(button.isVisible() for button in backs)
    assert timeline.pace.isVisible()
    assert timeline.until.isVisible()
    timeline.set_left(((0.0, 30.0),))
    timeline.look_back(10.0, left=True)
    assert timeline.branch_button.isVisible()
    assert timeline.branch_button.isChecked()
    timeline.look_back(10.0)
    assert not timeline.branch_button.isChecked()
    timeline.look_back(None)
    assert not timeline.branch_button.isVisible()
    assert timeline.run_button.focusPolicy() is Qt.FocusPolicy.TabFocus


def test_a_long_number_is_read_in_full(timeline, qtbot):
    box = timeline.until.box
    metrics = box.fontMetrics()
    timeline.set_until(100_000.0)
    spare = box.width() - metrics.horizontalAdvance(box.text())
    timeline.set_until(1_000_000.0)
    qtbot.waitUntil(lambda: box.width() - metrics.horizontalAdvance("1000000") >= spare)
    timeline.set_until(10.0)
    qtbot.waitUntil(lambda: box.width() - spare <= metrics.horizontalAdvance("100000"))


def test_the_number_that_was_switched_off_is_there_again(timeline):
    timeline.set_phase(Phase.READY)
    timeline.set_until(None, 12.5)
    timeline.set_pace(None, 4.0)
    ends, paces = [], []
    timeline.until_edited.connect(ends.append)
    timeline.pace_edited.connect(paces.append)
    timeline.until.check.click()
    timeline.pace.check.click()
    assert (ends, paces) == ([12.5], [4.0])
