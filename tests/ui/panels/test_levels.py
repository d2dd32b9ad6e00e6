"""Sliders of isosurfaces, none where a field has no levels; the choice of what is drawn as arrows."""

import os
import sys
from dataclasses import replace
from itertools import pairwise

import pytest

from engines.api import VectorInfo
from engines.geometry.grid import Grid
from tests.ui.scene.grids import ARRIVAL, CONCENTRATION, info
from ui.panels.view.levels import LevelsPanel
from ui.panels.view.panel import ViewPanel
from workbench.project.project import ViewSettings
from workbench.words.numbers import figure

# Written out: what the sources have is held against these.
MOST = 4
STEPS = 200

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


@pytest.mark.parametrize("limits", [(-5.0, 3.0), (2.0, 10.0), (4.0, 4.0)])
def test_sliders_of_levels_span_the_range_wherever_it_lies(qtbot, limits):
    """Each new one is in the middle of the widest gap, and each slider where its value is."""
    low, high = limits
    levels, edits = LevelsPanel(), []
    qtbot.addWidget(levels)
    levels.edited.connect(lambda changes: edits.append(changes["levels"]))
    field = replace(CONCENTRATION, range=limits)
    levels.set_view(ViewSettings(), field, deep=True, sliced=True)
    levels.switch.click()
    assert edits[-1] == [(low + high) / 2]
    while levels.more.isVisibleTo(levels):
        before = edits[-1]
        levels.more.click()
        assert edits[-1][:-1] == before
        ends = sorted([low, *before, high])
        widest = max(after - first for first, after in pairwise(ends))
        assert min(abs(edits[-1][-1] - each) for each in ends) == pytest.approx(widest / 2)
    assert len(edits[-1]) == MOST
    for row, value in enumerate((0, 50, 120, STEPS)):
        levels.sliders[row].setValue(value)
    levels._emit()
    expected = [low + (high - low) * part for part in (0, 0.25, 0.6, 1)]
    assert edits[-1] == pytest.approx(expected)
    assert [label.text() for label in levels.figures] == [f"{figure(value, 3)} mol/m³" for value in expected]
    levels.set_view(ViewSettings(levels=expected[:3]), field, deep=True, sliced=True)
    if high > low:
        assert [slider.value() for slider in levels.sliders[:3]] == [0, 50, 120]
    levels.less[1].click()
    assert edits[-1] == pytest.approx([expected[0], expected[2]])
    levels.set_view(ViewSettings(levels=expected), None, deep=True, sliced=True)
    assert not levels.switch.isEnabled()
    assert levels.figures[3].text() == figure(high, 3), "without a field it has no unit"
