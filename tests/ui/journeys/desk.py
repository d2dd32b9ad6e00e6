"""A window as it opens for somebody new, on a house of its own, and what a journey through it took."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.ui.journeys.eyes import picture
from tests.ui.journeys.person import Person
from ui.session.house import HouseServices
from ui.viewport.viewport import Viewport
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
from workbench.storage.paths import config_dir, state_dir

SIZE = (1280, 720)


@dataclass(frozen=True)
class Journey:
    """``task`` is given the person and an empty folder; ``most``: clicks and entries together that it may take, two
    turns of the wheel more than it took."""

    title: str
    task: Callable[[Person, Path], None]
    most: int


@dataclass(frozen=True)
class Taken:
    """What a journey took; seconds of the clock and of processors."""

    clicks: int
    entries: int
    seconds: float
    cpu: float


def walk(journey: Journey, application: QApplication, folder: Path, shot: Path | None = None) -> Taken:
    """In a window of its own; ``shot``: a picture of where it ends, or where it stuck."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    theme().apply("dark", application)
    settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(HouseServices(), Viewport, settings)
    window.resize(*SIZE)
    window.show()
    QTest.qWaitForWindowActive(window)
    person = Person()
    began, cpu = time.perf_counter(), time.process_time()
    try:
        person.does(lambda person: journey.task(person, folder))
        return Taken(person.clicks, person.entries, time.perf_counter() - began, time.process_time() - cpu)
    finally:
        if shot is not None:
            _save(window, shot)
        for other in application.topLevelWidgets():
            if other is not window and other.isVisible():
                other.close()
        window.close_at_once()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete.value))
        for place in (state_dir(), config_dir()):
            shutil.rmtree(place, ignore_errors=True)


def _save(window: MainWindow, shot: Path) -> None:
    from PySide6.QtGui import QImage

    seen = picture(window)
    height, width, _ = seen.shape
    QImage(seen.data, width, height, 3 * width, QImage.Format.Format_RGB888).save(str(shot))
