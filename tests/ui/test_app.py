"""The application as a person starts it: the real 3D view, a project named on the command line, exit code 0."""

import os
import subprocess
import sys
import textwrap
from importlib.resources import as_file, files
from types import SimpleNamespace

import pytest

from ui.app import open_named
from ui.refusal import sentence

START = textwrap.dedent(
    """
    import sys, threading
    from PySide6.QtCore import QTimer
    from engines.backend.ceilings import memory as ceilings
    from ui.app import create_application, main
    ceilings.cpu_array_size = lambda: (64 << 20) // 8  # as in the tests' own process
    application = create_application([])
    from PySide6.QtGui import QSurfaceFormat
    print("waits for the screen:", QSurfaceFormat.defaultFormat().swapInterval())
    from ui.window.main_window import MainWindow
    seen = {"frames": set(), "hooked": False}
    def look():
        for window in application.topLevelWidgets():
            if not isinstance(window, MainWindow):
                continue
            if not seen["hooked"]:
                seen["hooked"] = True
                window.controller.frame_arrived.connect(lambda frame: seen["frames"].add(frame.step))
            if window.controller.phase == "ready" and window.stack.currentWidget() is window.viewport:
                window.controller.run()
            if len(seen["frames"]) > 4 and "broken" not in seen:
                seen["broken"] = True
                QTimer.singleShot(0, lambda: 1 / 0)  # an unforeseen error in a slot
            elif "broken" in seen and window.banner.text:
                print("banner:", window.banner.text)
                print("picture:", window.viewport.image(64, 48).shape)
                window.close()
    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(60)
    code = main(sys.argv[1:])
    print("threads:", [thread.name for thread in threading.enumerate() if thread.name.startswith("workbench")])
    sys.exit(code)
    """
)


def test_what_is_no_file_is_opened_as_the_preset_of_that_name(tmp_path):
    opened = []
    window = SimpleNamespace(open_path=opened.append, open_preset=lambda preset: opened.append(preset.id))
    (tmp_path / "small_slab").mkdir()
    for name in ("small_slab", str(tmp_path / "small_slab")):
        open_named(window, name)
    assert opened == ["small_slab", tmp_path / "small_slab"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a display")
@pytest.mark.parametrize(
    ("display", "said"),
    [("", "There is no display for the window"), (":12345", "The display ':12345' for the window cannot be reached")],
)
def test_without_a_display_a_sentence_ends_it(display, said):
    """Not Qt's own words and a core dump."""
    kept = {key: value for key, value in os.environ.items() if "DISPLAY" not in key and key != "QT_QPA_PLATFORM"}
    environment = kept | ({"DISPLAY": display} if display else {})
    line = [sys.executable, "-c", "import sys; from ui.app import main; sys.exit(main([]))"]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(said)
    assert done.stderr.endswith("workbench run PROJECT.\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs a display; run under Xvfb")
def test_it_ends_with_the_code_that_ends_it_and_opens_nothing_that_is_not_named(tmp_path):
    line = textwrap.dedent(
        """
        import sys
        from PySide6.QtCore import QTimer
        from ui.app import create_application, main
        application = create_application([])
        QTimer.singleShot(500, lambda: application.exit(3))
        sys.exit(main(["--theme"]))
        """
    )
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_STATE_HOME": str(tmp_path / "s")}
    start = [sys.executable, "-c", line]
    done = subprocess.run(start, timeout=150, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr


def test_a_library_that_is_missing_is_told_with_who_names_it(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":1")
    told = sentence(["xcb-cursor0 is needed", "This application failed to start.\n\nAvailable plugins are: xcb."])
    assert told.startswith("Qt cannot open a window here ('This application failed to start.'): 'workbench doctor'")


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs a display; run under Xvfb")
def test_the_window_opens_a_project_runs_it_survives_an_error_and_ends_with_zero(tmp_path):
    with as_file(files("sample_data") / "small_slab") as project:
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_STATE_HOME": str(tmp_path / "s")}
        done = subprocess.run(
            [sys.executable, "-c", START, str(project)],
            timeout=150,  # a cold machine compiles the kernels
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "banner: Something unexpected happened (ZeroDivisionError" in done.stdout
    assert "waits for the screen: 0\n" in done.stdout
    assert "picture: (48, 64, 4)" in done.stdout
    assert "threads: []" in done.stdout
