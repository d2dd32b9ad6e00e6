"""Texts that are names of something: lists of these, in which a name that is gone stays and is marked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from engines.api.parameters import names_among
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Stimulus
from engines.cardiac.parameters.cells import CellChange
from engines.cardiac.parameters.recording import Electrode, Lead
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.materials import Material
from engines.fdtd.parameters.monitors import PlaneMonitor, TraceMonitor
from engines.fdtd.parameters.objects import Box
from engines.peridynamics.tools.fitting import FitParameters
from tests.ui.forms.holder import Holder


def texts(editor) -> list[str]:
    return [editor.combo.itemText(place) for place in range(editor.combo.count())]


def pick(qtbot, editor, text):
    place = editor.combo.findText(text)
    editor.combo.setCurrentIndex(place)
    editor.combo.activated.emit(place)


@pytest.fixture
def waves(qtbot):
    materials = [Material(name=name) for name in ("glass", "gold")]
    monitors = [TraceMonitor(name="ear"), PlaneMonitor(name="in"), PlaneMonitor(name="out")]
    return Holder(qtbot, FdtdParameters, FdtdParameters(materials=materials, objects=[Box()], monitors=monitors))


@pytest.fixture
def heart(qtbot):
    stimuli = [Stimulus(name="S1"), Stimulus(name="S2", begins="after", after="S1")]
    regions = [RegionSetting(region="left", changes=[CellChange(parameter="g_Kr")])]
    return Holder(qtbot, CardiacParameters, CardiacParameters(regions=regions, stimuli=stimuli))


def test_a_material_is_chosen_and_stays_marked_when_it_is_gone(waves, qtbot):
    field = waves.editor("objects", 0, "material")
    assert texts(field) == ["vacuum", "glass", "gold"]
    assert not field.combo.isEditable()
    pick(qtbot, field, "gold")
    assert waves.edits == [(("objects", 0, "material"), "gold")]
    waves.edit(("materials", 1, "name"), "silver")
    assert texts(field) == ["vacuum", "glass", "silver", "gold (missing)"]
    assert field.combo.currentText() == "gold (missing)"
    assert field.combo.property("missing")
    assert "no 'gold' any more" in field.combo.toolTip()
    pick(qtbot, field, "silver")
    assert texts(field) == ["vacuum", "glass", "silver"]
    assert not field.combo.property("missing")


def test_of_monitors_the_other_planes_are_offered(waves):
    assert texts(waves.editor("monitors", 2, "relative_to")) == ["none", "in"]
    assert texts(waves.editor("monitors", 1, "relative_to")) == ["none", "out"]


def test_a_stimulus_follows_another_one_and_a_region_is_of_the_mesh(heart):
    assert texts(heart.editor("stimuli", 1, "after")) == ["S1"]
    assert texts(heart.editor("regions", 0, "region")) == ["left", "right"]
    heart.form.set_suggestions({"region": ["septum"]})
    assert heart.editor("regions", 0, "region").combo.currentText() == "left (missing)"


def test_without_names_one_is_typed(heart, qtbot):
    heart.form.set_suggestions({})
    field = heart.editor("regions", 0, "region")
    assert field.combo.isEditable()
    assert field.combo.currentText() == "left"
    field.combo.lineEdit().selectAll()
    qtbot.keyClicks(field.combo.lineEdit(), "apex")
    qtbot.keyClick(field.combo.lineEdit(), Qt.Key.Key_Return)
    assert heart.edits == [(("regions", 0, "region"), "apex")]


def test_a_parameter_of_the_cell_model_is_chosen_or_its_last_part_typed(heart, qtbot):
    heart.form.set_suggestions({"cell_parameter": ["potassium.g_Kr", "sodium.g_Na"]})
    field = heart.editor("regions", 0, "changes", 0, "parameter")
    assert texts(field) == ["potassium.g_Kr", "sodium.g_Na"]
    assert field.combo.isEditable()
    assert field.combo.currentText() == "g_Kr"
    assert not field.combo.property("missing")
    pick(qtbot, field, "sodium.g_Na")
    assert heart.edits[-1] == (("regions", 0, "changes", 0, "parameter"), "sodium.g_Na")
    line = field.combo.lineEdit()
    line.selectAll()
    qtbot.keyClicks(line, "g_Zz")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert heart.edits[-1] == (("regions", 0, "changes", 0, "parameter"), "g_Zz")
    assert len(heart.edits) == 2
    assert field.combo.property("missing")


def test_a_number_that_is_looked_for_is_chosen_as_the_form_calls_it_or_its_identifier_typed(qtbot):
    holder = Holder(qtbot, FitParameters, FitParameters())
    words = {"material.fracture_energy": "Fracture energy [J]", "material.law.strength": "Tensile strength"}
    holder.form.set_suggestions({"name": words})
    field, named = holder.editor("numbers", 0, "name"), ("numbers", 0, "name")
    assert texts(field) == list(words.values())
    assert field.combo.currentText() == "Fracture energy [J]"
    assert not field.combo.property("missing")
    assert holder.editor("numbers").sections[0].header.text() == "Fracture energy"
    pick(qtbot, field, "Tensile strength")
    line = field.combo.lineEdit()
    for typed, shown in (
        ("material.fracture_energy", "Fracture energy [J]"),
        ("Tensile strength", "Tensile strength"),
        ("material.law.other", "material.law.other"),
    ):
        line.selectAll()
        qtbot.keyClicks(line, typed)
        qtbot.keyClick(line, Qt.Key.Key_Return)
        assert line.text() == shown
    names = ["material.law.strength", "material.fracture_energy", "material.law.strength", "material.law.other"]
    assert holder.edits == [(named, name) for name in names]
    assert field.combo.property("missing")


def test_names_of_models_and_of_plain_values_are_the_same():
    parameters = CardiacParameters(stimuli=[Stimulus(name="a"), Stimulus(name="b")])
    recording = parameters.recording.model_copy(
        update={"electrodes": [Electrode(name="E1"), Electrode(name="E2")], "leads": [Lead()]}
    )
    around = (recording.leads[0], recording, parameters)
    assert names_among(("electrodes.name",), around) == ["E1", "E2"]
    assert names_among(("stimuli.name", "nowhere.name", "region"), around) == ["a", "b"]
    plain = tuple(each.model_dump() for each in around)
    assert names_among(("electrodes.name", "stimuli.name"), plain) == ["E1", "E2", "a", "b"]
