"""Everything that was set aside stands in the gallery, and is open again with a click."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tests.ui.doubles import keep_aside

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def aside(opened, qtbot):
    """Five edited problems, one after the other kept aside; the cube is open, edited as well."""
    window = opened
    for number in range(5):
        window.model.edit(("title",), f"Trial {number}")
        window.controller.opening.open_with(lambda _: window.services.document("Cube"), "Opening the cube")
        keep_aside(window)
        qtbot.waitUntil(lambda: window.model.document.project.title == "Cube")
    qtbot.keyClick(window, Qt.Key.Key_G, CONTROL)
    qtbot.waitUntil(lambda: len(window.welcome.unsaved.cards) == 5)
    return window


def titles(window):
    return [card.recovery.title for card in window.welcome.unsaved.cards]


def test_each_is_reached_at_once(aside, qtbot):
    window, unsaved = aside, aside.welcome.unsaved
    assert titles(window) == [f"Trial {number}" for number in (4, 3, 2, 1, 0)]
    qtbot.waitUntil(unsaved.all_button.isVisible)
    assert 0 < sum(card.isVisible() for card in unsaved.cards) < 5  # a line of them, so that the gallery has room
    qtbot.mouseClick(unsaved.all_button, LEFT)
    qtbot.waitUntil(lambda: all(card.isVisible() for card in unsaved.cards))
    qtbot.mouseClick(unsaved.cards[3], LEFT)
    qtbot.waitUntil(lambda: window.model.document.project.title == "Trial 1")
    assert window.isWindowModified()  # it was never saved
    qtbot.waitUntil(lambda: titles(window) == ["Trial 4", "Trial 3", "Trial 2", "Trial 0"])


def test_what_is_open_is_asked_about_before_another_takes_its_place(aside, qtbot):
    window = aside
    window.model.edit(("title",), "Here")
    qtbot.mouseClick(window.welcome.unsaved.cards[0], LEFT)
    keep_aside(window)
    qtbot.waitUntil(lambda: window.model.document.project.title == "Trial 4")
    qtbot.waitUntil(lambda: titles(window) == ["Here", "Trial 3", "Trial 2", "Trial 1", "Trial 0"])


def test_deleting_asks_first(aside, qtbot):
    window = aside
    card = window.welcome.unsaved.cards[0]
    qtbot.waitUntil(card.delete_button.isVisible)
    qtbot.mouseClick(card.delete_button, LEFT)
    qtbot.waitUntil(card.no.isVisible)
    qtbot.mouseClick(card, LEFT, pos=card.rect().center() / 4)  # beside the answers: nothing opens
    qtbot.mouseClick(card.no, LEFT)
    qtbot.waitUntil(card.delete_button.isVisible)
    assert len(window.services.left) == 5
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    assert not card.asks
    qtbot.keyClick(card, Qt.Key.Key_Delete)
    assert card.asks
    qtbot.mouseClick(card.yes, LEFT)
    qtbot.waitUntil(lambda: titles(window) == ["Trial 3", "Trial 2", "Trial 1", "Trial 0"])
    assert window.model.document.project.title == "Cube"


def test_what_was_saved_stands_among_the_recent_with_a_picture_and_opens_by_a_click(opened, qtbot, services, tmp_path):
    window, path = opened, tmp_path / "kept.zip"
    path.write_bytes(b"")
    window.files.save_to(path)
    qtbot.waitUntil(lambda: bool(window.welcome.recent.cards))
    assert services.pictures[str(path)].shape[2] == 4
    qtbot.keyClick(window, Qt.Key.Key_G, CONTROL)
    (card,) = window.welcome.recent.cards
    qtbot.waitUntil(card.isVisible)
    assert "kept.zip" in [label.text() for label in card.findChildren(QLabel)], "a mesh beside it may have its title"
    window.model.undo_stack.setClean()
    before = window.model.document
    qtbot.mouseClick(card, LEFT)
    qtbot.waitUntil(lambda: window.model.document is not before, timeout=10_000)
    assert window.model.document.path == path
