"""A list that is written as lines: what becomes a value and when, what is underlined, what is offered."""

from __future__ import annotations

from typing import Annotated

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from engines.api.errors import ProblemError
from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.battery.engine import BatteryEngine
from engines.spiking.parameters.connections import Connection
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.populations import Population
from engines.spiking.parameters.synapse_library import LIBRARY
from engines.spiking.parameters.synapses import OwnSynapse
from engines.stencil.parameters import StencilParameters
from engines.stencil.parameters.equations import OwnEquations
from tests.ui.forms.holder import Holder
from ui.forms.fields.lines import COMMIT_MILLISECONDS
from ui.forms.fields.number import NumberEditor
from ui.forms.fields.slider import scale_of
from ui.forms.schema import Bounds, FieldSpec, Kind
from ui.session.model import DocumentModel
from workbench.project.document import new_document

# Written out: what the sources have is held against these.
POSITIONS = 600


def check(lines):
    wrong = next((place for place, line in enumerate(lines) if "wrong" in line), None)
    return None if wrong is None else (wrong, f"Line {wrong + 1} is wrong.")


class Poem(ParameterGroup):
    verses: Annotated[list[str], Lines(check, ("first verse", "second verse"), (("A pair", ("one", "two")),))] = (
        quantity(["roses are red"], "", "Lines of a poem")
    )
    speed: float = quantity(1.0, "1", "How fast it is read", live=True, gt=0, le=20)


@pytest.fixture
def holder(qtbot):
    holder = Holder(qtbot, Poem, Poem())
    holder.form.show()
    return holder


@pytest.mark.parametrize(("count", "rows"), [(1, 4), (4, 4), (5, 5), (16, 16), (17, 16)])
def test_a_field_of_lines_is_as_high_as_they_are_from_4_to_16(holder, count, rows):
    text = holder.editor("verses").text
    text.setPlainText("\n".join(["a line"] * count))
    assert text.height() == rows * text.fontMetrics().lineSpacing() + 22


def test_lines_are_one_text_that_becomes_a_value_at_a_pause(holder, qtbot):
    editor = holder.editor("verses")
    assert editor.text.toPlainText() == "roses are red"
    editor.text.setPlainText("roses are red\n\nviolets are blue  \n\n")
    assert holder.edits == []
    qtbot.waitUntil(lambda: len(holder.edits) == 1, timeout=COMMIT_MILLISECONDS + 2000)
    assert holder.edits == [(("verses",), ["roses are red", "", "violets are blue"])]
    assert editor.text.toPlainText().endswith("blue  \n\n")  # what is being written is left alone


def test_a_line_that_is_wrong_is_underlined_and_waits(holder, qtbot):
    editor = holder.editor("verses")
    editor.text.setPlainText("fine\nall wrong\nfine")
    qtbot.waitUntil(editor.sentence.isVisibleTo.__self__.isVisible, timeout=2000)
    assert editor.sentence.text() == "Line 2 is wrong."
    (mark,) = editor.text.extraSelections()
    assert mark.cursor.block().blockNumber() == 1
    qtbot.wait(COMMIT_MILLISECONDS + 100)
    assert holder.edits == []
    editor.text.left.emit()  # the focus goes elsewhere: nothing is lost
    assert holder.edits[-1][1] == ["fine", "all wrong", "fine"]
    editor.text.setPlainText("fine")
    qtbot.waitUntil(lambda: not editor.sentence.isVisible(), timeout=2000)
    assert editor.text.extraSelections() == []


def test_a_value_with_blanks_at_its_ends_is_no_edit_of_the_person(holder):
    """A project file written by hand: the focus comes and goes, and the document is as it was."""
    editor = holder.editor("verses")
    editor.set_value(["roses are red  ", ""])
    assert editor.text.toPlainText() == "roses are red  \n"
    editor.text.left.emit()
    assert holder.edits == []


def test_what_the_document_says_of_a_line_stands_there_too(holder):
    editor = holder.editor("verses")
    holder.form.set_errors({("verses", 0): "Roses are not red here."})
    assert editor.sentence.text() == "Roses are not red here."
    assert editor.text.extraSelections()[0].cursor.block().blockNumber() == 0
    holder.form.set_errors({})
    assert not editor.sentence.isVisible()


def test_lines_and_whole_texts_are_inserted(holder):
    editor = holder.editor("verses")
    menu = {action.text(): action for action in editor.insert_button.menu().actions()}
    menu["second verse"].trigger()
    assert holder.edits[-1] == (("verses",), ["roses are red", "second verse"])
    (pair,) = menu["Replace all by"].menu().actions()
    pair.trigger()
    assert holder.edits[-1] == (("verses",), ["one", "two"])
    assert editor.text.toPlainText() == "one\ntwo"


def test_a_line_that_is_begun_is_completed(holder, qtbot):
    editor = holder.editor("verses")
    editor.text.setPlainText("")
    qtbot.keyClicks(editor.text, "sec")
    assert editor.text.popup.isVisible()
    assert editor.text.popup.objectName() == "completions"  # the theme's ground: without it the list is black on black
    editor.text.complete("second verse")
    editor.text.popup.hide()
    assert editor.lines() == ["second verse"]


def test_what_is_pasted_is_not_completed(holder, qtbot):
    """The list stood over the next fields, and took the click that was to leave the text."""
    editor = holder.editor("verses")
    editor.text.setPlainText("")
    QApplication.clipboard().setText("roses are red\nsec")
    qtbot.keyClick(editor.text, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert editor.lines() == ["roses are red", "sec"]
    assert not editor.text.popup.isVisible()
    qtbot.keyClicks(editor.text, "o")
    assert editor.text.popup.isVisible()
    editor.text.popup.hide()


def test_a_run_locks_the_text_but_not_the_slider(holder):
    holder.form.set_locked(True)
    text = holder.editor("verses").text
    assert text.isReadOnly()
    assert text.property("shut") is True, "grey, as all that is shut"
    assert holder.editor("speed").slider.isEnabled()


def test_a_live_number_with_bounds_can_be_dragged(holder, qtbot):
    editor = holder.editor("speed")
    editor.slider.setValue(POSITIONS)
    assert holder.values["speed"] == 20
    editor.slider.setValue(POSITIONS // 2)
    assert holder.values["speed"] == pytest.approx((0.01 * 20) ** 0.5, rel=5e-3)
    assert editor.box.text() == str(holder.values["speed"])
    holder.values["speed"] = 1.0
    holder.show()
    assert editor._scale.value(editor.slider.value()) == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize(
    ("bounds", "low", "high", "factors"),
    [
        (Bounds(gt=0, le=20), 0.01, 20, True),
        (Bounds(gt=0, le=1e-3), 1e-6, 1e-3, True),
        (Bounds(ge=0, le=0.5), 0, 0.5, False),
        (Bounds(ge=1, le=5), 1, 5, False),
        (Bounds(ge=1, le=500), 1, 500, True),
        (Bounds(ge=-1, lt=1), -1, 1, False),
        (Bounds(ge=-100, le=100), -100, 100, True),
        (Bounds(ge=-1, le=100), -1, 100, True),
        (Bounds(ge=-100, le=1), -100, 1, True),
        (Bounds(ge=1, le=10), 1, 10, False),
        (Bounds(ge=5, le=50), 5, 50, False),
        (Bounds(ge=-10, le=10), -10, 10, False),
        (Bounds(ge=0, le=100), 0, 100, False),
        (Bounds(gt=-100, lt=0), -100, 0, False),
        (Bounds(gt=1, le=500), 1, 500, True),
    ],
)
def test_scales_go_by_factors_where_numbers_span_many(bounds, low, high, factors):
    scale = scale_of(bounds)
    assert (scale.low, scale.high, scale.factors) == (low, high, factors)
    assert (scale.value(0), scale.value(POSITIONS)) == (low, high)
    for position in range(0, POSITIONS + 1, 25):
        assert abs(scale.position(scale.value(position)) - position) <= 1


def test_a_slider_over_decades_on_both_sides_of_zero_is_fine_about_it():
    """Where it is 150 pixels wide, one of them is no more than a seventh of what lies about 1."""
    scale = scale_of(Bounds(ge=-100, le=100))
    assert scale.value(POSITIONS // 2) == 0
    pixel = POSITIONS // 150
    at_one = scale.position(1.0)
    assert scale.value(at_one + pixel) - scale.value(at_one) < 0.15


def test_no_slider_without_bounds_or_life(qtbot):
    for bounds in (Bounds(gt=0), Bounds(le=1), Bounds(ge=1, le=1)):
        assert scale_of(bounds) is None
    for spec in (
        FieldSpec("x", "X", Kind.NUMBER, bounds=Bounds(ge=0, le=1)),
        FieldSpec("x", "X", Kind.INTEGER, live=True, bounds=Bounds(ge=0, le=1)),
    ):
        parent = QWidget()
        qtbot.addWidget(parent)
        assert NumberEditor(spec, parent).slider is None


def test_a_drag_is_one_change_to_undo_and_a_protocol_another(qapp):
    model = DocumentModel()
    model.open(new_document(BatteryEngine()))
    for factor in (1.1, 1.2, 1.3):
        model.edit(("parameters", "current_factor"), factor)
    model.edit(("parameters", "protocol"), ["Discharge at 1C", "Charge at 1C until 9 V"])
    assert model.errors == {
        ("parameters", "protocol", 1): "Line 2 of the protocol, 'Charge at 1C until 9 V': 9 V is never reached, as "
        "this cell stops at 2.5 and 4.2 V."
    }
    model.undo_stack.undo()
    assert model.valid
    model.undo_stack.undo()
    assert model.document.parameters.current_factor == 1.0


def test_an_error_may_have_a_place():
    assert ProblemError("No.").place == ()
    assert str(ProblemError("No.", ("protocol", 2))) == "No."


def test_up_and_down_stay_in_the_text(holder, qtbot):
    editor = holder.editor("verses")
    editor.text.setPlainText("one\ntwo")
    editor.text.moveCursor(editor.text.textCursor().MoveOperation.End)
    qtbot.keyClick(editor.text, Qt.Key.Key_Up)
    assert editor.text.textCursor().blockNumber() == 0


def test_a_text_of_the_library_sets_what_stands_beside_the_lines_too(qtbot):
    """Synapses that begin as others do: one edit, so that one Undo takes it back, and nothing of it is wrong."""
    holder = Holder(qtbot, Connection, Connection(plasticity=OwnSynapse()))
    editor = holder.editor("plasticity", "lines")
    library = next(each.menu() for each in editor.insert_button.menu().actions() if each.text() == "Begin with")
    for action, (title, values) in zip(library.actions(), LIBRARY, strict=True):
        assert action.text() == title
        del holder.edits[:]
        action.trigger()
        ((path, value),) = holder.edits
        assert path == ("plasticity",)
        assert value == {**OwnSynapse(**values).model_dump(), **values}
        assert holder.parameters.plasticity.lines == values["lines"]
        for field in ("lines", "on_pre", "on_post"):
            held = holder.editor("plasticity", field)
            assert held.lines() == list(values[field])
            assert held._check(), held.sentence.text()
    on_pre = holder.editor("plasticity", "on_pre")
    on_pre.text.setPlainText("Apra += dApre")
    assert not on_pre._check()
    assert "the nearest is 'Apre'" in on_pre.sentence.text()


@pytest.mark.parametrize(("model", "place", "lines", "names"), [
    (StencilParameters, ("equation", "lines"), ["dw/dt = a - w*n**2 + v*dx(w)", "dn/dt = w*n**2 - m*n"], "a, v and m"),
    (Connection, ("plasticity", "on_pre"), ["g_e_post += eta*w"], "eta"),
    (Population, ("neuron", "lines"), ["dv/dt = (rest - v)/slow : volt"], "rest and slow"),
])  # fmt: skip
def test_what_lines_do_not_know_is_added_beside_them_while_one_writes(qtbot, model, place, lines, names):
    """In one edit, without leaving the lines."""
    begin = {StencilParameters: {"equation": OwnEquations()}, Connection: {"plasticity": OwnSynapse()},
             Population: {"neuron": OwnNeuron()}}[model]  # fmt: skip
    holder = Holder(qtbot, model, model(**begin))
    holder.form.show()
    qtbot.waitExposed(holder.form)
    editor = holder.editor(*place)
    assert editor.add.isHidden()
    before = len(getattr(holder.parameters, place[0]).parameters)
    editor.text.setFocus()
    editor.text.setPlainText("\n".join(lines))
    assert not editor._check()
    assert editor.add.text() == f"Add {names} to the parameters"
    assert not holder.edits, "what is wrong waits"
    qtbot.mouseClick(editor.add, Qt.MouseButton.LeftButton)
    ((path, value),) = holder.edits
    assert path == place[:1]
    assert value[place[1]] == lines
    wanted = names.replace(" and ", ", ").split(", ")
    assert [row["name"] for row in value["parameters"][before:]] == wanted
    editor._check()
    assert "which is not known" not in editor.sentence.text()
    assert editor.add.isHidden()


def test_a_sentence_below_lines_that_fill_the_form_is_scrolled_into_sight_while_one_writes(qtbot):
    holder = Holder(qtbot, Connection, Connection(plasticity=OwnSynapse()))
    form, editor = holder.form, holder.editor("plasticity", "lines")
    form.resize(420, 260)
    form.show()
    qtbot.waitExposed(form)
    form.activateWindow()
    text = "\n".join([*editor.lines(), *(f"x{n} : 1" for n in range(14)), "Apra ++"])

    def seen():
        below = editor.sentence.mapTo(form.viewport(), editor.sentence.rect().bottomLeft()).y()
        return 0 < below <= form.viewport().height()

    editor.text.setPlainText(text)
    assert not editor._check()
    form.verticalScrollBar().setValue(0)
    assert not seen(), "it is not where one writes"
    editor.text.setFocus()
    qtbot.waitUntil(editor.text.hasFocus)
    editor._check()
    assert seen()
