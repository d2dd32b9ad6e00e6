"""The gallery while a problem is open: a page of its own, with ways back, under which the run goes on untouched."""

import pytest
from PySide6.QtCore import QPoint, Qt

from ui.charts.lines.area import FIRST
from ui.session.running.phase import Phase
from ui.window.centre.workspaces import LAB, SIMULATE

CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def visible_docks(window):
    return {name for name, dock in window.dock_layout.docks.items() if dock.isVisible()}


def to_the_gallery(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_G, CONTROL)
    assert window.stack.currentWidget() is window.welcome


def click_tab(window, qtbot, place):
    qtbot.mouseClick(window.workspaces.tabs, LEFT, pos=window.workspaces.tabs.tabRect(place).center())


WAYS_BACK = {
    "button": lambda window, qtbot: qtbot.mouseClick(window.welcome.back_button, LEFT),
    "Escape": lambda window, qtbot: qtbot.keyClick(window, Qt.Key.Key_Escape),
    "Escape on a card": lambda window, qtbot: qtbot.keyClick(window.welcome.gallery.cards[0], Qt.Key.Key_Escape),
    "Ctrl+1": lambda window, qtbot: qtbot.keyClick(window, Qt.Key.Key_1, CONTROL),
    "tab": lambda window, qtbot: click_tab(window, qtbot, SIMULATE),
    "Lab and Ctrl+1": lambda window, qtbot: (
        qtbot.keyClick(window, Qt.Key.Key_2, CONTROL),
        qtbot.keyClick(window.pages.lab, Qt.Key.Key_1, CONTROL),
    ),
    "Lab and tab": lambda window, qtbot: (click_tab(window, qtbot, LAB), click_tab(window, qtbot, SIMULATE)),
}


@pytest.mark.parametrize("way", WAYS_BACK)
def test_a_way_back_to_the_problem_whose_run_goes_on(opened, qtbot, way):
    window = opened
    qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and window.controller.time > 0)
    docks, runner = visible_docks(window), window.controller.runner
    to_the_gallery(window, qtbot)
    assert not visible_docks(window)
    assert window.welcome.back_button.isVisible()
    assert window.welcome.back_button.text() == "Back to Slab"
    assert window.welcome.run_note.isVisible()
    time = window.controller.time
    qtbot.waitUntil(lambda: window.controller.time > time)
    WAYS_BACK[way](window, qtbot)
    assert window.stack.currentWidget() is window.viewport
    assert window.viewport.isVisible()
    assert window.workspaces.place == SIMULATE
    assert visible_docks(window) == docks
    assert window.controller.runner is runner
    assert window.controller.phase is Phase.RUNNING
    qtbot.keyClick(window, Qt.Key.Key_Space)  # the keys are the problem's again
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)


@pytest.mark.parametrize("way", ["Escape", "gallery"])
def test_a_line_that_was_to_be_drawn_is_given_up(opened, qtbot, way):
    window, switch = opened, opened.charts.lines.action
    qtbot.waitUntil(switch.isEnabled)
    switch.trigger()
    assert window.banner.text == FIRST
    assert window.banner.isVisible()
    if way == "Escape":
        qtbot.keyClick(window, Qt.Key.Key_Escape)
    else:
        to_the_gallery(window, qtbot)
    assert not switch.isChecked()
    assert not window.banner.isVisible()


def test_keys_of_the_simulation_are_silent_in_the_gallery(opened, qtbot):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    runners = list(window.services.runners)
    to_the_gallery(window, qtbot)
    assert not window.welcome.run_note.isVisible()
    for target in (window, window.welcome.gallery, window.welcome.gallery.cards[0]):
        for key in ("Space", "Period", "B", "M", "O"):
            qtbot.keyClick(target, getattr(Qt.Key, f"Key_{key}"))
        for key in ("R", "Z"):
            qtbot.keyClick(target, getattr(Qt.Key, f"Key_{key}"), CONTROL)
    for name in ("run", "step", "reset", "brush", "measure", "undo"):
        assert not window.actions_[name].isEnabled(), name
    qtbot.wait(150)
    assert window.stack.currentWidget() is window.welcome
    assert window.controller.phase is Phase.READY
    assert window.controller.time == 0.0
    assert window.services.runners == runners
    assert window.model.document.parameters.tissue.sigma_il == 0.3
    assert not window.actions_["brush"].isChecked()
    assert not window.actions_["measure"].isChecked()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.model.document.parameters.tissue.sigma_il == 0.17


def test_a_run_that_ends_meanwhile_leaves_its_keys_silent(opened, qtbot):
    window = opened
    window.timeline.until_edited.emit(100.0)
    window.controller.run()
    to_the_gallery(window, qtbot)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.wait(100)
    assert window.controller.phase is Phase.FINISHED
    assert window.controller.time == pytest.approx(100.0)


def test_resetting_the_layout_leaves_the_gallery_whole(opened, qtbot):
    window = opened
    docks = visible_docks(window)
    to_the_gallery(window, qtbot)
    view = next(action.menu() for action in window.menuBar().actions() if action.text() == "&View")
    view.popup(window.mapToGlobal(QPoint(200, 40)))
    qtbot.mouseClick(view, LEFT, pos=view.actionGeometry(window.actions_["layout"]).center())
    view.close()
    assert not visible_docks(window)
    assert window.welcome.size() == window.stack.size()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert visible_docks(window) == docks


def test_without_a_problem_there_is_no_back(window, qtbot):
    to_the_gallery(window, qtbot)
    assert not window.welcome.back_button.isVisible()
    assert not window.actions_["back"].isEnabled()
    window.actions_["layout"].trigger()
    for key, modifier in ((Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_1, CONTROL)):
        qtbot.keyClick(window, key, modifier)
    click_tab(window, qtbot, SIMULATE)
    assert window.stack.currentWidget() is window.welcome
    assert not visible_docks(window)


def test_from_the_lab_to_the_gallery_and_back(opened, qtbot):
    window = opened
    docks = visible_docks(window)
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL)
    assert not window.actions_["back"].isEnabled()  # Escape is the Lab's own there
    to_the_gallery(window, qtbot)
    assert window.workspaces.place == SIMULATE
    assert not visible_docks(window)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.viewport
    assert visible_docks(window) == docks
    assert not window.actions_["back"].isEnabled()  # nor does it take Escape from the view and the fields


def test_the_way_back_is_named_after_the_problem(opened, qtbot):
    window = opened
    button = window.welcome.back_button
    window.model.edit(("title",), "Salt & pepper")
    to_the_gallery(window, qtbot)
    assert button.text() == "Back to Salt && pepper"
    window.model.edit(("title",), "A title so long that no button could hold it, " * 4)
    assert "…" in button.text()
    qtbot.waitUntil(lambda: button.width() < window.welcome.width() / 2)
    assert button.toolTip().startswith("Back to A title so long that no button could hold it, A title")


def test_a_card_opens_another_problem_from_there(opened, qtbot):
    window = opened
    to_the_gallery(window, qtbot)
    qtbot.mouseClick(window.welcome.gallery.cards[1], LEFT)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    assert window.model.document.project.title == "Cube"
    to_the_gallery(window, qtbot)
    assert window.welcome.back_button.text() == "Back to Cube"


def test_who_goes_back_to_the_gallery_at_once_stays_there(opened, qtbot):
    """Between a click on a card and the page of its problem stands the time of a double click."""
    window = opened
    to_the_gallery(window, qtbot)
    with qtbot.waitSignal(window.model.opened, timeout=5000):
        qtbot.mouseClick(window.welcome.gallery.cards[1], LEFT)
    entering = window.document_display._entering
    if not entering.isActive():
        entering.start(60_000)  # the machine was slower than two clicks
    qtbot.keyClick(window, Qt.Key.Key_G, CONTROL)
    assert not entering.isActive()
    assert window.stack.currentWidget() is window.welcome


def test_a_problem_that_opens_leads_into_the_workspace_once(opened, qtbot):
    """Whoever goes back to the gallery is not taken out of it again."""
    window, display = opened, opened.document_display
    window.pages.show_gallery()
    display._entering.start(1)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport)
    window.pages.show_gallery()
    qtbot.wait(30)
    assert not display._entering.isActive()
    assert window.stack.currentWidget() is not window.viewport
