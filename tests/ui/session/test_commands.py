"""What one step of undo takes back: quick changes of one number together, any others apart."""

import pytest
from PySide6.QtGui import QUndoCommand

from engines.api import registry
from ui.session import commands
from ui.session.commands import SetValue
from ui.session.model import DocumentModel, _told
from workbench.project.document import new_document

# Written out: what the sources have is held against these.
MERGE_SECONDS = 0.8

WIDE, HIGH = ("parameters", "grid", "size_x"), ("parameters", "grid", "size_y")


@pytest.fixture
def model(qapp, monkeypatch):
    model = DocumentModel()
    model.open(new_document(registry.engine("stencil")))
    model.now = 100.0
    monkeypatch.setattr(commands.clock, "monotonic", lambda: model.now)
    return model


def edit(model, *changes):
    """(seconds after the one before, path, value) of each."""
    for after, path, value in changes:
        model.now += after
        model.edit(path, value)
    return [model.draft["parameters"]["grid"][path[-1]] for path in (WIDE, HIGH)], model.undo_stack.count()


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        (((0, WIDE, 3.0), (MERGE_SECONDS, WIDE, 4.0), (MERGE_SECONDS, WIDE, 5.0)), 1),
        (((0, WIDE, 3.0), (1.1 * MERGE_SECONDS, WIDE, 4.0)), 2),
        (((0, WIDE, 3.0), (0, HIGH, 4.0)), 2),
        (((0, WIDE, 3.0), (0, HIGH, 4.0), (0, WIDE, 5.0)), 3),
    ],
)
def test_quick_changes_of_one_number_are_one_step(model, changes, count):
    before, _ = edit(model)
    after, found = edit(model, *changes)
    assert found == count
    steps = [after]
    while model.undo_stack.canUndo():
        model.undo_stack.undo()
        steps.append(edit(model)[0])
    assert steps[-1] == before
    assert len(steps) == count + 1
    for expected in steps[-2::-1]:
        model.undo_stack.redo()
        assert edit(model)[0] == expected


def test_a_number_that_is_soon_what_it_was_leaves_no_step(model):
    before, _ = edit(model)
    assert edit(model, (0, WIDE, 3.0), (0.1, WIDE, before[0])) == (before, 0)


def test_lists_and_other_kinds_of_steps_stay_apart(model):
    first = SetValue(model, WIDE, 1.0, 2.0, "a")
    assert not first.mergeWith(SetValue(model, WIDE, 2.0, [3.0], "b"))
    assert not first.mergeWith(SetValue(model, WIDE, 2.0, {"kind": 1}, "b"))
    assert not first.mergeWith(QUndoCommand("c"))
    assert first.new == 2.0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "none"),
        ([{"parameter": "positive_thickness", "value": 6e-5}], "positive_thickness 6 × 10⁻⁵"),
        ([{"parameter": "a", "value": 1.0}, {"parameter": "b", "value": 2.0}], "a 1; b 2"),
        ([{"parameter": "a", "value": 1.0}] * 4, None),
        ([{"name": "a", "b": 1, "c": 2, "d": 3}], None),
        ([{"name": "a", "place": {"kind": "all"}}], None),
        ([1.0, 2.5], "1, 2.5 mm"),
        (True, "yes mm"),
    ],
)
def test_few_items_of_few_parts_are_told(value, words):
    """Of two runs one wants to know which parameter differs, and its values."""
    assert _told(value, "mm") == words
