"""The list of probes: colour, name, present value; rename by double click, remove by the button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from ui.forms.fields.line import Line
from ui.widgets.icons import dress
from ui.widgets.theme import theme

ROW_HEIGHT = 30
HINT = "Click a point in the 3D view to follow its values here."


class Swatch(QWidget):
    """A dot in the colour of a trace."""

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = place
        self.setFixedSize(QSize(12, 12))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme().palette.trace(self.place)))
            painter.drawEllipse(1, 1, 10, 10)


class ProbeRow(QWidget):
    """One probe."""

    renamed = Signal(int, str)
    removed = Signal(int)

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._name = ""
        self.setFixedHeight(ROW_HEIGHT - 2)
        self.name = Line(self)
        self.name.setObjectName("probeName")
        self.name.setToolTip("Rename")
        self.name.editingFinished.connect(self._rename)
        self.value = QLabel(self)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.value.setMinimumWidth(84)
        remove = QToolButton(self)
        remove.setObjectName("small")
        remove.setToolTip("Remove this probe")
        remove.setAccessibleName("Remove this probe")
        dress(remove, "close", "muted")
        remove.clicked.connect(lambda: self.removed.emit(self._place))
        self.remove_button = remove
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(Swatch(place, self))
        layout.addWidget(self.name, 1)
        layout.addWidget(self.value)
        layout.addWidget(remove)

    def show_name(self, name: str) -> None:
        self._name = name
        if not self.name.hasFocus() or self.name.text() != name:
            self.name.setText(name)

    def _rename(self) -> None:
        name = self.name.text().strip()
        if name and name != self._name:
            self.renamed.emit(self._place, name)
        else:
            self.name.setText(self._name)
        self.name.setModified(False)


class ProbeList(QWidget):
    """Rows for the probes of the document, in their order."""

    renamed = Signal(int, str)
    removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ProbeRow] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._empty = QLabel(HINT, self)
        self._empty.setObjectName("muted")
        self._empty.setWordWrap(True)
        self._layout.addWidget(self._empty)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setObjectName("scrollBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def set_hint(self, *, with_ctrl: bool) -> None:
        """How a probe is placed, where there is none yet."""
        self._empty.setText(f"Ctrl+{HINT[0].lower()}{HINT[1:]}" if with_ctrl else HINT)

    def set_names(self, names: Sequence[str]) -> None:
        while len(self.rows) > len(names):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(names):
            row = ProbeRow(len(self.rows), self)
            row.renamed.connect(self.renamed)
            row.removed.connect(self.removed)
            self._layout.addWidget(row)
            self.rows.append(row)
        for row, name in zip(self.rows, names, strict=True):
            row.show_name(name)
        self._empty.setVisible(not names)

    def show_values(self, texts: Mapping[int, str]) -> None:
        for place, row in enumerate(self.rows):
            row.value.setText(texts.get(place, ""))
