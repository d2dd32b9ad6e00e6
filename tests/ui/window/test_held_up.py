"""A text in the form that was not understood: no run begins below it, and what is saved without it is said."""

import pytest
from PySide6.QtCore import Qt

from engines.api.errors import ProblemError
from ui.forms.fields.number import NumberBox
from ui.forms.section import unfold_to
from ui.session.running.phase import Phase

LEFT = Qt.MouseButton.LeftButton
SIGMA = ("tissue", "sigma_il")


@pytest.fixture
def refused(opened, qtbot):
    """The box of a field into which was typed what is no number."""
    box = opened.problem.form.editor_at(SIGMA).findChild(NumberBox)
    unfold_to(box)
    qtbot.mouseClick(box, LEFT)
    box.selectAll()
    qtbot.keyClicks(box, "12 xy")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    box.clearFocus()
    return box


WAYS = {
    "the timeline's button": lambda window, qtbot: qtbot.mouseClick(window.timeline.run_button, LEFT),
    "the action": lambda window, qtbot: window.actions_["run"].trigger(),
    "one step": lambda window, qtbot: window.actions_["step"].trigger(),
    "start over": lambda window, qtbot: window.controller.start_over(),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_run_begins_below_a_text_that_was_not_understood(opened, qtbot, refused, way):
    opened.problem.form.verticalScrollBar().setValue(0)
    WAYS[way](opened, qtbot)
    qtbot.wait(150)
    assert (opened.controller.phase, opened.controller.time) == (Phase.READY, 0.0)
    assert opened.banner.text.endswith(f"': {refused.refusal}")
    assert refused.text() == "12 xy"
    qtbot.waitUntil(refused.hasFocus)
    refused.selectAll()
    qtbot.keyClicks(refused, "0.3")
    qtbot.keyClick(refused, Qt.Key.Key_Return)
    WAYS[way](opened, qtbot)
    qtbot.waitUntil(lambda: opened.controller.time > 0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["until", "pace"])
@pytest.mark.parametrize("before", [None, 500.0])
def test_nor_with_another_end_or_pace_than_what_stands_there(opened, qtbot, way, name, before):
    opened.model.edit(("run", name), before)
    box = getattr(opened.timeline, name).box
    for text in ("3 min", "12 s"):
        box.setText(text)
        box.editingFinished.emit()
    opened.setFocus()
    WAYS[way](opened, qtbot)
    qtbot.wait(150)
    assert (opened.controller.phase, opened.controller.time) == (Phase.READY, 0.0)
    assert opened.banner.text == f"In '{name}': {box.refusal}"
    assert box.text() == "12 s"
    qtbot.waitUntil(box.hasFocus)
    box.selectAll()
    qtbot.keyClicks(box, "1000")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert opened.banner.text == "", "what was said holds no more"
    WAYS[way](opened, qtbot)
    qtbot.waitUntil(lambda: opened.controller.time > 0)


def test_at_the_end_of_a_run_no_question_takes_the_place_of_what_is_to_be_changed(opened, qtbot):
    opened.model.edit(("run", "until"), 0.5)
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.FINISHED)
    box = opened.timeline.until.box
    box.setText("3 min")
    box.editingFinished.emit()
    qtbot.mouseClick(opened.timeline.run_button, LEFT)
    assert (opened.banner.text, opened.banner.answers) == (f"In 'until': {box.refusal}", [])
    assert box.text() == "3 min"


def test_a_run_that_is_paused_goes_on_and_another_problem_knows_nothing_of_it(opened, qtbot, refused, services):
    qtbot.keyClick(refused, Qt.Key.Key_Escape)
    opened.controller.step(2)
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.PAUSED)
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.RUNNING)
    opened.controller.reset()
    qtbot.waitUntil(lambda: opened.controller.phase is Phase.READY)
    refused.setText("12 xy")
    refused.editingFinished.emit()
    assert opened.model.refused()
    opened.model.undo_stack.setClean()
    opened.model.open(services.open_preset(services.presets()[0]))
    assert not opened.model.refused()
    assert opened.controller.runner is not None


def test_what_is_saved_swept_and_copied_without_it_is_said(opened, qtbot, refused, tmp_path):
    window = opened
    window.files.save_to(tmp_path / "slab.zip")
    assert window.banner.text.endswith(f"': {refused.refusal} The last valid values were saved.")
    window.actions_["copy_as_python"].trigger()
    assert window.banner.text.endswith(f"': {refused.refusal}")
    window.sweeps.open()
    with pytest.raises(ProblemError, match="is not a number"):
        window.sweeps.dialog.planned()
