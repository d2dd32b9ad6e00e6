"""Preferences: each choice acts at once, and is there again with the next window."""

import pytest
from PySide6.QtCore import QSettings

from tests.ui.doubles import FakeServices
from tests.ui.viewport.doubles import FakeViewport
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
from ui.window.questions.preferences import FRAMES, PreferencesDialog

# Written out: what the sources have is held against these.
BUDGET = 512 << 20
MEGABYTE = 1 << 20


@pytest.fixture
def dialog(window, qtbot):
    window.actions_["preferences"].trigger()
    dialog = window.findChild(PreferencesDialog)
    qtbot.waitUntil(dialog.isVisible)
    yield dialog
    dialog.close()


def test_choices_act_at_once_and_stay(window, dialog, qtbot, qapp):
    reel = window.recording.playback.reel
    assert (reel.budget, window.starting_over.asks) == (BUDGET, True)
    dialog.frames_box.setValue(128)
    dialog.asks_check.click()
    assert (reel.budget, window.starting_over.asks) == (128 * MEGABYTE, False)
    dialog.theme_chooser.activated.emit(0)
    assert theme().palette.name == "dark"  # it was
    dialog.theme_chooser.activated.emit(1)
    assert theme().palette.name == "light"
    theme().apply("dark", qapp)
    again = MainWindow(FakeServices(), FakeViewport, window.settings)
    qtbot.addWidget(again)
    assert (again.recording.playback.reel.budget, again.starting_over.asks) == (128 * MEGABYTE, False)
    again.close_at_once()


@pytest.mark.parametrize("value", ["much", "-3", "1e99"])
def test_nonsense_in_the_file_counts_as_not_chosen(qtbot, qapp, tmp_path, value):
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue(FRAMES, value)
    window = MainWindow(FakeServices(), FakeViewport, settings)
    qtbot.addWidget(window)
    assert 16 * MEGABYTE <= window.recording.playback.reel.budget <= BUDGET
    window.close_at_once()
