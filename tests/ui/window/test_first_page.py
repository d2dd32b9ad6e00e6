"""A window that is given what the gallery showed before shows it, and needs no engine for that."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QSettings

from tests.ui.doubles import FakeServices
from tests.ui.viewport.doubles import FakeViewport
from ui.window.centre.first_page import FirstPage
from ui.window.main_window import MainWindow

ROOT = Path(__file__).parents[3]

PROGRAM = """
import sys
from PySide6.QtCore import QSettings
from tests.ui.viewport.doubles import FakeViewport
from ui.app import create_application, load_engines, registry, remember, remembered
from ui.session.house import HouseServices
from ui.window.main_window import MainWindow

application = create_application([])
page = remembered()
window = MainWindow(HouseServices(), FakeViewport, QSettings(sys.argv[1], QSettings.Format.IniFormat), page)
window.show()
application.processEvents()
loaded = [name for name in sys.modules if name.startswith("engines.") and name.endswith(".engine")]
cards = len(window.welcome.gallery.cards)
load_engines(window, registry.own_names())
while window.new_menu.isEmpty() or remembered() is None:
    application.processEvents()
print(page is not None, cards, len(window.welcome.gallery.cards), len(window.new_menu.actions()), *loaded)
window.close_at_once()
application.processEvents()
"""


def test_the_gallery_stands_before_engines_are_loaded(tmp_path):
    """The second window's, as the first one left it; the API's own module is no engine."""
    program, environment = tmp_path / "program.py", {**os.environ, "PYTHONPATH": str(ROOT)}
    environment["WORKBENCH_CACHE_DIR"] = str(tmp_path / "cache")
    program.write_text(PROGRAM, "utf-8")
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(program), str(tmp_path / "w.ini")],
            capture_output=True, text=True, env=environment, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.split())
    first, second = told
    assert first[0] == "False"
    assert second[0] == "True"
    assert first[1:4] == second[1:4]
    assert second[4:] == ["engines.api.engine"]


def test_what_has_changed_since_is_shown_with_the_engines(qtbot, qapp, tmp_path):
    services = FakeServices()
    shown = FirstPage(tuple(services.presets())[:1], {"pond": "What a pond was called"}, {})
    settings = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat)
    window = MainWindow(services, FakeViewport, settings, shown)
    qtbot.addWidget(window)
    assert window.welcome.gallery.cards[0].preset == shown.presets[0]
    assert window.new_menu.isEmpty()
    window.take_engines()
    whole = FirstPage.of(services.presets(), services.engines())
    assert window.first_page == whole != shown
    assert len(window.welcome.gallery.cards) == len(whole.presets) + len(whole.new)
    assert len(window.new_menu.actions()) == len(whole.new)
    window.close_at_once()
