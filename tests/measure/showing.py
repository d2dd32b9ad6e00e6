"""What a window costs a run: steps a second alone, in the window's process, and in one beside it.

    python -m tests.measure.showing PRESET DEVICE alone|window|beside [SECONDS] [PICTURE.png]

prints one JSON document; each place has a process of its own. Nothing holds the run back: no pace and no end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SETTLED_SECONDS = 4.0
"""After which a run of a GPU has its shapes and its graphs."""


def alone(preset: str, device: str, seconds: float) -> dict[str, Any]:
    from workbench.project.presets import open_preset, preset_called
    from workbench.run import session
    from workbench.run.frames import RunState

    document = open_preset(preset_called(preset))
    runner = session.start(document, device, reserve_core=True, autostart=True, until=1e12)
    step = 0

    def until(moment: float) -> tuple[int, float]:
        nonlocal step
        while time.perf_counter() < moment:
            time.sleep(0.005)
            if samples := runner.take_samples():
                step = samples[-1].step
        return step, time.perf_counter()

    while runner.state is RunState.BUILDING:
        time.sleep(0.01)
    first, began = until(time.perf_counter() + SETTLED_SECONDS)
    last, ended = until(began + seconds)
    assert runner.state is RunState.RUNNING, runner.error
    told = {"device": runner.device, "steps_per_second": (last - first) / (ended - began)}
    runner.close()
    return told


def shown(preset: str, device: str, beside: bool, seconds: float, picture: Path | None) -> dict[str, Any]:
    from PySide6.QtGui import QGuiApplication, QOpenGLContext

    from tests.ui.pictures.showing import Showing
    from ui.app import SWITCH_SECONDS, create_application
    from ui.memory import share_arenas
    from ui.session.running.phase import Phase
    from ui.viewport.viewport import Viewport
    from ui.widgets.garbage import GuiThreadCollector
    from workbench.remote.connection import Place
    from workbench.remote.streams import socket_path

    share_arenas()
    sys.setswitchinterval(SWITCH_SECONDS)
    application = create_application([])
    collector = GuiThreadCollector(application)
    showing = Showing(application, Path(os.environ["XDG_CONFIG_HOME"]), Viewport)
    window, controller = showing.window, showing.window.controller
    window.model.opened.connect(collector.collect_soon)
    window.resize(1600, 1000)
    if beside:
        window.connecting.go_to(Place())
        showing.until(lambda: window.services.place is not None)
    showing.open(preset, steps=0, estimated=False)
    for name, value in (("device", device), ("until", None), ("pace", None)):
        window.model.edit(("run", name), value, name)
    controller.build()
    showing.until(lambda: controller.phase is Phase.READY)
    frames: list[int] = []
    controller.frame_arrived.connect(lambda frame: frames.append(frame.step))
    controller.run()
    showing.until(lambda: controller.phase is Phase.RUNNING)
    _events(SETTLED_SECONDS)
    frames.clear()
    assert controller.info is not None
    first, began, cpu = controller.time, time.perf_counter(), time.thread_time()
    _events(seconds)
    last, ended = controller.time, time.perf_counter()
    assert controller.phase is Phase.RUNNING, window.banner.text
    context = QOpenGLContext.globalShareContext()
    told = {
        "device": controller.info.device,
        "steps_per_second": (last - first) / controller.info.dt / (ended - began),
        "pictures_per_second": len(frames) / (ended - began),
        "of_the_window": (time.thread_time() - cpu) / (ended - began),
        "renderer": _renderer(context),
    }
    if picture is not None:
        QGuiApplication.primaryScreen().grabWindow(0).save(str(picture))
    if beside:
        with suppress(OSError):
            os.kill(int(socket_path().with_suffix(".pid").read_text()), signal.SIGKILL)
    return told


def _events(seconds: float) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


def _renderer(context: Any) -> str:
    from PySide6.QtGui import QOffscreenSurface

    surface = QOffscreenSurface()
    surface.create()
    if context is None or not context.makeCurrent(surface):
        return ""
    renderer = 0x1F01
    name = str(context.functions().glGetString(renderer))
    context.doneCurrent()
    return name


def main(preset: str, device: str, where: str, seconds: str = "5", picture: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="workbench-showing-") as home:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = os.path.join(home, name)
        if where == "alone":
            told = alone(preset, device, float(seconds))
        else:
            told = shown(preset, device, where == "beside", float(seconds), Path(picture) if picture else None)
        print(json.dumps(told), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
