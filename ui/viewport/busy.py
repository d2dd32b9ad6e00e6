"""A progress plate over the 3D view while a run is built."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QVBoxLayout, QWidget


class BusyPlate(QFrame):
    """A line and a bar in the lower middle of its parent; hidden unless told something."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setObjectName("busyPlate")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._bar = QProgressBar(maximum=1000, textVisible=False)
        self._bar.setFixedHeight(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 12)
        layout.addWidget(self._label)
        layout.addWidget(self._bar)
        self.hide()

    def tell(self, text: str | None, fraction: float) -> None:
        """Show ``text`` and the fraction 0..1; hide if ``text`` is None."""
        if text is None:
            self.hide()
            return
        self._label.setText(text)
        self._bar.setValue(round(1000 * min(max(fraction, 0.0), 1.0)))
        if self.isHidden():
            self.show()
            self.raise_()
        self.settle()

    def settle(self) -> None:
        """Take the place that belongs to it after the parent changed its size."""
        host = self._host
        width = min(max(self.sizeHint().width(), 320), max(host.width() - 40, 100))
        height = self.sizeHint().height()
        self.setGeometry((host.width() - width) // 2, round(host.height() * 0.78) - height // 2, width, height)
