"""What a start does not wait for: it is done when somebody goes there, or a moment later."""

from __future__ import annotations

from ui.window.workspaces import LAB, SIMULATE


def test_the_lab_is_made_when_it_is_first_shown(window, services):
    assert not window.lab_page.made
    window.workspaces.show(LAB)
    assert window.lab_page.made
    assert window.lab.isVisible()
    made = window.lab
    window.workspaces.show(SIMULATE)
    window.workspaces.show(LAB)
    assert window.lab is made


def test_devices_are_looked_for_once_the_first_page_stands(window, qtbot):
    assert not window.device_menu.actions()
    qtbot.waitUntil(lambda: bool(window.device_menu.actions()), timeout=5000)
