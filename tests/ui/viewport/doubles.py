"""A double of the 3D view, without a graphics card behind it."""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engines.api import Selection
from workbench.project.project import ViewSettings
from workbench.run.frames import FrameRequest


class FakeViewport(QWidget):
    """Asks for the values of every 16th cell and remembers the frames."""

    picked = Signal(int, tuple)
    followed = Signal(int, tuple)
    request_changed = Signal(object)
    view_changed = Signal()
    fit_asked = Signal()
    quality_changed = Signal(str)
    stroke_began = Signal()
    dabbed = Signal(object)
    brush_resized = Signal(float)
    item_chosen = Signal(object)
    item_dragged = Signal(object, str, tuple)
    item_dropped = Signal(bool)
    item_deleted = Signal()
    volume_refusal = ""
    deformation = limits = None
    is_due = True

    def __init__(self, parent=None):
        super().__init__(parent)
        self.geometry_shown = None
        self.frames, self.markers, self.overlay, self.busy = [], [], [], None
        self.view = ViewSettings()
        self.closed = False
        self._serial = 0

    def forget_picture(self):
        self.geometry_shown = None

    def set_geometry(self, geometry):
        self.geometry_shown = geometry

    def set_simulation(self, info):
        if info is not None:
            self._serial += 1
            cells = np.arange(0, info.geometry.n_cells, 16, dtype=np.int32)
            self.request_changed.emit(FrameRequest(self._serial, {"surface": ("voltage", Selection(cells))}))

    def show_frame(self, frame):
        self.frames.append(frame)

    def apply_view(self, view):
        self.view = view

    def view_settings(self):
        return self.view

    def set_probes(self, probes):
        self.markers = list(probes)

    def mark_inspected(self, position):
        self.inspected = position

    def mark_lines(self, lines):
        self.lines_marked = list(lines)

    def mark_measured(self, positions):
        self.measured = tuple(positions)

    def set_marks(self, marks):
        self.marks = marks

    def set_overlay(self, lines):
        self.overlay = list(lines)

    def stand_beside_plates(self):
        pass

    def cover(self, points):
        self.covered = points

    def set_busy(self, text, fraction):
        self.busy = text

    def image(self, width=None, height=None):
        return np.zeros((4, 4, 4), np.uint8)

    def set_clip_active(self, active):
        pass

    def set_brush(self, brush, radius, amount):
        self.brush = (brush, radius, amount)

    def reset_camera(self):
        pass

    def view_along(self, axis):
        pass

    def close_canvas(self):
        self.closed = True
