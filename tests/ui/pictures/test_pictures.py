"""The window on ready problems of every engine, at four sizes and in both themes; what a picture shows is looked at by
``walk`` and ``contrast``. 3840 × 2160 at a scale of 2 has the layout of 1920 × 1080.

The long form is of all presets; ``python -m tests.ui.pictures FOLDER`` writes the pictures to look at.
"""

from __future__ import annotations

import gc
import re

import pytest

from engines.api import registry
from tests.ui.pictures.contrast import faint_texts, left_of, picture_of
from tests.ui.pictures.showing import SIZES, Showing
from tests.ui.pictures.walk import all_texts, faults
from tests.ui.rules import lost_items
from ui.charts.figure_dialog import FigureDialog
from ui.widgets.theme import THEMES, palette, theme
from ui.window.help.tours.places import controls
from ui.window.help.tours.steps import tours
from workbench.project.presets import presets

SHORT = ("one_particle", "small_slab", "notched_concrete_beam", "cuba_4000", "fdtd_slab", "composite_heat")
TOURS = tours()
LONG = tuple(preset.id for preset in presets() if preset.id not in SHORT)


NUMBER = r"[\d.,:\u202f]+(?:e[-+]?\d+)?(?: (?:d|h|min|[mµnkMGT]?(?:s|B))\b)?"
NUMBERS = f"{NUMBER}(?: {NUMBER})*"
"""With their units, which depend on how busy the machine is: what takes an hour and a minute there takes seconds."""
MEASURED = ("Bound by", "Compute beside the window", "about ")
"""How a text begins that is there, or is another, by what was timed."""


@pytest.fixture(autouse=True)
def nothing_left_running():
    """In place of that of all tests: the window stays open from one to the next; ``showing`` looks when it closes."""
    yield
    gc.collect(1)
    assert not lost_items()


@pytest.fixture(scope="module")
def showing(qapp, tmp_path_factory):
    showing = Showing(qapp, tmp_path_factory.mktemp("window"))
    yield showing
    showing.close()


def looked_at(widget) -> list[str]:
    """In the present theme."""
    here = theme().palette
    other = palette(next(name for name in THEMES if name != here.name))
    picture = picture_of(widget)
    found = [*faults(widget), *faint_texts(widget, picture)]
    if not isinstance(widget, FigureDialog):  # whose figure is white in either theme
        found += left_of(other, here, picture)
    return [f"{type(widget).__name__}, {here.name}: {fault}" for fault in found]


def in_both_themes(showing, widget) -> list[str]:
    """Beginning with the one that there is."""
    found = looked_at(widget)
    showing.other_theme()
    return found + looked_at(widget)


def test_every_engine_is_among_the_short(showing):
    engines = {preset.engine for preset in presets() if preset.id in SHORT}
    assert engines == set(registry.engines())


@pytest.mark.parametrize(
    "name", [*SHORT, *(pytest.param(name, marks=[pytest.mark.slow, pytest.mark.timeout(600)]) for name in LONG)]
)
def test_a_problem_at_every_size(showing, name):
    showing.open(name)
    found = []
    for size in SIZES:
        showing.fit(size)
        found += [f"{size}: {fault}" for fault in faults(showing.window)]
        if size == SIZES[1]:
            found += in_both_themes(showing, showing.window)
    for dialog in showing.dialogs():
        found += looked_at(dialog)
    assert not found, "\n".join(dict.fromkeys(found))


def test_pages_and_dialogs_without_a_problem(showing):
    found = []
    for size in SIZES:
        showing.window.resize(*size)
        for show in (showing.window.pages.show_gallery, showing.show_lab):
            show()
            showing.settle()
            found += [f"{size}: {fault}" for fault in faults(showing.window)]
            if size == SIZES[0]:
                found += in_both_themes(showing, showing.window)
    for dialog in showing.dialogs_of_help():
        found += in_both_themes(showing, dialog)
    assert not found, "\n".join(dict.fromkeys(found))


def tabs_out_of_sight(views) -> list[str]:
    bar = views.tabBar()
    return [bar.tabText(place) for place in range(bar.count()) if not bar.rect().contains(bar.tabRect(place))]


def test_the_lab_with_records_at_every_size(showing):
    """Two records of one card and day, and a variant whose source is open."""
    found = []
    for name in showing.lab_views():
        for size in SIZES:
            showing.window.resize(*size)
            showing.settle()
            found += [f"{name} {size}: {fault}" for fault in faults(showing.window)]
            found += [
                f"{size}: no room for the tab '{tab}'" for tab in tabs_out_of_sight(showing.window.pages.lab.views)
            ]
            if size == SIZES[0]:
                found += [f"{name}: {fault}" for fault in in_both_themes(showing, showing.window)]
    assert not found, "\n".join(dict.fromkeys(found))


def test_the_dialog_of_a_drive_cycle(showing, tmp_path):
    dialog = showing.cycle_dialog(tmp_path)
    found = in_both_themes(showing, dialog)
    dialog.close()
    showing.settle()
    assert not found, "\n".join(dict.fromkeys(found))


@pytest.mark.parametrize("tour", TOURS, ids=[tour.id for tour in TOURS])
def test_cards_of_tours_at_every_size(showing, tour):
    """They lie over the window by wish, and over no control; what they say is read in both themes."""
    window, card = showing.window, showing.window.help.tour.card
    found = []
    with showing.tour(tour):
        for size in SIZES:
            showing.fit(size)
            for name in showing.tour_steps():
                at = card.geometry()
                if not window.rect().contains(at) or any(at.intersects(each) for each in controls(window)):
                    found.append(f"{name} {size}: the card at {at} covers what steers the run, or is out of the window")
                if size == SIZES[-1]:
                    found += [f"{name}: {fault}" for fault in looked_at(card)]
        showing.other_theme()
        for name in showing.tour_steps():
            found += [f"{name}: {fault}" for fault in looked_at(card)]
    assert not found, "\n".join(dict.fromkeys(found))


def test_nothing_of_the_problem_before_is_left(showing, qapp, tmp_path):
    """The same words, whichever problem was open before (numbers of this machine aside)."""

    def words(one) -> set[str]:
        one.open(SHORT[-1])
        one.fit(SIZES[2])
        texts = {re.sub(NUMBERS, "0", text) for _, text in all_texts(one.window)}
        return {text for text in texts if not text.startswith(MEASURED)}

    showing.open(SHORT[3])
    after = words(showing)
    fresh = Showing(qapp, tmp_path)
    try:
        assert after == words(fresh)
    finally:
        fresh.close()
