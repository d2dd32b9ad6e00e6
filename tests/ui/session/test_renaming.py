"""Renaming an item in the form: what names it goes with it, in one step that undo takes back."""

import pytest

from engines.api import registry
from ui.session.model import DocumentModel
from workbench.project.document import new_document
from workbench.project.presets import open_preset, preset_called

FIRST, SECOND = (("parameters", "populations", place, "name") for place in (0, 1))


@pytest.fixture
def model(qapp):
    model = DocumentModel()
    model.open(new_document(registry.engine("spiking")))
    names = [each["name"] for each in model.draft["parameters"]["populations"]]
    assert names == ["Excitatory", "Inhibitory"]
    model.edit(("parameters", "recording", "populations"), ["Inhibitory", "Excitatory"])
    return model


def named(model):
    parameters = model.draft["parameters"]
    joined = [(each["source"], each["target"]) for each in parameters["connections"]]
    return joined, parameters["recording"]["populations"]


def test_connections_and_recordings_go_with_a_population(model):
    before, count = named(model), model.undo_stack.count()
    assert "Excitatory" in str(before[0])
    told = []
    model.changed.connect(told.append)
    model.edit(FIRST, "Pyramidal", "change of name")
    assert str(named(model)) == str(before).replace("Excitatory", "Pyramidal")
    assert model.valid
    assert model.document.parameters.connections[0].source == "Pyramidal"
    assert ("parameters", "connections", 0, "source") in told  # the form shows it
    assert model.undo_stack.count() == count + 1
    model.undo_stack.undo()
    assert named(model) == before
    assert model.draft["parameters"]["populations"][0]["name"] == "Excitatory"
    model.undo_stack.redo()
    assert named(model)[1] == ["Inhibitory", "Pyramidal"]


def test_nothing_follows_where_two_are_called_the_same(model):
    before = named(model)
    model.edit(FIRST, "Inhibitory")
    model.edit(FIRST, "Other")
    assert named(model) == before  # whose are those of "Inhibitory"?


def test_all_populations_are_no_population(model):
    model.edit(SECOND, "all")
    before = named(model)
    model.edit(SECOND, "Basket")
    assert [target for _, target in named(model)[0]] == [target for _, target in before[0]]


def test_a_material_of_fdtd_is_named_by_objects(qapp):
    model = DocumentModel()
    model.open(open_preset(preset_called("fdtd_slab")))
    model.edit(("parameters", "materials", 0, "name"), "Window pane")
    assert [each["material"] for each in model.draft["parameters"]["objects"]] == ["Window pane"]
    assert model.valid
