"""The controls of bodies that move and break, and the facts of an estimate."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest

from engines.api.charts import Fact
from tests.ui.scene.layers.test_lattice_layer import info, lattice
from tests.ui.scene.spheres import info as spheres_info
from tests.ui.scene.spheres import ten
from ui.charts.plots.reading import fact_text
from ui.panels.view.panel import ViewPanel
from ui.window.status import geometry_text
from workbench.project.project import ViewSettings

pytestmark = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"), reason="needs a display: run under xvfb-run"
)


@pytest.fixture
def panel(qtbot):
    made = ViewPanel()
    qtbot.addWidget(made)
    made.set_info(info(lattice(4, 3)))
    made.set_view(ViewSettings())
    made.edits = []
    made.edited.connect(made.edits.append)
    return made


def test_the_slider_goes_by_equal_factors_and_auto_takes_it_back(panel, qtbot) -> None:
    moved = panel.moved
    assert moved.isVisibleTo(panel)
    assert moved.auto.isChecked()
    moved.show_scale(200.0)
    assert moved.times.text() == "200×"
    with qtbot.waitSignal(panel.edited, timeout=1000):
        moved.scale.setValue(moved.scale.maximum() * 2 // 3)
    assert panel.edits[-1].deformation == 100.0
    assert not moved.auto.isChecked()
    moved.show_scale(200.0)
    assert moved.times.text() == "100×"
    moved.auto.click()
    moved.reset.click()
    moved.rest.click()
    assert [view.deformation for view in panel.edits[-3:]] == [None, 1.0, 0.0]
    assert moved.times.text() == "at rest"


def test_what_is_damaged_is_hidden_from_a_level_on(panel, qtbot) -> None:
    moved = panel.moved
    assert moved.level.text() == "nothing"
    with qtbot.waitSignal(panel.edited, timeout=1000):
        moved.hiding.setValue(moved.hiding.maximum() // 2)
    assert panel.edits[-1].hidden_above == pytest.approx(0.25)
    with qtbot.waitSignal(panel.edited, timeout=1000):
        moved.hiding.setValue(moved.hiding.maximum())
    assert panel.edits[-1].hidden_above is None


def test_nothing_of_it_is_offered_where_nothing_moves(panel) -> None:
    assert panel.moved.lines.text() == "Crack path"
    assert not panel.cut_open.isVisibleTo(panel)
    panel.set_info(spheres_info(ten()))
    assert not panel.moved.isVisibleTo(panel)
    assert panel.cut_open.isVisibleTo(panel)


def test_particles_of_a_lattice_are_not_called_spheres() -> None:
    assert geometry_text(lattice(4, 3)) == "12 particles"


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (Fact("Particles", 36000, ""), "36\u202f000"),
        (Fact("Part", 0.25, ""), "0.2500"),
        (Fact("Error", -1.2, "%"), "−1.200 %"),
        (Fact("Speed", 3000.0, "m/s"), "3\u202f000 m/s"),
        (Fact("Turns", -3, ""), "−3"),
        (Fact("Force", 12345.6, "N"), "12\u202f346 N"),
        (Fact("Force", 9999.7, "N"), "10\u202f000 N"),
    ],
)
def test_counts_are_written_in_full(fact, text) -> None:
    assert fact_text(fact) == text


def test_a_field_of_names_has_neither_range_nor_colours_to_choose(panel) -> None:
    known = info(lattice(4, 3))
    shown = panel.colours
    controls = (shown.low, shown.high, shown.map, shown.fit, shown.follow)
    assert all(control.isEnabled() for control in controls)
    panel.set_info(replace(known, fields=(replace(known.fields[0], names=("whole", "broken")),)))
    assert not any(control.isEnabled() for control in controls)
