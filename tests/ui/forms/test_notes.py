"""The amber outline of what a finding is of: around the boxes that are filled in, and around nothing else."""

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from ui.forms.notes import outline


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
