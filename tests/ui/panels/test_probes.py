"""The probes' plot when another problem is opened: its quantity and its axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.api.charts import ChartInfo, Curve
from tests.ui.doubles import FakeServices
from ui.charts.plots.reading import value_at
from workbench.run.streams.traces import TraceBuffer


def reopened(window, qtbot, services: FakeServices) -> None:
    """Another problem, built."""
    before = window.controller.info
    window.model.undo_stack.setClean()
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(
        lambda: window.controller.phase == "ready" and window.controller.info not in (before, None), timeout=10_000
    )


def test_the_plot_begins_with_what_the_problem_shows(opened):
    """Other fields may be zero everywhere: Ex beside a view of Ez. What a person chose stays."""
    panel, info, document = opened.probes, opened.controller.info, opened.model.document
    assert panel.field.currentText() == "Transmembrane voltage"
    info = replace(info, fields=(*info.fields, FieldInfo("calcium", "Calcium", "µM", "cell", (0.0, 1.0))))
    document.project.view.field = "calcium"
    panel.field.clear()
    panel.set_info(info)
    assert panel.field.currentText() == "Calcium"
    panel.field.setCurrentIndex(0)
    panel.set_info(info)
    assert panel.field.currentText() == "Transmembrane voltage"


def test_axes_that_were_chosen_for_one_problem_are_not_those_of_the_next(opened, qtbot, services):
    opened.probes.plot.setYRange(5.0, 6.0)
    assert opened.probes.plot.getPlotItem().getViewBox().autoRangeEnabled() == [True, False]
    reopened(opened, qtbot, services)
    assert opened.probes.plot.getPlotItem().getViewBox().autoRangeEnabled() == [True, True]


def test_an_empty_plot_has_not_the_axes_of_the_problem_before(opened, qtbot, services):
    panel = opened.probes
    opened.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    buffer = TraceBuffer()
    buffer.append(np.linspace(0.0, 1500.0, 50), np.linspace(-85.0, 20.0, 50))
    panel.store.probes["P1", "voltage"] = buffer
    panel._show()
    box = panel.plot.getPlotItem().getViewBox()
    qtbot.waitUntil(lambda: box.viewRange()[0][1] > 1000)
    reopened(opened, qtbot, services)
    qtbot.wait(50)
    assert np.abs(box.viewRange()).max() <= 1.1


def test_a_moment_of_a_branch_that_was_left_has_no_values_of_the_present_one(opened, qtbot):
    """The present branch has come to 2.0: its last value is none of 9.0."""
    panel = opened.probes
    opened.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    buffer = TraceBuffer()
    buffer.append(np.linspace(0.0, 2.0, 50), np.linspace(0.0, 4.0, 50))
    panel.store.probes["P1", "voltage"] = buffer
    panel.look_back(1.0)
    assert panel.list.rows[0].value.text().startswith("2.0")
    panel.look_back(9.0)
    assert panel.list.rows[0].value.text() == ""
    info, curve = ChartInfo("u", "u", "1", ("u",)), Curve("u", buffer.times, buffer.values)
    assert value_at(info, curve, 1.0) == pytest.approx(2.0, abs=0.05)
    assert value_at(info, curve, 2.02) == pytest.approx(4.0)
    assert value_at(info, curve, 9.0) is None


def test_a_probe_that_is_placed_brings_its_curve_into_a_narrow_window(opened, qtbot):
    opened.resize(1280, 720)
    dock = opened.dock_layout.docks["probes"]
    qtbot.waitUntil(dock.isHidden)
    opened.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    assert not dock.isHidden()
    assert "P1" in [row.name.text() for row in opened.probes.list.rows]


def test_a_probe_that_is_placed_where_a_run_has_ended_has_its_value_there(opened, qtbot):
    opened.model.edit(("run", "until"), 0.5)
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.phase == "finished", timeout=60_000)
    opened.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    row = opened.probes.list.rows[0]
    qtbot.waitUntil(lambda: row.value.text() != "", timeout=60_000)
    assert row.value.text().endswith("mV")
    assert opened.probes.store.probes["P1", "voltage"].times.tolist() == [pytest.approx(0.5)]
