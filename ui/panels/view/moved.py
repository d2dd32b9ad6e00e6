"""How a body that moves and breaks is shown: how many times its displacement is drawn, what is hidden, its cracks."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from engines.api import FieldInfo, SimulationInfo
from ui.forms.fields.slider import CalmSlider
from workbench.project.project import ViewSettings
from workbench.words.numbers import figure

STEPS = 300
DECADES = 3.0
"""The slider goes from 1 to 1000 times, by equal factors."""


class MovedPanel(QWidget):
    """Shows the part of a ViewSettings that is about elements that move; hidden where none do."""

    edited = Signal(dict)
    """Fields of the ViewSettings with their new values."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hiding: FieldInfo | None = None
        self._changes: dict[str, float | None] = {}
        self._settle = QTimer(self, singleShot=True)
        self._settle.setInterval(40)  # a dragged slider draws anew at most 25 times a second
        self._settle.timeout.connect(self._emit)
        self.scale = self._slider("Displacement drawn so many times", self._scaled)
        self.times, self.level = self._figure(), self._figure()
        self.auto = QPushButton("Auto")
        self.auto.setCheckable(True)
        self.auto.setToolTip("Draw displacements as many times as makes them visible")
        self.auto.clicked.connect(self._toggle_auto)
        self.reset = QPushButton("1×")
        self.reset.setToolTip("Draw everything where it is")
        self.reset.clicked.connect(lambda: self._edit("deformation", 1.0))
        self.rest = QPushButton("At rest")
        self.rest.setToolTip("Draw everything where it was at first")
        self.rest.clicked.connect(lambda: self._edit("deformation", 0.0))
        self.hiding = self._slider("Hide what is damaged more than this", self._levelled)
        self.lines = QCheckBox("Crack path")
        self.lines.clicked.connect(lambda on: self.edited.emit({"lines": bool(on)}))
        self._moved, self._hides = QWidget(self), QWidget(self)
        moved = QGridLayout(self._moved)
        moved.addWidget(QLabel("Displacement"), 0, 0)
        moved.addWidget(self.scale, 0, 1)
        moved.addWidget(self.times, 0, 2)
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in (self.auto, self.reset, self.rest):
            buttons.addWidget(button)
        moved.addLayout(buttons, 1, 1, 1, 2)
        hides = QGridLayout(self._hides)
        self._hides_name = QLabel()
        hides.addWidget(self._hides_name, 0, 0)
        hides.addWidget(self.hiding, 0, 1)
        hides.addWidget(self.level, 0, 2)
        layout = QVBoxLayout(self)
        for each in (moved, hides, layout):
            each.setContentsMargins(0, 0, 0, 0)
        for each in (moved, hides):
            each.setHorizontalSpacing(8)
            each.setVerticalSpacing(6)
            each.setColumnStretch(1, 1)
        for widget in (self._moved, self._hides, self.lines):
            layout.addWidget(widget)
        self.set_info(None)

    def set_info(self, info: SimulationInfo | None) -> None:
        fields = () if info is None else info.fields
        self._hiding = next((f for f in fields if info is not None and f.name == info.hidden_by), None)
        moves, lined = info is not None and info.displaced is not None, "" if info is None else info.lined
        self._moved.setVisible(moves)
        self._hides.setVisible(self._hiding is not None)
        if self._hiding is not None:
            self._hides_name.setText(f"Hide from {self._hiding.title[:1].lower()}{self._hiding.title[1:]}")
        self.lines.setText(lined)
        self.lines.setVisible(bool(lined))
        self.setVisible(moves or self._hiding is not None or bool(lined))

    def set_view(self, view: ViewSettings) -> None:
        self._settle.stop()
        self._changes = {}
        self.lines.setChecked(view.lines)
        scale, level = view.deformation, view.hidden_above
        self.auto.setChecked(scale is None)
        if scale is not None:
            self._place(self.scale, STEPS * math.log10(max(scale, 1.0)) / DECADES)
            self.times.setText(_times(scale))
        if self._hiding is not None:
            low, high = self._hiding.range
            self._place(self.hiding, STEPS * (1.0 if level is None else (level - low) / (high - low)))
        self.level.setText("nothing" if level is None else f"{level:.2f}")

    def show_scale(self, scale: float | None) -> None:
        """What displacements are drawn with now, where that is chosen by itself."""
        if scale is not None and self.auto.isChecked() and not self._settle.isActive():
            self._place(self.scale, STEPS * math.log10(max(scale, 1.0)) / DECADES)
            self.times.setText(_times(scale))

    def _toggle_auto(self, on: bool) -> None:
        self._edit("deformation", None if on else self._scale())

    def _scale(self) -> float:
        return float(f"{10 ** (DECADES * self.scale.value() / STEPS):.2g}")

    def _scaled(self) -> None:
        self._changes["deformation"] = self._scale()
        self.times.setText(_times(self._scale()))
        self._settle.start()

    def _levelled(self) -> None:
        assert self._hiding is not None, "it is not shown without"
        low, high = self._hiding.range
        value = self.hiding.value()
        level = None if value >= STEPS else low + (high - low) * value / STEPS
        self._changes["hidden_above"] = level
        self.level.setText("nothing" if level is None else f"{level:.2f}")
        self._settle.start()

    def _edit(self, name: str, value: float | None) -> None:
        self._changes[name] = value
        self._emit()

    def _emit(self) -> None:
        changes, self._changes = self._changes, {}
        if changes:
            self.edited.emit(changes)

    def _slider(self, name: str, slid: object) -> QSlider:
        slider = CalmSlider()
        slider.setRange(0, STEPS)
        slider.setAccessibleName(name)
        slider.setToolTip(name)
        slider.valueChanged.connect(slid)
        return slider

    def _figure(self) -> QLabel:
        label = QLabel()
        label.setObjectName("unit")
        label.setMinimumWidth(52)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return label

    @staticmethod
    def _place(slider: QSlider, value: float) -> None:
        blocked = slider.blockSignals(True)
        slider.setValue(round(min(max(value, 0), STEPS)))
        slider.blockSignals(blocked)


def _times(scale: float) -> str:
    return "at rest" if scale == 0 else f"{figure(scale)}×"
