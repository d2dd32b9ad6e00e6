"""A viewport on a real (virtual) display, the mouse on it, and what tests of it need."""

import os
import sys

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from tests.ui.scene.meshes import gather
from ui.viewport.viewport import Viewport
from workbench.run.frames import Frame

NEEDS_DISPLAY = pytest.mark.skipif(
    not os.environ.get("DISPLAY") and sys.platform.startswith("linux"),
    reason="needs a display: run under xvfb-run, Qt's offscreen platform draws no GL",
)


class Shown:
    """A viewport on the screen, and the requests that it made."""

    def __init__(self, qtbot, mesh) -> None:
        self.viewport, self.mesh, self.requests = Viewport(), mesh, []
        qtbot.addWidget(self.viewport)
        self.viewport.request_changed.connect(self.requests.append)
        self.viewport.resize(420, 320)
        self.viewport.set_geometry(mesh)
        self.viewport.show()
        qtbot.waitExposed(self.viewport)

    def frame(self, request, voltage: float = 0.0, time: float = 5.0) -> Frame:
        n = self.mesh.n_cells
        fields = {"voltage": np.full(n, voltage, np.float32), "activation": np.full(n, -1.0, np.float32)}
        values = {part: gather(fields[name], selection) for part, (name, selection) in request.parts.items()}
        return Frame(request.serial, 1, time, values)


def send_mouse(viewport, kind, at, button=Qt.MouseButton.LeftButton, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    point = QPointF(*at)
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(kind, point, viewport.mapToGlobal(point), button, held, modifiers)
    {
        QEvent.Type.MouseButtonPress: viewport.mousePressEvent,
        QEvent.Type.MouseMove: viewport.mouseMoveEvent,
        QEvent.Type.MouseButtonRelease: viewport.mouseReleaseEvent,
        QEvent.Type.MouseButtonDblClick: viewport.mouseDoubleClickEvent,
    }[kind](event)


def drag(viewport, start, end, **how) -> None:
    send_mouse(viewport, QEvent.Type.MouseButtonPress, start, **how)
    for share in np.linspace(0.25, 1.0, 4):
        send_mouse(viewport, QEvent.Type.MouseMove, np.array(start) * (1 - share) + np.array(end) * share, **how)
    send_mouse(viewport, QEvent.Type.MouseButtonRelease, end, **how)


def middle_pixel(viewport):
    image = viewport.image()
    return image[image.shape[0] // 2, image.shape[1] // 2, :3].astype(int)
