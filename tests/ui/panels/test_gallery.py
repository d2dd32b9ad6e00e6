"""The gallery: what is searched for, and cards that begin a problem of an engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from engines.api import Preset
from ui.panels.gallery import Gallery

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


def test_the_last_card_of_an_engine_begins_a_problem(gallery, qtbot):
    card = gallery.cards[-1]
    with qtbot.waitSignal(gallery.new_asked) as asked, qtbot.assertNotEmitted(gallery.opened):
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert asked.args == ["light"]
    with qtbot.assertNotEmitted(gallery.run):
        qtbot.mouseDClick(card, Qt.MouseButton.LeftButton)


def test_pictures_are_read_when_their_card_is_seen(gallery, qtbot, tmp_path):
    asked = []

    class Watched(type(tmp_path)):
        def is_file(self):
            asked.append(self.name)
            return False

    many = [Preset(f"p{n}", f"P{n}", "", Path(), picture=Watched(tmp_path / f"{n}"), engine="light") for n in range(60)]
    gallery.set_presets(many, ENGINES)
    qtbot.waitUntil(lambda: "0" in asked)
    assert "59" not in asked
