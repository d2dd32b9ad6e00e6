"""A window whose engine has charts of every kind."""

import pytest

from tests.ui.charts.doubles import ChartedEngine


@pytest.fixture
def charted(window, qtbot, services):
    """The window with a charted problem, built and shown."""
    services.engine = ChartedEngine()
    window.resize(1600, 1000)
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    qtbot.waitUntil(lambda: not window.forecaster.busy, timeout=10_000)  # it has none, and takes away what is shown
    return window
