"""How a grid is shown: the height of its relief in two dimensions, slices or volume in three."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from engines.geometry.grid import Grid
from ui.forms.fields.scalars import CalmComboBox
from ui.forms.fields.slider import CalmSlider
from workbench.project.project import ViewSettings
from workbench.words.numbers import figure, spaced
from workbench.words.units import unit_text

STEPS = 500
HIGHEST = 0.5
"""Of the relief, as a part of the longest side."""
AXES = "xyz"
MIDDLE = (0.5, 0.5, 0.5)


class GridPanel(QWidget):
    """Shows the part of a ViewSettings that is about grids; hidden for other geometries."""

    edited = Signal(dict)
    """Fields of the ViewSettings with their new values."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid: Grid | None = None
        self._settle = QTimer(self, singleShot=True)
        self._settle.setInterval(40)  # a dragged slider asks for other values at most 25 times a second
        self._settle.timeout.connect(self._emit)
        self.relief = self._slider("Height of the relief")
        self.mode = CalmComboBox()
        self.mode.setAccessibleName("Slices or volume")
        self.mode.addItem("Slices", False)
        self.mode.addItem("Volume", True)
        self.mode.activated.connect(lambda _: self.edited.emit({"volume": bool(self.mode.currentData())}))
        self.refusal = QLabel()
        self.refusal.setObjectName("muted")
        self.refusal.setWordWrap(True)
        self.slices = [self._slider(f"Place of the slice across {axis}") for axis in AXES]
        self.places = [QLabel() for _ in AXES]
        self._flat, self._deep = QWidget(self), QWidget(self)
        flat = QGridLayout(self._flat)
        flat.addWidget(QLabel("Height"), 0, 0)
        flat.addWidget(self.relief, 0, 1)
        deep = QGridLayout(self._deep)
        deep.addWidget(QLabel("Show"), 0, 0)
        deep.addWidget(self.mode, 0, 1, 1, 2)
        deep.addWidget(self.refusal, 1, 0, 1, 3)
        for row, (axis, slider, place) in enumerate(zip(AXES, self.slices, self.places, strict=True), 2):
            place.setObjectName("unit")
            place.setMinimumWidth(66)
            place.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            deep.addWidget(QLabel(axis), row, 0)
            deep.addWidget(slider, row, 1)
            deep.addWidget(place, row, 2)
        layout = QVBoxLayout(self)
        for each in (flat, deep, layout):
            each.setContentsMargins(0, 0, 0, 0)
        for each in (flat, deep):
            each.setHorizontalSpacing(8)
            each.setVerticalSpacing(6)
            each.setColumnStretch(1, 1)
        layout.addWidget(self._flat)
        layout.addWidget(self._deep)
        self.set_refusal("")
        self.hide()

    def _slider(self, name: str) -> QSlider:
        slider = CalmSlider()
        slider.setRange(0, STEPS)
        slider.setAccessibleName(name)
        slider.valueChanged.connect(lambda _: self._slid())
        return slider

    def set_grid(self, grid: Grid | None) -> None:
        self._grid = grid
        self.setVisible(grid is not None)
        self._flat.setVisible(grid is not None and grid.dimensions == 2)
        self._deep.setVisible(grid is not None and grid.dimensions == 3)
        self._show_places()

    def set_refusal(self, sentence: str) -> None:
        """Why there is no volume on this machine; empty if there is."""
        self.refusal.setText(spaced(sentence))
        self.refusal.setVisible(bool(sentence))
        item = self.mode.model().item(1)  # type: ignore[attr-defined]  # a combo box holds a QStandardItemModel
        item.setEnabled(not sentence)

    def set_view(self, view: ViewSettings) -> None:
        self._settle.stop()
        volume = view.volume and not self.refusal.text()
        self.mode.setCurrentIndex(int(volume))
        values = (min(view.height / HIGHEST, 1.0), *(view.slices or MIDDLE))
        for slider, value in zip((self.relief, *self.slices), values, strict=True):
            blocked = slider.blockSignals(True)
            slider.setValue(round(STEPS * value))
            slider.blockSignals(blocked)
        for slider in self.slices:
            slider.setEnabled(not volume)
        self._show_places()

    def _slid(self) -> None:
        self._show_places()
        self._settle.start()

    def _emit(self) -> None:
        if self._grid is None:
            return
        if self._grid.dimensions == 2:
            self.edited.emit({"height": HIGHEST * self.relief.value() / STEPS})
        else:
            self.edited.emit({"slices": tuple(slider.value() / STEPS for slider in self.slices)})

    def _show_places(self) -> None:
        if self._grid is None or self._grid.dimensions == 2:
            return
        low, high = self._grid.bounds
        unit = unit_text(self._grid.length_unit)
        for axis, (slider, label) in enumerate(zip(self.slices, self.places, strict=True)):
            place = low[axis] + (high[axis] - low[axis]) * slider.value() / STEPS
            label.setText(f"{figure(place, 3)} {unit}".rstrip())
