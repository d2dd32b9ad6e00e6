"""A window on doubles; each test ends with the window closed and no thread of ours left."""

import gc
import shutil
import threading

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QWidget

from tests.ui.doubles import FakeServices
from tests.ui.rules import broken
from tests.ui.viewport.doubles import FakeViewport
from ui.panels import estimates
from ui.session import forecaster
from ui.widgets import background
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
from workbench.storage.paths import config_dir, state_dir


@pytest.fixture(scope="session", autouse=True)
def _no_widget_dies_on_another_thread():
    """As in the application (ui/widgets/garbage.py); what is due is collected between tests."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _estimates_follow_at_once():
    """They wait for a person to end typing: 0.3 s in each test that asks for one."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (estimates, forecaster):
            patch.setattr(module, "DELAY_MILLISECONDS", 10)
        patch.setattr(background, "PATIENCE_SECONDS", 60.0)  # an estimate that compiles on a busy machine ends, too
        yield


@pytest.fixture(autouse=True)
def _as_before():
    """Widgets that a test is done with are gone before the next one, and the theme is the dark one again."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if theme().palette.name != "dark":
        theme().apply("dark")


PATIENCE = 6
"""How many times longer than it says a test waits for a state on a busy machine, unless it keeps time."""


def patient(wait):
    return lambda for_what, *, timeout=5000, **how: wait(for_what, timeout=PATIENCE * timeout, **how)


@pytest.fixture
def qtbot(request, qtbot, monkeypatch):
    """pytest-qt's, which waits longer for what comes at last: a wait that succeeds takes no longer with it."""
    if not request.node.get_closest_marker("keeps_time"):
        for name in ("waitUntil", "waitSignal", "waitExposed"):
            monkeypatch.setattr(qtbot, name, patient(getattr(qtbot, name)))
    QCursor.setPos(QGuiApplication.primaryScreen().geometry().bottomRight())  # it lay where the test before had left it
    yield qtbot
    nowhere = QWidget()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton):
        qtbot.mouseRelease(nowhere, button)  # one that a test left pressed would be so in each later press


@pytest.fixture
def services():
    return FakeServices()


@pytest.fixture
def own_folders():
    """What a test has kept in the folders of the application goes with it."""
    yield
    for folder in (state_dir(), config_dir()):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def house(own_folders):
    """The services of the application itself, for a module's ``services``."""
    from ui.session.house import HouseServices

    class Services(HouseServices):
        runners = ()

    return Services()


@pytest.fixture
def make_window(qtbot, tmp_path):
    """Windows on the real house; closed at the end."""
    from ui.session.house import HouseServices

    windows = []

    def make():
        settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        window = MainWindow(HouseServices(), FakeViewport, settings)
        qtbot.addWidget(window)
        windows.append(window)
        window.show()
        return window

    yield make
    for window in windows:
        window.close_at_once()


@pytest.fixture
def window(qtbot, qapp, services, tmp_path):
    before = set(threading.enumerate())  # what another test has left is that one's defect
    theme().apply("dark", qapp)
    window = MainWindow(services, FakeViewport, QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    yield window
    wrong = list(broken(window))
    window.close_at_once()
    for runner in services.runners:
        runner.join(60)
    left = [each.name for each in set(threading.enumerate()) - before if each.name.startswith("workbench-")]
    assert not left, f"threads left behind: {left}"
    assert not wrong, wrong


@pytest.fixture
def opened(window, qtbot, services):
    """The window with the first preset open and built."""
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    return window
