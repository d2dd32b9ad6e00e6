"""Strokes of the brush on the undo stack: Ctrl+Z takes one back, Ctrl+Shift+Z paints it again, in order with edits."""

import pytest
from PySide6.QtCore import Qt

from engines.api import Dab
from engines.api.abilities import Underneath
from tests.ui import wave
from tests.ui.wave import Wave
from ui.session.running.phase import Phase
from workbench.run.strokes import Outcome

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def canvas(monkeypatch, request):
    """The window with a run whose dabs can be taken back: the brush "scar" lasts, "touch" passes."""

    class Undoable(Wave):  # of its own: what a class is able to is asked once
        def underneath(self, dab, first):
            return Underneath(dab.brush, (), len(self.dabs), 8, lasts=dab.brush == "scar")

        def put_back(self, under):
            assert len(self.dabs) == under.values + 1  # the last one first
            self.dabs.pop()

    monkeypatch.setattr(wave, "Wave", Undoable)
    window = request.getfixturevalue("opened")
    window.controller.step()
    request.getfixturevalue("qtbot").waitUntil(lambda: window.controller.phase is Phase.PAUSED)
    return window


def stroke(window, *places, brush="scar"):
    window.viewport.stroke_began.emit()
    for place in places:
        window.viewport.dabbed.emit(Dab(brush, (float(place), 0.0, 0.0), 1.0, 0.5))


def painted(window):
    """Where, on the worker's side of everything that was asked until now."""
    dabs = window.controller.runner.post(lambda simulation: list(simulation.dabs)).result(10)
    return [int(dab.position[0]) for dab in dabs]


def wait_for(window, qtbot, *places):
    qtbot.waitUntil(lambda: painted(window) == list(places))


def undo(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)


def redo(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL | SHIFT)


def test_undo_takes_back_a_stroke_and_redo_paints_it_again(canvas, qtbot):
    window = canvas
    stroke(window, 1, 2, 3)
    stroke(window, 4, 5)
    wait_for(window, qtbot, 1, 2, 3, 4, 5)
    assert window.model.undo_stack.undoText() == "stroke of the brush"
    undo(window, qtbot)
    wait_for(window, qtbot, 1, 2, 3)
    undo(window, qtbot)
    wait_for(window, qtbot)
    redo(window, qtbot)
    redo(window, qtbot)
    wait_for(window, qtbot, 1, 2, 3, 4, 5)
    assert not window.banner.isVisible()


def test_strokes_and_edits_are_taken_back_in_their_order_and_strokes_are_nothing_to_save(canvas, qtbot):
    window = canvas
    stroke(window, 1)
    wait_for(window, qtbot, 1)
    assert not window.isWindowModified()  # saving would not keep it
    window.model.edit(("title",), "Mine")
    stroke(window, 2)
    wait_for(window, qtbot, 1, 2)
    assert window.isWindowModified()
    undo(window, qtbot)
    wait_for(window, qtbot, 1)
    assert window.isWindowModified()
    assert window.model.document.project.title == "Mine"
    undo(window, qtbot)
    assert window.model.document.project.title == "Slab"
    assert painted(window) == [1]
    assert not window.isWindowModified()
    undo(window, qtbot)
    wait_for(window, qtbot)
    assert not window.isWindowModified()
    for _ in range(3):
        redo(window, qtbot)
    wait_for(window, qtbot, 1, 2)
    assert window.isWindowModified()


def test_what_has_spread_is_explained_with_a_way_back(canvas, qtbot):
    window = canvas
    window.controller.run()
    qtbot.waitUntil(lambda: bool(window.controller.rewinding.marks))
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)
    mark = window.controller.rewinding.marks[0]
    stroke(window, 1, brush="touch")
    wait_for(window, qtbot, 1)
    steps = window.controller.runner.post(lambda simulation: simulation.step).result(10)
    window.controller.step(5)
    qtbot.waitUntil(lambda: window.controller.time > (steps + 4) * window.controller.info.dt)
    undo(window, qtbot)
    qtbot.waitUntil(lambda: window.banner.text.startswith(Outcome.GONE_ON.value))
    assert painted(window) == [1]
    redo(window, qtbot)  # nothing was taken back: nothing is painted twice
    assert painted(window) == [1]
    qtbot.waitUntil(window.banner.isHidden)  # the stroke is to stay: nobody asks for a way back any more
    undo(window, qtbot)
    qtbot.waitUntil(lambda: window.banner.text.startswith(Outcome.GONE_ON.value))
    (answer,) = window.banner.answers
    assert answer.text().startswith("Rewind to ")
    qtbot.waitUntil(answer.isVisible)
    qtbot.mouseClick(answer, LEFT)
    qtbot.waitUntil(lambda: window.controller.time < steps * window.controller.info.dt)
    assert window.controller.time >= mark.time


def test_strokes_of_a_run_that_is_gone_are_passed_over(canvas, qtbot):
    window = canvas
    window.model.edit(("title",), "Mine")
    stroke(window, 1)
    stroke(window, 2)
    wait_for(window, qtbot, 1, 2)
    window.controller.reset()
    undo(window, qtbot)
    qtbot.waitUntil(lambda: window.model.document.project.title == "Slab")  # one press, for what there is to undo
    assert painted(window) == [1, 2]  # of this double, whose reset washes nothing off
