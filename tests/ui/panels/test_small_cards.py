"""Small cards above the gallery: how many stand in a row, what unfolds, what opens one."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QScrollArea

from engines.api.registry import engines
from ui.panels.small_cards import CARD_WIDTH, PICTURE, CardRows, SmallCard, _rounded
from ui.panels.unsaved import UnsavedCard, UnsavedList
from ui.widgets.elided import ElidedLabel
from ui.widgets.formatting import moment_text
from ui.widgets.theme import theme
from workbench.project.autosave import Recovery

# Written out: what the sources have is held against these.
MOST_CARDS = 60

GAP = 12


def cards_of(count):
    return [SmallCard(place, f"No. {place}", "about", Path("none.png")) for place in range(count)]


@pytest.fixture
def rows(qtbot):
    area = QScrollArea()
    rows = CardRows()
    area.setWidget(rows)
    qtbot.addWidget(area)
    area.show()
    yield rows
    area.close()


def shown(rows):
    return [card.thing for card in rows.cards if card.isVisibleTo(rows)]


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("room", [0, CARD_WIDTH + GAP - 1])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_a_row_has_as_many_cards_as_fit_and_the_others_unfold(rows, columns, room, count):
    cards = cards_of(count)
    rows.set_cards("Unsaved", cards)
    rows.resize(columns * CARD_WIDTH + (columns - 1) * GAP + room, 400)
    assert rows.isVisibleTo(rows.parentWidget()) == (count > 0)
    assert rows.heading.text() == (f"Unsaved ({count})" if count > 1 else "Unsaved")
    folded = list(range(min(count, columns)))
    assert shown(rows) == folded
    assert rows.all_button.isVisibleTo(rows) == (count > columns)
    if count > columns:
        assert rows.all_button.text() == f"Show all {count}"
        rows.all_button.click()
        assert (shown(rows), rows.all_button.text()) == (list(range(count)), "Show fewer")
        places = [rows._grid.getItemPosition(rows._grid.indexOf(card))[:2] for card in cards]
        assert places == [(place // columns, place % columns) for place in range(count)]
        rows.all_button.click()
        assert shown(rows) == folded
    rows.set_cards("Unsaved", ())
    assert rows.cards == []
    assert all(card.isHidden() for card in cards)


def test_a_narrower_place_has_fewer_in_a_row(rows):
    rows.set_cards("Unsaved", cards_of(4))
    for columns in (3, 1, 2):
        rows.resize(columns * (CARD_WIDTH + GAP), 400)
        assert shown(rows) == list(range(columns))
        assert [rows._grid.columnStretch(column) for column in range(4)] == [1] * columns + [0] * (4 - columns)


def test_a_card_is_opened_by_a_click_on_it_or_by_enter(rows, qtbot):
    rows.set_cards("Unsaved", cards_of(1))
    rows.resize(CARD_WIDTH, 200)
    opened = []
    rows.opened.connect(opened.append)
    (card,) = rows.cards
    qtbot.mouseClick(card, Qt.MouseButton.RightButton)
    qtbot.mouseRelease(card, Qt.MouseButton.LeftButton, pos=QPoint(card.width() + 20, 5))
    qtbot.keyClick(card, Qt.Key.Key_A)
    assert opened == []
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    qtbot.keyClick(card, Qt.Key.Key_Return)
    qtbot.keyClick(card, Qt.Key.Key_Enter)
    assert opened == [0, 0, 0]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_picture_fills_its_place_but_for_round_corners(qapp, tmp_path, ratio):
    image = QImage(32, 18, QImage.Format.Format_RGB32)
    image.fill(QColor(200, 30, 40))
    image.save(str(tmp_path / "picture.png"))
    found = _rounded(tmp_path / "picture.png", ratio).toImage()
    assert (found.size(), found.devicePixelRatio()) == (PICTURE * ratio, ratio)
    wide, high = found.width(), found.height()
    for x, y in ((wide // 2, 0), (wide // 2, high - 1), (0, high // 2), (wide - 1, high // 2), (wide // 2, high // 2)):
        assert found.pixelColor(x, y) == QColor(200, 30, 40)
    assert {found.pixelColor(x, y).alpha() for x in (0, wide - 1) for y in (0, high - 1)} == {0}
    none = _rounded(tmp_path / "none.png", ratio).toImage()
    plain = none.pixelColor(4, high // 2)
    drawn = [x for x in range(wide) if any(none.pixelColor(x, y) != plain for y in range(high // 4, high * 3 // 4))]
    assert wide // 2 - 15 * ratio <= drawn[0] < wide // 2 < drawn[-1] <= wide // 2 + 15 * ratio, "a wave in the middle"


@pytest.mark.parametrize("engine", [engine.title for engine in engines().values()])
def test_what_a_session_is_of_and_when_it_was_kept_are_read_in_full_on_the_narrowest_card(qtbot, qapp, engine):
    theme().apply("dark", qapp)
    card = UnsavedCard(Recovery(Path("none"), "Gray-Scott: growth", 1.7e9, None), engine)
    qtbot.addWidget(card)
    card.setFixedWidth(CARD_WIDTH)
    card.show()
    lines = card.findChildren(ElidedLabel)
    assert [line.text() for line in lines] == ["Gray-Scott: growth", engine, moment_text(1.7e9)]
    for line in lines:
        assert line.fontMetrics().horizontalAdvance(line.text()) <= line.width()


def test_of_thousands_of_unsaved_problems_the_newest_have_cards(qtbot):
    """As many cards kept the window busy for minutes."""
    found = [Recovery(Path(f"folder{n}"), f"No. {n}", float(n), None) for n in range(2000, 0, -1)]
    shown = UnsavedList()
    qtbot.addWidget(shown)
    for count in (2000, 1999, MOST_CARDS + 1, MOST_CARDS, 2):
        shown.set_sessions(found[-count:])
        cards = min(count, MOST_CARDS)
        assert [card.recovery for card in shown.cards] == found[-count:][:cards]
        more = f" and {count - MOST_CARDS:,} older" if count > MOST_CARDS else ""
        assert shown.heading.text() == f"Unsaved ({cards}{more})"
