"""Sliders of isosurfaces, none where a field has no levels; the choice of what is drawn as arrows."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest

from engines.api import VectorInfo
from engines.geometry.grid import Grid
from tests.ui.scene.grids import ARRIVAL, CONCENTRATION, info
from ui.panels.view.panel import ViewPanel
from workbench.project.project import ViewSettings

pytestmark = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"), reason="needs a display: run under xvfb-run"
)


def panel_of(qtbot, shape):
    panel = ViewPanel()
    qtbot.addWidget(panel)
    panel.set_info(info(Grid(shape, (1.0,) * len(shape)), CONCENTRATION, ARRIVAL))
    panel.set_view(ViewSettings())
    panel.edits = []
    panel.edited.connect(panel.edits.append)
    return panel


def test_levels_are_added_moved_and_taken_away(qtbot):
    panel = panel_of(qtbot, (9, 9, 9))
    levels = panel.levels
    assert not levels.sliders[0].isVisibleTo(panel)
    levels.switch.click()
    assert panel.edits[-1].levels == [0.5]
    assert levels.figures[0].text() == "0.5 mol/m³"
    levels.more.click()
    assert panel.edits[-1].levels == [0.5, 0.75] or panel.edits[-1].levels == [0.5, 0.25]
    with qtbot.waitSignal(panel.edited, timeout=1000):
        levels.sliders[1].setValue(20)
    assert panel.edits[-1].levels == [0.5, 0.1]
    levels.show_range((0.0, 0.2))
    assert levels.sliders[1].value() == 100
    for _ in range(2):
        levels.more.click()
    assert not levels.more.isVisibleTo(panel)
    levels.less[0].click()
    assert panel.edits[-1].levels[0] == 0.1
    levels.slices.click()
    assert panel.edits[-1].level_slices
    levels.switch.click()
    assert panel.edits[-1].levels == []


def test_there_are_none_in_a_plane_and_of_what_is_missing_in_places(qtbot):
    assert not panel_of(qtbot, (9, 9)).levels.isVisibleTo(None)
    panel = panel_of(qtbot, (9, 9, 9))
    panel.set_view(ViewSettings(field=ARRIVAL.name))
    assert not panel.levels.switch.isEnabled()


def test_arrows_are_offered_where_the_engine_has_vectors(qtbot):
    panel = panel_of(qtbot, (9, 9))
    assert not panel.arrows.isVisibleTo(panel)
    flow = VectorInfo("flow", "Flow", "m/s", ("a", "b", ""))
    panel.set_info(replace(info(Grid((9, 9), (1.0, 1.0))), vectors=(flow,)))
    assert [panel.arrows.choice.itemText(row) for row in range(panel.arrows.choice.count())] == ["none", "Flow [m/s]"]
    panel.arrows.choice.setCurrentIndex(1)
    panel.arrows.choice.activated.emit(1)
    assert panel.edits[-1].arrows == "flow"
    panel.set_view(ViewSettings(arrows="of another engine"))
    assert panel.arrows.choice.currentText() == "none"
