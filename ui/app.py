"""The start of the window: ``workbench [PATH]``."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QSurfaceFormat
from PySide6.QtWidgets import QApplication

from engines.api import registry
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.simulation import guarding
from engines.reading import expanded
from ui.memory import share_arenas
from ui.refusal import refusals_in_words
from ui.settings import open_settings
from ui.widgets.garbage import GuiThreadCollector
from ui.widgets.icons import application_icon
from ui.widgets.theme import THEMES, theme
from ui.window.centre.first_page import remember, remembered
from ui.window.ending import SignalEnding
from ui.window.main_window import MainWindow
from workbench.project.presets import preset_called
from workbench.remote.connection import Place
from workbench.run.frames import Message

log = logging.getLogger("workbench.window")

SWITCH_SECONDS = 0.001
"""How long the window may keep the interpreter while the run wants to launch kernels. With Python's own 5 ms a run of
25 µs steps on one H200 made 24,000 steps a second beside an idle window, with 1 ms 31,000; the window's timers are as
punctual with either."""

ENGINES_MILLISECONDS = 50
"""Until engines are loaded, behind the first picture."""


def create_application(arguments: Sequence[str]) -> QApplication:
    """The QApplication, made as the viewport needs it (shared OpenGL contexts must be asked for before).

    Pictures do not wait for the screen's next refresh: that wait would hold Python's lock, which a run needs."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    at_once = QSurfaceFormat.defaultFormat()
    at_once.setSwapInterval(0)
    QSurfaceFormat.setDefaultFormat(at_once)
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    with refusals_in_words():
        application = QApplication(["workbench", *arguments])
    application.setApplicationName("Workbench")
    application.setDesktopFileName("workbench")
    application.setWindowIcon(application_icon())
    return application


def settings_file() -> Path:
    from workbench.storage.paths import config_dir

    return config_dir() / "window.ini"


def main(argv: Sequence[str] = ()) -> int:
    """Open the window, on a project, mesh, snapshot or preset if one is named; returns the exit code.

    Before the name may stand on which machine problems are computed, as ``workbench connect`` writes it."""
    faulthandler.enable()
    share_arenas()
    sys.setswitchinterval(SWITCH_SECONDS)
    application = create_application(argv)
    from ui.compiling import BackgroundCompiler
    from ui.session.house import HouseServices  # after the application: what it imports may want one
    from ui.viewport.viewport import Viewport

    settings = open_settings(settings_file())
    name = str(settings.value("theme", THEMES[0]))
    theme().apply(name if name in THEMES else THEMES[0], application)
    page = remembered()
    window = MainWindow(HouseServices(), Viewport, settings, page)
    sys.excepthook = _Reporter(window)
    logging.getLogger(guarding.__name__).addHandler(_Told(window))
    ending = SignalEnding(window.close_at_once, window)
    collector = GuiThreadCollector(application)
    window.model.opened.connect(collector.collect_soon)
    window.show()
    QTimer.singleShot(ENGINES_MILLISECONDS, window, partial(load_engines, window, registry.own_names()))
    compiler = BackgroundCompiler(lambda text: window.log.add(Message(text)), window)
    compiler.begin_soon()
    names = [text for text in argv if not text.startswith("-")]
    place = place_in(argv)

    def open_first() -> None:
        if names:
            open_named(window, names[0])

    if place is not None:
        named = Path(names[0]).name if names else ""
        QTimer.singleShot(0, lambda: window.connecting.go_to(place, "--asks" in argv, open_first, named))
    else:
        QTimer.singleShot(0, open_first)
        QTimer.singleShot(0, window.connecting.tell_of_what_goes_on)
    code = application.exec()
    compiler.stop()
    ending.restore()
    collector.stop()
    if window.background.held_up:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # of a terminal that is gone
                stream.flush()
        os._exit(code)
    return code


def load_engines(window: MainWindow, names: Sequence[str]) -> None:
    """One of these at each turn of the event loop, so that the window answers between them; then all are the window's,
    and what its gallery shows is kept for the next one."""
    if names:
        with suppress(ProblemError):  # is told of with those that are left out
            registry.engine(names[0])
        QTimer.singleShot(0, window, partial(load_engines, window, names[1:]))
    else:
        window.take_engines()
        remember(window.first_page)


def place_in(argv: Sequence[str]) -> Place | None:
    """The machine that these name, if they name one."""
    told = dict(text.removeprefix("--").split("=", 1) for text in argv if text.startswith("--") and "=" in text)
    if "socket" in told:
        return Place(socket=Path(told["socket"]))
    if "--beside" in argv:
        return Place()
    if "host" not in told:
        return None
    return Place(told["host"], told.get("command", "workbench"), job_options=told.get("slurm"))


def open_named(window: MainWindow, name: str) -> None:
    """Open the file at this path, or the preset with this id where there is no such file."""
    path = expanded(name)
    preset = None if path.exists() else preset_called(name)
    if preset is None:
        window.open_path(path)
    else:
        window.open_preset(preset)


class _Told(logging.Handler):
    """What engines of others were asked for in vain, from whatever thread, in the window's log, too."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(logging.WARNING)
        self._window = window

    def emit(self, record: logging.LogRecord) -> None:
        message = Message(record.getMessage(), "warning")
        self._window.controller.message.emit(message)
        print(record.getMessage(), file=sys.stderr)


class _Reporter:
    """What no code caught: the traceback goes to the log, a sentence to the banner, the session goes on."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        log.error("%s", text)
        if issubclass(kind, KeyboardInterrupt):
            self._window.close_at_once()
            return
        self._window.log.add(Message(text, "error"))
        self._window.banner.say(
            str(error)
            if isinstance(error, WorkbenchError)
            else f"Something unexpected happened ({kind.__name__}: {error}); your work is kept, and the log has the"
            " details."
        )
