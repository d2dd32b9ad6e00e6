"""A number that may be absent: a check box that says what it is for, the field, and its unit."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from ui.forms.editor import Editor
from ui.forms.fields.number import NumberBox
from ui.forms.refusals import told

WIDTH, SIX = 69, "000000"
"""Pixels of a field with six digits."""


class OptionalNumber(QWidget):
    """Emits ``edited`` with a positive number, or with None when it is switched off."""

    edited = Signal(object)
    refused = Signal(str)
    """Why what was typed is not the number, and which one holds; empty when it is gone."""

    def __init__(self, text: str, tip: str, default: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.check = QCheckBox(text, self)
        self.check.setToolTip(tip)
        self.box = NumberBox(parent=self)
        self.box.unfit = self._unfit
        self.box.setMinimumWidth(WIDTH)
        self.box.textChanged.connect(self._widen)
        self.box.set_value(default)
        self.set_tip(tip)
        self.box.setAccessibleName(text)
        self.box.changed.connect(lambda value: self.edited.emit(float(value)))
        self.box.rejected.connect(self._mark)
        self.check.clicked.connect(self._switch)
        self._default = self._shown = default
        self.unit_label = QLabel(self)
        self.unit_label.setObjectName("unit")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for widget in (self.check, self.box, self.unit_label):
            layout.addWidget(widget)

    def set_unit(self, unit: str, note: str = "") -> None:
        """``note``: what else is said behind it."""
        self.unit_label.setText(unit + note)
        self.box.unit = unit

    def set_tip(self, tip: str) -> None:
        """Of the field; what was refused there is said in its place, as long as it stands."""
        self._tip = tip
        self.box.setToolTip(self.refusal or tip)

    @property
    def refusal(self) -> str:
        """``In 'until': '3 min' is not a number. Until then 300 holds.``"""
        if not self.box.refusal:
            return ""
        return told(self.box) + (f" Until then {self._shown:g} holds." if self.check.isChecked() else "")

    def set_value(self, value: float | None, last: float | None = None) -> None:
        """Show ``value``; None switches off and leaves the number that was there, or shows the ``last``."""
        self.check.setChecked(value is not None)
        number = last if value is None else value
        if number is not None:
            self._shown = number
            self.box.set_value(number)

    def forget(self) -> None:
        """The number that was there is of another problem."""
        self.check.setChecked(False)
        self._shown = self._default
        self.box.take_back()
        self.box.set_value(self._default)

    def _widen(self, text: str) -> None:
        """Longer numbers have the room that there is."""
        metrics = self.box.fontMetrics()
        self.box.setMaximumWidth(WIDTH + max(0, metrics.horizontalAdvance(text) - metrics.horizontalAdvance(SIX)))

    def _mark(self, refusal: str) -> None:
        Editor.repolish(self.box, bool(refusal))
        self.set_tip(self._tip)
        self.refused.emit(self.refusal)

    def _unfit(self, value: float) -> str:
        return "" if value > 0 else f"Give a number above 0, or switch '{self.check.text()}' off."

    def _switch(self, on: bool) -> None:
        self.box.take_back()
        self.edited.emit(self.box.value() if on else None)
