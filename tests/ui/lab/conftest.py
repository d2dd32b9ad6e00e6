"""The window in its Lab."""

import pytest

from ui.window.centre.workspaces import LAB


@pytest.fixture
def lab(window, qtbot, services, tmp_path):
    """The Lab's workspace, its studies listed; nothing measured yet."""
    services.lab_folder = tmp_path / "kept"
    services.lab_folder.mkdir()
    window.workspaces.show(LAB)
    qtbot.waitUntil(lambda: window.pages.lab.setup.study is not None and not window.background.busy, timeout=5000)
    return window.pages.lab


@pytest.fixture
def measured(lab, qtbot):
    """The Lab after it has played back the plausible record."""
    lab.setup.run_button.click()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    return lab
