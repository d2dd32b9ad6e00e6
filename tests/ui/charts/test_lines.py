"""Lines by two clicks or typed: charted at once, undone, kept in the project; and looked back to with the rest."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from tests.ui.charts.test_panel import run_until
from tests.ui.wave import SPEED
from ui.charts.lines.area import FIRST
from ui.charts.plots.reading import figure
from workbench.project.project import ChartView, Project


def clicked(window, *positions):
    for position in positions:
        window.viewport.picked.emit(0, position)


@pytest.fixture
def ends(charted):
    low, high = charted.controller.info.geometry.bounds
    middle = (low + high) / 2
    return (float(low[0]), *map(float, middle[1:])), (float(high[0]), *map(float, middle[1:]))


@pytest.fixture
def lined(charted, qtbot, ends):
    """The window with a line along x."""
    qtbot.keyClick(charted, Qt.Key.Key_L)
    assert charted.actions_["line"].isChecked()
    assert charted.banner.text == FIRST
    clicked(charted, *ends)
    assert charted.banner.text == ""
    return charted


def test_two_clicks_make_a_line_that_is_charted_while_the_run_goes_on(lined, qtbot, ends):
    panel = lined.charts.panel
    assert not lined.actions_["line"].isChecked()
    assert [(line.name, line.field) for line in lined.model.document.project.lines] == [("line 1", "voltage")]
    assert lined.viewport.lines_marked == [ends]
    assert "line_line 1" in panel.shown
    run_until(qtbot, lined, 6.0)
    cell = panel.cells["line_line 1"]
    qtbot.waitUntil(lambda: bool(cell.curves) and np.nanmax(cell.curves[0].y) > -85.0)
    (curve,) = cell.curves
    assert (cell.chart.title, cell.plot.x_unit, curve.x[0]) == ("Transmembrane voltage, line 1", "mm", 0.0)
    near, far = curve.x < SPEED * lined.controller.time / 2, curve.x > 2 * SPEED * lined.controller.time
    assert np.nanmin(curve.y[near]) > np.nanmax(curve.y[far], initial=-85.0)
    clicked(lined, (1.0, 1.0, 1.0))  # is for something else again
    assert len(lined.model.document.project.lines) == 1
    lined.model.undo_stack.undo()
    assert "line_line 1" not in panel.cells
    assert lined.viewport.lines_marked == []


def test_lines_are_typed_renamed_and_refused_with_a_sentence(lined, qtbot):
    lined.actions_["lines"].trigger()
    dialog = lined.charts.lines.dialog
    dialog.table.item(0, 0).setText("middle")
    dialog.table.item(0, 5).setText("2,5")
    (line,) = lined.model.document.project.lines
    assert (line.name, line.end[0]) == ("middle", 2.5)
    dialog.table.item(0, 5).setText("far")
    assert dialog.note.text() == "'far' is no number."
    qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    dialog.table.item(1, 0).setText("middle")
    assert dialog.note.text() == "Each line has a name of its own."
    assert [line.name for line in lined.model.document.project.lines] == ["middle", "line 1"]
    assert {"line_middle", "line_line 1"} <= {chart.name for chart in lined.charts.panel.charts}
    for column in (2, 3, 4):
        dialog.table.item(0, column).setText(dialog.table.item(0, column + 3).text())
    assert "begins where it ends" in dialog.note.text()
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.remove_button, Qt.MouseButton.LeftButton)
    assert [line.name for line in lined.model.document.project.lines] == ["line 1"]
    assert lined.model.valid
    dialog.close()


def test_charts_and_probes_show_the_moment_that_is_looked_back_to(lined, qtbot):
    lined.probes.add((2.0, 1.0, 1.0))
    panel, playback = lined.charts.panel, lined.recording.playback
    lined.controller.run()
    qtbot.waitUntil(
        lambda: (
            sum("line_line 1" in kept.rest.charts for kept in playback.reel.frames) > 3 and lined.controller.time > 9
        )
    )
    lined.controller.pause()
    qtbot.waitUntil(lambda: lined.controller.phase == "paused")
    kept = next(kept for kept in playback.frames() if "line_line 1" in kept.rest.charts and kept.time > 0)
    now = panel.cells["line_line 1"].curves
    playback.look(kept.time)
    qtbot.waitUntil(lambda: panel._past == kept.time)
    qtbot.waitUntil(lambda: panel.cells["line_line 1"].curves is not now)
    qtbot.waitUntil(lambda: panel.cells["voltage"]._moment == kept.time)
    mean = panel.cells["voltage"].legend.entries[0].value
    assert float(mean.split()[0]) == pytest.approx(4 - kept.time / 100, abs=0.006)
    assert lined.probes.plot._moment.isVisible()
    buffer = lined.probes.store.probes["P1", "voltage"]
    assert lined.probes.list.rows[0].value.text() == figure(buffer.at(kept.time), "mV")
    playback.back()
    qtbot.waitUntil(lambda: panel.cells["voltage"]._moment is None)
    assert not lined.probes.plot._moment.isVisible()


def test_the_charts_that_stand_open_are_kept_with_the_project_and_open_again(lined, qtbot):
    panel = lined.charts.panel
    panel.choose("losses", False)
    panel.choose("sizes", False)
    panel.cells["voltage"].set_look(panel.cells["voltage"].look.__class__(log_x=True))
    views = lined.view_settings().charts
    assert views == [ChartView(name="line_line 1"), ChartView(name="voltage", log_x=True)]
    saved = lined.model.snapshot(lined.view_settings()).project
    again = Project.model_validate_json(saved.model_dump_json())
    assert (again.view.charts, again.lines) == (views, saved.lines)
    document = lined.model.snapshot(lined.view_settings())
    lined.model.undo_stack.clear()
    lined.model.open(document)
    qtbot.waitUntil(lambda: lined.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: panel.shown == ("line_line 1", "voltage"))
    assert panel.cells["voltage"].look.log_x
