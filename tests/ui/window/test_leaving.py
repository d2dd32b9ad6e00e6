"""Unsaved changes when another problem opens or the window closes: saved, kept aside, given up, or stayed with."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from ui.forms.fields.number import NumberBox
from ui.forms.section import unfold_to
from ui.session.running.phase import Phase
from ui.window.questions.leaving import DISCARD, OF_BEFORE, RUN_TOO

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def edited(opened, monkeypatch):
    """Who is asked for a file without need names none."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: ("", ""))
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


def test_of_a_problem_that_was_never_saved_it_is_said_that_its_run_is_given_up_too(edited, qtbot, tmp_path):
    open_the_cube(edited, qtbot)
    assert "run" not in edited.leaving.question.informativeText(), "it has taken no step"
    answer(edited, qtbot, "Cancel")
    edited.pages.show_workspace()
    edited.controller.step(4)
    qtbot.waitUntil(lambda: edited.controller.phase is Phase.PAUSED and edited.controller.time > 0)
    said = RUN_TOO.format(time=edited.timeline.run_text)
    open_the_cube(edited, qtbot)
    assert said in edited.leaving.question.informativeText()
    answer(edited, qtbot, "Cancel")
    edited.model.document.path = tmp_path / "slab.zip"
    open_the_cube(edited, qtbot)
    assert said not in edited.leaving.question.informativeText()
    answer(edited, qtbot, "Cancel")


def test_of_a_run_with_the_values_of_before_it_is_said_that_saving_begins_at_zero(edited, qtbot, services, tmp_path):
    """It is kept under what it began with: opened again, the project stood at zero, and its curves were gone."""
    edited.model.document.path = tmp_path / "slab.zip"
    edited.controller.step(4)
    qtbot.waitUntil(lambda: edited.controller.phase is Phase.PAUSED and edited.controller.time > 0)
    told = []
    edited.files.done.connect(told.append)
    edited.files.save()
    qtbot.waitUntil(lambda: len(told) == 1)
    assert told == [f"Saved to {tmp_path / 'slab.zip'}."], "it opens where it stands"
    edited.model.edit(("parameters", "tissue", "sigma_il"), 0.45)
    said = OF_BEFORE.format(time=edited.timeline.run_text)
    open_the_cube(edited, qtbot)
    assert f"{said} {DISCARD}" in edited.leaving.question.informativeText()
    answer(edited, qtbot, "Cancel")
    edited.files.save()
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told[1].endswith("what was saved opens at zero, and Reset begins it anew here.")
    edited.controller.reset()
    qtbot.waitUntil(lambda: edited.controller.phase is Phase.READY)
    edited.model.edit(("probes",), [{"name": "P1", "position": [0.5, 0.5, 0.5]}])
    open_the_cube(edited, qtbot)
    assert "run" not in edited.leaving.question.informativeText()
    answer(edited, qtbot, "Cancel")


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


@pytest.mark.parametrize("kept", [False, True])
def test_quitting_gives_up(edited, qtbot, services, kept):
    """What was kept meanwhile, as it is every few seconds, too."""
    if kept:
        edited.keeper._keep()
        qtbot.waitUntil(lambda: bool(services.autosaved))
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


# ---- texts that are no values ---------------------------------------------------------------------------------------


def type_into(window, qtbot, path, text):
    """As a person: click, select, type; the field keeps the focus."""
    box = window.problem.form.editor_at(path).findChild(NumberBox)
    unfold_to(box)
    qtbot.mouseClick(box, LEFT)
    box.selectAll()
    qtbot.keyClicks(box, text)
    return box


def asked(window):
    """The question that stands, and its answers."""
    box = window.leaving.question
    assert box is not None
    assert box.isVisible()
    return box, [button.text() for button in box.buttons()]


SIGMA = ("tissue", "sigma_il")


@pytest.mark.parametrize("leave", [open_the_cube, lambda window, _: window.close()])
def test_a_text_that_is_no_number_is_asked_about(opened, qtbot, services, leave):
    box = type_into(opened, qtbot, SIGMA, "0.080.37")
    leave(opened, qtbot)
    question, answers = asked(opened)
    assert question.text() == "'Slab' has a text that is no value."
    assert "'0.080.37' is not a number" in question.informativeText()
    assert opened.problem.form.editor_at(SIGMA).spec.title in question.informativeText()
    assert sorted(answers) == ["Cancel", "Discard"]
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    qtbot.waitUntil(box.hasFocus)
    assert box.text() == "0.080.37"
    assert opened.stack.currentWidget() is opened.viewport
    box.selectAll()
    qtbot.keyClicks(box, "0.37")
    leave(opened, qtbot)  # what is typed is entered first
    question, answers = asked(opened)
    assert question.text() == "'Slab' has unsaved changes."
    assert "Save" in answers
    assert opened.model.draft["parameters"]["tissue"]["sigma_il"] == 0.37
    assert "is not a number" not in question.informativeText()


def test_a_text_that_is_no_number_outlives_other_edits_and_not_its_problem(opened, qtbot):
    box = type_into(opened, qtbot, SIGMA, "1..2")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    line = opened.problem.form.editor_at(SIGMA).parentWidget()
    opened.model.edit(("parameters", "tissue", "sigma_it"), 0.02)
    assert (box.text(), line.sentence.text(), box.property("wrong")) == ("1..2", "'1..2' is not a number.", True)
    open_the_cube(opened, qtbot)
    question, _ = asked(opened)
    assert question.text() == "'Slab' has unsaved changes."
    assert "1..2" in question.informativeText()
    next(button for button in question.buttons() if button.text() == "Discard").click()
    wait_for_the_cube(opened, qtbot)
    assert "1..2" not in [each.text() for each in opened.problem.form.findChildren(NumberBox)]
    assert opened.close()


def test_the_field_says_so_until_it_is_a_number_again(opened, qtbot):
    box = type_into(opened, qtbot, SIGMA, "x")
    line = opened.problem.form.editor_at(SIGMA).parentWidget()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert line.sentence.isVisibleTo(line)
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert (box.refusal, box.property("wrong"), line.sentence.text()) == ("", False, "")
    before = box.text()
    for text in ("y", before):
        box.selectAll()
        qtbot.keyClicks(box, text)
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert (box.refusal, box.property("wrong"), line.sentence.text()) == ("", False, "")
    assert not opened.leaving.unsaved


def test_the_end_of_the_run_is_marked_and_asked_about_too(opened, qtbot):
    box = opened.timeline.until.box
    qtbot.mouseClick(box, LEFT)
    box.selectAll()
    qtbot.keyClicks(box, "1x")
    opened.close()
    question, _ = asked(opened)
    assert "'1x' is not a number" in question.informativeText()
    assert box.property("wrong")
    next(button for button in question.buttons() if button.text() == "Discard").click()
    qtbot.waitUntil(lambda: not opened.isVisible())


def test_what_the_form_refuses_is_told_before_it_is_saved(edited, qtbot):
    edited.model.edit(("parameters", *SIGMA), -1.0)
    edited.close()
    question, _ = asked(edited)
    assert "Save writes the last valid values" in question.informativeText()
    edited.leaving.question.reject()


def test_answers_stand_in_the_order_that_people_know(edited, qtbot):
    edited.close()
    box, _ = asked(edited)
    buttons = sorted(box.buttons(), key=lambda button: button.x())
    assert [button.text() for button in buttons] == ["Save", "Keep aside", "Discard", "Cancel"]
    assert box.defaultButton() is buttons[0]
    assert [_drawn_from(button) for button in buttons] == [0, 0, 0, 18], "Cancel stands apart"
    box.reject()


def _drawn_from(button):
    """Pixels of a button to the left of its frame."""
    picture, middle = button.grab().toImage(), button.height() // 2
    ground = picture.pixel(0, 0)
    return next(x for x in range(picture.width()) if picture.pixel(x, middle) != ground)


def test_how_fast_a_run_is_watched_is_nothing_to_save(opened, qtbot):
    window = opened
    window.timeline.pace_edited.emit(25.0)
    window.timeline.pace_edited.emit(None)
    window.timeline.pace_edited.emit(50.0)
    assert window.model.document.project.run.pace == 50.0
    assert not window.isWindowModified()
    assert not window.leaving.unsaved
    window.model.edit(("title",), "Mine")
    window.timeline.pace_edited.emit(75.0)
    assert window.isWindowModified()
    for title, pace in (("Mine", 50.0), ("Slab", 50.0), ("Slab", None)):
        window.model.undo_stack.undo()
        run = window.model.document.project
        assert (run.title, run.run.pace, window.isWindowModified()) == (title, pace, title == "Mine")


@pytest.mark.parametrize("button", ["run_button", "step_button"])
def test_a_number_that_is_still_being_typed_is_run(opened, qtbot, button):
    """The button takes no focus: the run began with the number before, below the one that was typed."""
    box = type_into(opened, qtbot, SIGMA, "0.37")
    qtbot.mouseClick(getattr(opened.timeline, button), LEFT)
    assert opened.model.document.parameters.tissue.sigma_il == 0.37
    qtbot.waitUntil(lambda: opened.controller.phase in (Phase.RUNNING, Phase.PAUSED, Phase.FINISHED), timeout=10_000)
    assert not opened.controller._stale
    assert not box.isModified()


def test_a_number_that_is_still_being_typed_is_saved_and_typed_on(opened, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.zip"), ""))
    box = type_into(opened, qtbot, SIGMA, "0.37")
    qtbot.keyClick(box, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert opened.model.document.parameters.tissue.sigma_il == 0.37
    assert box.hasFocus()


def test_a_run_that_cannot_be_kept_is_asked_about_also_where_nothing_is_unsaved(opened, qtbot, services):
    """To leave would give it up without a word."""
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.READY)
    opened.model.edit(("run", "until"), 1.0)
    opened.model.undo_stack.setClean()
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.FINISHED)
    services.unkept_told = "'/there' has no room: free some space on its disk."
    told = f"Its run stands at {opened.timeline.run_text} and would be given up. {services.unkept_told}"
    opened.close()
    box = opened.leaving.question
    assert (box.text(), box.informativeText()) == ("Close 'Slab'?", told)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert opened.leaving.question is None
    assert opened.isVisible(), "nothing is given up by Enter"
    open_the_cube(opened, qtbot)
    assert opened.leaving.question.informativeText() == told
    qtbot.mouseClick(next(button for button in opened.leaving.question.buttons() if button.text() == "Close"), LEFT)
    wait_for_the_cube(opened, qtbot)
