"""Unsaved changes when another problem opens or the window closes: saved, kept aside, given up, or stayed with."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from ui.session.controller import Phase

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def edited(opened):
    opened.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    return opened


def answer(window, qtbot, text):
    box = window.leaving.question
    assert box is not None
    qtbot.waitUntil(box.isVisible)
    assert box.text() == "'Slab' has unsaved changes."
    qtbot.mouseClick(next(button for button in box.buttons() if button.text() == text), LEFT)
    assert window.leaving.question is None


def open_the_cube(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    qtbot.mouseClick(window.welcome.gallery.cards[1], LEFT)


def wait_for_the_cube(window, qtbot):
    qtbot.waitUntil(lambda: window.model.document.project.title == "Cube", timeout=5000)
    qtbot.waitUntil(lambda: not window.background.busy)


def test_kept_aside_when_another_opens(edited, qtbot, services):
    open_the_cube(edited, qtbot)
    assert edited.model.document.project.title == "Slab"
    answer(edited, qtbot, "Keep aside")
    wait_for_the_cube(edited, qtbot)
    assert [document.parameters.tissue.sigma_il for document in services.aside] == [0.3]


def test_given_up_when_another_opens(edited, qtbot, services):
    open_the_cube(edited, qtbot)
    answer(edited, qtbot, "Discard")
    wait_for_the_cube(edited, qtbot)
    assert not services.aside
    assert services.forgotten[-1].parameters.tissue.sigma_il == 0.3  # nor does it stand among what is unsaved
    edited.model.edit(("title",), "Another cube")
    edited.close_at_once()
    assert services.autosaved[-1].project.title == "Another cube"  # giving up was of the other


def test_saved_before_another_opens(edited, qtbot, services, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "slab.zip"), "Project in one file"))
    open_the_cube(edited, qtbot)
    answer(edited, qtbot, "Save")
    wait_for_the_cube(edited, qtbot)
    document, path = services.saved[-1]
    assert (path, document.parameters.tissue.sigma_il) == (tmp_path / "slab.zip", 0.3)
    assert not services.aside


@pytest.mark.parametrize("name", ["", "full.zip"])
def test_what_could_not_be_saved_stays_open(edited, qtbot, services, monkeypatch, tmp_path, name):
    """The dialog of files was given up, or the disk is full."""
    chosen = str(tmp_path / name) if name else ""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (chosen, "Project in one file"))
    open_the_cube(edited, qtbot)
    answer(edited, qtbot, "Save")
    qtbot.waitUntil(lambda: not edited.background.busy)
    qtbot.wait(100)
    assert edited.model.document.project.title == "Slab"
    assert edited.isWindowModified()
    assert ("disk is full" in edited.banner.text) == bool(name)


def test_escape_stays(edited, qtbot, services):
    open_the_cube(edited, qtbot)
    qtbot.waitUntil(edited.leaving.question.isVisible)
    qtbot.keyClick(edited.leaving.question, Qt.Key.Key_Escape)
    qtbot.wait(100)
    assert edited.leaving.question is None
    assert edited.model.document.project.title == "Slab"
    assert edited.isWindowModified()
    open_the_cube(edited, qtbot)  # and it is asked again
    answer(edited, qtbot, "Cancel")


def test_what_was_to_be_given_up_is_kept_where_the_other_did_not_open(edited, qtbot, services):
    edited.open_path(Path("/tmp/surface.bad"))
    answer(edited, qtbot, "Discard")
    qtbot.waitUntil(lambda: "no tetrahedra" in edited.banner.text)
    assert edited.model.document.parameters.tissue.sigma_il == 0.3
    assert edited.isWindowModified()
    assert edited.close() is False
    answer(edited, qtbot, "Keep aside")
    assert services.autosaved[-1].parameters.tissue.sigma_il == 0.3


def test_quitting_asks_and_stays_or_goes(edited, qtbot, services):
    edited.controller.run()
    qtbot.waitUntil(lambda: edited.controller.phase is Phase.RUNNING)
    qtbot.keyClick(edited, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    answer(edited, qtbot, "Cancel")
    assert edited.isVisible()
    assert edited.controller.phase is Phase.RUNNING
    qtbot.keyClick(edited, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    answer(edited, qtbot, "Keep aside")
    assert not edited.isVisible()
    assert services.autosaved[-1].parameters.tissue.sigma_il == 0.3


def test_quitting_gives_up(edited, qtbot, services):
    edited.close()
    answer(edited, qtbot, "Discard")
    assert not edited.isVisible()
    assert not services.autosaved
    assert services.forgotten[-1].parameters.tissue.sigma_il == 0.3


def test_quitting_saves_first(edited, qtbot, services, tmp_path):
    edited.model.document.path = tmp_path / "slab.zip"
    edited.close()
    answer(edited, qtbot, "Save")
    qtbot.waitUntil(lambda: not edited.isVisible())
    assert services.saved[-1][1] == tmp_path / "slab.zip"
    assert not services.autosaved


def test_without_changes_nothing_is_asked(opened, qtbot, services):
    open_the_cube(opened, qtbot)
    assert opened.leaving.question is None
    wait_for_the_cube(opened, qtbot)
    assert opened.close()
