"""The probes' plot when another problem is opened: its quantity and its axes."""

from __future__ import annotations

from dataclasses import replace

from engines.api import FieldInfo
from tests.ui.doubles import FakeServices


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
