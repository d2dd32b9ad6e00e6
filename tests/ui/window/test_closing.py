"""Closing during a run: at once it asks nothing and keeps the edits, every thread ends, and the exit code is 0."""

from __future__ import annotations

import subprocess
import sys
import textwrap


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


def test_exit_code_zero_after_closing_during_a_run(tmp_path):
    script = textwrap.dedent(
        """
        import sys
        from PySide6.QtCore import QSettings, QTimer
        from ui.app import create_application
        application = create_application([])
        from tests.ui.doubles import FakeServices, FakeViewport
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
