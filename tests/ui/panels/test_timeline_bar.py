"""The bar of the timeline: where its parts are drawn, and what the mouse means at each place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from ui.panels.timeline import Timeline
from ui.panels.timeline_bar import LEFT as BRANCH
from ui.panels.timeline_bar import NOTE_GAP, ProgressBar, Tick
from ui.widgets.theme import theme

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
TICKS = (Tick(0.25, 100, "step 100"), Tick(0.5, 200, "step 200"), Tick(0.9, 360, "step 360"))


@pytest.fixture
def bar(qtbot, qapp):
    theme().apply("dark", qapp)
    made = ProgressBar()
    qtbot.addWidget(made)
    made.resize(400, 18)
    made.show()
    qtbot.waitExposed(made)
    made.clicked, made.scrubs = [], []
    made.tick_clicked.connect(made.clicked.append)
    made.scrubbed.connect(made.scrubs.append)
    return made


def columns(bar, colour, row):
    """Where a row of the bar has a colour of the theme."""
    image, wanted = bar.grab().toImage(), theme().palette.color(colour)
    seen = ((x, image.pixelColor(x, row).getRgb()) for x in range(image.width()))
    return [x for x, one in seen if max(abs(a - b) for a, b in zip(one, wanted.getRgb(), strict=True)) < 12]


def press(qtbot, bar, x, *further):
    qtbot.mousePress(bar, LEFT, pos=QPoint(round(x), 9))
    for each in further:
        qtbot.mouseMove(bar, QPoint(round(each), 9))


@pytest.mark.parametrize(
    ("fraction", "end"), [(None, 0), (0.0, 0), (0.001, 6), (0.5, 200), (1.0, 400), (1.7, 400), (-2.0, 0)]
)
def test_the_bar_is_full_as_far_as_the_run_has_come(bar, fraction, end):
    bar.set_fraction(fraction)
    full = columns(bar, "accent", 9)
    assert max(full, default=-1) + 1 == pytest.approx(end, abs=1)
    assert min(full, default=0) <= 1
    assert bar.fraction == (None if fraction is None else min(max(fraction, 0), 1))


def test_ticks_stand_at_their_parts_with_room_between_them_the_newest_first(bar):
    bar.set_ticks(TICKS)
    bar.set_fraction(0.6)
    places = [bar.place_of(tick) for tick in TICKS]
    assert places == pytest.approx([1.5 + tick.fraction * 397 for tick in TICKS])
    for row in (5, 12):
        behind, beyond = columns(bar, "text", row), columns(bar, "muted", row)
        for place in places[:2]:
            assert any(abs(place - x - 0.5) <= 1.1 for x in behind)
        assert len(behind) <= 6
        assert any(abs(places[2] - x - 0.5) <= 1 for x in beyond)
    assert not columns(bar, "text", 1)
    crowd = tuple(Tick(4.1 * place / 397, place, "") for place in range(97))
    bar.set_ticks(crowd)
    gaps = [bar.place_of(b) - bar.place_of(a) for a, b in zip(bar.ticks, bar.ticks[1:], strict=False)]
    assert gaps[:-1] == pytest.approx([20.5] * (len(gaps) - 1)), "20 pixels at least, of places that stand 4.1 apart"
    assert len(gaps) > 10
    assert bar.ticks[-1] is crowd[-1]


def test_a_note_stands_beside_the_bar_where_enough_of_that_is_left(bar):
    bar.set_note("12 s left")
    wide = bar.fontMetrics().horizontalAdvance("12 s left")
    assert bar.bar_width() == 400 - wide - NOTE_GAP
    assert bar.toolTip() == bar.note == "12 s left"
    bar.resize(60 + wide + NOTE_GAP, 18)
    assert bar.bar_width() == 60
    bar.set_ticks(TICKS)
    assert bar.bar_width() == bar.width(), "ticks need more of it"
    bar.resize(180 + wide + NOTE_GAP, 18)
    assert bar.bar_width() == 180


def test_what_is_kept_looked_at_and_left_is_drawn_at_its_place(bar):
    bar.set_past((0.25, 0.75), 0.5, ((0.1, 0.2), (0.6, 0.9)))
    image = bar.grab().toImage()
    grey, track = image.pixelColor(150, 9).getRgb(), image.pixelColor(50, 9).getRgb()
    assert grey != track
    assert all(image.pixelColor(x, 9).getRgb() == grey for x in (104, 180, 220, 296))
    assert not any(image.pixelColor(x, 9).getRgb() == grey for x in (97, 303))
    dot = columns(bar, "text", 9)
    assert (dot[0], dot[-1]) == (pytest.approx(195, abs=1), pytest.approx(204, abs=1))
    for row, (low, high) in ((13, (40, 80)), (15, (240, 360))):
        line = columns(bar, "muted", row)
        assert (line[0], line[-1]) == (pytest.approx(low, abs=1), pytest.approx(high - 1, abs=1))
    assert bar.past == 0.5


def test_a_tick_is_clicked_within_reach_and_told_under_the_mouse(bar, qtbot):
    bar.set_ticks(TICKS)
    bar.set_note("12 s left")
    bar.resize(bar.width() + 400 - bar.bar_width(), 18)
    place = bar.place_of(TICKS[1])
    assert place == 200
    for away, told in ((0, "step 200"), (6, "step 200"), (-6, "step 200"), (7, "12 s left")):
        qtbot.mouseMove(bar, QPoint(round(place + away), 9))
        qtbot.waitUntil(lambda told=told: bar.toolTip() == told)
        pointing = bar.cursor().shape() == Qt.CursorShape.PointingHandCursor
        assert pointing == (told == "step 200")
        qtbot.mouseClick(bar, LEFT, pos=QPoint(round(place + away), 9))
    assert bar.clicked == [200] * 3
    qtbot.mouseClick(bar, Qt.MouseButton.RightButton, pos=QPoint(round(place), 9))
    assert bar.clicked == [200] * 3
    assert bar.scrubs == [], "nothing of the past is kept"
    qtbot.mouseMove(bar, QPoint(round(place), 9))
    qtbot.waitUntil(lambda: bar.toolTip() == "step 200")
    bar.set_ticks(TICKS[:1])
    assert bar.toolTip() == "12 s left"


def test_what_a_branch_that_was_left_saw_is_told_where_the_run_has_not_come_yet(bar, qtbot):
    bar.set_fraction(0.5)
    bar.set_note("12 s left")
    bar.set_past((0.0, 0.5), None, ((0.4, 0.8),))
    for part, told in ((0.45, "12 s left"), (0.7, BRANCH), (0.9, "12 s left")):
        qtbot.mouseMove(bar, QPoint(round(part * bar.bar_width()), 9))
        qtbot.waitUntil(lambda told=told: bar.toolTip() == told)


def test_the_past_is_pulled_beside_ticks_and_from_one_by_pulling(bar, qtbot):
    bar.set_ticks(TICKS)
    bar.set_past((0.0, 0.95), None)
    press(qtbot, bar, 60, 80, 120)
    qtbot.mouseRelease(bar, LEFT, pos=QPoint(120, 9))
    assert bar.scrubs == pytest.approx([60 / 400, 80 / 400, 120 / 400], abs=0.01)
    qtbot.mouseMove(bar, QPoint(160, 9))
    assert len(bar.scrubs) == 3, "it was let go"
    bar.scrubs.clear()
    place = round(bar.place_of(TICKS[1]))
    press(qtbot, bar, place, place + 3)
    assert bar.scrubs == []
    qtbot.mouseMove(bar, QPoint(place + 4, 9))
    qtbot.mouseRelease(bar, LEFT, pos=QPoint(place + 4, 9))
    assert (len(bar.scrubs), bar.clicked) == (1, [])
    qtbot.mousePress(bar, Qt.MouseButton.RightButton, pos=QPoint(60, 9))
    qtbot.mouseMove(bar, QPoint(70, 9))
    qtbot.mouseRelease(bar, Qt.MouseButton.RightButton, pos=QPoint(70, 9))
    assert len(bar.scrubs) == 1


def test_the_end_is_told_as_the_clock_tells_times_where_there_is_room(qtbot):
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(900, 80)
    line.show()
    line.set_unit("s")
    for until, told in ((5000.0, "s = 1 h 23 min"), (1000.0, "s = 16 min 40 s"), (300.0, "s"), (None, "s")):
        line.set_until(until)
        assert line.until.unit_label.text() == told
    line.set_until(5000.0)
    line.set_unit("ms")
    assert line.until.unit_label.text() == "ms"
    line.set_unit("s")
    line.resize(700, 80)
    assert line.until.unit_label.text() == "s"
    assert "1 h 23 min" in line.until.box.toolTip()


def test_ticks_stay_where_they_are_as_others_come_and_as_the_note_gets_shorter(bar):
    """They were chosen from the newest on, so that each that came moved all, and what was aimed at was gone."""
    bar.set_note("1 min 45 s left")
    crowd = [Tick(n / 60, n, f"step {n}") for n in range(60)]
    before: list[float] = []
    for count in range(2, 60):
        bar.set_ticks(tuple(crowd[:count]))
        bar.set_note("9 s left" if count % 2 else "")
        now = [bar.place_of(tick) for tick in bar.ticks]
        assert now[: len(before) - 1] == before[:-1]  # the newest alone goes on
        assert bar.ticks[-1] is crowd[count - 1]
        before = now
