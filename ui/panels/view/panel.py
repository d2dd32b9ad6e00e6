"""What the viewport shows: field, colours, range, clipping plane, front, overlay, camera."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engines.api import FieldInfo, SimulationInfo
from engines.geometry.grid import Grid
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.particles import Particles
from ui.forms.fields.scalars import CalmComboBox
from ui.forms.fields.slider import CalmSlider
from ui.panels.view.arrows import ArrowsPanel
from ui.panels.view.brush import BrushPanel
from ui.panels.view.colours import ColoursPanel
from ui.panels.view.grid import GridPanel
from ui.panels.view.levels import LevelsPanel
from ui.panels.view.moved import MovedPanel
from ui.scene.fields import is_timed
from workbench.project.project import ClipPlane, ViewSettings
from workbench.words.units import headed

DIRECTIONS = (("x", "+ x"), ("y", "+ y"), ("z", "+ z"), ("-x", "− x"), ("-y", "− y"), ("-z", "− z"))
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SLIDER_STEPS = 200
FROM_ABOVE = 80.0
"""A camera higher than this [degrees] sees nothing of a relief's height."""


class ViewPanel(QScrollArea):
    """Shows a ViewSettings and says when a person wants another one."""

    edited = Signal(object)
    clip_active = Signal(bool)
    fit_asked = Signal()
    """The range is to be that of the values in the picture."""
    camera_asked = Signal(str)
    """A direction to look along, or ``"reset"``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(260)
        self.setObjectName("scroll")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view = ViewSettings()
        self._info: SimulationInfo | None = None
        self._fields: dict[str, FieldInfo] = {}
        self._bounds = (np.zeros(3), np.ones(3))
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(40)  # a dragged slider asks for a new section at most 25 times a second
        self._settle.timeout.connect(self._emit_clip)
        self.field = CalmComboBox()
        self.field.activated.connect(lambda _: self.show_field(self.field.currentData()))
        self.colours = ColoursPanel()
        self.colours.fit_asked.connect(self.fit_asked)
        self.clip = QCheckBox("Clipping plane")
        self.clip.clicked.connect(self._toggle_clip)
        self.axis = CalmComboBox()
        for name in (*AXES, "free"):
            self.axis.addItem({"free": "as turned"}.get(name, f"across {name}"), name)
        self.axis.activated.connect(lambda _: self._emit_clip())
        self.flip = QCheckBox("other side")
        self.flip.clicked.connect(lambda _: self._emit_clip())
        self.clip_slider = CalmSlider()
        self.clip_slider.setRange(0, SLIDER_STEPS)
        self.clip_slider.setValue(SLIDER_STEPS // 2)
        self.clip_slider.setAccessibleName("Position of the clipping plane")
        self.clip_slider.valueChanged.connect(lambda _: self._settle.start())
        self.grid = GridPanel()
        self.grid.edited.connect(self._edit_grid)
        self.levels, self.moved, self.arrows = LevelsPanel(), MovedPanel(), ArrowsPanel()
        for part in (self.colours, self.levels, self.moved, self.arrows):
            part.edited.connect(lambda changes: self._edit(**changes))
        self._deep = self._sliced = False
        self.cut_open = QCheckBox("Cut open")
        self.cut_open.setToolTip("Show what is inside the spheres, where the field tells")
        self.cut_open.clicked.connect(lambda on: self._edit(cut_open=bool(on)))
        self.brush = BrushPanel()
        self.front = QCheckBox("Wavefront")
        self.front.setToolTip("Draw where the front is passing")
        self.front.clicked.connect(lambda on: self._edit(front=bool(on)))
        self.inside = QCheckBox("Front inside the wall")
        self.inside.setToolTip("Draw the front within the wall too, and look through its surface")
        self.inside.clicked.connect(lambda on: self._edit(front_inside=bool(on)))
        self.isochrones = QCheckBox("Isochrones")
        self.isochrones.setToolTip("Draw lines of equal time on fields that are a time")
        self.isochrones.clicked.connect(lambda on: self._edit(isochrones=bool(on)))
        self.contours = QCheckBox("Contours")
        self.contours.setToolTip("Draw lines of equal value of whatever field is shown")
        self.contours.clicked.connect(lambda on: self._edit(contours=bool(on)))
        self.fibres = QCheckBox("Fibres")
        self.fibres.setToolTip("Draw the directions of the fibres on the surface and on a cut")
        self.fibres.clicked.connect(lambda on: self._edit(fibres=bool(on)))
        self.markers = QCheckBox("Markers")
        self.markers.hide()
        self.markers.clicked.connect(lambda on: self._edit(markers=bool(on)))
        self.outlines = QCheckBox("Outlines of what stands in space")
        self.outlines.setToolTip(
            "Objects, sources and monitors as lines (O). Click one to choose it, drag its handles onto the cells, "
            "with Ctrl anywhere; arrow keys move it by a cell"
        )
        self.outlines.hide()
        self.outlines.clicked.connect(lambda on: self._edit(outlines=bool(on)))
        self.bodies = CalmSlider()
        self.bodies.setRange(0, 100)
        self.bodies.setAccessibleName("How opaque bodies are")
        self.bodies.setToolTip("How opaque bodies in space are; at the left they are lines alone")
        self.bodies.valueChanged.connect(lambda value: self._edit(solidity=value / 100))
        self._bodies = QWidget(self)
        self._bodies.hide()
        self.overlay = QCheckBox("Figures in the 3D view")
        self.overlay.clicked.connect(lambda on: self._edit(overlay=bool(on)))
        self._lay_out()
        self._show()

    # From outside.

    def set_info(self, info: SimulationInfo | None) -> None:
        self._info = info
        self._fields = {} if info is None else {field.name: field for field in info.fields}
        self.field.clear()
        for field in self._fields.values():
            self.field.addItem(headed(field.title, field.unit), field.name)
        self.arrows.set_info(info)
        self.moved.set_info(info)
        self.front.setEnabled(info is None or info.front is not None)
        marked = None if info is None else info.marked
        self.markers.setText("Markers" if marked is None else marked.title)
        self.markers.setToolTip("" if marked is None else marked.note)
        self.markers.setVisible(marked is not None)
        self.brush.set_brushes(() if info is None else info.brushes)
        self.brush.set_keeping("" if info is None else info.keeps)
        if info is not None:
            self.set_geometry(info.geometry)
        self._show()

    def set_geometry(self, geometry: Any) -> None:
        grid = geometry if isinstance(geometry, Grid) else None
        self.grid.set_grid(grid)
        spheres = isinstance(geometry, Particles)
        self._sliced = grid is not None and grid.dimensions == 3
        self._deep = isinstance(geometry, TetMesh) or (grid is not None and 1 not in grid.counts and self._sliced)
        for widget in (self.clip, self.axis, self.flip, self.clip_slider):
            widget.setVisible(grid is None)
        for switch in (self.front, self.inside, self.isochrones):
            switch.setVisible(grid is None and not spheres)
        self.contours.setVisible(not spheres)
        self.fibres.setVisible(isinstance(geometry, TetMesh) and geometry.fibres is not None)
        self.cut_open.setVisible(spheres and geometry.cells is None)
        if geometry is not None and geometry.n_cells:
            self._bounds = geometry.bounds
        self._show()

    def set_view(self, view: ViewSettings) -> None:
        """Show these settings (a document opened, or the viewport changed them)."""
        self._view = view.model_copy(deep=True)
        self._show()

    def show_placed(self, there: bool) -> None:
        """Whether something stands in space."""
        self.outlines.setVisible(there)
        self._bodies.setVisible(there)

    def show_field(self, name: str) -> None:
        self._edit(field=name, range=None)

    def switch_outlines(self) -> None:
        self._edit(outlines=not self._view.outlines)

    def show_slices(self, slices: tuple[float, float, float] | None) -> None:
        """Have slices through these parts of the sides."""
        if slices is not None:
            self._edit(slices=slices, volume=False)

    # Inside.

    def _edit(self, **changes: Any) -> None:
        if changes.get("range") is not None:  # it is of the field that is shown, and goes with it
            changes["field"] = self.field.currentData()
        self._view = self._view.model_copy(update=changes)
        self._show()
        self.edited.emit(self._view)

    def _edit_grid(self, changes: dict[str, Any]) -> None:
        lifted = changes.get("height", 0.0) > 0 and self._view.height == 0
        self._edit(**changes)
        if lifted and self._view.camera.elevation > FROM_ABOVE:
            self.camera_asked.emit("slant")

    def _toggle_clip(self, on: bool) -> None:
        """The viewport chooses the first plane and answers with its settings."""
        self.clip_active.emit(on)

    def _emit_clip(self) -> None:
        if self.clip.isChecked():
            self._edit(clip=self._plane())

    def _plane(self) -> ClipPlane:
        low, high = self._bounds
        axis = self.axis.currentData()
        normal = np.array(self._view.clip.normal if axis == "free" and self._view.clip else AXES.get(axis, AXES["x"]))
        if axis != "free" and self.flip.isChecked():
            normal = -normal
        near, far = self._reach(normal)
        place = near + (far - near) * self.clip_slider.value() / SLIDER_STEPS
        middle = (low + high) / 2
        origin = middle + normal * (place - float(middle @ normal))
        return ClipPlane(origin=tuple(origin), normal=tuple(normal))

    def _reach(self, normal: Any) -> tuple[float, float]:
        """The extent of the geometry's box along ``normal``."""
        ends = np.sort(np.stack([bound * normal for bound in self._bounds]), axis=0).sum(axis=1)
        return float(ends[0]), float(ends[1])

    def _show(self) -> None:
        view = self._view
        name = view.field if view.field in self._fields else next(iter(self._fields), None)
        field = self._fields.get(name) if name else None
        self.field.setCurrentIndex(self.field.findData(name))
        self.field.setEnabled(bool(self._fields))
        smoothed = self._info is not None and isinstance(self._info.geometry, TetMesh)  # shows numbers always
        numbered = field is None or not field.names or smoothed
        self.colours.show_view(view, field, numbered)
        clipped = view.clip is not None
        self.clip.setChecked(clipped)
        for widget in (self.axis, self.flip, self.clip_slider):
            widget.setEnabled(clipped)
        if view.clip is not None:
            self._show_plane(np.array(view.clip.origin), np.array(view.clip.normal))
        self.grid.set_view(view)
        self.levels.set_view(view, field, self._deep, self._sliced)
        self.moved.set_view(view)
        self.cut_open.setChecked(view.cut_open)
        self.cut_open.setEnabled(field is not None and field.components > 1)
        self.front.setChecked(view.front)
        crossing = self._info is not None and self._info.front is not None and bool(self._info.front.crossing)
        self.inside.setChecked(view.front_inside)
        self.inside.setEnabled(view.front and crossing)
        self.isochrones.setChecked(view.isochrones)
        self.isochrones.setEnabled(field is not None and is_timed(field, self._info))
        self.contours.setChecked(view.contours)
        self.contours.setEnabled(field is not None and numbered and not field.cyclic)
        self.fibres.setChecked(view.fibres)
        self.arrows.set_view(view.arrows)
        self.markers.setChecked(view.markers)
        self.outlines.setChecked(view.outlines)
        blocked = self.bodies.blockSignals(True)
        self.bodies.setValue(round(100 * view.solidity))
        self.bodies.blockSignals(blocked)
        self.bodies.setEnabled(view.outlines)
        self.overlay.setChecked(view.overlay)

    def _show_plane(self, origin: Any, normal: Any) -> None:
        near, far = self._reach(normal)
        blocked = self.clip_slider.blockSignals(True)
        self.clip_slider.setValue(round(SLIDER_STEPS * (float(origin @ normal) - near) / max(far - near, 1e-12)))
        self.clip_slider.blockSignals(blocked)
        along = next((name for name, axis in AXES.items() if abs(abs(normal @ np.array(axis)) - 1) < 1e-6), "free")
        self.axis.setCurrentIndex(self.axis.findData(along))
        if along != "free":
            self.flip.setChecked(bool(normal.sum() < 0))

    def _lay_out(self) -> None:
        field = QHBoxLayout()
        field.setSpacing(8)
        field.addWidget(QLabel("Field"))
        field.addWidget(self.field, 1)
        plane = QHBoxLayout()
        plane.addWidget(self.axis, 1)
        plane.addWidget(self.flip)
        cameras = QGridLayout()
        cameras.setSpacing(4)
        for place, (direction, title) in enumerate(DIRECTIONS):
            button = QPushButton(title)
            button.clicked.connect(lambda _=False, direction=direction: self.camera_asked.emit(direction))
            cameras.addWidget(button, *divmod(place, 3))
        whole = QPushButton("Show all")
        whole.clicked.connect(lambda: self.camera_asked.emit("reset"))
        cameras.addWidget(whole, 2, 0, 1, 3)
        body = QWidget()
        body.setObjectName("scrollBody")
        layout = QVBoxLayout(body)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.addLayout(field)
        layout.addWidget(self.colours)
        layout.addSpacing(4)
        layout.addWidget(self.grid)
        layout.addWidget(self.moved)
        layout.addWidget(self.cut_open)
        layout.addWidget(self.clip)
        layout.addLayout(plane)
        layout.addWidget(self.clip_slider)
        layout.addWidget(self.levels)
        layout.addSpacing(4)
        layout.addWidget(self.front)
        layout.addWidget(self.inside)
        layout.addWidget(self.isochrones)
        layout.addWidget(self.contours)
        layout.addWidget(self.fibres)
        layout.addWidget(self.arrows)
        layout.addWidget(self.markers)
        layout.addWidget(self.outlines)
        bodies = QHBoxLayout(self._bodies)
        bodies.setContentsMargins(0, 0, 0, 0)
        bodies.addWidget(QLabel("Bodies"))
        bodies.addWidget(self.bodies, 1)
        layout.addWidget(self._bodies)
        layout.addWidget(self.overlay)
        layout.addSpacing(4)
        heading = QLabel("Camera")
        heading.setObjectName("heading")
        layout.addWidget(heading)
        layout.addLayout(cameras)
        layout.addSpacing(4)
        layout.addWidget(self.brush)
        layout.addStretch(1)
        self.setWidget(body)
