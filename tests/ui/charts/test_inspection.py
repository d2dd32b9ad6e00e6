"""Looking into an element by a click in the view."""

import pytest
from PySide6.QtCore import Qt

SPOT = (3.0, 2.0, 1.0)


@pytest.fixture
def picked(charted, qtbot):
    charted.viewport.picked.emit(7, SPOT)
    qtbot.waitUntil(lambda: charted.charts.inspection.title.text() == "Particle 7", timeout=5000)
    return charted


def test_a_click_shows_title_facts_and_profile(picked, qtbot):
    panel = picked.charts.inspection
    assert panel.isVisible()
    assert panel.title.objectName() == "heading"
    assert [label.text() for label in panel.values] == ["−0.01230 V", "5.000 µm"]
    (cell,) = panel.cells
    qtbot.waitUntil(lambda: cell.plot.data.curves != ())
    assert cell.plot.data.curves[0].y[0] == pytest.approx(1000)
    assert picked.viewport.inspected == SPOT
    assert picked.model.draft["probes"] == []  # a look is no probe


def test_it_follows_the_run(picked, qtbot):
    panel = picked.charts.inspection
    picked.controller.run()
    qtbot.waitUntil(lambda: panel.cells[0].plot.data.curves[0].y[0] > 1010, timeout=10_000)
    picked.controller.pause()
    qtbot.waitUntil(lambda: picked.controller.phase == "paused")
    time = picked.controller.runner.post(lambda simulation: simulation.time).result(20)
    # At rest the panel shows the very moment, not one of a tenth of a second before.
    qtbot.waitUntil(lambda: panel.cells[0].plot.data.curves[0].y[0] == pytest.approx(1000 + time), timeout=3000)


def test_ctrl_click_and_the_button_place_probes(picked, qtbot):
    picked.viewport.followed.emit(7, SPOT)
    assert [probe["position"] for probe in picked.model.draft["probes"]] == [list(SPOT)]
    picked.model.undo_stack.undo()
    qtbot.mouseClick(picked.charts.inspection._buttons[0], Qt.MouseButton.LeftButton)
    assert len(picked.model.draft["probes"]) == 1


def test_it_can_be_put_away(picked, qtbot):
    panel = picked.charts.inspection
    qtbot.mouseClick(panel._buttons[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.title.text().startswith("Click an element"))
    assert panel.title.objectName() == "muted", "a hint, nobody's title"
    assert panel.values == []
    assert panel.cells == []
    assert picked.viewport.inspected is None


def test_without_more_to_know_a_click_places_a_probe(opened):
    opened.viewport.picked.emit(0, SPOT)
    assert len(opened.model.draft["probes"]) == 1
    assert opened.dock_layout.docks["inspection"].isHidden()


def test_a_rebuild_on_the_same_geometry_keeps_the_element(picked, qtbot):
    panel, before = picked.charts.inspection, picked.controller.runner
    picked.controller.build()
    qtbot.waitUntil(lambda: picked.controller.phase == "ready" and picked.controller.runner is not before)
    assert picked.viewport.inspected == SPOT
    qtbot.waitUntil(lambda: panel.title.text() == "Particle 7", timeout=5000)
    picked.charts.show_geometry(object())  # other elements
    assert picked.viewport.inspected is None
    qtbot.waitUntil(lambda: panel.title.text().startswith("Click an element"))


def test_another_document_has_no_element_chosen(picked, qtbot, services):
    picked.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: picked.viewport.inspected is None, timeout=10_000)
    qtbot.waitUntil(lambda: picked.controller.phase == "ready", timeout=10_000)
    assert picked.controller.viewers.element is None
