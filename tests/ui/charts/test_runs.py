"""Runs are things: each that ends is listed with what differs, named, pinned behind the next, kept with the project."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from tests.ui.charts.test_panel import drawn, run_until
from ui.charts.runs.dialog import BEHIND, DIFFERS, NAME, REACHED, STORED
from ui.charts.runs.runs import differing
from workbench.project.project import Project


def again(window, qtbot, time):
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    run_until(qtbot, window, time)


def test_a_run_that_has_ended_is_listed_named_after_what_differs_and_pinned(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    panel, runs = charted.charts.panel, charted.charts.runs.runs
    drawn(qtbot, panel, "voltage", until=19.5)
    assert runs.runs == []
    charted.model.edit(("parameters", "numerics", "step"), 0.04)
    again(charted, qtbot, 5.0)
    charted.actions_["runs"].trigger()
    dialog = charted.charts.runs.dialog
    table = dialog.table
    assert table.rowCount() == 1
    assert table.item(0, NAME).text() == "run 1: Time step 0.02 ms"
    assert table.item(0, DIFFERS).text() == "Time step 0.02 ms"
    assert float(table.item(0, REACHED).text().split()[0]) >= 20.0
    cell = panel.cells["voltage"]
    assert cell.kept == ()
    table.item(0, BEHIND).setCheckState(Qt.CheckState.Checked)
    assert cell.kept == ("run 1: Time step 0.02 ms",)
    table.item(0, NAME).setText("fine")
    assert [entry.title for entry in cell.legend.entries if entry.mark == "dotted"] == ["fine"]
    again(charted, qtbot, 5.0)
    assert [run.title for run in runs.runs] == ["fine", "run 2"]
    assert dialog.table.item(0, DIFFERS).text() == "nothing"
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.remove_button, Qt.MouseButton.LeftButton)
    assert [run.title for run in runs.runs] == ["fine"]

    dialog.table.item(0, STORED).setCheckState(Qt.CheckState.Checked)
    (stored,) = charted.model.document.project.runs
    saved = Project.model_validate_json(charted.model.document.project.model_dump_json())
    assert saved.runs == [stored]
    np.testing.assert_allclose(stored.series["mean"].y, 4 - np.array(stored.series["mean"].x) / 100, atol=1e-6)
    assert len(stored.series["mean"].x) <= 801
    document = charted.model.snapshot()
    charted.model.undo_stack.clear()
    charted.model.open(document)
    qtbot.waitUntil(lambda: charted.controller.phase == "ready", timeout=10_000)
    assert [(run.title, run.pinned, run.stored) for run in runs.runs if run.stored] == [("fine", True, True)]
    qtbot.waitUntil(lambda: "fine" in panel.cells["voltage"].kept)
    dialog.close()


def test_a_live_parameter_is_of_the_run_that_goes_on_with_it(charted, qtbot):
    """Changed after the end of one, it is what the next begins with."""
    run_until(qtbot, charted, 20.0)
    runs, place = charted.charts.runs.runs, ("conductivity_scale",)
    charted.model.edit(("parameters", *place), 0.5)
    assert runs.parameters[place[0]] == 1.0
    run_until(qtbot, charted, charted.controller.time + 10)
    assert runs.parameters[place[0]] == 0.5
    charted.model.edit(("parameters", *place), 2.0)
    charted.controller.reset()
    assert [run.parameters[place[0]] for run in runs.runs] == [0.5]
    assert runs.parameters[place[0]] == 2.0


def test_a_reset_that_the_form_forbids_leaves_the_run_as_it_is(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    charted.model.edit(("parameters", "numerics", "step"), -1.0)
    charted.controller.reset()
    assert charted.controller.time >= 20.0
    assert charted.charts.runs.runs.runs == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1, "b": {"c": 2.0}}, {"a": 1, "b": {"c": 3.0}}, [(("b", "c"), 2.0, 3.0)]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [(("a",), [1, 2], [1, 3])]),
        ({"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1}, {"x": 5}]}, [(("a", 1, "x"), 2, 5)]),
        ({"a": [{"x": 1}]}, {"a": []}, [(("a",), [{"x": 1}], [])]),
        ({"a": 1}, {"b": 1}, [(("a",), 1, None), (("b",), None, 1)]),
    ],
)
def test_what_differs_in_two_sets_of_parameters(before, after, found):
    assert differing(before, after) == found
