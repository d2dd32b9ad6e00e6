"""What a start does not wait for comes a moment later."""


def test_devices_are_looked_for_once_the_first_page_stands(window, qtbot):
    assert not window.device_menu.actions()
    qtbot.waitUntil(lambda: bool(window.device_menu.actions()), timeout=5000)
