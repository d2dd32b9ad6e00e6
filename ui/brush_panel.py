"""The brush's switch, radius and amount; there only while something can be painted on."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QToolButton, QVBoxLayout, QWidget

from engines.api import PaintInfo
from ui.brush import LARGEST, SMALLEST
from ui.forms.number import NumberBox

STEPS = 300


class BrushPanel(QWidget):
    """``action`` is the switch, which menus and the toolbar share."""

    changed = Signal(bool, float, float)
    """Whether it is on, the radius as a part of the geometry's longest side, and how much a dab adds."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._info: PaintInfo | None = None
        self._radius = 0.03
        self._action: QAction | None = None
        self.button = QToolButton()
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.radius = QSlider(Qt.Orientation.Horizontal)
        self.radius.setRange(0, STEPS)
        self.radius.setAccessibleName("Radius of the brush")
        self.radius.setToolTip("Radius of the brush (Ctrl and the wheel in the view)")
        self.radius.valueChanged.connect(self._slid)
        self.amount = NumberBox()
        self.amount.setToolTip("What one touch of the brush adds")
        self.amount.changed.connect(lambda _: self._tell())
        self.unit = QLabel()
        self.unit.setObjectName("unit")
        self.heading = QLabel("Brush")
        self.heading.setObjectName("heading")
        self.hint = QLabel("Left button paints, right button erases.")
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.addWidget(QLabel("Radius"), 0, 0)
        grid.addWidget(self.radius, 0, 1, 1, 2)
        grid.addWidget(QLabel("Amount"), 1, 0)
        grid.addWidget(self.amount, 1, 1)
        grid.addWidget(self.unit, 1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.heading)
        layout.addWidget(self.button)
        layout.addLayout(grid)
        layout.addWidget(self.hint)
        self.set_radius(self._radius)
        self.hide()

    def share(self, action: QAction) -> None:
        """Take ``action`` as the switch."""
        self._action = action
        action.setCheckable(True)
        action.setEnabled(False)
        action.toggled.connect(lambda _: self._tell())
        self.button.setDefaultAction(action)

    def set_info(self, info: PaintInfo | None) -> None:
        """What can be painted now; None: nothing."""
        if info is not None and info != self._info:
            self.amount.set_value(info.amount)
            self.set_radius(info.radius)
            self.unit.setText("" if info.unit == "1" else info.unit)
            self.heading.setText(f"Brush: {info.title}")
            self._info = info
        self.setVisible(info is not None)
        if self._action is not None:
            self._action.setEnabled(info is not None)
            if info is None:
                self._action.setChecked(False)
        self._tell()

    def set_radius(self, radius: float) -> None:
        """Show a radius that was chosen elsewhere."""
        self._radius = min(max(radius, SMALLEST), LARGEST)
        blocked = self.radius.blockSignals(True)
        share = math.log(self._radius / SMALLEST) / math.log(LARGEST / SMALLEST)
        self.radius.setValue(round(STEPS * share))
        self.radius.blockSignals(blocked)

    def _slid(self, value: int) -> None:
        self._radius = SMALLEST * (LARGEST / SMALLEST) ** (value / STEPS)
        self._tell()

    def _tell(self) -> None:
        active = self._action is not None and self._action.isChecked()
        self.changed.emit(active, self._radius, float(self.amount.value()))
