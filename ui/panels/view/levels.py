"""Isosurfaces: the values that they are drawn of, each with a slider over the range of the colours."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from engines.api import FieldInfo
from ui.forms.fields.slider import CalmSlider
from ui.scene.fields import follows, has_levels, own_range
from ui.widgets.icons import dress
from workbench.project.project import ViewSettings
from workbench.words.numbers import figure
from workbench.words.units import unit_text

STEPS = 200
MOST = 4


class LevelsPanel(QWidget):
    """Shows the part of a ViewSettings that is about isosurfaces; hidden where there is no inside."""

    edited = Signal(dict)
    """Fields of the ViewSettings with their new values."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range = (0.0, 1.0)
        self._unit = ""
        self._levels: list[float] = []
        self._settle = QTimer(self, singleShot=True)
        self._settle.setInterval(40)  # a dragged slider draws anew at most 25 times a second
        self._settle.timeout.connect(self._emit)
        self.switch = QCheckBox("Isosurfaces")
        self.switch.setToolTip("Draw the surfaces on which the field has these values")
        self.switch.clicked.connect(lambda on: self._set([0.5 * sum(self._range)] if on else []))
        self.slices = QCheckBox("Slices too")
        self.slices.setToolTip("Leave the slices beside the isosurfaces")
        self.slices.clicked.connect(lambda on: self.edited.emit({"level_slices": bool(on)}))
        self.more = self._button("plus", "Another isosurface")
        self.more.clicked.connect(self._add)
        self.sliders = [CalmSlider() for _ in range(MOST)]
        self.figures = [QLabel() for _ in range(MOST)]
        self.less = [self._button("close", "Take this isosurface away") for _ in range(MOST)]
        top = QHBoxLayout()
        top.addWidget(self.switch, 1)
        top.addWidget(self.slices)
        top.addWidget(self.more)
        rows = QGridLayout()
        rows.setHorizontalSpacing(8)
        rows.setVerticalSpacing(4)
        rows.setColumnStretch(0, 1)
        for row, (slider, told, less) in enumerate(zip(self.sliders, self.figures, self.less, strict=True)):
            slider.setRange(0, STEPS)
            slider.setAccessibleName(f"Value of isosurface {row + 1}")
            slider.valueChanged.connect(lambda _, row=row: self._slid(row))
            told.setObjectName("unit")
            told.setMinimumWidth(76)
            told.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            less.clicked.connect(lambda _=False, row=row: self._set(self._levels[:row] + self._levels[row + 1 :]))
            for column, widget in enumerate((slider, told, less)):
                rows.addWidget(widget, row, column)
        layout = QVBoxLayout(self)
        for each in (top, rows, layout):
            each.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(rows)
        self._show()

    def set_view(self, view: ViewSettings, field: FieldInfo | None, deep: bool, sliced: bool) -> None:
        """``deep``: there is an inside; ``sliced``: it has slices. Levels stay where they are in another field."""
        self.setVisible(deep and not view.volume)
        self.switch.setEnabled(field is not None and has_levels(field))
        self._unit = "" if field is None else unit_text(field.unit)
        if field is not None and not follows(field, view):
            self._range = own_range(field, view) or field.range
        if not self._settle.isActive():
            self._levels = list(view.levels)
        self.slices.setChecked(view.level_slices)
        self.slices.setVisible(sliced and bool(self._levels))
        self._show()

    def show_range(self, limits: tuple[float, float] | None) -> None:
        """Of the colours now, where it follows the values."""
        if limits is not None and limits != self._range and not any(slider.isSliderDown() for slider in self.sliders):
            self._range = limits
            self._show()

    def _set(self, levels: list[float]) -> None:
        self._levels = levels
        self._show()
        self._emit()

    def _add(self) -> None:
        """In the middle of the widest gap."""
        ends = sorted([self._range[0], *self._levels, self._range[1]])
        gaps = [(after - before, before) for before, after in pairwise(ends)]
        width, begin = max(gaps)
        self._set([*self._levels, begin + width / 2])

    def _slid(self, row: int) -> None:
        low, high = self._range
        self._levels[row] = low + (high - low) * self.sliders[row].value() / STEPS
        self._tell(row)
        self._settle.start()

    def _emit(self) -> None:
        self._settle.stop()
        self.edited.emit({"levels": list(self._levels)})

    def _show(self) -> None:
        count, (low, high) = len(self._levels), self._range
        self.switch.setChecked(count > 0)
        self.more.setVisible(0 < count < MOST)
        for row, widgets in enumerate(zip(self.sliders, self.figures, self.less, strict=True)):
            for widget in widgets:
                widget.setVisible(row < count)
                widget.setEnabled(self.switch.isEnabled())
            if row < count:
                slider = widgets[0]
                blocked = slider.blockSignals(True)
                slider.setValue(round(STEPS * (self._levels[row] - low) / ((high - low) or 1.0)))
                slider.blockSignals(blocked)
                self._tell(row)

    def _tell(self, row: int) -> None:
        self.figures[row].setText(f"{figure(self._levels[row], 3)} {self._unit}".strip())

    @staticmethod
    def _button(icon: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        dress(button, icon)
        return button
