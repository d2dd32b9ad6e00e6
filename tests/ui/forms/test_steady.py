"""What the pointer is on, or has the focus, stays where it is while lines of a form come and go."""

from contextlib import nullcontext

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QLabel

from engines.api import Finding
from engines.cardiac.parameters import CardiacParameters, Stimulus
from tests.ui.forms.holder import Holder
from ui.forms import editor, group
from ui.forms.editor import Editor
from ui.forms.form import ParameterForm

# Written out: what the sources have is held against these.
LONGEST_LINE = 80

ABOVE = ("tissue", "sigma_il")
WRONG = {ABOVE: "Must be above 0, and it is not, which takes a line of its own."}


@pytest.fixture
def form(qtbot):
    form = Holder(qtbot, CardiacParameters, CardiacParameters(stimuli=[Stimulus()])).form
    form.resize(420, 500)
    form.show()
    qtbot.waitExposed(form)
    QApplication.processEvents()
    return form


def place_of(form, widget):
    QApplication.processEvents()
    return widget.mapTo(form.viewport(), QPoint(0, 0)).y()


def line_below(form):
    """A field of the same group as :data:`ABOVE`, further down."""
    lines = form.root.children_by_key["tissue"]._lines
    return list(lines.values())[3].editor.box


def point_at(widget, qtbot):
    spot = widget.mapToGlobal(widget.rect().center())
    QCursor.setPos(spot)
    qtbot.waitUntil(lambda: QCursor.pos() == spot)


@pytest.mark.parametrize("scrolled", [0, 60, 10_000])
@pytest.mark.parametrize("of", [ParameterForm.set_errors, ParameterForm.set_findings])
def test_lines_of_errors_and_findings_are_whole_and_move_nothing_under_the_pointer(form, qtbot, scrolled, of):
    form.verticalScrollBar().setValue(scrolled)
    QApplication.processEvents()
    box = line_below(form) if scrolled < 100 else form.widget().childAt(60, form.verticalScrollBar().value() + 250)
    point_at(box, qtbot)
    before = place_of(form, box)
    of(form, WRONG if of is ParameterForm.set_errors else [Finding(2 * WRONG[ABOVE], "warning", ABOVE)])
    assert place_of(form, box) == before
    (said,) = (each for each in form.findChildren(QLabel) if WRONG[ABOVE] in each.text() and not each.isHidden())
    assert said.height() >= said.heightForWidth(said.width()) > 1.9 * said.fontMetrics().height()
    of(form, {} if of is ParameterForm.set_errors else [])
    assert place_of(form, box) == before


def test_a_line_that_goes_leaves_room_at_the_top_until_the_pointer_leaves(form, qtbot):
    form.set_errors(WRONG)
    form.verticalScrollBar().setValue(0)
    box, first = line_below(form), form.root
    point_at(box, qtbot)
    before, top = place_of(form, box), place_of(form, first)
    form.set_errors({})
    assert place_of(form, box) == before
    assert place_of(form, first) > top
    QApplication.sendEvent(form, QEvent(QEvent.Type.Leave))
    assert place_of(form, first) == top


def test_what_is_typed_in_stays_while_the_pointer_is_elsewhere(form, qtbot):
    QCursor.setPos(form.mapToGlobal(QPoint(form.width() + 200, 5)))
    box = line_below(form)
    form.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    before = place_of(form, box)
    form.set_findings([Finding("It is coarse.", place=ABOVE)])
    assert place_of(form, box) == before


def test_lines_of_tool_tips_are_no_longer_than_can_be_read(form):
    tips = [editor.help_text() for editor in form.findChildren(Editor)]
    assert max(map(len, tips)) > LONGEST_LINE, "some are long"
    assert all(len(line) <= LONGEST_LINE for tip in tips for line in tip.split("\n"))


def test_what_stays_as_it_is_is_not_set_again(form, monkeypatch):
    """A form hears of errors, findings and locks at each edit and each run, most of them the same as before."""
    done = []

    def tell():
        form.set_locked(True)
        form.set_errors({})
        form.set_findings([])
        form.set_locked(False)

    tell()
    monkeypatch.setattr(group, "holding", lambda *_: done.append("holding") or nullcontext())
    monkeypatch.setattr(group, "outline", lambda *_: done.append("outline"))
    monkeypatch.setattr(group.FieldLine, "setVisible", lambda *_: done.append("visible"))
    monkeypatch.setattr(editor, "fill", lambda text, _: done.append("folded") or text)
    tell()
    assert done == []
    form.set_errors(WRONG)
    assert done == ["holding"]
