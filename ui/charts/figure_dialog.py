"""Asks how large a figure is to be, and shows it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ui.charts.figure import FigureSize, figure_image

SIZES = {
    "One column of a paper": FigureSize(85, 60, 8, 600),
    "Two columns of a paper": FigureSize(175, 90, 8, 600),
    "In a report": FigureSize(120, 80, 9, 300),
    "On a slide": FigureSize(254, 143, 16, 192),
}
OWN = "A size of your own"
PREVIEW = 460, 320


class FigureDialog(QDialog):
    """``make`` gives a widget to draw; what is chosen goes out as ``chosen`` with the suffix of the file."""

    chosen = Signal(object, str)

    def __init__(self, make: Callable[[], QWidget], size: FigureSize, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Save a figure")
        self._make = make
        self.size_chooser = QComboBox(self)
        self.size_chooser.addItems([*SIZES, OWN])
        self.width_box, self.height_box = self._length(" mm", 30, 400), self._length(" mm", 20, 300)
        self.text_box = self._length(" pt", 5, 40)
        self.dots_box = QSpinBox(self)
        self.dots_box.setRange(72, 1200)
        self.dots_box.setSuffix(" pixels per inch")
        self.preview = QLabel(self)
        self.preview.setFixedSize(*PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        form = QFormLayout()
        form.addRow("Size", self.size_chooser)
        form.addRow("Width", self.width_box)
        form.addRow("Height", self.height_box)
        form.addRow("Text", self.text_box)
        form.addRow("PNG", self.dots_box)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        self.buttons = {}
        for suffix in (".png", ".svg", ".pdf"):
            button = QPushButton(f"Save as {suffix[1:].upper()}…", self)
            button.clicked.connect(lambda _=False, suffix=suffix: self._choose(suffix))
            buttons.addWidget(button)
            self.buttons[suffix] = button
        top = QHBoxLayout()
        top.addLayout(form)
        top.addSpacing(12)
        top.addWidget(self.preview)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addLayout(buttons)
        self._soon = QTimer(self, singleShot=True, interval=60)
        self._soon.timeout.connect(self._show_preview)
        self.size_chooser.currentTextChanged.connect(lambda name: self.set_size(SIZES[name]) if name in SIZES else None)
        for box in (self.width_box, self.height_box, self.text_box, self.dots_box):
            box.valueChanged.connect(lambda _: self._edited())
        self.set_size(size)
        self._show_preview()

    @property
    def size_wanted(self) -> FigureSize:
        width, height, text = (box.value() for box in (self.width_box, self.height_box, self.text_box))
        return FigureSize(width, height, text, self.dots_box.value())

    def set_size(self, size: FigureSize) -> None:
        boxes = (self.width_box, self.height_box, self.text_box, self.dots_box)
        for box in boxes:
            box.blockSignals(True)
        self.width_box.setValue(size.width)
        self.height_box.setValue(size.height)
        self.text_box.setValue(size.text)
        self.dots_box.setValue(size.dots)
        for box in boxes:
            box.blockSignals(False)
        self._edited()

    def _edited(self) -> None:
        name = next((name for name, size in SIZES.items() if size == self.size_wanted), OWN)
        if name != self.size_chooser.currentText():
            self.size_chooser.blockSignals(True)
            self.size_chooser.setCurrentText(name)
            self.size_chooser.blockSignals(False)
        self._soon.start()

    def _show_preview(self) -> None:
        image = figure_image(self._make, self.size_wanted)
        image.setDevicePixelRatio(1.0)
        picture = QPixmap.fromImage(image)
        smooth, whole = Qt.TransformationMode.SmoothTransformation, Qt.AspectRatioMode.KeepAspectRatio
        fits = picture.width() <= PREVIEW[0] and picture.height() <= PREVIEW[1]
        self.preview.setPixmap(picture if fits else picture.scaled(*PREVIEW, whole, smooth))

    def _choose(self, suffix: str) -> None:
        self.chosen.emit(self.size_wanted, suffix)
        self.accept()

    def _length(self, suffix: str, low: float, high: float) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(low, high)
        box.setDecimals(0)
        box.setSuffix(suffix)
        return box
