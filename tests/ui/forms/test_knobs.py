"""Named numbers: a slider where there are bounds, names and bounds shut during a run, values not."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from engines.spiking.parameters.equations import OwnNeuron
from engines.stencil.parameters.equations import OwnEquations
from tests.ui.forms.holder import Holder
from ui.forms.fields.knobs import KnobsEditor
from ui.forms.lists import with_article
from ui.forms.refusals import refusing, told

# Written out: what the sources have is held against these.
POSITIONS = 600


@pytest.fixture
def holder(qtbot):
    holder = Holder(qtbot, OwnEquations, OwnEquations())
    holder.form.show()
    holder.form.activateWindow()
    return holder


@pytest.fixture
def knobs(holder) -> KnobsEditor:
    return holder.editor("parameters")


def test_a_slider_goes_from_the_lowest_to_the_highest_value(holder, knobs):
    d, r = knobs.knobs
    assert (d.name.text(), r.name.text()) == ("D", "r")
    d.slider.setValue(POSITIONS // 4)
    assert holder.edits[-1] == (("parameters", 0, "value"), 0.5)
    assert d.value.text() == "0.5"
    r.value.setText("1.5")
    r.value.editingFinished.emit()
    assert holder.edits[-1] == (("parameters", 1, "value"), 1.5)
    assert r.slider.value() == 3 * POSITIONS // 4


def test_without_bounds_there_is_no_slider(holder, knobs, qtbot):
    d = knobs.knobs[0]
    assert d.slider.isVisible()
    assert not d.low.isVisible()
    d.more.click()
    assert d.low.isVisible()
    d.high.setFocus()
    d.high.selectAll()
    qtbot.keyClick(d.high, Qt.Key.Key_Delete)
    qtbot.keyClick(d.high, Qt.Key.Key_Return)
    assert holder.edits[-1] == (("parameters", 0, "high"), None)
    assert not d.slider.isVisible()
    qtbot.keyClicks(d.high, "nonsense")
    qtbot.keyClick(d.high, Qt.Key.Key_Return)
    assert len(holder.edits) == 1
    qtbot.keyClick(d.high, Qt.Key.Key_Escape)
    assert d.high.text() == ""
    qtbot.keyClicks(d.high, "8")
    qtbot.keyClick(d.high, Qt.Key.Key_Return)
    assert d.slider.isVisible()


@pytest.mark.parametrize("ends", ["escape", "typed over", "another value"])
def test_a_bound_that_is_no_number_stays_is_marked_and_told(holder, knobs, qtbot, ends):
    d = knobs.knobs[0]
    d.more.click()
    d.high.setFocus()
    qtbot.waitUntil(d.high.hasFocus)  # who types in it
    d.high.selectAll()
    qtbot.keyClicks(d.high, "2..5")
    qtbot.keyClick(d.high, Qt.Key.Key_Return)
    knobs.set_value(holder.values["parameters"])
    knobs.set_errors({})
    assert not holder.edits
    assert d.high.text() == "2..5"
    assert d.high.property("wrong")
    assert d.sentence.text() == "'2..5' is not a number; empty is no bound."
    assert [told(field) for field in refusing(holder.form)] == [f"In 'D, highest': {d.high.refusal}"]
    if ends == "escape":
        qtbot.keyClick(d.high, Qt.Key.Key_Escape)
    elif ends == "typed over":
        d.high.selectAll()
        qtbot.keyClicks(d.high, "2.5")
        qtbot.keyClick(d.high, Qt.Key.Key_Return)
        assert holder.edits == [(("parameters", 0, "high"), 2.5)]
    else:
        knobs.set_value([{**holder.values["parameters"][0], "high": 7.0}])
    assert d.high.text() == {"escape": "2", "typed over": "2.5", "another value": "7"}[ends]
    assert not d.high.property("wrong")
    assert not d.sentence.isVisible()
    assert not list(refusing(holder.form))


def test_a_bound_that_is_typed_stays_as_it_comes_anew_and_escape_takes_it_back(holder, knobs, qtbot):
    d = knobs.knobs[0]
    d.more.click()
    d.high.setFocus()
    qtbot.waitUntil(d.high.hasFocus)
    d.high.selectAll()
    qtbot.keyClicks(d.high, "35")
    knobs.set_value(holder.values["parameters"])
    assert d.high.text() == "35", "it is half typed"
    qtbot.keyClick(d.high, Qt.Key.Key_Escape)
    assert d.high.text() == "2"
    knobs.set_value(holder.values["parameters"])
    qtbot.keyClick(d.high, Qt.Key.Key_Return)
    assert not holder.edits


def test_numbers_are_added_named_and_removed(holder, knobs, qtbot):
    knobs.add()
    assert [each["name"] for each in holder.values["parameters"]] == ["D", "r", "a"]
    knobs.add()
    assert holder.values["parameters"][3]["name"] == "a2"
    name = knobs.knobs[3].name
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "kappa")
    qtbot.keyClick(name, Qt.Key.Key_Return)
    assert holder.values["parameters"][3]["name"] == "kappa"
    knobs.knobs[2].trash.click()
    assert [each["name"] for each in holder.values["parameters"]] == ["D", "r", "kappa"]
    assert len(knobs.knobs) == 3


def test_a_run_shuts_names_and_leaves_values(holder, knobs):
    holder.form.set_locked(True)
    d = knobs.knobs[0]
    assert d.slider.isEnabled()
    assert d.value.isEnabled()
    assert not d.name.isEnabled()
    assert not d.trash.isEnabled()
    assert not knobs.add_button.isEnabled()
    holder.form.set_locked(False)
    assert d.name.isEnabled()


def test_lines_are_printed_as_they_are_typed_and_know_the_parameters(holder, knobs, qtbot):
    editor = holder.editor("lines")
    assert editor.printed is not None
    assert "∇²" in editor.printed.text()
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "du/dt = D*dxy(u) + kappa*u")
    qtbot.waitUntil(lambda: "kappa" in editor.sentence.text(), timeout=2000)
    assert "Line 1 uses 'kappa', which is not known" in editor.sentence.text()
    assert "∂<sub>xy</sub>" in editor.printed.text()
    knobs.knobs[1].edited.emit("name", "kappa")
    qtbot.waitUntil(lambda: not editor.sentence.isVisible(), timeout=2000)


def test_a_row_of_a_file_that_lacks_keys_is_shown_with_what_is_wrong(holder, knobs):
    knobs.set_value([{"name": "D"}, {"value": 2.0}])
    holder.form.set_errors({("parameters", 1, "name"): "Field required."})
    assert knobs.knobs[0].name.text() == "D"
    assert knobs.knobs[1].sentence.text() == "Field required."


def test_what_is_added_has_its_article():
    assert [with_article(each) for each in ("object", "source", "unit")] == ["an object", "a source", "a unit"]


def test_a_number_with_a_unit_shows_and_takes_it(qtbot):
    holder = Holder(qtbot, OwnNeuron, OwnNeuron())
    holder.form.show()
    tau = holder.editor("parameters").knobs[0]
    assert (tau.name.text(), tau.unit.text()) == ("tau_m", "ms")
    assert tau.unit.isVisible()
    tau.unit.selectAll()
    qtbot.keyClicks(tau.unit, "second")
    qtbot.keyClick(tau.unit, Qt.Key.Key_Return)
    assert holder.edits[-1] == (("parameters", 0, "unit"), "second")
    assert not tau.trash.isVisible()
    tau.more.click()
    tau.trash.click()
    assert holder.edits[-1][1][0]["name"] == "E_L"
    holder.editor("parameters").set_locked(True)
    assert not tau.unit.isEnabled()
    assert tau.value.isEnabled()
