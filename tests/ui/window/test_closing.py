"""Closing during a run: at once it asks nothing and keeps the edits, every thread ends, and the exit code is 0."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
from collections import Counter

from PySide6.QtCore import QCoreApplication, QEvent, QSettings

from tests.ui.viewport.doubles import FakeViewport
from ui.window.centre.workspaces import LAB
from ui.window.main_window import MainWindow
from workbench.remote.connection import Place


def test_a_closed_window_takes_all_its_widgets_with_it(qtbot, qapp, services, tmp_path):
    def kinds() -> Counter[str]:
        for _ in range(2):  # menus of plots lose their owner in the first
            gc.collect()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return Counter(type(widget).__name__ for widget in qapp.allWidgets())

    def use_a_window() -> None:
        window = MainWindow(services, FakeViewport, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
        window.show()
        window.open_preset(services.presets()[0])
        qtbot.waitUntil(lambda: window.controller.phase == "ready")
        stimuli = window.model.draft["parameters"]["stimuli"]
        for times in (3, 1):
            window.model.edit(("parameters", "stimuli"), stimuli * times)
        window.workspaces.show(LAB)
        window.pages.show_gallery()
        window.close_at_once()
        window.deleteLater()

    before = kinds()
    use_a_window()
    assert not kinds() - before


def test_closing_during_a_run_keeps_the_edits(opened, qtbot, services):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.2)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == "running")
    runner = window.controller.runner
    window.close_at_once()
    assert not window.isVisible()
    assert window.viewport.closed
    runner.join(0)
    assert services.autosaved[-1].parameters.tissue.sigma_il == 0.2
    assert str(runner.state) == "closed"


def test_a_machine_that_answers_as_the_window_closes_costs_no_edits(opened, services, monkeypatch):
    """What runs there took the place of what was open before that was kept."""
    window, closing = opened, threading.Event()
    there, close = services.document("there"), window.background.close
    monkeypatch.setattr(services, "connect", lambda *_: closing.wait(60) and there, raising=False)
    monkeypatch.setattr(window.background, "close", lambda: (closing.set(), close()))
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.2)
    window.connecting.go_to(Place("there"))
    window.close_at_once()
    assert services.autosaved[-1].parameters.tissue.sigma_il == 0.2


def test_exit_code_zero_after_closing_during_a_run(tmp_path):
    script = textwrap.dedent(
        """
        import sys
        from PySide6.QtCore import QSettings, QTimer
        from ui.app import create_application
        application = create_application([])
        from tests.ui.doubles import FakeServices
        from tests.ui.viewport.doubles import FakeViewport
        from ui.window.main_window import MainWindow
        from ui.widgets.theme import theme
        theme().apply("dark", application)
        services = FakeServices()
        window = MainWindow(services, FakeViewport, QSettings(sys.argv[1], QSettings.Format.IniFormat))
        window.show()
        window.open_preset(services.presets()[0])
        window.run_preset(services.presets()[0])
        def look():
            if window.controller.phase == "running":
                window.close()
        timer = QTimer()
        timer.timeout.connect(look)
        timer.start(50)
        sys.exit(application.exec())
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "w.ini")], timeout=60, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
