"""BPX files in the window, on the real house: dropped, chosen in the form, changed, exported."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from engines.battery.bpx import read_bpx
from engines.battery.parameter_sets import PARAMETER_SETS, SCALARS
from engines.battery.parameter_sets.changes import Change
from tests.ui.session.test_files import drop
from ui.forms.fields.file import FileEditor
from ui.forms.fields.scalars import ChoiceEditor, OptionalEditor
from ui.forms.schema import Kind, fields_of
from workbench.project.document import open_document, save_document

SAMPLE = Path(__file__).parents[3] / "sample_data" / "bpx" / "lg_m50_chen2020.json"


@pytest.fixture
def services(house):
    return house


@pytest.fixture
def cell(window, qtbot, tmp_path):
    path = shutil.copy(SAMPLE, tmp_path / "cell.json")
    drop(window, path)
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=20_000)
    return window


def test_a_dropped_file_is_a_problem(cell, qtbot):
    assert cell.model.document.parameters.parameter_set == "BPX file"
    assert cell.windowTitle().startswith("cell")
    qtbot.waitUntil(lambda: cell.estimates.estimate is not None, timeout=60_000)
    assert any("N/P 1.13" in finding.message for finding in cell.findings.findings)
    assert "warning" not in cell.estimates.findings.text()


def test_what_is_wrong_in_a_file_is_said_and_the_cell_before_stays(cell, qtbot, tmp_path):
    content = json.loads(SAMPLE.read_text())
    content["Parameterisation"]["Negative electrode"]["OCP [V]"] = "lorentz(x)"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(content))
    editor = cell.problem.form.root.children_by_key["bpx_file"]
    assert isinstance(editor, FileEditor)
    editor.line.setText(str(wrong))
    editor.line.editingFinished.emit()
    assert "unknown function 'lorentz'" in cell.model.first_error()
    assert cell.model.document.parameters.bpx_file.endswith("cell.json")
    cell.model.undo_stack.undo()
    assert cell.model.valid


def test_a_project_whose_file_is_missing_opens_and_says_where(window, qtbot, tmp_path):
    folder = tmp_path / "saved"
    document = open_document(SAMPLE)
    document.project.title = "Lost"
    document.parameters.cycles = 7
    save_document(document, folder)
    (name,) = (path for path in folder.iterdir() if path.name != "project.json")
    name.rename(tmp_path / "moved.json")
    window.open_path(folder)
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=20_000)
    assert window.windowTitle().startswith("Lost")
    assert f"{name.name}' of 'BPX file' is missing: put it back" in window.banner.text
    root = window.problem.form.root
    line = root.children_by_key["bpx_file"].parentWidget()
    assert "is missing: put it back" in line.sentence.text()
    window.controller.run()  # says so again instead of running
    assert window.controller.runner is None
    window.model.edit(("parameters", "cycles"), 9)
    assert not window.model.valid
    assert window.model.document.parameters.cycles == 9  # and is kept with the rest
    window.model.edit(("parameters", "bpx_file"), str(tmp_path / "moved.json"))
    assert window.model.valid
    assert line.sentence.text() == ""
    assert window.viewport.geometry_shown is not None
    window.controller.step()
    qtbot.waitUntil(lambda: window.controller.phase == "paused", timeout=60_000)


def test_the_cell_is_exported(cell, qtbot, tmp_path, monkeypatch):
    action = cell.actions_["parameters"]
    assert (action.isVisible(), action.text()) == (True, "BPX file…")
    asked = []

    def answer(parent, title, suggestion, kinds):
        asked.append((title, Path(suggestion).name, kinds))
        return str(tmp_path / "out"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    cell.model.edit(("parameters", "initial_state_of_charge"), 0.5)
    action.trigger()
    qtbot.waitUntil(lambda: (tmp_path / "out.json").is_file())
    assert asked == [("Export BPX file", "cell.json", "BPX file (*.json)")]
    got = read_bpx(tmp_path / "out.json").values()
    assert got["nominal_capacity"] == 5.0
    assert got["negative_initial_concentration"] == pytest.approx(33133 * (0.0263458 + 0.9106180) / 2, rel=1e-6)
    qtbot.waitUntil(lambda: not cell.background.busy)


def test_a_change_is_chosen_with_its_unit(cell):
    form = cell.problem.form.root
    changes = form.children_by_key["changes"]
    changes.add()
    (item,) = changes.editors
    choice = item.children_by_key["parameter"]
    assert isinstance(choice, ChoiceEditor)
    texts = [choice.combo.itemText(k) for k in range(choice.combo.count())]
    assert len(texts) == len(SCALARS)
    assert "Negative diffusivity [m²/s]" in texts
    choice.edited.emit((), "positive_diffusivity")
    item.children_by_key["value"].edited.emit((), 1e-14)
    assert cell.model.document.parameters.changes == [Change(parameter="positive_diffusivity", value=1e-14)]
    assert changes.sections[0].header.text() == "Positive diffusivity"
    item.children_by_key["value"].edited.emit((), -1.0)
    assert "'Positive diffusivity [m²/s]' is -1 and must be above 0" in cell.model.first_error()
    assert isinstance(form.children_by_key["initial_state_of_charge"], OptionalEditor)


def test_the_numbers_of_a_set_are_a_choice():
    (spec,) = (spec for spec in fields_of(Change) if spec.key == "parameter")
    assert (spec.kind, set(spec.choices)) == (Kind.CHOICE, set(PARAMETER_SETS["Chen2020"].scalars))
    assert spec.labels["separator_porosity"] == "Separator porosity"
