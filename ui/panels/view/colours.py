"""How values become colours: the map, with a swatch of each, the range, and what it leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QIcon, QImage, QPalette, QPixmap
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from engines.api import FieldInfo
from ui.forms.fields.number import NumberBox
from ui.forms.fields.scalars import CalmComboBox
from ui.scene.colormaps import colormap, names
from ui.scene.fields import follows, own_range, takes_logarithm
from ui.widgets.dressing import polish_anew
from workbench.project.project import ViewSettings
from workbench.words.units import unit_text

SWATCH = QSize(48, 12)
LEFT_OUT = (("all values", 0.0), ("1 – 99 %", 2.0), ("2 – 98 %", 4.0), ("5 – 95 %", 10.0))
"""Titles, and the per cent of the values that a range from values leaves out."""


class ColoursPanel(QWidget):
    """Shows the part of a ViewSettings that is about colours."""

    edited = Signal(dict)
    """Fields of the ViewSettings with their new values."""
    fit_asked = Signal()
    """The range is to be that of the values in the picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view, self._field = ViewSettings(), FieldInfo("", "", "", "cell", (0.0, 1.0))
        self._swatched: tuple[object, ...] = ()
        self._limits: tuple[str, tuple[float, float]] | None = None
        """A field, and the range of its colours in the picture."""
        self.map = CalmComboBox()
        self.map.setAccessibleName("Colour map")
        self.map.setIconSize(SWATCH)
        self.map.addItem("Default", None)
        for name in names():
            self.map.addItem(name.capitalize(), name)
        self.map.activated.connect(lambda _: self.edited.emit({"colormap": self.map.currentData()}))
        self.reverse = self._switch("Reverse", "reverse", "Exchange the ends of the colours")
        self.low, self.high = NumberBox(), NumberBox()
        for box in (self.low, self.high):
            box.changed.connect(lambda _: self._edit_range())
        self.unit = QLabel()
        self.unit.setObjectName("unit")
        self.sentence = QLabel("The lower end must be below the upper one.")
        self.sentence.setObjectName("error")
        self.sentence.setWordWrap(True)
        self.guess = QLabel("The same everywhere at first: the range follows the values as soon as they differ.")
        self.guess.setObjectName("muted")
        self.guess.setWordWrap(True)
        self.guess.hide()
        self.auto = self._button("Auto", "The range that suits the field", self._suit)
        self.fit = self._button("Fit", "The range of the values in the picture now", self.fit_asked.emit)
        self.follow = self._button("Follow", "The range follows the values in the picture, in steps", self._follow)
        self.follow.setCheckable(True)
        self.outliers = CalmComboBox()
        self.outliers.setAccessibleName("Values that a range holds")
        self.outliers.setToolTip(
            "Fit and Follow leave out the few values that are farthest out, such as of one particle"
        )
        for title, share in LEFT_OUT:
            self.outliers.addItem(title, share)
        self.outliers.activated.connect(lambda _: self._leave_out())
        self.symmetric = self._switch("Symmetric", "symmetric", "As far below zero as above")
        self.log = self._switch(
            "Log", "logarithmic", "By the logarithm of the values, down to 1/10,000 of the upper end"
        )
        self._lay_out()

    def _switch(self, title: str, name: str, help: str) -> QCheckBox:
        switch = QCheckBox(title)
        switch.setToolTip(help)
        switch.clicked.connect(lambda on: self.edited.emit({name: bool(on)}))
        return switch

    def _button(self, title: str, help: str, pressed: Any) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(help)
        button.clicked.connect(lambda on=False: pressed())
        return button

    # From outside.

    def show_view(self, view: ViewSettings, field: FieldInfo | None, numbered: bool) -> None:
        """``numbered``: values are numbers, not names."""
        self._view, self._field = view, field or FieldInfo("", "", "", "cell", (0.0, 1.0))
        self.map.setCurrentIndex(max(0, self.map.findData(view.colormap)))
        self.reverse.setChecked(view.reverse)
        own = own_range(self._field, view)
        self.unit.setText(unit_text(self._field.unit))
        self.sentence.hide()
        self.auto.setEnabled(own is not None or view.follow)
        self.follow.setChecked(follows(self._field, view))
        self._show_range()
        ranged = numbered and not self._field.cyclic
        self.follow.setEnabled(ranged)
        for widget in (self.map, self.reverse):
            widget.setEnabled(numbered)
        for box in (self.low, self.high):
            box.setEnabled(not view.follow and numbered)
        self.fit.setEnabled(field is not None and numbered)
        place = min(range(len(LEFT_OUT)), key=lambda k: abs(LEFT_OUT[k][1] - view.outliers))
        self.outliers.setCurrentIndex(place)
        self.outliers.setEnabled(ranged)
        self.symmetric.setChecked(view.symmetric)
        self.symmetric.setEnabled(ranged)
        self.log.setChecked(view.logarithmic)
        self.log.setEnabled(ranged and not view.symmetric and takes_logarithm(self._field))
        self._swatch()

    def show_range(self, field: str, limits: tuple[float, float]) -> None:
        """What the colours in the picture, which are of this field, stand for now."""
        if (field, limits) != self._limits:
            self._limits = field, limits
            typed = any(box.isModified() or box.refusal for box in (self.low, self.high))
            if not typed and self.sentence.isHidden():
                self._show_range()

    def fit_range(self, span: tuple[float, float] | None) -> None:
        """Spread the colours over these values; a field that is the same everywhere keeps its range."""
        if span is not None and span[1] > span[0]:
            self.edited.emit({"range": span, "follow": False})

    # Inside.

    def _show_range(self) -> None:
        """A person's own, else that of the picture where it follows."""
        field, view, following = self._field, self._view, follows(self._field, self._view)
        seen = self._limits[1] if following and self._limits is not None and self._limits[0] == field.name else None
        self.guess.setVisible(following and not view.follow and seen in (None, field.range))
        for box, end in zip(
            (self.low, self.high), own_range(field, view) or _legible(seen or field.range), strict=True
        ):
            box.set_value(float(end))

    def _suit(self) -> None:
        self.edited.emit({"range": None, "follow": False})

    def _follow(self) -> None:
        if self._field.guessed and not self.follow.isChecked():
            self.fit_asked.emit()  # the range that it has stays
            return
        self.edited.emit({"range": None, "follow": self.follow.isChecked()})

    def _leave_out(self) -> None:
        """What is chosen is seen at once."""
        self.edited.emit({"outliers": float(self.outliers.currentData())})
        if not follows(self._field, self._view):
            self.fit_asked.emit()

    def _edit_range(self) -> None:
        low, high = float(self.low.value()), float(self.high.value())
        wrong = high <= low
        for box in (self.low, self.high):
            box.setProperty("wrong", wrong)
            polish_anew(box)
        self.sentence.setVisible(wrong)
        if not wrong:
            self.edited.emit({"range": (low, high), "follow": False})

    def _swatch(self) -> None:
        """Show each map as the view draws it."""
        dark = self.palette().color(QPalette.ColorRole.Window).lightness() < 128
        drawn = (dark, self._view.reverse, self._field.colormap)
        if drawn == self._swatched:
            return
        self._swatched = drawn
        for row in range(self.map.count()):
            lut = colormap(self.map.itemData(row) or self._field.colormap, dark, self._view.reverse)
            self.map.setItemIcon(row, QIcon(swatch(lut)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._swatched:
            self._swatch()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        rows = (
            ("Colours", (self.map, self.reverse)),
            ("Range", (self.low, self.high, self.unit)),
            ("", (self.auto, self.fit, self.follow)),
            ("", (self.outliers, self.symmetric, self.log)),
        )
        for place, (title, widgets) in enumerate(rows):
            row = QHBoxLayout()
            row.setSpacing(4)
            for widget in widgets:
                row.addWidget(widget, 0 if isinstance(widget, (QCheckBox, QLabel)) else 1)
            grid.addWidget(QLabel(title), place, 0)
            grid.addLayout(row, place, 1)
        grid.addWidget(self.sentence, len(rows), 1)
        grid.addWidget(self.guess, len(rows) + 1, 1)


def swatch(lut: Any) -> QPixmap:
    """A map (256, 3) uint8 from left to right."""
    row = np.ascontiguousarray(lut[np.linspace(0, 255, SWATCH.width()).astype(int)], np.uint8)
    image = QImage(row.tobytes(), SWATCH.width(), 1, 3 * SWATCH.width(), QImage.Format.Format_RGB888)
    return QPixmap.fromImage(image.scaled(SWATCH))


def _legible(limits: tuple[float, float]) -> tuple[float, float]:
    """A range that nobody typed, in as many digits as its boxes have room for (−π to π)."""
    return float(f"{limits[0]:.5g}"), float(f"{limits[1]:.5g}")
