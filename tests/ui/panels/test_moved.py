"""The controls of bodies that move and break, and the facts of an estimate."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSlider

from engines.api.charts import Fact
from tests.ui.scene.layers.test_lattice_layer import info, lattice
from tests.ui.scene.spheres import info as spheres_info
from tests.ui.scene.spheres import ten
from ui.charts.plots.reading import fact_text
from ui.panels.view.panel import ViewPanel
from ui.window.status import geometry_text
from workbench.project.project import ViewSettings

# Written out: what the sources have is held against these.
STEPS = 300

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
        (Fact("Memory", 2.5, "MB"), "2.50 MB"),
        (Fact("Took", 90.0, "s"), "90 s"),
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


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-5.0, 3.0), (2.0, 10.0)])
def test_the_level_from_which_is_hidden_goes_through_the_range_of_its_field(panel, low, high) -> None:
    known, moved = info(lattice(4, 3)), panel.moved
    fields = [replace(field, range=(low, high)) if field.name == known.hidden_by else field for field in known.fields]
    panel.set_info(replace(known, fields=tuple(fields)))
    edits = []
    moved.edited.connect(edits.append)
    for share, told in ((0.0, f"{low:.2f}"), (0.25, f"{low + 0.25 * (high - low):.2f}"), (1.0, "nothing")):
        level = None if share == 1 else low + share * (high - low)
        panel.set_view(ViewSettings(hidden_above=level))
        assert (moved.hiding.value(), moved.level.text()) == (share * STEPS, told)
        moved.hiding.blockSignals(True)
        moved.hiding.setValue(1)
        moved.hiding.blockSignals(False)
        moved.hiding.setValue(round(share * STEPS))
        moved._emit()
        assert edits[-1]["hidden_above"] == (None if level is None else pytest.approx(level))
        assert moved.level.text() == told


@pytest.mark.parametrize(
    ("scale", "place", "told"),
    [
        (0.0, 0, "at rest"), (0.5, 0, "0.5×"), (1.0, 0, "1×"), (10.0, 100, "10×"), (1000.0, 300, "1 000×"),
        (5000.0, 300, "5 000×"),
    ],
)  # fmt: skip
def test_the_slider_of_displacements_has_a_thousand_times_at_its_end(panel, scale, place, told) -> None:
    moved = panel.moved
    panel.set_view(ViewSettings(deformation=scale))
    assert (moved.scale.value(), moved.times.text().replace("\u202f", " ")) == (place, told)
    assert not moved.auto.isChecked()
    moved.show_scale(7.0)
    assert moved.scale.value() == place, "it was chosen"
    panel.set_view(ViewSettings(deformation=None))
    moved.show_scale(scale)
    assert moved.scale.value() == place
    moved.scale.setValue(50 if place != 50 else 51)
    assert moved.times.text() == "3.2×"
    moved._emit()
    assert panel.edits[-1].deformation == 3.2


def test_the_wheel_scrolls_the_tab_and_moves_none_of_its_sliders(panel) -> None:
    sliders = panel.findChildren(QSlider)
    before = [slider.value() for slider in sliders]
    assert len(sliders) > 4
    for slider in sliders:
        slider.setEnabled(True)
        for turned in (120, -120):
            buttons, keys, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
            here = QPointF(20, 5)
            wheel = QWheelEvent(here, here, QPoint(), QPoint(0, turned), buttons, keys, phase, False)
            slider.wheelEvent(wheel)
            assert not wheel.isAccepted(), "it goes on to what scrolls"
    assert [slider.value() for slider in sliders] == before
