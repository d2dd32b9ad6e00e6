"""The dialog of a table's columns: what it shows, what a choice changes, what is used; reached by a dropped file."""

import pytest
from PySide6.QtWidgets import QWidget

from engines.tables.columns import Axis
from ui.importing.table_dialog import TableDialog
from ui.widgets.background import Background
from workbench.importing.choice import choice_of
from workbench.words.numbers import spaced

AXES = Axis("time", "s"), Axis("Terminal voltage", "V", ("voltage",))
TEXT = "Time [h];Cell voltage [V];Terminal [mV];Current [A]\n0;4,3;4200;1\n0,5;4,2;4100;1\n1;4,1;4000;1\n"


@pytest.fixture
def dialog(qtbot, qapp, tmp_path):
    (tmp_path / "lab.csv").write_text(TEXT)
    parent = QWidget()
    qtbot.addWidget(parent)
    background = Background(parent)
    choice = choice_of(tmp_path / "lab.csv", AXES)
    made = TableDialog(tmp_path / "lab.csv", "voltage", AXES, choice, background, parent)
    made.show()
    qtbot.waitUntil(made.use_button.isEnabled, timeout=10_000)
    yield made
    background.close()


def choose(box, text, qtbot, dialog):
    box.setCurrentText(text)
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: dialog.use_button.isEnabled() or dialog.told.objectName() == "error", timeout=10_000)


def test_the_choice_and_what_will_be_used(dialog, qtbot):
    assert dialog.table.horizontalHeaderItem(0).text() == "Time [h]"
    assert dialog.table.item(1, 2).text() == "4100"
    assert [box.currentText() for box in (*dialog.columns, *dialog.units)] == ["Time [h]", "Cell voltage [V]", "h", "V"]
    assert dialog.told.text() == spaced("3 points: time from 0 s to 1 h 00 min, Terminal voltage from 4.1 V to 4.3 V.")
    choose(dialog.columns[1], "Terminal [mV]", qtbot, dialog)
    assert dialog.units[1].currentText() == "mV"
    assert dialog.told.text() == spaced("3 points: time from 0 s to 1 h 00 min, Terminal voltage from 4 V to 4.2 V.")
    choose(dialog.units[0], "min", qtbot, dialog)  # the heading is wrong
    assert spaced("time from 0 s to 60.00 s") in dialog.told.text()
    bold = [dialog.table.item(0, column).font().bold() for column in range(4)]
    assert bold == [True, False, True, False]
    with qtbot.waitSignal(dialog.used) as used:
        dialog.use_button.click()
    (measured,) = used.args[0]
    assert measured.x == [0, 30, 60]
    assert measured.y == pytest.approx([4.2, 4.1, 4.0])


def test_what_cannot_be_read_is_said_and_not_used(dialog, qtbot, tmp_path):
    (tmp_path / "lab.csv").write_text(TEXT.replace("0,5;4,2;4100", "0,5;4,2;off"))
    choose(dialog.columns[1], "Terminal [mV]", qtbot, dialog)
    assert spaced("row 3, column 3: 'off' is not a number") in dialog.told.text()
    assert not dialog.use_button.isEnabled()
