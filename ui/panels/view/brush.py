"""Which brush, its switch, radius and amount; there only while something can be painted on."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engines.api import PaintInfo
from engines.api.parameters import LARGEST as LARGEST_AMOUNT
from ui.forms.fields.number import NumberBox
from ui.forms.fields.slider import CalmSlider
from ui.viewport.brush import LARGEST, SMALLEST
from ui.widgets.freeing import connect_once
from workbench.words.numbers import figure
from workbench.words.units import unit_text

STEPS = 300


class BrushPanel(QWidget):
    """``action`` is the switch, which menus and the toolbar share. Each brush keeps its radius and amount."""

    changed = Signal(object, float, float)
    """The brush in hand (a :class:`PaintInfo`; None while it is off), its radius as a part of the geometry's longest
    side, and how much a dab brings."""

    keep_asked = Signal()
    """What was painted is to be kept in the project."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._brushes: tuple[PaintInfo, ...] = ()
        self._chosen: PaintInfo | None = None
        self._kept: dict[PaintInfo, tuple[float, float]] = {}
        self._radius = 0.03
        self._action: QAction | None = None
        self.button = QToolButton()
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.choices: list[QToolButton] = []
        self._group = QButtonGroup(self)
        self._choice_row = QHBoxLayout()
        self._choice_row.setSpacing(4)
        self._choice_row.addStretch(1)
        self.radius = CalmSlider()
        self.radius.setRange(0, STEPS)
        self.radius.setAccessibleName("Radius of the brush")
        self.radius.setToolTip("Radius of the brush (Ctrl and the wheel in the view)")
        self.radius.valueChanged.connect(self._slid)
        self.amount = NumberBox()
        self.amount.changed.connect(lambda _: self._amount_typed())
        self.amount_title = QLabel()
        self.unit = QLabel()
        self.unit.setObjectName("unit")
        self.heading = QLabel("Brush")
        self.heading.setObjectName("heading")
        self.hint = QLabel()
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self.keep_button = QPushButton()
        self.keep_button.setToolTip("What was painted becomes a part of the mesh; one Undo takes it back")
        self.keep_button.clicked.connect(lambda: self.keep_asked.emit())
        self.keep_button.hide()
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.addWidget(QLabel("Radius"), 0, 0)
        grid.addWidget(self.radius, 0, 1, 1, 2)
        grid.addWidget(self.amount_title, 1, 0)
        grid.addWidget(self.amount, 1, 1)
        grid.addWidget(self.unit, 1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.heading)
        layout.addWidget(self.button)
        layout.addLayout(self._choice_row)
        layout.addLayout(grid)
        layout.addWidget(self.hint)
        layout.addWidget(self.keep_button)
        self.set_radius(self._radius)
        self.hide()

    def share(self, action: QAction) -> None:
        """Take ``action`` as the switch."""
        self._action = action
        action.setCheckable(True)
        action.setEnabled(False)
        action.toggled.connect(lambda _: self._tell())
        self.button.setDefaultAction(action)
        connect_once(self.button, action)

    def set_brushes(self, brushes: tuple[PaintInfo, ...]) -> None:
        """The brushes that there are now; none: nothing can be painted."""
        if brushes and brushes != self._brushes:
            self._brushes = brushes
            self._make_choices()
            kept = [brush for brush in brushes if brush == self._chosen]
            self._choose((kept or list(brushes))[0])
        self.setVisible(bool(brushes))
        if self._action is not None:
            self._action.setEnabled(bool(brushes))
            if not brushes:
                self._action.setChecked(False)
        self._tell()

    def set_keeping(self, title: str) -> None:
        """Offer to keep what is painted, in these words; empty: that is not possible."""
        self.keep_button.setText(title)
        self.keep_button.setVisible(bool(title))

    def set_radius(self, radius: float) -> None:
        """Show a radius that was chosen elsewhere."""
        self._radius = min(max(radius, SMALLEST), LARGEST)
        blocked = self.radius.blockSignals(True)
        share = math.log(self._radius / SMALLEST) / math.log(LARGEST / SMALLEST)
        self.radius.setValue(round(STEPS * share))
        self.radius.blockSignals(blocked)

    def _make_choices(self) -> None:
        """A button for each brush, if there are several."""
        for button in self.choices:
            self._group.removeButton(button)
            self._choice_row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.choices = []
        for brush in self._brushes if len(self._brushes) > 1 else ():
            button = QToolButton(self)
            button.setText(brush.title)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, brush=brush: self._take_up(brush))
            self._group.addButton(button)
            self._choice_row.insertWidget(len(self.choices), button)
            self.choices.append(button)

    def _take_up(self, brush: PaintInfo) -> None:
        """A person chose a brush, and so means to use it."""
        self._choose(brush)
        if self._action is not None:
            self._action.setChecked(True)
        self._tell()

    def _choose(self, brush: PaintInfo) -> None:
        if self._chosen is not None:
            self._kept[self._chosen] = self._radius, float(self.amount.value())
        self._chosen = brush
        radius, amount = self._kept.get(brush, (brush.radius, brush.amount))
        self.amount.set_value(amount)
        self.set_radius(radius)
        self.amount_title.setText(brush.amount_title)
        self.unit.setText(unit_text(brush.unit))
        self.heading.setText(f"Brush: {brush.title}")
        self.hint.setText(hint_of(brush))
        self.amount.setToolTip(_told_bounds(brush))
        for other, button in zip(self._brushes, self.choices, strict=False):
            button.setChecked(other == brush)

    def _amount_typed(self) -> None:
        """An amount out of its bounds becomes the nearest one in them."""
        if self._chosen is not None:
            low, high = self._chosen.bounds or (-LARGEST_AMOUNT, LARGEST_AMOUNT)
            self.amount.set_value(min(max(float(self.amount.value()), low), high))
        self._tell()

    def _slid(self, value: int) -> None:
        self._radius = SMALLEST * (LARGEST / SMALLEST) ** (value / STEPS)
        self._tell()

    def _tell(self) -> None:
        active = self._action is not None and self._action.isChecked()
        self.changed.emit(self._chosen if active else None, self._radius, float(self.amount.value()))


def hint_of(brush: PaintInfo) -> str:
    """What the mouse does with this brush."""
    does = "Left button paints" if brush.stroke else "A click does it; a drag turns the view"
    erases = ", right button erases." if brush.erasable else "."
    return f"{brush.hint} {does}{erases}".strip()


def _told_bounds(brush: PaintInfo) -> str:
    said = "What one touch of the brush brings"
    return said if brush.bounds is None else f"{said}: {figure(brush.bounds[0])} to {figure(brush.bounds[1])}"
