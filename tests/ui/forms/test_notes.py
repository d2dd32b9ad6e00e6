"""The amber outline of what a finding is of: around the boxes that are filled in, and around nothing else."""

import pytest
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from engines.api import Finding
from ui.forms.notes import NoteLabel, outline


def test_an_outline_is_of_an_editor_that_is_a_box_or_of_the_boxes_in_it(qtbot):
    line, holder = QLineEdit(), QWidget()
    inside = QComboBox(), QLineEdit(), QLabel()
    layout = QHBoxLayout(holder)
    for widget in inside:
        layout.addWidget(widget)
    for each in (line, holder):
        qtbot.addWidget(each)
        outline(each, True)
    assert [bool(each.property("noted")) for each in (line, holder, *inside)] == [True, False, True, True, False]
    for each in (line, holder):
        outline(each, False)
    assert not any(each.property("noted") for each in (line, holder, *inside))


@pytest.mark.parametrize(
    ("severities", "name"),
    [(("info",), "muted"), (("warning",), "warning"), (("info", "warning"), "warning"), ((), "muted")],
)
def test_a_note_is_amber_where_one_of_its_findings_is_a_warning(qtbot, severities, name):
    findings = [Finding(f"This is {severity}.", severity) for severity in severities]
    label = NoteLabel()
    qtbot.addWidget(label)
    label.setText("before")
    label.show_findings(findings)
    assert label.objectName() == name
    assert label.isHidden() == (not findings)
    assert label.text() == "\n".join(finding.message for finding in findings)


def test_a_long_note_is_whole_where_the_form_is_narrow(qtbot):
    label = NoteLabel()
    qtbot.addWidget(label)
    sentence = "The step is longer than the time that a wave takes from a cell to the next: halve it."
    label.show_findings([Finding(sentence, "warning")])
    width = label.fontMetrics().horizontalAdvance(sentence) // 3
    label.resize(width, label.heightForWidth(width))
    line = label.fontMetrics().height()
    assert 3 * line <= label.height() <= 6 * line
