"""Measuring between two points: the switch, the clicks, the line, and what the run says."""

import os
import sys
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSettings

from tests.ui.doubles import FakeServices
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.viewport.doubles import FakeViewport
from ui.scene.overlays.measure_mark import measure_strokes
from ui.scene.scene import Scene
from ui.window.main_window import MainWindow
from ui.window.measuring import HINT, NOTHING, OFF, SECOND

pytestmark = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"), reason="needs a display: run under xvfb-run"
)


@pytest.fixture
def window(qtbot, tmp_path):
    services = FakeServices()
    window = MainWindow(services, FakeViewport, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    assert not window.actions_["measure"].isEnabled()
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    yield window
    window.close_at_once()
    for runner in services.runners:
        runner.join(60)


def pick(window, element):
    position = tuple(float(x) for x in window.controller.info.geometry.centroids[element])
    window.viewport.picked.emit(element, position)
    return position


def test_two_clicks_tell_what_the_run_knows_of_both(window, qtbot):
    measure, panel = window.actions_["measure"], window.charts.measurement
    qtbot.waitUntil(measure.isEnabled, timeout=5000)
    window.actions_["brush"].setChecked(True)
    measure.setChecked(True)
    assert not window.actions_["brush"].isChecked(), "one thing at a time for the left button"
    qtbot.waitUntil(lambda: panel.title.text() == HINT, timeout=5000)
    first = pick(window, 3)
    qtbot.waitUntil(lambda: panel.title.text() == SECOND, timeout=5000)
    assert window.viewport.measured == (first,)
    qtbot.waitUntil(lambda: len(panel.values) == 2, timeout=5000)
    assert panel.values[0].text() == "0 mm", "one point tells of itself"
    probes = window.dock_layout.docks["probes"]
    probes.show()
    probes.raise_()
    second = pick(window, 500)
    qtbot.waitUntil(lambda: panel.title.text() == "Between two points", timeout=5000)
    assert window.viewport.measured == (first, second)
    assert not panel.visibleRegion().isEmpty(), "what was asked for is in front"
    expected = np.linalg.norm(np.array(first) - np.array(second))
    assert panel.values[0].text() == f"{expected:#.4g} mm"
    assert window.probes.names() == [], "clicks place no probe meanwhile"
    line = panel.values[0].fontMetrics().height()
    assert panel.values[1].y() - panel.values[0].y() < 1.7 * line, "close below each other, however high the dock is"
    window.controller.step(50)  # what is said follows the run
    qtbot.waitUntil(lambda: panel.values[1].text() == "1 ms", timeout=5000)
    third = pick(window, 7)
    assert window.viewport.measured == (third,)
    qtbot.waitUntil(lambda: panel.title.text() == SECOND, timeout=5000)
    measure.setChecked(False)
    assert window.viewport.measured == ()
    dock = window.dock_layout.docks["measurement"]
    assert dock.isHidden(), "what lies behind it is of use again"
    dock.show()
    dock.raise_()
    qtbot.waitUntil(lambda: panel.title.text() == OFF, timeout=5000)
    pick(window, 7)
    assert len(window.probes.names()) == 1


def test_the_panel_comes_forward_when_it_is_asked_for_in_the_menu_too(window, qtbot):
    panel, docks = window.charts.measurement, window.dock_layout.docks
    window.show_dock("probes")
    docks["measurement"].toggleViewAction().trigger()
    qtbot.waitUntil(lambda: not panel.visibleRegion().isEmpty(), timeout=5000)


def test_where_nothing_can_be_measured_the_panel_does_not_ask_for_a_switch_that_is_grey(window, qtbot):
    """One that stood open when the window was closed the last time does so for each problem."""
    panel, info = window.charts.measurement, window.controller.info
    window.show_dock("measurement")
    qtbot.waitUntil(lambda: panel.title.text() == OFF, timeout=5000)
    window.controller.info_changed.emit(replace(info, measures=False))
    assert not window.actions_["measure"].isEnabled()
    qtbot.waitUntil(lambda: panel.title.text() == NOTHING, timeout=5000)
    window.controller.info_changed.emit(info)
    qtbot.waitUntil(lambda: panel.title.text() == OFF, timeout=5000)


def test_the_probes_say_where_the_values_are_that_no_curve_has(window, qtbot):
    hint = window.probes.readout
    assert hint.text() == "Activation time: Measure (M), then click"
    assert hint.toolTip() == "Activation time: Measure (M), then click the point."
    window.probes.plot.hovered.emit("12.3 ms   P1 −84.2 mV")
    assert hint.text() == "12.3 ms   P1 −84.2 mV"
    window.probes.plot.hovered.emit("")
    assert hint.text().startswith("Activation time")


def test_another_document_has_nothing_measured_and_a_new_run_measures_the_same(window, qtbot):
    panel = window.charts.measurement
    qtbot.waitUntil(window.actions_["measure"].isEnabled, timeout=5000)
    window.actions_["measure"].setChecked(True)
    points = pick(window, 3), pick(window, 500)
    qtbot.waitUntil(lambda: panel.title.text() == "Between two points", timeout=5000)
    window.controller.build()
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    assert window.viewport.measured == points
    qtbot.waitUntil(lambda: panel.title.text() == "Between two points", timeout=5000)
    window.open_preset(window.services.presets()[1])
    qtbot.waitUntil(lambda: window.viewport.measured == (), timeout=10_000)


def test_the_line_goes_from_point_to_point():
    scene = Scene()
    scene.set_geometry(kuhn_cube(2))
    assert measure_strokes(scene, 400, 300, 1.0) == []
    scene.measured = ((0.0, 0.0, 0.0), (10.0, 10.0, 10.0))
    pixels, _ = scene.camera.to_pixels(np.array(scene.measured), 400, 300)
    line = measure_strokes(scene, 400, 300, 1.0)[0]
    assert np.array([line.start, line.end]) == pytest.approx(pixels)
    scene.measured = scene.measured[:1]
    assert all(stroke.start == stroke.end for stroke in measure_strokes(scene, 400, 300, 1.0))
