"""The pictures of the tour and those of the pages about the window, taken of the real window.

    xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX" python -m docs.make_tour [NAME ...]

Each scene is told as what a person does; a picture of the tour has 128 colours, so that all of them are small.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time as clock
from collections.abc import Callable
from math import pi, sin
from pathlib import Path

from PIL import Image

PLACE = Path(__file__).parent / "manual" / "tour"
HOWTO = Path(__file__).parent / "manual" / "howto"
PICTURES = Path(__file__).parents[1] / "assets" / "pictures"
SIZE = (1280, 720)
LARGE = (1600, 1000)
COLOURS = 128
LONGEST = 900.0
"""Seconds until a scene is given up."""


class Stage:
    """A window with settings of its own, driven from a script."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        os.environ.update(XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        from PySide6.QtCore import QSettings

        from ui.app import create_application
        from ui.session.house import HouseServices
        from ui.viewport.viewport import Viewport
        from ui.widgets.theme import theme
        from ui.window.main_window import MainWindow

        self.application = create_application(())
        theme().apply("dark", self.application)
        settings = QSettings(f"{folder}/window.ini", QSettings.Format.IniFormat)
        self.window = MainWindow(HouseServices(), Viewport, settings)
        self.window.controller.opening.before = lambda go_on: go_on()  # nothing is worth a question here
        self.window.setGeometry(0, 0, *SIZE)
        self.window.show()
        self.rest(6.0)

    def rest(self, seconds: float) -> None:
        self.until(lambda: False, seconds)

    def until(self, done: Callable[[], bool], longest: float = LONGEST) -> None:
        from PySide6.QtCore import QEvent

        end = clock.monotonic() + longest
        while clock.monotonic() < end and not done():
            self.application.processEvents()
            self.application.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # a loop of its own does this itself
            clock.sleep(0.01)
        if longest == LONGEST and not done():
            raise TimeoutError("a scene did not come about")

    def open(self, preset: str) -> None:
        from ui.app import open_named
        from ui.session.running.phase import Phase

        open_named(self.window, preset)
        self.until(lambda: self.window.controller.phase is Phase.READY)
        self.rest(3.0)

    def run_to(self, time: float) -> None:
        from ui.session.running.phase import Phase

        controller = self.window.controller
        controller.run()
        self.until(lambda: controller.time >= time or controller.phase is Phase.FINISHED)
        controller.pause()
        self.until(lambda: controller.phase is not Phase.RUNNING)
        self.rest(2.0)

    def resize(self, size: tuple[int, int]) -> None:
        self.window.setGeometry(0, 0, *size)
        self.rest(2.0)

    def take(self, name: str, place: Path = PLACE, colours: int | None = COLOURS) -> None:
        """All that the window shows, with what lies over it."""
        shot = self.application.primaryScreen().grabWindow(0)
        path = place / f"{name}.png"
        place.mkdir(exist_ok=True)
        shot.save(str(path))
        size = self.window.size().toTuple()
        with Image.open(path) as image:
            small = image.convert("RGB").crop((0, 0, *size))
        if colours is not None:
            small = small.quantize(colours, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
        print(f"{path}: {path.stat().st_size / 1e3:.0f} kB", flush=True)


def gallery(stage: Stage) -> None:
    stage.window.pages.show_gallery()
    stage.rest(2.0)
    stage.take("gallery")


def problem(stage: Stage) -> None:
    stage.open("fdtd_ring")
    stage.until(lambda: stage.window.estimates.estimate is not None)
    stage.window.findings.hide()  # the page is of what there is to set
    stage.rest(1.0)
    stage.take("problem")


def run(stage: Stage) -> None:
    stage.open("crack_branching")
    stage.run_to(36.0)
    stage.take("run")


def brush(stage: Stage) -> None:
    _paint_a_stroke(stage)
    stage.take("brush")


def gray_scott(stage: Stage) -> None:
    stage.resize(LARGE)
    _paint_a_stroke(stage)
    stage.take("gray_scott", PICTURES, 256)
    stage.resize(SIZE)


def window(stage: Stage) -> None:
    stage.resize(LARGE)
    stage.open("biventricular")
    stage.run_to(32.0)
    stage.take("window", PICTURES, None)
    stage.resize(SIZE)


def equations(stage: Stage) -> None:
    from ui.widgets.theme import theme

    stage.resize(LARGE)
    theme().apply("light", stage.application)
    stage.open("typed_schroedinger")
    stage.run_to(20.0)
    stage.take("equations", HOWTO)
    theme().apply("dark", stage.application)
    stage.resize(SIZE)


def _paint_a_stroke(stage: Stage) -> None:
    """Across patterns that grow."""
    from PySide6.QtCore import QPoint, QPointF, Qt
    from PySide6.QtTest import QTest

    window = stage.window
    stage.open("gray_scott_coral")
    stage.run_to(1500.0)
    window.model.edit(("run", "pace"), 100.0, "pace")  # so that the stroke does not take half of the run
    window.controller.run()
    window.actions_["brush"].setChecked(True)
    stage.rest(1.0)
    canvas = window.viewport.childAt(window.viewport.rect().center()) or window.viewport
    middle = QPointF(*window.viewport.scene.camera.middle(canvas.width(), canvas.height())).toPoint()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=middle + QPoint(-120, 60))
    for step in range(25):
        QTest.mouseMove(canvas, middle + QPoint(-120 + 10 * step, 60 - 5 * step))
        stage.rest(0.05)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=middle + QPoint(120, -60))
    stage.rest(6.0)
    window.controller.pause()
    stage.rest(2.0)


def chart(stage: Stage) -> None:
    from workbench.project.measured import read_curves

    window = stage.window
    stage.open("fdtd_slab")
    stage.run_to(300.0)
    panel = window.charts.panel
    (info,) = (each for each in panel.charts if each.name == "balance")
    panel.add_measured(*read_curves(_airy(stage.folder), info.name, panel.axes_of(info)))
    panel.enlarge(info.name)
    stage.rest(3.0)
    stage.take("chart")


def sweep(stage: Stage) -> None:
    stage.open("voltage_losses")
    stage.window.sweeps.open()
    dialog = stage.window.sweeps.dialog
    assert dialog is not None
    dialog.setGeometry(0, 0, *SIZE)
    dialog.numbers.set_chosen("current_factor", True)
    dialog.editors["current_factor"].kind.setCurrentText("List")
    dialog.editors["current_factor"].list.setText("0.5, 1, 1.5, 2")
    stage.rest(1.0)
    dialog.run_button.click()
    stage.until(lambda: dialog.job.busy)
    stage.until(lambda: not dialog.job.busy)
    stage.rest(2.0)
    stage.take("sweep")


SCENES = {
    scene.__name__: scene for scene in (gallery, problem, run, brush, chart, sweep, window, gray_scott, equations)
}


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(folder)
        for name in names or SCENES:
            SCENES[name](stage)
        stage.window.close_at_once()


def _airy(folder: Path) -> Path:
    """Airy's transmission of the preset's slab (2 µm, index 1.5), as a table over the wavelength."""
    rows = ["Wavelength [µm],T"]
    for step in range(36):
        wavelength = 1.05 + 0.01 * step
        finesse = ((1.5**2 - 1) / (2 * 1.5)) ** 2
        rows.append(f"{wavelength:.3f},{1 / (1 + finesse * sin(2 * pi * 1.5 * 2.0 / wavelength) ** 2):.6f}")
    path = folder / "airy.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


if __name__ == "__main__":
    main(sys.argv[1:])
