"""What is done without: commands and Python without the window's libraries, and all of it without a network.

Each in one process of its own, whose kernels are those that other tests have compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SMALL = ["--set", "grid.cells_x=32", "--set", "grid.cells_y=32", "--until", "0.01", "--device", "cpu"]

COMMANDS = """
import contextlib, io, json, sys

def carry_out(*given):
    "Exit code and what was printed."
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(given)
    return code, printed.getvalue()

from engines.backend.ceilings import memory
memory.cpu_array_size = lambda: 1 << 16  # a ceiling is measured in seconds otherwise
import workbench as wb
from workbench.cli import main
small, told = json.loads(sys.argv[1]), {}
"""

WITHOUT_WINDOW = (
    """
import sys

class Missing:
    "Finds that nothing of the extra window is installed."
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in ('PySide6', 'shiboken6', 'vispy', 'pyqtgraph', 'freetype'):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Missing())
"""
    + COMMANDS
    + """
told["window"] = carry_out("sine_mode")
told["help"] = carry_out("--help")
told["presets"] = carry_out("presets")
told["new"] = carry_out("new", "plate", "--engine", "stencil")
told["estimate"] = carry_out("estimate", "plate", *small[:4])
told["run"] = carry_out("run", "sine_mode", *small, "--out", "run")
told["sweep"] = carry_out("sweep", "sine_mode", "--vary", "grid.cells_x=32,48", *small[-4:], "--out", "swept")
told["script"] = carry_out("script", "sine_mode")
told["verify"] = carry_out("verify", "--list")
told["bench"] = carry_out("bench", "--list")
with wb.simulate(wb.open("sine_mode").set("grid.cells_x", 32).set("grid.cells_y", 32), device="cpu") as run:
    run.advance(1)
    told["field"] = [0, str(len(run.field("u")))]
    try:
        run.picture()
    except wb.ProblemError as error:
        told["picture"] = [2, str(error)]
from pathlib import Path
from workbench.bench import plots
told["plots"] = [0, plots.save_plots(None, Path("."))[1]]
print(json.dumps(told))
"""
)

GUARD = """
import socket, sys

def closed(event, given):
    "Python tells every call that opens a way to elsewhere, whoever makes it."
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request") or (
        event in ("socket.__new__", "socket.connect", "socket.bind") and given[0].family != socket.AF_UNIX
        if event != "socket.__new__" else given[1] not in (-1, socket.AF_UNIX)
    ):
        tried.append((event, str(given)))
        raise OSError(f"{event} while there is no network")

tried = []
sys.addaudithook(closed)
try:
    socket.create_connection(("127.0.0.1", 9))
except OSError:
    pass
caught = len(tried)
tried.clear()
"""

WITHOUT_NETWORK = (
    GUARD
    + COMMANDS
    + """
told["estimate"] = carry_out("estimate", "sine_mode", *small[:4])
told["run"] = carry_out("run", "sine_mode", *small, "--pictures", "1", "--out", "run")
for command in ("run", "sweep", "bench", "verify", "doctor"):
    told[command + " help"] = carry_out(command, "--help")
told["presets"] = carry_out("presets")
run = wb.open("sine_mode").set("grid.cells_x", 32).set("grid.cells_y", 32).run(until=0.01, device="cpu")
run.field("u")
told["tried"] = [caught, json.dumps(tried)]
print(json.dumps(told))
"""
)


WINDOW_WITHOUT_NETWORK = (
    GUARD
    + """
import json, time
from pathlib import Path
from PySide6.QtCore import QSettings
from ui.app import create_application
application = create_application([])
from engines.backend.ceilings import memory
memory.cpu_array_size = lambda: 1 << 16
from ui.session.house import HouseServices
from ui.viewport.viewport import Viewport
from ui.window.main_window import MainWindow
from workbench.project.presets import preset_called

def until(reached):
    latest = time.monotonic() + 120
    while not reached():
        assert time.monotonic() < latest, (window.banner.text, window.controller.phase)
        application.processEvents()

told, here = {}, Path.cwd()
window = MainWindow(HouseServices(), Viewport, QSettings(str(here / "window.ini"), QSettings.Format.IniFormat))
window.show()
window.open_preset(preset_called("sine_mode"))
until(lambda: window.controller.phase == "ready")
window.model.edit(("parameters", "grid", "cells_x"), 32)
window.model.edit(("run", "device"), "cpu")
window.controller.run()
until(lambda: window.controller.time > 0)
window.controller.pause()
window.files.save_to(here / "p.zip")
until(lambda: not window.background.busy and (here / "p.zip").exists())
window.files._ask = lambda *given: here / "p.png"
window.files.export_snapshot()
until(lambda: not window.background.busy and (here / "p.png").exists())
window.open_path(here / "p.zip")
until(lambda: not window.background.busy and window.controller.phase == "ready")
for name in ("help", "shortcuts", "about", "palette"):
    window.actions_[name].trigger()
    application.processEvents()
until(lambda: not window.background.busy)
told["files"] = [0, " ".join(sorted(file.name for file in here.iterdir()))]
libraries = Path("/proc/self/maps").read_text() if sys.platform == "linux" else ""
told["library"] = [int("Qt6Network" in libraries or "PySide6.QtNetwork" in sys.modules), "Qt's own way to a network"]
window.close_at_once()
told["tried"] = [caught, json.dumps(tried)]
print(json.dumps(told))
"""
)


def answers(program: str, folder: Path) -> dict[str, Any]:
    """What a program tells of its commands: exit code and text of each."""
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "STATE")}}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(SMALL)],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.fixture(scope="module")
def windowless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return answers(WITHOUT_WINDOW, tmp_path_factory.mktemp("windowless"))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("help", "estimate"), ("presets", "sine_mode"), ("new", "plate"), ("estimate", "emory"), ("run", "Finished"),
        ("sweep", "48"), ("script", "wb.open"), ("verify", "stencil/mode-decay"), ("bench", "laplace1d"),
        ("field", "32"),
    ],
)  # fmt: skip
def test_what_needs_no_window_goes_without(windowless, command, shown):
    code, text = windowless[command]
    assert code == 0, text
    assert shown in text


@pytest.mark.parametrize("command", ["window", "run", "picture", "plots"])
def test_what_needs_one_names_the_extra_in_a_sentence(windowless, command):
    code, text = windowless[command]
    assert code == {"window": 2, "run": 0, "picture": 2, "plots": 0}[command]
    assert "the extra 'window', which is missing" in text
    assert "workbench doctor" in text
    assert "Traceback" not in text
    if command == "window":
        assert len(text.splitlines()) == 1


def test_nothing_uses_a_network(tmp_path):
    told = answers(WITHOUT_NETWORK, tmp_path)
    caught, tried = told.pop("tried")
    assert caught, "the guard has not seen the connection that the program made to try it"
    assert json.loads(tried) == []
    assert all(code == 0 for code, _ in told.values()), told
    assert list((tmp_path / "run").glob("*.png")), told["run"]


def test_the_window_uses_no_network(tmp_path):
    """Opened, run, saved, exported, opened again, and asked for help."""
    pytest.importorskip("vispy")
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        pytest.skip("there is no display")
    told = answers(WINDOW_WITHOUT_NETWORK, tmp_path)
    caught, tried = told.pop("tried")
    assert caught, "the guard has not seen the connection that the program made to try it"
    assert json.loads(tried) == []
    assert all(code == 0 for code, _ in told.values()), told
    assert {"p.zip", "p.png"} <= set(told["files"][1].split())
