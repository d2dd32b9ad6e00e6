"""A drive cycle of a person's own: a table that leaves a choice is asked about, one that is clear is taken."""

import pytest
from PySide6.QtCore import QObject

from ui.importing.cycles import EITHER, TIME, CycleDialog, _choice
from ui.session.running.phase import Phase
from ui.widgets.background import Background
from workbench.project.presets import preset_called
from workbench.words.numbers import spaced

CYCLER = '"Step","Elapsed, total [min]","Current [mA]","Power [kW]"\n1,0,"1,500",0.1\n1,1,-500,0.2\n2,2,250,0.3\n'


@pytest.fixture
def services(house):
    return house


@pytest.fixture
def motorway(window, qtbot):
    window.open_preset(preset_called("motorway"))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=120_000)
    return window


def choose(window, path):
    """As if it had been dropped on the field."""
    window.problem.form.editor_at(("drive_cycle", "file"))._take(str(path))


def test_columns_and_units_are_asked_for_and_stand_in_the_problem(motorway, qtbot, tmp_path):
    window, path = motorway, tmp_path / "cycler.csv"
    path.write_text(CYCLER)
    before = window.model.draft["parameters"]["drive_cycle"]
    choose(window, path)
    qtbot.waitUntil(lambda: window.cycles.dialog is not None)
    dialog = window.cycles.dialog
    qtbot.waitUntil(dialog.use_button.isEnabled)
    assert [box.currentText() for box in dialog.columns] == ["Elapsed, total [min]", "Current [mA]"]
    assert [box.currentText() for box in dialog.units] == ["min", "mA"]
    assert dialog.told.text() == spaced("3 points: Time from 0 s to 120.00 s, Current from −0.5 A to 1.5 A.")
    dialog.reject()
    assert window.model.draft["parameters"]["drive_cycle"] == before
    choose(window, path)
    qtbot.waitUntil(lambda: window.cycles.dialog is not None)
    dialog = window.cycles.dialog
    dialog.columns[1].setCurrentIndex(3)
    dialog.columns[1].activated.emit(3)
    assert dialog.units[1].currentText() == "kW"
    qtbot.waitUntil(dialog.use_button.isEnabled)
    assert spaced("Power from 100 W to 300 W") in dialog.told.text()
    dialog.use_button.click()
    taken = window.model.draft["parameters"]["drive_cycle"]
    assert (taken["file"], taken["time_column"], taken["value_column"]) == (str(path), "2 [min]", "4 [kW]")
    qtbot.waitUntil(lambda: window.model.valid and not window.background.busy, timeout=60_000)
    window.model.undo_stack.undo()  # one edit
    assert window.model.draft["parameters"]["drive_cycle"] == before
    window.model.undo_stack.setClean()


@pytest.mark.parametrize("text", ["time [s],power [kW]\n0,1\n1,2\n", "0,1\n1,2\n", "time,current\n0,oops\n"])
def test_what_leaves_no_choice_is_taken_without_a_question(motorway, qtbot, tmp_path, text):
    path = tmp_path / "cycle.csv"
    path.write_text(text)
    choose(motorway, path)
    qtbot.waitUntil(lambda: motorway.model.draft["parameters"]["drive_cycle"]["file"] == str(path))
    assert motorway.cycles.dialog is None
    motorway.model.undo_stack.setClean()


@pytest.mark.parametrize(
    ("value", "chosen"),
    [("Laststrom / mA", (2, "mA")), ("P_ab / kW", (2, "kW")), ("Leistung", (2, "W")), ("Strom", (2, "A"))],
)
def test_the_column_of_the_unit_is_proposed_where_no_heading_is_known(tmp_path, qtbot, value, chosen):
    """A voltage beside it was taken for the current."""
    path = tmp_path / "fahrt.csv"
    path.write_text(f"Uhrzeit (min);U_Klemme;{value}\n0;4,05;1500\n2;3,98;3400\n4;4,08;-500\n", "utf-8")
    choice = _choice(path)
    assert choice is not None
    parent = QObject()
    dialog = CycleDialog(path, "", (TIME, EITHER), choice, Background(parent), None)
    qtbot.addWidget(dialog)
    assert (dialog.columns[1].currentIndex(), dialog.units[1].currentText()) == chosen
    assert (dialog.columns[0].currentIndex(), dialog.units[0].currentText()) == (0, "min")
