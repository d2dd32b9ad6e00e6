"""The gallery: what is searched for, and cards that begin a problem of an engine."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextLayout
from PySide6.QtWidgets import QLabel

from engines.api import Preset
from ui.panels.gallery import Card, Gallery

PRESETS = [
    Preset("slab", "Slab", "A wave crosses tissue.", Path("slab"), engine="heart"),
    Preset("ring", "Ring resonator", "Light goes round.", Path("ring"), engine="light"),
    Preset("bend", "Bend", "Light goes round a corner.", Path("bend"), engine="light"),
]
ENGINES = {"heart": "Cardiac monodomain", "light": "Electromagnetic waves"}


@pytest.fixture
def gallery(qtbot):
    gallery = Gallery()
    qtbot.addWidget(gallery)
    gallery.set_presets(PRESETS, ENGINES, {"light": "Maxwell's equations"})
    gallery.resize(1000, 700)
    gallery.show()
    return gallery


def titles(gallery):
    return [card.preset.title for card in gallery.cards if card.isVisible()]


def test_search_looks_at_titles_summaries_and_engines(gallery, qtbot):
    assert titles(gallery) == ["Slab", "Ring resonator", "Bend", "New: Electromagnetic waves"]
    tips = [card.toolTip() for card in gallery.cards if card.isVisible()]
    assert tips == ["Click to open, double-click to open and run"] * 3 + ["Click to begin"]
    qtbot.keyClicks(gallery.search, "round light")
    assert titles(gallery) == ["Ring resonator", "Bend"]
    gallery.search.setText("cardiac")
    assert titles(gallery) == ["Slab"]
    gallery.show_engine("light")
    assert titles(gallery) == []
    assert gallery._empty.isVisible()
    gallery.search.clear()
    assert titles(gallery) == ["Ring resonator", "Bend", "New: Electromagnetic waves"]
    assert not gallery._empty.isVisible()


def test_what_is_called_so_comes_first_and_enter_opens_it(gallery, qtbot):
    """What was searched for as "heat on" began with an empty battery: of heat and of lithium-ion its card speaks."""
    heat = Preset("heat", "Heat on a plate", "Painted on, a new cardiac.", Path("heat"), engine="light")
    gallery.set_presets([*PRESETS, heat], ENGINES, {"heart": "Heat upon conduction"})
    with qtbot.assertNotEmitted(gallery.opened):
        qtbot.keyClick(gallery.search, Qt.Key.Key_Return)  # nothing is searched for
    qtbot.keyClicks(gallery.search, "heat on")
    assert [card.preset.title for card in gallery.shown] == ["Heat on a plate", "New: Cardiac monodomain"]
    first, second = (gallery._grid.getItemPosition(gallery._grid.indexOf(card)) for card in gallery.shown)
    assert (first[:2], second[:2]) == ((0, 0), (0, 1))
    with qtbot.waitSignal(gallery.opened) as opened:
        qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert opened.args == [heat]
    gallery.search.setText("new cardiac")
    with qtbot.waitSignal(gallery.new_asked):
        qtbot.keyClick(gallery.search, Qt.Key.Key_Return)


def test_a_problem_is_found_by_the_name_that_the_command_line_has_for_it(gallery, qtbot):
    glass = Preset("fdtd_slab", "Glass", "Echoes", Path("glass"), engine="light")
    gallery.set_presets([*PRESETS, glass], ENGINES, {"light": "FDTD"})
    for typed in ("fdtd_slab", "FDTD"):
        gallery.search.setText(typed)
        assert gallery.shown[0].preset == glass


@pytest.mark.parametrize("width", [1000, 1366])
def test_few_cards_need_no_scroll_bar(gallery, qtbot, width):
    engines = {f"engine {n}": f"Engine of number {n}" for n in range(9)}
    many = [Preset(f"p{n}", f"P{n}", "A summary of a few words", Path(), engine=f"engine {n % 9}") for n in range(40)]
    gallery.set_presets([*many, *PRESETS], ENGINES | engines)
    gallery.resize(width, 500)
    qtbot.waitUntil(lambda: gallery.verticalScrollBar().maximum() > 0)
    gallery.search.setText("resonator")
    qtbot.waitUntil(lambda: gallery.verticalScrollBar().maximum() == 0)
    assert gallery.body.minimumSizeHint().height() < 400
    chips = gallery.chips.buttons.values()
    assert len({chip.y() for chip in chips}) > 1, "nine of them take two lines"
    assert all(gallery.chips.rect().contains(chip.geometry()) for chip in chips)


def test_the_last_card_of_an_engine_begins_a_problem(gallery, qtbot):
    card = gallery.cards[-1]
    with qtbot.waitSignal(gallery.new_asked) as asked, qtbot.assertNotEmitted(gallery.opened):
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert asked.args == ["light"]
    with qtbot.assertNotEmitted(gallery.run):
        qtbot.mouseDClick(card, Qt.MouseButton.LeftButton)


def test_pictures_are_read_when_their_card_is_seen(gallery, qtbot, tmp_path):
    """One that may not be read is none: drawing the card ended in an unexpected error each time."""
    asked = []

    class Watched(type(tmp_path)):
        def is_file(self):
            return True

        def read_bytes(self):
            asked.append(self.name)
            raise PermissionError(13, "Permission denied")

    many = [Preset(f"p{n}", f"P{n}", "", Path(), picture=Watched(tmp_path / f"{n}"), engine="light") for n in range(60)]
    gallery.set_presets(many, ENGINES)
    qtbot.waitUntil(lambda: "0" in asked)
    assert "59" not in asked


def test_no_line_of_a_card_ends_within_a_unit(qtbot):
    summary = "A plate that is hit at 16.5 m/s takes 5.51 J/m² for its crack"
    card = Card(Preset("p", "P", summary, Path()))
    qtbot.addWidget(card)
    label = next(label for label in card.findChildren(QLabel) if "plate" in label.text())
    broken = set()
    for width in range(40, 300, 4):
        text = QTextLayout(label.text(), label.font())
        text.beginLayout()
        while (line := text.createLine()).isValid():
            line.setLineWidth(width)
            broken.add(label.text()[line.textStart() : line.textStart() + line.textLength()])
        text.endLayout()
    assert len(broken) > 10
    assert not [each for each in broken if each.rstrip("\u2060 \u00a0").endswith(("/", "16.5", "5.51"))]
