"""The View panel's colours: swatches, what switches ask for, and where they do not count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ui.scene.grids import ARRIVAL, CONCENTRATION
from ui.panels.view.colours import SWATCH, ColoursPanel
from ui.scene.colormaps import colormap
from workbench.project.project import ViewSettings


@pytest.fixture
def panel(qtbot):
    panel = ColoursPanel()
    qtbot.addWidget(panel)
    panel.edits, panel.fits = [], []
    panel.edited.connect(panel.edits.append)
    panel.fit_asked.connect(lambda: panel.fits.append(1))
    panel.show_view(ViewSettings(), CONCENTRATION, True)
    return panel


def ends(panel, name):
    image = panel.map.itemIcon(panel.map.findData(name)).pixmap(SWATCH).toImage()
    colours = [image.pixelColor(x, image.height() // 2) for x in (0, image.width() - 1)]
    return [(each.red(), each.green(), each.blue()) for each in colours]


def test_each_map_has_a_swatch_that_turns_round(panel) -> None:
    dark = panel.palette().window().color().lightness() < 128
    lut = colormap("inferno", dark)
    assert ends(panel, "inferno") == [tuple(map(int, lut[0])), tuple(map(int, lut[255]))]
    panel.show_view(ViewSettings(reverse=True), CONCENTRATION, True)
    assert ends(panel, "inferno") == [tuple(map(int, lut[255])), tuple(map(int, lut[0]))]
    assert ends(panel, None) == [tuple(map(int, colormap(CONCENTRATION.colormap, dark)[k])) for k in (255, 0)]


def test_switches_say_what_is_asked(panel) -> None:
    panel.reverse.click()
    panel.symmetric.click()
    panel.log.click()
    assert panel.edits == [{"reverse": True}, {"symmetric": True}, {"logarithmic": True}]


def test_leaving_out_what_is_farthest_shows_at_once(panel) -> None:
    panel.outliers.setCurrentIndex(2)
    panel.outliers.activated.emit(2)
    assert panel.edits == [{"outliers": 4.0}]
    assert panel.fits == [1]
    panel.show_view(ViewSettings(follow=True), CONCENTRATION, True)
    panel.outliers.activated.emit(2)
    assert panel.fits == [1], "a range that follows follows"


def test_no_logarithm_of_what_has_a_sign(panel) -> None:
    assert panel.log.isEnabled()
    panel.show_view(ViewSettings(), replace(CONCENTRATION, range=(-1.0, 1.0)), True)
    assert not panel.log.isEnabled()
    panel.show_view(ViewSettings(symmetric=True), CONCENTRATION, True)
    assert not panel.log.isEnabled()
    panel.show_view(ViewSettings(), replace(ARRIVAL, cyclic=True), True)
    assert not any(widget.isEnabled() for widget in (panel.log, panel.symmetric, panel.outliers))


def test_a_range_that_is_a_guess_follows_and_says_so_until_it_is_held(panel) -> None:
    guessed = replace(CONCENTRATION, guessed=True)
    assert panel.guess.isHidden()
    panel.show_view(ViewSettings(), guessed, True)
    assert panel.follow.isChecked()
    assert not panel.guess.isHidden()
    panel.follow.click()
    assert (panel.fits, panel.edits) == ([1], []), "the range stays as it is now"
    panel.show_view(ViewSettings(range=(0.0, 2.0)), guessed, True)
    assert not panel.follow.isChecked()
    assert panel.guess.isHidden()


def test_a_range_that_follows_is_told_as_the_picture_has_it(panel) -> None:
    guessed = replace(CONCENTRATION, guessed=True)
    panel.show_view(ViewSettings(), guessed, True)
    for name, limits, told, hidden in (
        ("another", (0.0, 7.0), (0.0, 1.0), False),
        (guessed.name, guessed.range, (0.0, 1.0), False),
        (guessed.name, (0.0, 100.0), (0.0, 100.0), True),
    ):
        panel.show_range(name, limits)
        assert ((panel.low.value(), panel.high.value()), panel.guess.isHidden()) == (told, hidden)
    panel.show_view(ViewSettings(contours=True), guessed, True)
    assert (panel.high.value(), panel.guess.isHidden()) == (100.0, True), "no other moment comes of a run that is over"
    panel.high.setText("3")
    panel.high.setModified(True)
    panel.show_range(guessed.name, (0.0, 200.0))
    assert panel.high.text() == "3", "what is being typed stays"
    panel.high.setModified(False)
    panel.show_view(ViewSettings(range=(0.0, 2.0)), guessed, True)
    panel.show_range(guessed.name, (0.0, 300.0))
    assert panel.high.value() == 2.0, "a person's own"
    panel.show_view(ViewSettings(follow=True), CONCENTRATION, True)
    assert panel.high.value() == 300.0


def test_a_range_is_typed_and_one_that_is_upside_down_is_said(panel) -> None:
    assert (panel.low.value(), panel.high.value(), panel.unit.text()) == (0.0, 1.0, "mol/m³")
    assert not panel.auto.isEnabled()
    panel.low.set_value(0.25)
    panel.low.changed.emit(0.25)
    assert panel.edits == [{"range": (0.25, 1.0), "follow": False}]
    for wrong in (0.25, 0.1):
        panel.high.set_value(wrong)
        panel.high.changed.emit(wrong)
        assert not panel.sentence.isHidden()
        assert panel.low.property("wrong")
        assert panel.high.property("wrong")
    assert len(panel.edits) == 1
    panel.high.set_value(0.5)
    panel.high.changed.emit(0.5)
    assert panel.edits[1:] == [{"range": (0.25, 0.5), "follow": False}]
    assert panel.sentence.isHidden()
    assert not panel.low.property("wrong")
    panel.show_view(ViewSettings(range=(0.25, 0.5)), CONCENTRATION, True)
    panel.auto.click()
    assert panel.edits[2:] == [{"range": None, "follow": False}]


def test_a_range_is_fitted_once_or_follows_and_of_a_guessed_one_what_there_is_stays(panel) -> None:
    panel.fit.click()
    assert (panel.fits, panel.edits) == ([1], [])
    for span, asked in (((0.5, 0.5), []), (None, []), ((0.5, 2.0), [{"range": (0.5, 2.0), "follow": False}])):
        panel.fit_range(span)
        assert panel.edits == asked, "a field that is the same everywhere keeps its range"
    panel.follow.click()
    assert panel.edits[1:] == [{"range": None, "follow": True}]
    panel.show_view(ViewSettings(follow=True), CONCENTRATION, True)
    assert not panel.low.isEnabled()
    panel.follow.click()
    assert panel.edits[2:] == [{"range": None, "follow": False}]
    panel.show_view(ViewSettings(), replace(CONCENTRATION, guessed=True), True)
    assert panel.follow.isChecked()
    assert not panel.guess.isHidden()
    panel.follow.click()
    assert (len(panel.edits), panel.fits) == (3, [1, 1])
    panel.show_view(ViewSettings(), CONCENTRATION, False)
    parts = (panel.map, panel.reverse, panel.low, panel.high, panel.fit, panel.follow, panel.outliers, panel.log)
    assert not any(part.isEnabled() for part in parts), "names of values have colours of their own"
