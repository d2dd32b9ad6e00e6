"""The values that a sweep offers at first: around the present one, within its bounds."""

from types import SimpleNamespace

import pytest

from ui.sweep.values import ValuesEditor, _first_range
from workbench.sweep.numbers import NumberParameter
from workbench.words.bounds import Bounds


@pytest.mark.parametrize(
    ("value", "integer", "bounds", "offered"),
    [
        (2.0, False, Bounds(), (1.6, 2.4)),
        (-2.0, False, Bounds(), (-2.4, -1.6)),
        (0.0, False, Bounds(), (0.0, 1.0)),
        (1 / 3, False, Bounds(), (0.266667, 0.4)),
        (2.0, False, Bounds(le=2.2), (1.6, 2.0)),
        (2.0, False, Bounds(gt=1.9, lt=2.1), (2.0, 2.0)),
        (10, True, Bounds(), (8, 12)),
        (1, True, Bounds(), (1, 2)),
        (0, True, Bounds(), (0, 1)),
    ],
)
def test_a_range_begins_around_the_present_value(value, integer, bounds, offered):
    found = _first_range(SimpleNamespace(value=value, integer=integer, bounds=bounds))
    assert found == pytest.approx(offered)
    assert {type(each) for each in found} == {int if integer else float}


@pytest.fixture
def editor(qtbot):
    step = NumberParameter(("numerics", "step"), ("Numerics", "Step"), 0.02, "ms")
    made = ValuesEditor(step)
    made.along = (NumberParameter(("numerics", "cells"), ("Numerics", "Cells"), 40, integer=True),)
    qtbot.addWidget(made)
    made.show()
    made.edits = []
    made.changed.connect(lambda: made.edits.append(True))
    return made


@pytest.mark.parametrize(
    ("kind", "values", "seen", "words", "name"),
    [
        (
            "Even",
            [0.016, 0.018, 0.02, 0.022, 0.024],
            {"first", "_to", "last", "_in", "count"},
            "in",
            "Numerics › Step [ms]",
        ),
        (
            "Factors",
            [0.016, 0.0177, 0.0196, 0.0217, 0.024],
            {"first", "_to", "last", "_in", "count"},
            "in",
            "Numerics › Step [ms]",
        ),
        ("List", [0.016, 0.02, 0.024], {"list"}, None, "Numerics › Step [ms]"),
        (
            "Finer",
            [0.04, 0.02, 0.01],
            {"first", "_in", "count"},
            "twice as fine each, in",
            "Numerics › Step [ms], with Cells",
        ),
    ],
)
def test_each_way_to_give_values_has_its_own_fields_and_begins_with_values_of_its_kind(
    editor, kind, values, seen, words, name
):
    """``with``: what is made finer with it."""
    editor.kind.setCurrentText("List" if kind != "List" else "Even")
    editor.edits.clear()
    editor.kind.setCurrentText(kind)
    assert editor.edits
    parts = ("first", "_to", "last", "_in", "count", "list")
    assert {part for part in parts if getattr(editor, part).isVisible()} == seen
    if words:
        assert editor._in.text() == words
    assert editor.name.text() == name
    variation = editor.variation()
    assert list(variation.values) == pytest.approx(values, rel=0.01)
    assert variation.finer == (kind == "Finer")
    assert [one.titles[-1] for one in variation.along] == (["Cells"] if kind == "Finer" else [])


def test_what_is_typed_is_an_edit_and_the_values(editor):
    editor.list.setText("0.01, 0.03")
    editor.list.textEdited.emit("0.01, 0.03")
    assert editor.edits
    editor.kind.setCurrentText("List")
    assert list(editor.variation().values) == [0.01, 0.03]
    editor.kind.setCurrentText("Even")
    editor.first.set_value(1.0)
    editor.last.set_value(2.0)
    editor.count.set_value(3)
    assert list(editor.variation().values) == [1.0, 1.5, 2.0]
