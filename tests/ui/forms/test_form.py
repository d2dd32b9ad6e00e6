"""The form of a model: what is shown, what an edit asks for, what is said when a value is wrong."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget

from engines.api import Finding
from engines.api.parameters import ParameterGroup, quantity
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Stimulus, WholeRegion
from tests.ui.forms.holder import Holder, type_in
from ui.forms.fields.line import Line
from ui.forms.fields.number import NumberBox, parsed, shown, stepped
from ui.forms.fields.scalars import NOT_SET, CalmComboBox
from ui.forms.group import ElidedLabel, FieldLine
from ui.forms.schema import Kind, default_values, fields_of, plain
from ui.forms.section import Section
from workbench.words.numbers import spaced

finite = st.floats(1e-3, 100, allow_nan=False)
stimuli = st.builds(
    Stimulus,
    name=st.text("abcS123", min_size=1, max_size=6),
    start=st.one_of(st.just(0.0), st.floats(1e-9, 1e6)),
    amplitude=st.floats(1e-9, 1e9),
    pulses=st.integers(1, 100_000),
    site=st.one_of(st.builds(WholeRegion, region=st.sampled_from(["left", "right"]))),
)
hearts = st.builds(
    CardiacParameters,
    conductivity_scale=finite,
    regions=st.lists(st.builds(RegionSetting, region=st.just("left"), conductivity_scale=finite), max_size=3),
    stimuli=st.lists(stimuli, max_size=3),
)


@given(hearts)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_what_the_form_shows_reads_back_as_what_it_was_given(heart, parameters):
    """In the editors of the problem before."""
    heart.values = plain(parameters)
    heart.show()
    assert heart.parameters == parameters
    for place, stimulus in enumerate(parameters.stimuli):
        box = heart.editor("stimuli", place, "amplitude").box
        assert box.value() == stimulus.amplitude
        assert parsed(box.text(), False) == pytest.approx(stimulus.amplitude, rel=1e-5)  # six digits
        assert heart.editor("stimuli", place, "site", "region").combo.currentData() == stimulus.site.region
    assert not heart.edits  # showing asks for nothing


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_shown_number_reads_back_bit_for_bit(value):
    assert parsed(shown(value), False) == value


@pytest.mark.parametrize(
    ("text", "integer", "value"),
    [("5e4", False, 50_000.0), ("0,02", False, 0.02), ("−3", False, -3.0), ("50 000", False, 50_000.0),
     ("3", True, 3), ("3.5", True, None), ("abc", False, None), ("nan", False, None), ("1e999", False, None),
     ("1,000", True, 1000), ("100,000", True, 100_000), ("−1,000,000", True, -1_000_000), ("3,0", True, None),
     ("1 000", True, 1000), ("1\u202f000\u00a0000", True, 1_000_000), ("1e3", True, 1000), ("1.000e3", True, 1000),
     ("5 10", True, None), ("5 10", False, None), ("1e5 0", True, None), ("1e5 0", False, None), ("1 0000", True, None),
     ("0,125", False, 0.125), ("1,25", False, 1.25), ("1,2345", False, 1.2345), ("1 000,500", False, 1000.5),
     ("1,000.5", False, 1000.5), ("1,000,000", False, 1e6), ("3.141 592 65", False, 3.14159265)],
)  # fmt: skip
def test_numbers_as_people_type_them(text, integer, value):
    assert parsed(text, integer) == value


@pytest.mark.parametrize(
    ("text", "integer", "less", "more"),
    [("1,000", False, "1.000", "1000"), ("-100,250", False, "-100.250", "-100250"),
     ("3,700e2", False, "3.700e2", "3700e2"), ("1.000", True, "1", "1000"), ("100.000", True, "100", "100000")],
)  # fmt: skip
def test_what_may_be_a_thousand_times_as_much_is_asked_for(qtbot, text, integer, less, more):
    """The form waits for one of both, as a table does."""
    box = NumberBox(integer)
    qtbot.addWidget(box)
    type_in(qtbot, box, text)
    mark = "point" if integer else "comma"
    assert box.refusal == f"'{text}' may be {less} or {more}: write one of these, without a {mark}."
    assert box.value() == 0


@pytest.mark.parametrize(("value", "up"), [(0.02, 0.03), (1.0, 1.1), (50_000.0, 60_000.0), (0.0, 0.1), (-1.0, -0.9)])
def test_arrow_keys_step_the_leading_digit(value, up):
    assert stepped(value, 1, False) == pytest.approx(up)
    if value:
        assert stepped(stepped(value, 1, False), -1, False) == pytest.approx(value)


def test_typing_a_number_is_one_edit(qtbot, heart):
    type_in(qtbot, heart.editor("tissue", "sigma_il").box, "2.5e-1")
    assert heart.edits == [(("tissue", "sigma_il"), 0.25)]
    assert heart.parameters.tissue.sigma_il == 0.25


def test_a_value_out_of_bounds_stays_and_says_why(qtbot, heart):
    editor = heart.editor("numerics", "step")
    type_in(qtbot, editor.box, "1.5")
    line = editor.parentWidget()
    assert line.sentence.text() == "Must be at most 1."
    assert editor.box.text() == "1.5"
    assert editor.box.property("wrong")
    type_in(qtbot, editor.box, "0.1")
    assert line.sentence.text() == ""
    assert not editor.box.property("wrong")


def test_what_is_no_number_is_refused_with_a_sentence_and_stays(qtbot, heart):
    editor = heart.editor("tissue", "sigma_il")
    type_in(qtbot, editor.box, "fast")
    assert not heart.edits
    assert editor.parentWidget().sentence.text() == "'fast' is not a number."
    assert editor.box.text() == "fast"
    qtbot.keyClick(editor.box, Qt.Key.Key_Escape)
    assert editor.box.text() == "0.17"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("20 µs", "Give 0.02 (ms) instead of '20 µs'."),
        ("0,02 ms", "Give 0.02 (ms) instead of '0,02 ms'."),
        ("5 mV", "Give a number in ms instead of '5 mV'."),
    ],
)
def test_a_number_with_a_unit_is_told_as_the_number_to_give(qtbot, heart, typed, sentence):
    editor = heart.editor("numerics", "step")
    type_in(qtbot, editor.box, typed)
    assert editor.parentWidget().sentence.text() == spaced(sentence)
    assert editor.box.text() == typed
    assert not heart.edits


class Pull(ParameterGroup):
    stress: tuple[float, float, float] = quantity((0.0, 1.0, 0.0), "MPa", "Stress")
    way: float | None = quantity(2.0, "mm", "Way")


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("stress", "3000 kPa", "Give 3 (MPa) instead of '3000 kPa'."),
        ("way", "3 cm", "Give 30 (mm) instead of '3 cm'."),
    ],
)
def test_numbers_of_a_row_and_those_that_may_be_missing_know_their_unit_too(qtbot, field, typed, sentence):
    holder = Holder(qtbot, Pull, Pull())
    editor = holder.editor(field)
    type_in(qtbot, editor.parts[1].box if field == "stress" else editor.editor.box, typed)
    assert spaced(sentence) in [label.text() for label in holder.form.findChildren(QLabel)]
    assert not holder.edits


def test_the_tooltip_gives_help_and_bounds(heart):
    text = heart.editor("tissue", "sigma_il").toolTip() or heart.editor("tissue", "sigma_il").help_text()
    assert "Intracellular conductivity along the fibres" in text
    assert "Above 0, at most 100 S/m" in text


def test_a_union_switches_its_form_and_remembers(qtbot, heart):
    site = heart.editor("stimuli", 0, "site")
    type_in(qtbot, heart.editor("stimuli", 0, "site", "radius").box, "2.5")
    site.kind.edited.emit((), "box")
    assert heart.values["stimuli"][0]["site"] == {"kind": "box", "lower": [0, 0, 0], "upper": [1.5, 1.5, 1.5]}
    type_in(qtbot, heart.editor("stimuli", 0, "site", "upper").parts[2].box, "4")
    assert heart.parameters.stimuli[0].site.upper == (1.5, 1.5, 4.0)
    site.kind.edited.emit((), "region")
    assert heart.values["stimuli"][0]["site"] == {"kind": "region", "region": "left"}
    site.kind.edited.emit((), "sphere")
    assert heart.values["stimuli"][0]["site"]["radius"] == 2.5


def test_an_error_inside_a_union_inside_a_list_finds_its_field(qtbot, heart):
    editor = heart.editor("stimuli", 0, "site", "radius")
    type_in(qtbot, editor.box, "-1")
    assert editor.parentWidget().sentence.text() == "Must be above 0."


def test_what_is_known_of_a_field_inside_a_union_stands_there_and_of_the_union_at_its_kind(heart):
    radius, site = heart.editor("stimuli", 0, "site", "radius"), heart.editor("stimuli", 0, "site")
    lines = radius.parentWidget(), site.kind.parentWidget()
    place = ("stimuli", 0, "site")
    for finding, hidden in (
        (Finding("It reaches one cell.", place=(*place, "radius")), [False, True]),
        (Finding("It reaches none.", place=place), [True, False]),
    ):
        heart.form.set_findings([finding])
        assert [line.note.isHidden() for line in lines] == hidden
    heart.form.set_findings([])
    assert [line.note.isHidden() for line in lines] == [True, True]


def test_locked_fields_refuse_and_live_ones_do_not(qtbot):
    class Group(ParameterGroup):
        fixed: float = quantity(1.0, "mV", "Fixed")
        turning: float = quantity(1.0, "mV", "Live", live=True)
        inner: list[RegionSetting] = quantity([], "", "Items")

    holder = Holder(qtbot, Group, Group())
    holder.form.set_locked(True)
    assert not holder.editor("fixed").isEnabled()
    assert holder.editor("turning").isEnabled()
    assert not holder.editor("inner").add_button.isEnabled()
    holder.form.set_locked(False)
    assert holder.editor("fixed").isEnabled()
    assert holder.editor("inner").add_button.isEnabled()


def test_advanced_fields_are_folded_until_they_are_wrong(qtbot, heart):
    numerics = heart.editor("numerics")
    assert not numerics.advanced.header.isChecked()
    heart.edit(("numerics", "activation_threshold"), 100.0)
    assert numerics.advanced.header.isChecked()


def test_absent_values_have_a_check_box(qtbot):
    class Group(ParameterGroup):
        limit: Annotated[float, Field(gt=0)] | None = quantity(None, "ms", "Optional")

    holder = Holder(qtbot, Group, Group())
    editor = holder.editor("limit")
    height = editor.sizeHint().height()
    assert (editor.check.text(), editor.editor.isHidden()) == (NOT_SET, True), "a number would look as if it were used"
    editor.check.click()
    assert holder.parameters.limit > 0
    assert (editor.check.text(), editor.editor.isHidden()) == ("", False)
    assert max(height, editor.minimumHeight()) >= editor.sizeHint().height(), "nothing below moves"
    type_in(qtbot, editor.editor.box, "7")
    assert holder.parameters.limit == 7
    editor.check.click()
    assert holder.parameters.limit is None


def test_every_kind_of_the_cardiac_form_is_understood():
    kinds = {spec.kind for spec in fields_of(CardiacParameters)} | {spec.kind for spec in fields_of(Stimulus)}
    assert {Kind.GROUP, Kind.LIST, Kind.NUMBER, Kind.UNION, Kind.INTEGER, Kind.TEXT} <= kinds
    assert CardiacParameters.model_validate(default_values(CardiacParameters)) == CardiacParameters()


def test_a_type_without_an_editor_is_named():
    class Odd(ParameterGroup):
        table: dict[str, float] = {}  # noqa: RUF012  # pydantic copies defaults
        choice: Literal["a", "b"] = "a"

    with pytest.raises(TypeError, match="table"):
        fields_of(Odd)


def test_nothing_in_the_form_is_cut_or_covered(qtbot, heart):
    """At the width that the panel has at least: labels in full, and no two parts of a line upon each other."""
    heart.form.resize(340, 900)
    heart.form.show()
    qtbot.waitExposed(heart.form)
    for section in heart.form.findChildren(Section):
        section.set_expanded(True)
    qtbot.wait(20)
    lines = heart.form.findChildren(FieldLine)
    assert len(lines) > 15
    for line in lines:
        label = line.findChild(ElidedLabel)
        assert label.text() == label.full_text()
        parts = line.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        shown = [part.geometry() for part in parts if part.isVisible()]
        assert not any(a.intersects(b) for place, a in enumerate(shown) for b in shown[:place]), label.full_text()


def test_scrolling_over_a_field_that_has_the_focus_changes_nothing(qtbot, heart):
    """After typing a value the pointer is still upon it; turning the wheel there is scrolling."""
    heart.form.show()
    qtbot.waitExposed(heart.form)
    for box in (heart.editor("numerics", "step").box, heart.editor("numerics", "precision").combo):
        box.setFocus()
        place = QPointF(box.rect().center())
        wheel = QWheelEvent(
            place, box.mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        box.wheelEvent(wheel)
        assert not wheel.isAccepted()
    assert heart.edits == []


def test_a_choice_longer_than_its_box_ends_in_an_ellipsis_and_is_whole_in_its_tooltip(qtbot, monkeypatch):
    told = []
    monkeypatch.setattr(QToolTip, "showText", lambda at, text, of: told.append(text))

    def drawn(text):
        holder = QWidget()
        qtbot.addWidget(holder)
        holder.setToolTip("Which one, of a & b")
        box = CalmComboBox(holder)
        box.resize(130, 26)
        box.addItem(text)
        QApplication.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, QPoint(9, 9), QPoint(9, 9)))
        return box.shown_text(), box.grab().toImage()

    shown_text, picture = drawn("ten Tusscher-Panfilov 2006")
    assert shown_text.endswith("…")
    assert told.pop() == "ten Tusscher-Panfilov 2006<br>Which one, of a &amp; b"
    assert picture == drawn(shown_text)[1]
    assert drawn("factor")[0] == "factor"
    assert not told


def test_a_long_number_is_told_in_six_digits_and_stays_what_it_is(qtbot):
    box, changes = NumberBox(), []
    qtbot.addWidget(box)
    box.changed.connect(changes.append)
    box.set_value(1 / 3)
    assert box.text() == "0.333333"
    box.editingFinished.emit()
    assert box.value() == 1 / 3
    assert not changes
    type_in(qtbot, box, "0.3333")
    assert changes == [0.3333]


def test_editors_stay_for_another_problem_of_the_same_kind(heart, qtbot):
    """Which is seen from its top, as one of others is."""
    form = heart.form
    form.resize(300, 100)
    form.show()
    bar, root = form.verticalScrollBar(), form.root
    qtbot.waitUntil(lambda: bar.maximum() > 50)
    for model in (CardiacParameters, Counted):
        bar.setValue(50)
        form.set_model(model)
        assert bar.value() == 0
        assert (form.root is root) == (model is CardiacParameters)


class Counted(ParameterGroup):
    count: int = quantity(1, "1", "A number")


def test_fields_stand_at_the_top_of_a_form_that_has_room_below(qtbot):
    class Short(ParameterGroup):
        length: float = quantity(1.0, "m", "A length")

    holder = Holder(qtbot, Short, Short())
    holder.form.resize(400, 900)
    holder.form.show()
    qtbot.waitUntil(lambda: holder.form.root.height() > 0)
    assert holder.form.root.geometry().bottom() < 450


@pytest.mark.parametrize("gives_up", [False, True])
@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    ("key", "held"),
    [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)],
)
def test_keys_are_the_lines_own_only_while_what_is_typed_there_is_not_entered(qtbot, gives_up, typed, key, held):
    """Escape takes back what was typed where the line does so; Undo is the document's once nothing is left to enter."""
    line = Line()
    qtbot.addWidget(line)
    line.gives_up = gives_up
    line.setModified(typed)
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, held)
    event.setAccepted(False)
    QCoreApplication.sendEvent(line, event)
    assert event.isAccepted() == (typed and (gives_up or key is not Qt.Key.Key_Escape))
