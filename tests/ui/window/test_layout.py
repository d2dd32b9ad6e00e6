"""Where docks stand at first, what gives way in a narrow window, and what comes back: on a window of plain widgets."""

import pytest
from PySide6.QtCore import QByteArray, QMargins, QSettings
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import delete

from ui.widgets.parts import FRAME
from ui.window.layout import (
    AT_RIGHT,
    FRAMED_MILLISECONDS,
    LAYOUT,
    LEFT_WIDTH,
    RIGHT_WIDTH,
    TABBED,
    TRIED,
    Areas,
    DockLayout,
)

# Written out: what the sources have is held against these.
NARROW = 1366

LEFT, BELOW = ("problem", "view"), ("timeline", "charts", "log")
AREAS = {
    **dict.fromkeys(LEFT, Areas.LeftDockWidgetArea),
    **dict.fromkeys(AT_RIGHT, Areas.RightDockWidgetArea),
    **dict.fromkeys(BELOW, Areas.BottomDockWidgetArea),
}


@pytest.fixture
def make(qtbot, tmp_path):
    settings = QSettings(str(tmp_path / "layout.ini"), QSettings.Format.IniFormat)

    def make(width=1500, height=900):
        window = QMainWindow()
        qtbot.addWidget(window)
        window.setCentralWidget(QWidget())
        layout = DockLayout(window, settings)
        for name, area in AREAS.items():
            layout.add(name, name.title(), QWidget(), area, name in LEFT)
        window.resize(width, height)
        window.show()
        qtbot.waitExposed(window)
        return window, layout

    return make


def open_docks(layout):
    return {name for name, dock in layout.docks.items() if not dock.isHidden()}


def test_the_timeline_is_as_low_without_charts_and_log_below_it(make):
    """It took their height, its fields far apart."""
    window, layout = make(1280, 720)
    layout.first_layout()
    for name in ("charts", "log"):
        layout.docks[name].hide()
    QApplication.processEvents()
    assert layout.docks["timeline"].height() <= 64
    assert window.centralWidget().height() > 500


@pytest.mark.parametrize(("height", "log"), [(859, set()), (860, {"log"})])
@pytest.mark.parametrize("charts", [False, True])
def test_the_first_layout_is_that_of_every_new_person(make, height, log, charts):
    window, layout = make(height=height)
    layout.set_charts(charts)
    layout.docks["meters"].setFloating(True)
    layout.first_layout()
    QApplication.processEvents()
    expected = {"problem", "view", "meters", "probes", "timeline"} | log | ({"charts"} if charts else set())
    assert open_docks(layout) == expected
    for name, area in AREAS.items():
        assert window.dockWidgetArea(layout.docks[name]) == area
        assert not layout.docks[name].isFloating()
    assert [dock.objectName() for dock in window.tabifiedDockWidgets(layout.docks["problem"])] == ["view"]
    assert {dock.objectName() for dock in window.tabifiedDockWidgets(layout.docks["probes"])} == set()
    assert layout.docks["problem"].width() == pytest.approx(LEFT_WIDTH, abs=2)
    assert layout.docks["meters"].width() == pytest.approx(RIGHT_WIDTH, abs=2)
    assert layout.docks["meters"].y() < layout.docks["probes"].y()
    meters, probes = (layout.docks[name].height() for name in ("meters", "probes"))
    assert meters / probes == pytest.approx((height - 400) / (height - 600), rel=0.05)


@pytest.mark.parametrize(("before", "after", "given"), [(NARROW, NARROW - 1, True), (1500, NARROW, False)])
def test_docks_at_the_right_give_way_in_a_narrow_window_and_come_back(make, before, after, given):
    window, layout = make(before)
    layout.first_layout()
    layout.docks["probes"].hide()
    window.resize(after, 900)
    layout.fit_sides()
    assert ("meters" in open_docks(layout)) == (not given)
    window.resize(before, 900)
    layout.fit_sides()
    assert open_docks(layout) & set(AT_RIGHT) == {"meters"}, "what the person closed stays closed"


@pytest.mark.parametrize(("height", "high"), [(700, 190), (900, 225), (1200, 270)])
def test_charts_take_a_quarter_of_the_window_within_limits_and_the_log_little(make, monkeypatch, height, high):
    window, layout = make(height=height)
    asked = []
    monkeypatch.setattr(
        window, "resizeDocks", lambda docks, sizes, way: asked.append((docks[1].objectName(), sizes[1]))
    )
    layout.set_charts(False)
    layout.set_charts(True)
    assert asked == [("log", 110), ("charts", high)]


def test_charts_come_and_go_with_what_there_is_and_with_the_wish_of_the_person(make):
    _, layout = make()
    layout.first_layout()
    turns = ((True, None, True), (False, None, False), (True, False, False), (False, True, False), (True, None, True))
    for there, wished, shown in turns:
        if wished is not None:
            layout.wish_charts(wished)
        layout.set_charts(there)
        assert ("charts" in open_docks(layout)) == shown


def test_on_the_page_of_the_gallery_there_are_no_docks_and_they_come_back_as_they_were(make):
    window, layout = make()
    layout.first_layout()
    layout.docks["log"].hide()
    layout.docks["inspection"].show()
    before = open_docks(layout)
    layout.set_bare(True)
    assert open_docks(layout) == set()
    layout.set_charts(True)
    window.resize(NARROW - 200, 900)
    layout.fit_sides()
    assert open_docks(layout) == set(), "not while it is bare"
    window.resize(1500, 900)
    layout.set_bare(False)
    assert open_docks(layout) == before | {"charts"}


@pytest.mark.parametrize("bare", [False, True])
def test_the_layout_of_the_last_time_comes_back_in_the_next_window(make, bare):
    _, layout = make(1450, 800)
    layout.first_layout()
    layout.docks["view"].hide()
    layout.docks["log"].show()
    layout.set_bare(bare)
    layout.save()
    later, again = make(700, 500)
    again.restore()
    assert (later.width(), later.height()) == (1450, 800)
    assert open_docks(again) == set()
    again.set_bare(False)
    assert open_docks(again) == {"problem", "meters", "probes", "timeline", "charts", "log"}


def test_a_layout_of_an_arrangement_of_other_docks_is_not_taken_for_one_of_these(make):
    """What releases kept so far has the number 2: a new arrangement gets another one, and nothing else does."""
    window, layout = make()
    layout.first_layout()
    for number, taken in ((1, False), (2, True)):
        layout.set_bare(True)
        layout._working = window.saveState(number)
        layout.set_bare(False)
        assert ("problem" not in open_docks(layout)) == taken, number
        layout.first_layout()


def test_docks_that_had_given_way_come_back_in_a_later_wide_window(make):
    window, layout = make()
    layout.first_layout()
    window.resize(NARROW - 1, 900)
    layout.fit_sides()
    layout.save()
    later, again = make()
    again.restore()
    again.set_bare(False)
    later.resize(1500, 900)
    again.fit_sides()
    assert {"meters", "probes"} <= open_docks(again)


def test_without_a_last_time_the_window_fits_the_screen(make):
    window, layout = make(300, 300)
    layout.restore()
    assert window.width() > 1000
    layout.set_bare(False)
    assert {"problem", "timeline"} <= open_docks(layout)


@pytest.mark.parametrize("again", [False, True])
def test_the_first_time_the_window_stands_on_the_screen_with_its_frame(make, qtbot, monkeypatch, again):
    """Later it is where somebody has put it, over two screens for one."""
    window, layout = make(1450, 800)
    if again:
        layout.save()
    room, frame = window.screen().availableGeometry(), QMargins(5, 90, 5, 200)
    monkeypatch.setattr(window, "frameGeometry", lambda: window.geometry().marginsAdded(frame))
    layout.restore()
    assert window.height() <= room.height() - (0 if again else FRAME.height())
    window.resize(window.width(), room.height() - FRAME.height())  # as on a screen that is lower than it would be
    window.show()
    layout.show_whole()
    qtbot.wait(2 * FRAMED_MILLISECONDS)
    assert (window.height() == room.height() - 290) == (not again)


def test_the_first_window_of_a_person_is_one_of_these(window, qtbot, monkeypatch):
    room, frame = window.screen().availableGeometry(), QMargins(5, 90, 5, 20)
    monkeypatch.setattr(window, "frameGeometry", lambda: window.geometry().marginsAdded(frame))
    window.hide()
    window.dock_layout.restore()
    window.resize(room.size())
    window.show()
    qtbot.waitUntil(lambda: window.size() == room.size().shrunkBy(frame), timeout=5000)


def test_a_layout_over_which_the_window_ended_is_not_tried_again(make, tmp_path, monkeypatch):
    """Qt's reader of damaged layouts ends the process: the window never opened again."""
    window, layout = make()
    layout.first_layout()
    layout.docks["meters"].hide()
    layout.save()
    window, layout = make()
    layout.restore()
    right, marks = window.restoreState, []

    def restore(*given):
        layout._settings.sync()
        marks.append("tried" in (tmp_path / "layout.ini").read_text())
        return right(*given)

    monkeypatch.setattr(window, "restoreState", restore)
    for _ in range(2):
        layout.set_bare(False)
        assert "meters" not in open_docks(layout)
        layout.set_bare(True)
    assert marks == [True, False]
    layout._settings.setValue(TRIED, True)
    window, layout = make()
    layout.restore()
    layout.set_bare(False)
    assert "meters" in open_docks(layout), "the first layout"
    assert not layout._settings.contains(TRIED)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: bytes([b[0] ^ 1]) + b[1:], lambda b: b[:40], lambda b: b""]
)
def test_a_layout_that_is_not_as_it_was_written_is_not_given_to_qt(make, damage, monkeypatch):
    """Over some the window ended at the opening of a problem."""
    window, layout = make()
    layout.first_layout()
    layout.save()
    settings = layout._settings
    settings.setValue(LAYOUT, QByteArray(damage(bytes(settings.value(LAYOUT).data()))))
    given = []
    monkeypatch.setattr(window, "restoreState", lambda *_: given.append(1) or True)
    layout.restore()
    layout.set_bare(False)
    assert not given


def test_docks_that_go_with_their_window_raise_nothing(qtbot, tmp_path):
    """As where the display is lost: Qt ends the process and tells each dock that it is seen no more."""
    window = QMainWindow()
    layout = DockLayout(window, QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    for name in TABBED:
        layout.add(name, name.title(), QWidget(), Areas.RightDockWidgetArea, False)
    window.show()
    qtbot.waitExposed(window)
    with qtbot.captureExceptions() as raised:
        delete(window)
        layout._name_once()
    assert raised == []
